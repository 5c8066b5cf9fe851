// The middle of the page: one channel.

import { get, post } from "./api.js";
import { bookmarkBar, header, titleOf } from "./channel_head.js";
import { makeComposer } from "./composer.js";
import { h, icon, reconcile } from "./dom.js";
import { moveByKeys, renderList } from "./messages.js";
import { avatar } from "./people.js";
import { promptRow, showPrompts } from "./prompts.js";
import { followNewest } from "./scroller.js";
import { sendText } from "./sending.js";
import { changed, fill, isLoaded, messagesOf, startFill, state } from "./state.js";
import { statusLine } from "./status.js";

const PAGE = 150;
const panes = new Map(); // channel id -> pane

/** The node of a channel, drawn as it is now. */
export function channelPane(id) {
  const channel = state.channels.get(id);
  if (!panes.has(id)) panes.set(id, makePane(channel));
  const pane = panes.get(id);
  if (!isLoaded(id)) load(id);
  draw(pane, channel);
  return pane.node;
}

/** Put the cursor in the channel's message box. */
export function focusComposer(id) {
  panes.get(id)?.composer.focus();
}

async function load(id) {
  startFill(id);
  const { messages = [], prompts } = await get("history", { channel: id });
  const unread = state.channels.get(id).unreadAtOpening;
  if (unread && !state.readMarks.has(id)) state.readMarks.set(id, messages.at(-unread - 1)?.ts ?? "0");
  fill(id, messages);
  if (prompts) showPrompts({ channel: id, thread_ts: "", ...prompts });
}

function makePane(channel) {
  const list = h("div", { class: "message-list", onkeydown: (event) => moveByKeys(event, channel.id, "channel") });
  const scroller = h(
    "div",
    { class: "scroller from-bottom", role: "log", tabindex: 0, "aria-label": `Messages in ${titleOf(channel)}` },
    list,
  );
  const composer = makeComposer({
    id: "composer-channel",
    label: `Message ${titleOf(channel)}`,
    placeholder: `Message ${titleOf(channel)}`,
    send: async (text) => {
      follow.stick();
      return sendText(channel.id, text);
    },
    onUpInEmpty: () =>
      [...list.querySelectorAll(".message")]
        .findLast((node) => isMine(channel.id, node))
        ?.dispatchEvent(new Event("edit")),
  });
  const follow = followNewest(scroller, list);
  const latest = h(
    "button",
    { type: "button", class: "latest", hidden: true, onclick: () => follow.stick() },
    "Jump to latest",
  );
  scroller.addEventListener("scroll", () => (latest.hidden = follow.isStuck()), { passive: true });
  const [head, status, prompts] = [h("div", { class: "head-slot" }), h("div", { class: "status-slot" }), h("div", {})];
  const closed = archivedNote(channel.id);
  const foot = h("div", { class: "foot" }, status, prompts, composer.node, closed);
  const node = h("section", { class: "pane", "aria-label": titleOf(channel) }, head, scroller, latest, foot);
  const send = (text) => sendText(channel.id, text);
  return { node, head, list, composer, closed, follow, status, prompts, send, latest, shown: PAGE };
}

function isMine(id, node) {
  return messagesOf(id).find((message) => message.ts === node.dataset.ts)?.user === state.me.id;
}

function archivedNote(channel) {
  const open = h("button", { type: "button", class: "button", onclick: () => post("unarchive", { channel }) }, "Unarchive");
  return h("div", { class: "archived-note", hidden: true }, "This channel is archived. Nothing can be posted here.", open);
}

// The head and the words at the top are made again only when the channel itself has changed.
function describe(pane, channel) {
  const { unread, mentions, unreadAtOpening, ...rest } = channel;
  const version = JSON.stringify(rest);
  if (pane.version === version) return;
  pane.version = version;
  pane.head.replaceChildren(header(channel), ...bookmarkBar(channel));
  pane.intro = intro(channel, pane.composer);
  pane.composer.node.hidden = Boolean(channel.is_archived);
  pane.closed.hidden = !channel.is_archived;
}

function draw(pane, channel) {
  describe(pane, channel);
  const messages = messagesOf(channel.id);
  const visible = messages.slice(-pane.shown);
  pane.earlier ??= h(
    "button",
    { type: "button", class: "link-button earlier", onclick: () => showMore(pane) },
    "Show earlier messages",
  );
  const top = messages.length > visible.length ? pane.earlier : pane.intro;
  reconcile(pane.list, [
    top,
    ...renderList(visible, channel.id, "channel", { newAfter: state.readMarks.get(channel.id) ?? null }),
  ]);
  const focusable = [...pane.list.querySelectorAll(".message")];
  focusable.forEach((node, i) => (node.tabIndex = i === focusable.length - 1 ? 0 : -1));
  reconcile(pane.status, statusLine(channel.id));
  reconcile(pane.prompts, channel.is_im ? promptRow(channel.id, "", pane.send) : []);
  pane.follow.settle();
  pane.latest.hidden = pane.follow.isStuck();
}

function showMore(pane) {
  pane.shown += PAGE;
  changed();
}

// What a newcomer sees first: what this place is, and what can be typed here.
function intro(channel, composer) {
  const app = state.app.name;
  const start = (text) => () => composer.insert(text);
  const chip = (label, text) => h("button", { type: "button", class: "chip", onclick: start(text) }, label);
  const handle = state.users.get(state.app.user_id)?.name ?? app;
  const hears = channel.is_im || channel.is_member;
  const words = channel.is_im
    ? `This is your direct conversation with ${app}. No mention is needed here.`
    : hears
      ? `This is the start of #${channel.name}. ${app} is here: mention it to ask something.`
      : `This is the start of #${channel.name}. ${app} is not a member, so it sees nothing that is written here.`;
  const chips = [
    !channel.is_im && hears ? chip(`@${handle} …`, `@${handle} `) : null,
    ...state.commands.slice(0, 3).map((item) => chip(`${item.command} ${item.usage_hint || "…"}`, `${item.command} `)),
  ];
  return h(
    "div",
    { class: "intro" },
    channel.is_im
      ? avatar({ id: state.app.user_id, name: app, isApp: true }, "large")
      : h("span", { class: "intro-mark" }, icon(channel.is_private ? "lock" : "hash", 26)),
    h("h2", {}, channel.is_im ? app : `Welcome to #${channel.name}`),
    h("p", {}, words),
    h("div", { class: "chips" }, chips),
  );
}
