// The page starts here.

import { get, openStream, post } from "./api.js";
import { channelPane, focusComposer } from "./channel.js";
import { reconcile } from "./dom.js";
import { onEvent } from "./events.js";
import { homePane, openedHome } from "./home.js";
import { closeThread, openChannel, startRouting } from "./route.js";
import { drawSidebar } from "./sidebar.js";
import { changed, forgetLists, state, subscribe } from "./state.js";
import { threadPane } from "./thread.js";

const main = document.getElementById("main");
const aside = document.getElementById("thread");
const sidebar = document.getElementById("sidebar");
const offline = document.getElementById("offline");

async function boot() {
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const answer = await get("boot", { tz });
  if (state.team && state.team.id !== answer.team.id) location.replace("/"); // another sandbox runs here now
  state.team = answer.team;
  state.app = answer.app;
  state.commands = answer.commands ?? [];
  state.shortcuts = answer.shortcuts ?? [];
  for (const user of answer.users ?? []) state.users.set(user.id, user);
  state.me = state.users.get(answer.me);
  for (const channel of answer.channels)
    state.channels.set(channel.id, { ...state.channels.get(channel.id), ...channel });
}

let ready = null; // kept once the first stream is open, or cannot be opened: the page is read and drawn after that
let shown = "";

// What happens before the stream is open is in what is read here; the stream says the rest. Nothing falls between.
async function start() {
  await boot();
  subscribe(draw);
  startRouting();
}

function draw() {
  const place = state.place;
  const key = place.kind === "home" ? "home" : place.id;
  const moved = key !== shown;
  if (moved) enter(place, shown);
  shown = key;
  reconcile(main, [place.kind === "home" ? homePane() : channelPane(place.id)]);
  aside.hidden = !state.thread;
  document.body.classList.toggle("thread-open", Boolean(state.thread));
  reconcile(aside, state.thread ? [threadPane(state.thread)] : []);
  drawSidebar(sidebar);
  if (moved && place.kind === "channel" && !state.thread && matchMedia("(pointer: fine)").matches)
    focusComposer(place.id);
}

function enter(place, from) {
  leave(from);
  if (place.kind === "home") {
    openedHome();
    return;
  }
  const channel = state.channels.get(place.id);
  channel.unreadAtOpening = channel.unread;
  channel.unread = 0;
  channel.mentions = 0;
  if (channel.is_im) post("open", { tab: "messages" });
}

// Reading the history is what tells the server that a channel was read.
function leave(id) {
  state.readMarks.delete(id);
  if (state.channels.has(id)) get("history", { channel: id });
}

function onState(connected, again) {
  offline.hidden = connected;
  offline.textContent = connected ? "" : "Connection lost. Reconnecting…";
  if (!ready) ready = start();
  else if (connected && again)
    ready.then(boot).then(() => {
      forgetLists();
      changed();
    });
}

function onKey(event) {
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (document.body.classList.contains("list-open")) document.body.classList.remove("list-open");
    else if (state.thread) closeThread();
  }
  const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : 0;
  if (!step) return;
  event.preventDefault();
  const ids = [...state.channels.keys()];
  openChannel(ids[(ids.indexOf(state.place.id) + step + ids.length) % ids.length]);
}

document.getElementById("skip").addEventListener("click", () => focusComposer(state.place.id));
document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", () => {
  const channel = state.channels.get(state.place?.id);
  if (document.hidden || !channel) return;
  channel.unread = 0;
  channel.mentions = 0;
  changed();
});
openStream((event) => ready.then(() => onEvent(event)), onState);
