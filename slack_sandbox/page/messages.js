// One message on the screen, and the list of messages with its day separators.

import { h, icon, reconcile } from "./dom.js";
import { renderAttachments } from "./attachments.js";
import { renderBlocks } from "./blocks.js";
import { documentCard, isDocument } from "./documents.js";
import { emojiNode } from "./emoji.js";
import { count, dayAndTime, dayKey, dayName, fullTime, sizeOf, timeOf } from "./format.js";
import { messageActions, react, startEdit } from "./message_actions.js";
import { plainText, renderMrkdwn } from "./mrkdwn.js";
import { authorOf, avatar, avatarOf, nameOf } from "./people.js";
import { fileAddress, picture } from "./pictures.js";
import { openThread } from "./route.js";
import { state } from "./state.js";
import { messageContext } from "./surfaces.js";

const GROUP_S = 300;
const MANY = 3000;
const drawn = new Map(); // "surface channel/ts" -> {message, compact, version, parts} of what was drawn last

/** messages[] -> nodes with day separators; the nodes of unchanged messages are the same as last time. */
export function renderList(messages, channel, surface, { newAfter = null } = {}) {
  const nodes = [];
  let previous = null;
  let marked = false;
  for (const message of messages) {
    const newDay = !previous || dayKey(previous.ts) !== dayKey(message.ts);
    if (newDay && surface === "channel") nodes.push(separator(`day-${dayKey(message.ts)}`, dayName(message.ts), "day"));
    const isNew =
      newAfter !== null &&
      !marked &&
      Number.parseFloat(message.ts) > Number.parseFloat(newAfter) &&
      message.user !== state.me.id;
    if (isNew) nodes.push(separator("new", "New", "new"));
    marked ||= isNew;
    nodes.push(
      messageNode(
        message,
        channel,
        surface,
        follows(previous, message) && !(newDay && surface === "channel") && !isNew,
      ),
    );
    previous = message;
  }
  return nodes;
}

const separators = new Map();

function separator(key, label, kind) {
  const id = `${kind} ${key} ${label}`;
  if (!separators.has(id))
    separators.set(
      id,
      h("div", { class: `separator ${kind}`, role: "separator", "aria-label": label }, h("span", {}, label)),
    );
  return separators.get(id);
}

function follows(previous, message) {
  if (!previous || previous.reply_count || previous.ephemeral !== message.ephemeral) return false;
  if (message.bot_id && message.blocks?.length) return false;
  const [a, b] = [authorOf(previous), authorOf(message)];
  return a.id === b.id && a.name === b.name && Number.parseFloat(message.ts) - Number.parseFloat(previous.ts) < GROUP_S;
}

function messageNode(message, channel, surface, compact) {
  const key = `${surface} ${channel}/${message.ts}`;
  const last = drawn.get(key);
  if (last?.message === message && last.compact === compact) return last.parts.node;
  if (drawn.size > MANY) forgetUnseen();
  const version = versionOf(message);
  const parts = last?.version === version ? last.parts : draw(message, channel, surface);
  arrange(parts, message, channel, surface, compact);
  drawn.set(key, { message, compact, version, parts });
  return parts.node;
}

function forgetUnseen() {
  for (const [key, { parts }] of drawn) if (!parts.node.isConnected) drawn.delete(key);
}

// What comes and goes around a message: it leaves the message itself, what is entered in it and what is unfolded.
const AROUND = new Set(
  "reactions reply_count reply_users reply_users_count latest_reply subscribed is_locked thread_ts pinned_to".split(" "),
);
const versionOf = (message) => JSON.stringify(message, (name, value) => (AROUND.has(name) ? undefined : value));

function draw(message, channel, surface) {
  const gutter = h("div", { class: "gutter" });
  const body = h("div", { class: "message-body" });
  const inner = h("div", {}, content(message, channel), (message.files ?? []).map((file) => fileNode(file)));
  const node = h(
    "article",
    { tabindex: -1, "data-ts": message.ts, "aria-label": labelOf(message) },
    gutter,
    body,
    messageActions(message, channel, surface),
  );
  node.addEventListener("edit", () => startEdit(node, message, channel));
  return { node, gutter, body, inner };
}

const labelOf = (message) =>
  `${authorOf(message).name}, ${timeOf(message.ts)}: ${plainText(message.text).slice(0, 140)}`;

function arrange({ node, gutter, body, inner }, message, channel, surface, compact) {
  const author = authorOf(message);
  const kinds = {
    compact,
    ephemeral: message.ephemeral,
    tombstone: message.subtype === "tombstone",
    note: isNote(message),
  };
  node.className = ["message", ...Object.keys(kinds).filter((kind) => kinds[kind])].join(" ");
  const time = h("time", { class: "gutter-time", title: fullTime(message.ts) }, timeOf(message.ts));
  gutter.replaceChildren(compact ? time : avatar(author));
  const parts = [
    compact ? null : header(message, author),
    message.pinned_to?.length ? h("div", { class: "pinned" }, icon("pin", 14), "Pinned") : null,
    message.ephemeral ? h("div", { class: "only-you" }, icon("eye", 14), "Only visible to you") : null,
    inner,
    reactions(message, channel),
    surface === "channel" ? replies(message, channel) : null,
  ];
  reconcile(body, parts.filter(Boolean));
}

