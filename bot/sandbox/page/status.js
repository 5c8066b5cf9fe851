// What the app says it is doing in a thread.

import { h } from "./dom.js";
import { changed, state, threadKey } from "./state.js";

const LIFE_MS = 120000;

/** Show what the app set: {channel, thread_ts, status, loading_messages[]}. It goes when it is empty or after two minutes. */
export function showStatus({ channel, thread_ts: ts, status, loading_messages: loading }) {
  clearStatus(channel, ts);
  if (!status) return;
  const node = draw(loading?.[0] ?? `${state.app.name} ${status}`);
  const timer = setTimeout(() => clearStatus(channel, ts), LIFE_MS);
  state.statuses.set(threadKey(channel, ts), { ...node, timer });
}

/** Take the status of a thread away. */
export function clearStatus(channel, ts) {
  const key = threadKey(channel, ts);
  clearTimeout(state.statuses.get(key)?.timer);
  state.statuses.delete(key);
  changed();
}

/** The line for a channel (of its latest thread) or for one thread -> nodes. */
export function statusLine(channel, ts = null) {
  if (ts) return [state.statuses.get(threadKey(channel, ts))?.inThread].filter(Boolean);
  const latest = [...state.statuses.keys()].findLast((key) => key.startsWith(`${channel}/`));
  return [state.statuses.get(latest)?.inChannel].filter(Boolean);
}

function draw(words) {
  const line = (role) =>
    h(
      "div",
      { class: "status", role },
      h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
      words,
    );
  return { inThread: line("status"), inChannel: line(null) };
}
