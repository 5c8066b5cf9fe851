// What the message box offers while typing: @people, #channels, /commands and :emoji:.

import { h } from "./dom.js";
import { EMOJI, emojiNode } from "./emoji.js";
import { avatar } from "./people.js";
import { OWN_COMMANDS } from "./sending.js";
import { state } from "./state.js";

const LIMIT = 8;

/** Suggestions for the text before the cursor: {from, items[{insert, node, label}]} or null. */
export function suggestionsFor(before, { commands = true } = {}) {
  const slash = /^\/(\S*)$/.exec(before);
  if (slash) return commands ? found(0, matchingCommands(slash[1])) : null;
  const word = /(?:^|[\s(])([@#:])([\p{L}\p{N}._+-]*)$/u.exec(before);
  if (!word) return null;
  const [, sign, typed] = word;
  const from = before.length - typed.length - 1;
  if (sign === "@") return found(from, people(typed));
  if (sign === "#") return found(from, channels(typed));
  return typed.length >= 2 ? found(from, emoji(typed)) : null;
}

function found(from, items) {
  return items.length ? { from, items: items.slice(0, LIMIT) } : null;
}

const starts = (text, typed) =>
  String(text ?? "")
    .toLowerCase()
    .split(/[\s._-]+/)
    .concat(String(text ?? "").toLowerCase())
    .some((part) => part.startsWith(typed.toLowerCase()));

function people(typed) {
  const all = [...state.users.values()].filter(
    (user) => user.id !== state.me.id && (starts(user.name, typed) || starts(user.real_name, typed)),
  );
  const isApp = (user) => user.id === state.app.user_id;
  return all
    .sort((a, b) => isApp(b) - isApp(a))
    .map((user) => ({
      insert: `@${user.name} `,
      label: user.name,
      node: [
        avatar({ id: user.id, name: user.real_name || user.name, isApp: isApp(user) }, "small"),
        h("strong", {}, user.real_name || user.name),
        isApp(user) ? h("span", { class: "badge" }, "APP") : null,
        h("span", { class: "quiet" }, `@${user.name}`),
      ],
    }));
}

function channels(typed) {
  const all = [...state.channels.values()].filter((channel) => !channel.is_im && starts(channel.name, typed));
  return all.map((channel) => ({
    insert: `#${channel.name} `,
    label: `#${channel.name}`,
    node: [h("strong", {}, `#${channel.name}`)],
  }));
}

function matchingCommands(typed) {
  const all = [...state.commands, ...OWN_COMMANDS].filter((item) => item.command.slice(1).startsWith(typed));
  return all.map((item) => ({
    insert: `${item.command} `,
    label: item.command,
    node: [
      OWN_COMMANDS.includes(item) ? null : avatar({ id: state.app.user_id, name: state.app.name, isApp: true }, "small"),
      h("strong", {}, item.command),
      h("span", { class: "usage" }, item.usage_hint ?? ""),
      h("span", { class: "quiet" }, item.description ?? ""),
    ],
  }));
}

function emoji(typed) {
  const names = [...EMOJI.keys()].filter((name) => name.startsWith(typed.toLowerCase()));
  return names.map((name) => ({
    insert: `:${name}: `,
    label: name,
    node: [emojiNode(name), h("span", {}, `:${name}:`)],
  }));
}
