// Where the reader is, kept in the address: #/C123, #/C123/1763733600.000100, #/home. So Back works and links can be shared.

import { asPerson } from "./api.js";
import { changed, state } from "./state.js";

let focusThread = false;

/** Go to a channel. */
export function openChannel(id) {
  go(`#/${id}`);
}

/** Open a thread beside its channel; `focus` puts the cursor in its message box. */
export function openThread(channel, ts, focus = false) {
  focusThread = focus;
  go(`#/${channel}/${ts}`);
}

/** Close the thread and stay in the channel. */
export function closeThread() {
  if (state.place?.kind === "channel") go(`#/${state.place.id}`);
}

/** Go to the app's home tab. */
export function openHome() {
  go("#/home");
}

/** True once after a thread was opened with `focus`. */
export function takeFocusThread() {
  const wanted = focusThread;
  focusThread = false;
  return wanted;
}

function go(hash) {
  if (location.hash === hash) apply();
  else location.hash = hash;
}

function apply() {
  const [id, ts] = decodeURIComponent(location.hash.replace(/^#\/?/, "")).split("/");
  if (id === "home") {
    state.place = { kind: "home" };
    state.thread = null;
  } else {
    const channel = state.channels.get(id) ?? firstChannel();
    state.place = { kind: "channel", id: channel.id };
    state.thread = ts && channel.id === id ? { channel: id, ts } : null;
  }
  document.body.classList.remove("list-open");
  changed();
}

function firstChannel() {
  const all = [...state.channels.values()];
  return all.find((channel) => channel.name === "general") ?? all[0];
}

// …/archives/C123/p1763733600000100?thread_ts=… -> {channel, ts of the thread} or null.
function placeOf(address) {
  const match = /\/archives\/([A-Z0-9]+)(?:\/p(\d{10})(\d{6}))?/.exec(address);
  if (!match || !state.channels.has(match[1])) return null;
  const own = match[2] ? `${match[2]}.${match[3]}` : null;
  return { channel: match[1], ts: new URL(address).searchParams.get("thread_ts") ?? own };
}

// Permalinks of this workspace open here instead of in a new tab.
function permalink(event) {
  const anchor = event.target.closest?.("a[href]");
  const found = anchor && placeOf(anchor.href);
  if (!found || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (found.ts) openThread(found.channel, found.ts);
  else openChannel(found.channel);
}

// A permalink that was opened as an address of its own.
function fromPermalink() {
  const found = placeOf(location.href);
  if (found) history.replaceState(null, "", `/${asPerson}#/${found.channel}${found.ts ? `/${found.ts}` : ""}`);
}

/** Follow the address from now on. */
export function startRouting() {
  fromPermalink();
  window.addEventListener("hashchange", apply);
  document.addEventListener("click", permalink);
  apply();
}
