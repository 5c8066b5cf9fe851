// The list of channels at the left.

import { h, icon, reconcile } from "./dom.js";
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
  const me = h(
    "div",
    { class: "whoami" },
    avatar({ id: state.me.id, name: state.me.real_name || state.me.name, isApp: false }, "small"),
    h("span", {}, state.me.real_name || state.me.name),
    h("span", { class: "presence", role: "img", "aria-label": "active" }),
  );
  const groups = h(
    "div",
    { class: "groups" },
    h("h2", { id: "group-channels" }, "Channels"),
    channels,
    h("h2", { id: "group-direct" }, "Apps"),
    direct,
  );
  channels.setAttribute("aria-labelledby", "group-channels");
  direct.setAttribute("aria-labelledby", "group-direct");
  root.append(head, groups, me);
  return { channels, direct };
}

const rows = new Map();

function row(channel) {
  const current = state.place?.kind === "channel" ? state.place.id === channel.id : channel.is_im;
  const version = `${current} ${channel.unread} ${channel.mentions} ${channel.name} ${channel.is_member}`;
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
    : icon("hash", 16);
  const badge = channel.mentions
    ? h("span", { class: "count", "aria-hidden": "true" }, String(channel.mentions))
    : null;
  const label = `${channel.is_im ? `Direct message with ${channel.name || state.app.name}` : channel.name}${unread ? `, ${channel.unread} unread` : ""}`;
  const attributes = {
    type: "button",
    class: `${current ? "current" : ""} ${unread ? "unread" : ""}`,
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
