// Prompts that the app suggests: a press sends one.

import { h, icon } from "./dom.js";
import { changed, state, threadKey } from "./state.js";

const rows = new WeakMap(); // what the app suggested -> its node

/** Keep what the app suggests: {channel, thread_ts, title, prompts[{title, message}]}. */
export function showPrompts({ channel, thread_ts: ts, title, prompts }) {
  state.prompts.set(threadKey(channel, ts ?? ""), { title, prompts });
  changed();
}

/** The prompts of a conversation, or of one thread -> nodes; `send(text)` sends one. */
export function promptRow(channel, ts, send) {
  const suggested = state.prompts.get(threadKey(channel, ts ?? ""));
  if (!suggested?.prompts.length) return [];
  if (!rows.has(suggested)) rows.set(suggested, draw(suggested, send));
  return [rows.get(suggested)];
}

function draw({ title, prompts }, send) {
  const chips = prompts.map((prompt) =>
    h(
      "button",
      { type: "button", class: "chip", title: prompt.message, onclick: () => send(prompt.message) },
      icon("spark", 14),
      h("span", {}, prompt.title),
    ),
  );
  return h(
    "div",
    { class: "prompts", role: "group", "aria-label": title || "Suggestions" },
    title ? h("div", { class: "quiet" }, title) : null,
    h("div", { class: "chips" }, chips),
  );
}
