// The bar over a channel or the home tab, and the bookmarks under it.

import { post } from "./api.js";
import { h, icon, iconButton, link } from "./dom.js";
import { emojiNode } from "./emoji.js";
import { avatar } from "./people.js";
import { openMenu } from "./popups.js";
import { openHome } from "./route.js";
import { state } from "./state.js";
import { say } from "./toast.js";

/** "#general", or the app's name for the direct message. */
export function titleOf(channel) {
  return channel.is_im ? channel.name || state.app.name : `#${channel.name}`;
}

/** The bar over a channel or the home tab. */
export function header(channel, tab = "messages") {
  const showList = () => {
    document.body.classList.add("list-open");
    document.querySelector("#sidebar .current")?.focus();
  };
  const back = iconButton("back", "Back to the list of channels", showList, "back-button");
  const name = channel.is_im
    ? [avatar({ id: state.app.user_id, name: titleOf(channel), isApp: true }, "small"), titleOf(channel)]
    : [icon(channel.is_private ? "lock" : "hash", 17), channel.name];
  const rest = channel.is_im ? [appTabs(channel, tab)] : [topic(channel), channelMenu(channel)];
  return h("header", { class: "pane-head" }, back, h("h1", {}, name), rest);
}

function appTabs(channel, tab) {
  const button = (label, key, onclick) =>
    h("button", { type: "button", role: "tab", "aria-selected": String(tab === key), onclick }, label);
  return h(
    "div",
    { class: "tabs", role: "tablist", "aria-label": "App" },
    button("Home", "home", openHome),
    button("Messages", "messages", () => (location.hash = `#/${channel.id}`)),
  );
}

function topic(channel) {
  const words = channel.topic?.value || channel.purpose?.value || "";
  return h("span", { class: "topic", title: words }, words);
}

function channelMenu(channel) {
  const place = { channel: channel.id };
  const app = { ...place, user: state.app.user_id };
  const items = [
    channel.is_member
      ? { label: `Remove ${state.app.name}`, run: () => tell("kick", app) }
      : { label: `Add ${state.app.name}`, run: () => tell("invite", app) },
    channel.is_archived
      ? { label: "Unarchive", run: () => tell("unarchive", place) }
      : { label: "Archive", danger: true, run: () => tell("archive", place) },
  ];
  const button = iconButton("more", `More about ${titleOf(channel)}`, () => openMenu(button, items));
  button.setAttribute("aria-haspopup", "menu");
  return button;
}

const REFUSED = {
  cant_archive_general: "#general can't be archived.",
  cant_leave_general: "Nobody can leave #general.",
};

async function tell(verb, body) {
  const answer = await post(verb, body);
  if (!answer.ok) say(REFUSED[answer.error] ?? `That was refused: ${answer.error}`);
}

/** A channel's bookmarks -> nodes. */
export function bookmarkBar(channel) {
  if (!channel.bookmarks?.length) return [];
  const items = channel.bookmarks.map((bookmark) => {
    const drawn = emojiNode((bookmark.emoji ?? "").replaceAll(":", ""));
    return h("li", {}, link(bookmark.link, drawn.matches(".emoji") ? drawn : icon("link", 13), bookmark.title));
  });
  return [h("ul", { class: "bookmarks", "aria-label": "Bookmarks" }, items)];
}