function header(message, author) {
  return h(
    "div",
    { class: "message-head" },
    h("span", { class: "name" }, author.name),
    author.isApp ? h("span", { class: "badge" }, "APP") : null,
    h("time", { title: fullTime(message.ts) }, timeOf(message.ts)),
  );
}

// What Slack itself says of a change; its author stands over it already.
const isNote = (message) => ["channel_topic", "channel_purpose"].includes(message.subtype);
const textOf = (message) => (isNote(message) ? message.text.replace(/^<@\w+> /, "") : message.text);

function content(message, channel) {
  const edited = message.edited
    ? h("span", { class: "edited", title: `Edited ${dayAndTime(message.edited.ts ?? message.ts)}` }, "(edited)")
    : null;
  const body = h("div", { class: "content" });
  if (message.blocks?.length && !isTyped(message))
    body.append(...renderBlocks(message.blocks, messageContext(channel, message)));
  else if (message.text)
    body.append(h("div", { class: "mrkdwn" }, message.mrkdwn === false ? message.text : renderMrkdwn(textOf(message))));
  body.append(...renderAttachments(message.attachments, messageContext(channel, message)));
  if (edited)
    (body.lastElementChild?.matches(".mrkdwn") ? (body.lastElementChild.lastElementChild ?? body) : body).append(
      " ",
      edited,
    );
  return body;
}

// What a person typed comes with a rich_text copy; the text itself has their *bold* and `code`.
function isTyped(message) {
  return (
    Boolean(message.text) && !message.bot_id && message.blocks.length === 1 && message.blocks[0].type === "rich_text"
  );
}

function fileNode(file) {
  const href = fileAddress(file);
  if (String(file.mimetype ?? "").startsWith("image/")) {
    const image = { image_url: href, alt_text: file.alt_txt || file.title || file.name };
    return h(
      "figure",
      { class: "file-picture" },
      h("figcaption", {}, file.title || file.name),
      picture(image, "", file.title || file.name),
    );
  }
  if (isDocument(file)) return documentCard(file);
  const preview = file.preview ? h("pre", { class: "file-preview" }, file.preview) : null;
  const words = h(
    "span",
    {},
    h("strong", {}, file.title || file.name || file.id),
    h(
      "span",
      { class: "quiet" },
      [file.pretty_type ?? file.filetype ?? "", sizeOf(file.size)].filter(Boolean).join(" · "),
    ),
  );
  return h(
    "div",
    { class: "file" },
    h("a", { class: "file-card", href, target: "_blank", rel: "noopener noreferrer" }, icon("file", 22), words),
    preview,
  );
}

function reactions(message, channel) {
  const list = message.reactions ?? [];
  if (!list.length) return null;
  const chips = list.map((reaction) => {
    const mine = reaction.users?.includes(state.me.id);
    const who = (reaction.users ?? []).map(nameOf).join(", ");
    const label = `${reaction.name}: ${count(reaction.count ?? reaction.users?.length ?? 1, "reaction")}`;
    return h(
      "button",
      {
        type: "button",
        class: "reaction",
        "aria-pressed": String(Boolean(mine)),
        "aria-label": label,
        title: `${who} reacted with :${reaction.name}:`,
        onclick: () => react(channel, message, reaction.name),
      },
      emojiNode(reaction.name),
      h("span", {}, String(reaction.count ?? reaction.users?.length ?? 1)),
    );
  });
  return h("div", { class: "reactions", role: "group", "aria-label": "Reactions" }, chips);
}

function replies(message, channel) {
  if (!message.reply_count) return null;
  const faces = (message.reply_users ?? []).slice(0, 4).map((id) => avatarOf(id, "tiny"));
  const last = message.latest_reply
    ? h("span", { class: "quiet" }, `Last reply ${dayAndTime(message.latest_reply)}`)
    : null;
  return h(
    "button",
    { type: "button", class: "replies", onclick: () => openThread(channel, message.ts) },
    h("span", { class: "faces" }, faces),
    h("strong", {}, count(message.reply_count, "reply", "replies")),
    last,
    icon("chevron", 14),
  );
}

/** Up and Down move between the messages of a list that has the focus; Enter opens the thread. */
export function moveByKeys(event, channel, surface) {
  const current = event.target.closest?.(".message");
  if (!current || event.target !== current) return;
  const all = [...event.currentTarget.querySelectorAll(".message")];
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step) {
    event.preventDefault();
    all[all.indexOf(current) + step]?.focus();
  } else if (event.key === "Enter" && surface === "channel") openThread(channel, current.dataset.ts);
  else if (event.key === "e") current.dispatchEvent(new Event("edit"));
}
