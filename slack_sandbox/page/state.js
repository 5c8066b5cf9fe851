// What the page knows: people, channels, messages, and what is on the screen. Changes redraw once a frame.

export const state = {
  team: null,
  me: null,
  app: null,
  users: new Map(), // id -> user
  channels: new Map(), // id -> channel, with `unread` and `mentions`
  commands: [],
  shortcuts: [],
  place: null, // {kind: "channel", id} or {kind: "home"}
  thread: null, // {channel, ts} of the open thread
  statuses: new Map(), // "channel/thread_ts" -> what the app says it is doing
  sessions: new Map(), // "channel/thread_ts" -> {status, title, stopped_by}: the app's work there
  prompts: new Map(), // "channel/thread_ts" -> {title, prompts[{title, message}]}; no thread_ts: for a new conversation
  readMarks: new Map(), // channel -> ts of the last message read before the channel was opened
  homeView: null,
};

const lists = new Map(); // "channel" or "channel/thread_ts" -> {byTs: Map, sorted: message[] | null, loaded: bool, touched: Set of ts}
const listeners = new Set();
let scheduled = false;

/** Call `listener` after changes, at most once a frame. */
export function subscribe(listener) {
  listeners.add(listener);
}

/** Redraw soon. */
export function changed() {
  if (scheduled) return;
  scheduled = true;
  const draw = () => {
    scheduled = false;
    for (const listener of listeners) listener();
  };
  if (document.hidden) setTimeout(draw, 200);
  else requestAnimationFrame(draw);
}

function listOf(key) {
  if (!lists.has(key)) lists.set(key, { byTs: new Map(), sorted: null, loaded: false, touched: new Set() });
  return lists.get(key);
}

/** The key of a thread's list and status. */
export const threadKey = (channel, ts) => `${channel}/${ts}`;

/** Messages of "channel" or "channel/thread_ts", oldest first. */
export function messagesOf(key) {
  const list = listOf(key);
  list.sorted ??= [...list.byTs.values()].sort(
    (a, b) => Number.parseFloat(a.ts) - Number.parseFloat(b.ts) || (a.ts < b.ts ? -1 : 1),
  );
  return list.sorted;
}

/** One message, or undefined. */
export function messageAt(key, ts) {
  return listOf(key).byTs.get(ts);
}

/** True once the history of this list was read. */
export function isLoaded(key) {
  return listOf(key).loaded;
}

/** Say that a list is being read from now on; what the stream changes meanwhile is newer than the answer. */
export function startFill(key) {
  const list = listOf(key);
  list.loaded = true;
  list.touched = new Set();
}

/** Make a list what the server answered, except where the stream said something newer. */
export function fill(key, messages) {
  const list = listOf(key);
  const newest = Number.parseFloat(messages.at(-1)?.ts ?? "0");
  const answered = new Set(messages.map((message) => message.ts));
  for (const ts of list.byTs.keys())
    if (!answered.has(ts) && !list.touched.has(ts) && Number.parseFloat(ts) < newest) list.byTs.delete(ts);
  for (const message of messages) if (!list.touched.has(message.ts)) list.byTs.set(message.ts, message);
  list.sorted = null;
  changed();
}

/** Forget what was read, so that it is read again (after a lost connection). */
export function forgetLists() {
  for (const list of lists.values()) list.loaded = false;
}

function put(key, message) {
  const list = listOf(key);
  const last = list.sorted?.at(-1);
  const known = list.byTs.has(message.ts);
  list.byTs.set(message.ts, message);
  list.touched.add(message.ts);
  if (!known && list.sorted && (!last || Number.parseFloat(message.ts) > Number.parseFloat(last.ts)))
    list.sorted.push(message);
  else list.sorted = null;
}

const isReply = (message) => message.thread_ts && message.thread_ts !== message.ts;

/** Store a new or changed message where it is shown: in its channel, or in its thread, or both. Returns true when new. */
export function store(channel, message) {
  const thread = message.thread_ts ? threadKey(channel, message.thread_ts) : null;
  const isNew = !messageAt(isReply(message) ? thread : channel, message.ts);
  if (!isReply(message) || message.subtype === "thread_broadcast") put(channel, message);
  if (thread && (isReply(message) || lists.has(thread))) put(thread, message);
  else if (!thread && lists.has(threadKey(channel, message.ts))) put(threadKey(channel, message.ts), message);
  if (isReply(message) && isNew && !message.ephemeral) countReply(channel, message);
  changed();
  return isNew;
}

function countReply(channel, reply) {
  const root = messageAt(channel, reply.thread_ts);
  if (!root || Number.parseFloat(root.latest_reply ?? "0") >= Number.parseFloat(reply.ts)) return;
  const who = reply.user ?? reply.bot_id;
  const users = [...new Set([...(root.reply_users ?? []), who])];
  put(channel, { ...root, reply_count: (root.reply_count ?? 0) + 1, reply_users: users, latest_reply: reply.ts });
}

/** Forget a message wherever it is shown. */
export function drop(channel, ts) {
  for (const [key, list] of lists) {
    if (key !== channel && !key.startsWith(`${channel}/`)) continue;
    const message = list.byTs.get(ts);
    if (!message) continue;
    list.byTs.delete(ts);
    list.touched.add(ts);
    list.sorted = null;
    if (key !== channel && isReply(message)) uncountReply(channel, message.thread_ts);
  }
  changed();
}

function uncountReply(channel, ts) {
  const root = messageAt(channel, ts);
  if (root?.reply_count) put(channel, { ...root, reply_count: root.reply_count - 1 });
}

/** The message wherever it is stored. */
export function findMessage(channel, ts) {
  for (const [key, list] of lists) {
    if ((key === channel || key.startsWith(`${channel}/`)) && list.byTs.has(ts)) return list.byTs.get(ts);
  }
  return undefined;
}
