// Names of people and channels inside text, and blocks of code.

import { append, h, iconButton } from "./dom.js";
import { highlight } from "./highlight.js";
import { state } from "./state.js";

/** "@name"; marked when it is the reader. */
export function userMention(id, label = "") {
  const user = state.users.get(id);
  const mine = state.me && id === state.me.id;
  return h("span", { class: mine ? "mention me" : "mention", "data-user": id }, `@${user ? user.name : label || id}`);
}

/** "#name", which opens the channel when it is known. */
export function channelMention(id, label = "") {
  const channel = state.channels.get(id);
  if (!channel) return h("span", { class: "mention" }, `#${label || id}`);
  return h("a", { class: "mention", href: `#/${id}` }, `#${channel.name}`);
}

/** Code with its language and a button that copies it. */
export function codeBlock(text, language = "") {
  const code = h("code", {});
  append(code, highlight(text, language));
  const copy = iconButton("copy", "Copy code", async (event) => {
    await navigator.clipboard.writeText(text);
    event.target.closest("button").classList.add("done");
  });
  const bar = h("div", { class: "code-bar" }, language ? h("span", { class: "language" }, language) : null, copy);
  const pre = h("pre", { tabindex: 0, "aria-label": language ? `${language} code` : "Code" }, code);
  return h("div", { class: language ? "code-block titled" : "code-block" }, bar, pre);
}
