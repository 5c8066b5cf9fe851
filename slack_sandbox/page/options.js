// What a select, a radio group or check boxes offer, and how Slack writes what was chosen.

import { h } from "./dom.js";
import { renderInline, unescape } from "./mrkdwn.js";
import { state } from "./state.js";

/** A text object as plain words. */
export function optionLabel(text) {
  if (!text) return "";
  return typeof text === "string" ? text : unescape(text.text ?? "");
}

function fromOptions(element) {
  const groups = element.option_groups ?? [{ label: null, options: element.options ?? [] }];
  return groups.flatMap((group) =>
    (group.options ?? []).map((option) => ({
      value: option.value,
      text: optionLabel(option.text),
      node: option.text?.type === "mrkdwn" ? h("span", {}, renderInline(option.text.text)) : null,
      description: optionLabel(option.description),
      group: optionLabel(group.label),
      option,
    })),
  );
}

const people = () =>
  [...state.users.values()].map((user) => ({ value: user.id, text: user.real_name || user.name, group: "" }));
const places = (element) =>
  [...state.channels.values()].filter((channel) => fits(channel, element)).map((channel) => ({
    value: channel.id,
    text: channel.is_im ? channel.name : `#${channel.name}`,
    group: "",
  }));

function fits(channel, { type, filter }) {
  const kind = channel.is_im ? "im" : channel.is_private ? "private" : "public";
  if (type.endsWith("channels_select")) return kind === "public" && !channel.is_archived;
  return !channel.is_archived && (!filter?.include || filter.include.includes(kind));
}

// type of the element -> [who makes the items, singular key, plural key]
const KINDS = {
  static_select: [fromOptions, "option"],
  radio_buttons: [fromOptions, "option"],
  checkboxes: [fromOptions, "option"],
  users_select: [people, "user"],
  channels_select: [places, "channel"],
  conversations_select: [places, "conversation"],
};

/** {items[{value, text, group, …}], initial(kept) -> chosen values, write(items) -> Slack's "selected_…" keys}. */
export function choices(element) {
  const many = element.type.startsWith("multi_") || element.type === "checkboxes";
  const [make, noun] = KINDS[element.type.replace(/^multi_/, "")];
  const items = make(element);
  const key = many ? `selected_${noun}s` : `selected_${noun}`;
  const out = (item) => (noun === "option" ? item.option : item.value);
  return {
    items,
    initial: (kept) => {
      const start = kept?.[key] ?? element[many ? `initial_${noun}s` : `initial_${noun}`];
      const list = start === undefined || start === null ? [] : Array.isArray(start) ? start : [start];
      return list.map((entry) => (typeof entry === "string" ? entry : entry.value));
    },
    write: (chosen) => ({ [key]: many ? chosen.map(out) : chosen.length ? out(chosen[0]) : null }),
  };
}
