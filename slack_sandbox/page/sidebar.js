// The list of channels at the left.

import { askForChannel } from "./create_channel.js";
import { h, icon, iconButton, reconcile } from "./dom.js";
import { personSwitch } from "./person_switch.js";
import { avatar } from "./people.js";
import { openChannel } from "./route.js";
import { state } from "./state.js";

let parts = null;

/** Draw the sidebar as it is now. */
export function drawSidebar(root) {
  parts ??= make(root);
  const channels = [...state.channels.values()];
  reconcile(parts.channels, channels.filter((channel) => !channel.is_im).map(row));
  reconcile(parts.direct, channels.filter((channel) => channel.is_im).map(row));
  const badge = channels.reduce((sum, channel) => sum + (channel.mentions ?? 0), 0);
  const place = state.place?.kind === "home" ? "Home" : state.channels.get(state.place?.id);
  const name = typeof place === "string" ? place : place ? (place.is_im ? state.app.name : `#${place.name}`) : "";
  document.title = `${badge ? `(${badge}) ` : ""}${name} · ${state.team.name}`;
}

function make(root) {
  const head = h(
    "div",
    { class: "team" },
    h("span", { class: "team-mark", "aria-hidden": "true" }, state.team.name[0].toUpperCase()),
    h("span", {}, state.team.name),
  );
  const channels = h("ul", {});
  const direct = h("ul", {});
  const add = iconButton("plus", "Create a channel", askForChannel, "add-channel");
  const groups = h(
    "div",
    { class: "groups" },
    h("div", { class: "group-head" }, h("h2", { id: "group-channels" }, "Channels"), add),
    channels,
    h("div", { class: "group-head" }, h("h2", { id: "group-direct" }, "Apps")),
    direct,
  );
  channels.setAttribute("aria-labelledby", "group-channels");
  direct.setAttribute("aria-labelledby", "group-direct");
  root.append(head, groups, personSwitch());
  return { channels, direct };
}

const rows = new Map();

function row(channel) {
  const current = state.place?.kind === "channel" ? state.place.id === channel.id : channel.is_im;
  const version = `${current} ${channel.unread} ${channel.mentions} ${channel.name} ${channel.is_private} ${channel.is_archived}`;
  const kept = rows.get(channel.id);
  if (kept?.version === version) return kept.node;
  const node = draw(channel, current);
  const hadFocus = kept?.node.contains(document.activeElement);
  rows.set(channel.id, { version, node });
  if (hadFocus) requestAnimationFrame(() => node.firstChild.focus());
  return node;
}

function draw(channel, current) {
  const unread = (channel.unread ?? 0) > 0;
  const mark = channel.is_im
    ? avatar({ id: state.app.user_id, name: channel.name || state.app.name, isApp: true }, "tiny")
    : icon(channel.is_private ? "lock" : "hash", 16);
  const badge = channel.mentions
    ? h("span", { class: "count", "aria-hidden": "true" }, String(channel.mentions))
    : null;
  const label = `${channel.is_im ? `Direct message with ${channel.name || state.app.name}` : channel.name}${unread ? `, ${channel.unread} unread` : ""}`;
  const attributes = {
    type: "button",
    class: `${current ? "current" : ""} ${unread ? "unread" : ""} ${channel.is_archived ? "archived" : ""}`,
    "aria-current": current ? "page" : null,
    "aria-label": label,
    onclick: () => openChannel(channel.id),
  };
  return h(
    "li",
    {},
    h("button", attributes, mark, h("span", { class: "channel-name" }, channel.name || state.app.name), badge),
  );
}
