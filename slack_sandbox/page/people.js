// Who wrote a message, and how they look.

import { h, safeUrl } from "./dom.js";
import { EMOJI, emojiNode } from "./emoji.js";
import { state } from "./state.js";

/** {id, name, isApp, image, emoji} of a message's author. */
export function authorOf(message) {
  const user = state.users.get(message.user);
  const isApp = Boolean(message.bot_id || user?.is_bot || message.subtype === "bot_message");
  const name =
    message.username ||
    user?.real_name ||
    user?.name ||
    message.bot_profile?.name ||
    (message.user === "USLACKBOT" && "Slackbot") ||
    (isApp ? state.app.name : "Someone");
  const emoji = (message.icons?.emoji ?? "").replaceAll(":", "");
  return { id: message.user ?? message.bot_id ?? name, name, isApp, image: message.icons?.image_48 ?? null, emoji };
}

/** A square with the initials, in a colour of the person's own. */
export function avatar({ name, isApp, image, emoji }, size = "") {
  const kind = `avatar ${size} ${isApp ? "app" : `hue-${hue(name)}`}`;
  const href = image ? safeUrl(image) : null;
  if (href) return h("span", { class: kind, "aria-hidden": "true" }, h("img", { src: href, alt: "" }));
  if (emoji && EMOJI.has(emoji)) return h("span", { class: kind, "aria-hidden": "true" }, emojiNode(emoji));
  return h("span", { class: kind, "aria-hidden": "true" }, initials(name));
}

/** The avatar of a user id, for reply counts. */
export function avatarOf(id, size) {
  const user = state.users.get(id);
  const isApp = Boolean(user?.is_bot) || id === state.app.user_id || String(id).startsWith("B");
  return avatar({ id, name: user?.real_name || user?.name || state.app.name, isApp }, size);
}

function initials(name) {
  const words = String(name)
    .split(/[\s._-]+/)
    .filter(Boolean);
  const letters = words.length > 1 ? [words[0][0], words.at(-1)[0]] : [words[0]?.[0] ?? "?"];
  return letters.join("").toUpperCase();
}

function hue(name) {
  let sum = 0;
  for (const character of String(name)) sum = (sum * 31 + character.codePointAt(0)) % 9973;
  return sum % 8;
}

/** A user's name by id. */
export function nameOf(id) {
  const user = state.users.get(id);
  return user ? user.real_name || user.name : id === state.app?.user_id ? state.app.name : String(id);
}
