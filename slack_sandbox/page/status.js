// What the app is doing in a thread: the words it set, and the Stop button of a session that is at work.

import { post } from "./api.js";
import { h, icon } from "./dom.js";
import { changed, state, threadKey } from "./state.js";
import { say } from "./toast.js";

const LIFE_MS = 120000;
const lines = new Map(); // "surface key" -> {version, node}: the same node as long as it says the same

/** Show what the app set: {channel, thread_ts, status, loading_messages[]}. It goes when it is empty or after two minutes. */
export function showStatus({ channel, thread_ts: ts, status, loading_messages: loading }) {
  clearStatus(channel, ts);
  if (!status) return;
  const timer = setTimeout(() => clearStatus(channel, ts), LIFE_MS);
  state.statuses.set(threadKey(channel, ts), { words: loading?.[0] ?? `${state.app.name} ${status}`, timer });
}

/** Take the status of a thread away. */
export function clearStatus(channel, ts) {
  const key = threadKey(channel, ts);
  clearTimeout(state.statuses.get(key)?.timer);
  state.statuses.delete(key);
  changed();
}

/** Show what the app set about its work: {channel, thread_ts, session}. */
export function showSession({ channel, thread_ts: ts, session }) {
  if (session) state.sessions.set(threadKey(channel, ts), session);
  changed();
}

/** The line for a channel (of its latest thread) or, with Stop, for one thread -> nodes. */
export function statusLine(channel, ts = null) {
  if (ts) return threadLine(channel, ts);
  const latest = [...state.statuses.keys()].findLast((key) => key.startsWith(`${channel}/`));
  const words = state.statuses.get(latest)?.words;
  return words ? [kept(`channel ${channel}`, words, () => line(null, words))] : [];
}

function threadLine(channel, ts) {
  const key = threadKey(channel, ts);
  const words = state.statuses.get(key)?.words;
  const session = state.sessions.get(key);
  const working = session?.status === "processing";
  if (!words && !working) return [];
  const shown = session?.stopped_by && working ? "Stopping…" : (words ?? `${state.app.name} is working…`);
  const version = `${shown} ${working} ${session?.stopped_by}`;
  return [kept(`thread ${key}`, version, () => line("status", shown, working ? stopButton(channel, ts, session) : null))];
}

function kept(id, version, make) {
  if (lines.get(id)?.version !== version) lines.set(id, { version, node: make() });
  return lines.get(id).node;
}

function line(role, words, button = null) {
  const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  return h("div", { class: "status" }, dots, h("span", { class: "status-words", role }, words), button);
}

function stopButton(channel, ts, session) {
  const stop = async () => {
    const answer = await post("stop", { channel, thread_ts: ts });
    if (!answer.ok) say(`It was not stopped: ${answer.error}`);
  };
  return h(
    "button",
    { type: "button", class: "stop", disabled: Boolean(session.stopped_by), onclick: stop },
    icon("stop", 13),
    "Stop",
  );
}
