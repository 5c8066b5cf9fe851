// What can be done with a message: react, reply in a thread, edit, delete.

import { post } from "./api.js";
import { h, iconButton } from "./dom.js";
import { askToConfirm, openEmojiPicker, openMenu } from "./popups.js";
import { unescape } from "./mrkdwn.js";
import { openThread } from "./route.js";
import { messageShortcuts } from "./shortcuts.js";
import { drop, state } from "./state.js";
import { say } from "./toast.js";

/** The bar that appears over a message. */
export function messageActions(message, channel, surface) {
  const bar = h("div", { class: "message-actions", role: "toolbar", "aria-label": "Message actions" });
  if (message.ephemeral) {
    bar.append(iconButton("close", "Dismiss", () => dismiss(message, channel)));
    return bar;
  }
  const reactButton = iconButton("react", "Add a reaction", () =>
    openEmojiPicker(reactButton, (name) => react(channel, message, name)),
  );
  bar.append(reactButton);
  if (surface === "channel")
    bar.append(
      iconButton("reply", "Reply in thread", () => openThread(channel, message.thread_ts ?? message.ts, true)),
    );
  const more = iconButton("more", "More actions", () => openMenu(more, moreItems(bar, message, channel)));
  bar.append(more);
  return bar;
}

function moreItems(bar, message, channel) {
  const items = [...messageShortcuts(message, channel), { label: "Copy link", run: () => copyLink(message, channel) }];
  if (message.user !== state.me.id) return items;
  const edit = { label: "Edit message", run: () => bar.closest(".message").dispatchEvent(new Event("edit")) };
  return [edit, ...items, { label: "Delete message", danger: true, run: () => remove(message, channel) }];
}

function dismiss(message, channel) {
  drop(channel, message.ts);
  post("delete", { channel, ts: message.ts });
}

async function copyLink(message, channel) {
  await navigator.clipboard.writeText(`${location.origin}/#/${channel}/${message.thread_ts ?? message.ts}`);
  say("Link copied");
}

/** Add the reader's reaction, or take it back. */
export async function react(channel, message, name) {
  const answer = await post("reaction", { channel, ts: message.ts, name });
  if (!answer.ok) say(`The reaction was not added: ${answer.error}`);
}

async function remove(message, channel) {
  const sure = await askToConfirm({
    title: "Delete message",
    text: "Are you sure? This cannot be undone.",
    confirm: "Delete",
    style: "danger",
  });
  if (!sure) return;
  const answer = await post("delete", { channel, ts: message.ts });
  if (!answer.ok) say(`The message was not deleted: ${answer.error}`);
}

/** Replace the message's text by a box to edit it in: Enter saves, Escape leaves it. */
export function startEdit(node, message, channel) {
  const content = node.querySelector(".content");
  if (message.user !== state.me.id || !content || node.querySelector(".edit-box")) return;
  const area = h("textarea", { class: "input", rows: 2, "aria-label": "Edit message", value: editable(message.text) });
  const done = () => {
    box.remove();
    content.hidden = false;
    node.focus();
  };
  const save = async () => {
    if (area.value.trim() && area.value !== editable(message.text)) {
      const answer = await post("edit", { channel, ts: message.ts, text: area.value });
      if (!answer.ok) say(`The message was not changed: ${answer.error}`);
    }
    done();
  };
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      done();
    }
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    save();
  });
  const foot = h(
    "div",
    { class: "edit-foot" },
    h("button", { type: "button", class: "button", onclick: done }, "Cancel"),
    h("button", { type: "button", class: "button primary", onclick: save }, "Save"),
  );
  const box = h("div", { class: "edit-box" }, area, foot);
  content.hidden = true;
  content.after(box);
  area.focus();
}

// As it was typed: names instead of ids.
function editable(text) {
  const named = text
    .replace(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g, (whole, id) =>
      state.users.has(id) ? `@${state.users.get(id).name}` : whole,
    )
    .replace(/<#([A-Z0-9]+)(?:\|[^>]*)?>/g, (whole, id) =>
      state.channels.has(id) ? `#${state.channels.get(id).name}` : whole,
    )
    .replace(/<(https?:[^|>]+)(?:\|[^>]*)?>/g, "$1");
  return unescape(named);
}
