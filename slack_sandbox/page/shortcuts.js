// Shortcuts that the app has registered: of a message's menu, or from everywhere.

import { post } from "./api.js";
import { iconButton } from "./dom.js";
import { openMenu } from "./popups.js";
import { state } from "./state.js";
import { say } from "./toast.js";

/** Menu items for a message. */
export function messageShortcuts(message, channel) {
  const place = { channel, message_ts: message.ts };
  return state.shortcuts.filter((item) => item.of_message).map((item) => entry(item, place));
}

/** A button with the shortcuts that need no message; null when there are none. */
export function shortcutButton() {
  const items = state.shortcuts.filter((item) => !item.of_message).map((item) => entry(item, {}));
  if (!items.length) return null;
  const button = iconButton("bolt", "Shortcuts", () => openMenu(button, items));
  button.setAttribute("aria-haspopup", "menu");
  return button;
}

function entry(item, place) {
  const run = async () => {
    const answer = await post("shortcut", { callback_id: item.callback_id, ...place });
    if (!answer.ok) say(`${state.app.name} did not answer this: ${answer.error}`);
  };
  return { label: item.title, note: state.app.name, run };
}
