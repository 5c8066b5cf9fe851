// The pane at the right: one thread.

import { get } from "./api.js";
import { h, iconButton, reconcile } from "./dom.js";
import { titleOf } from "./channel_head.js";
import { makeComposer } from "./composer.js";
import { count } from "./format.js";
import { moveByKeys, renderList } from "./messages.js";
import { closeThread, openThread, takeFocusThread } from "./route.js";
import { followNewest } from "./scroller.js";
import { sendText } from "./sending.js";
import { fill, isLoaded, messageAt, messagesOf, startFill, state, threadKey } from "./state.js";
import { promptRow, showPrompts } from "./prompts.js";
import { showSession, showStatus, statusLine } from "./status.js";

const panes = new Map(); // "channel/ts" -> pane

/** The node of a thread, drawn as it is now. */
export function threadPane({ channel, ts }) {
  const key = threadKey(channel, ts);
  if (!panes.has(key)) panes.set(key, makePane(channel, ts));
  const pane = panes.get(key);
  if (!isLoaded(key)) load(channel, ts);
  draw(pane, channel, ts);
  if (takeFocusThread()) requestAnimationFrame(() => pane.composer.focus());
  return pane.node;
}

/** True while something is typed in the thread's box. */
export function hasDraft({ channel, ts }) {
  const pane = panes.get(threadKey(channel, ts));
  return Boolean(pane) && !pane.composer.isEmpty();
}

async function load(channel, ts) {
  const key = threadKey(channel, ts);
  const known = messageAt(channel, ts);
  if (known) fill(key, [known]);
  startFill(key);
  const answer = await get("thread", { channel, ts });
  fill(key, answer.messages ?? []);
  showSession({ channel, thread_ts: ts, session: answer.session });
  if (answer.status) showStatus({ channel, thread_ts: ts, ...answer.status });
  if (answer.prompts) showPrompts({ channel, thread_ts: ts, ...answer.prompts });
  const root = answer.messages?.[0]?.ts;
  if (root && root !== ts) openThread(channel, root);
}

function makePane(channel, ts) {
  const list = h("div", { class: "message-list", onkeydown: (event) => moveByKeys(event, channel, "thread") });
  const scroller = h(
    "div",
    { class: "scroller", role: "log", tabindex: 0, "aria-label": "Messages in the thread" },
    list,
  );
  const follow = followNewest(scroller, list);
  const composer = makeComposer({
    id: "composer-thread",
    label: "Reply in thread",
    placeholder: "Reply…",
    commands: false,
    send: async (text) => {
      follow.stick();
      return sendText(channel, text, ts);
    },
  });
  const subtitle = h("span", { class: "quiet subtitle" });
  const back = iconButton("back", "Back to the channel", closeThread, "back-button");
  const close = iconButton("close", "Close thread", closeThread, "close-button");
  const head = h("header", { class: "pane-head" }, back, h("h2", {}, "Thread", subtitle), close);
  const status = h("div", { class: "status-slot" });
  const prompts = h("div", {});
  const send = (text) => {
    state.prompts.delete(threadKey(channel, ts));
    sendText(channel, text, ts);
  };
  const counter = h("div", { class: "separator reply-count", role: "separator" }, h("span"));
  const node = h(
    "section",
    { class: "pane", "aria-label": "Thread" },
    head,
    scroller,
    h("div", { class: "foot" }, status, prompts, composer.node),
  );
  return { node, list, follow, composer, status, prompts, send, subtitle, counter };
}

function draw(pane, channel, ts) {
  const messages = messagesOf(threadKey(channel, ts));
  const root = messages.filter((message) => message.ts === ts);
  const replies = messages.filter((message) => message.ts !== ts);
  pane.counter.firstChild.textContent = count(replies.length, "reply", "replies");
  const between = replies.length ? [pane.counter] : [];
  reconcile(pane.list, [...renderList(root, channel, "thread"), ...between, ...renderList(replies, channel, "thread")]);
  const nodes = [...pane.list.querySelectorAll(".message")];
  nodes.forEach((node, i) => (node.tabIndex = i === nodes.length - 1 ? 0 : -1));
  pane.subtitle.textContent = state.sessions.get(threadKey(channel, ts))?.title || titleOf(state.channels.get(channel));
  reconcile(pane.status, statusLine(channel, ts));
  reconcile(pane.prompts, promptRow(channel, ts, pane.send));
  pane.follow.settle();
}
