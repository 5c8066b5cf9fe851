// What arrives over the stream, and what it changes.

import { showView, removeView } from "./modal.js";
import { openChannel, openThread } from "./route.js";
import { commandTimes } from "./sending.js";
import { changed, drop, findMessage, messageAt, state, store } from "./state.js";
import { showPrompts } from "./prompts.js";
import { clearStatus, showSession, showStatus } from "./status.js";
import { hasDraft } from "./thread.js";

/** Apply one event of the stream. */
export function onEvent(event) {
  HANDLERS[event.type]?.(event);
}

function onMessage({ channel, message }) {
  const root = message.thread_ts && message.thread_ts !== message.ts ? messageAt(channel, message.thread_ts) : null;
  const first = root && !(root.reply_users ?? []).some(isApp);
  const isNew = store(channel, message);
  if (!isNew) return;
  if (fromApp(message)) clearStatus(channel, message.thread_ts ?? message.ts);
  if (root && first && fromApp(message) && !message.ephemeral) autoOpen(channel, root);
  countUnread(channel, message, root);
}

const isApp = (id) => id === state.app.user_id || state.users.get(id)?.is_bot;
const fromApp = (message) => isApp(message.user) || Boolean(message.bot_id);

// The thread opens by itself when the app first answers something the reader asked here.
function autoOpen(channel, root) {
  if (state.place?.kind !== "channel" || state.place.id !== channel) return;
  const mine = root.user === state.me.id;
  const byCommand = fromApp(root) && Number.parseFloat(root.ts) - (commandTimes.get(channel) ?? Infinity) > -1;
  if (!mine && !byCommand) return;
  if (state.thread && hasDraft(state.thread)) return;
  openThread(channel, root.ts);
}

function countUnread(id, message, root) {
  const channel = state.channels.get(id);
  if (!channel || message.user === state.me.id) return;
  const here = state.place?.kind === "channel" && state.place.id === id && !document.hidden;
  if (
    here ||
    (message.thread_ts && message.thread_ts !== message.ts && root?.user !== state.me.id && !message.ephemeral)
  )
    return;
  if (!channel.unread && !root) state.readMarks.set(id, String(Number.parseFloat(message.ts) - 0.000001));
  channel.unread = (channel.unread ?? 0) + 1;
  if (channel.is_im || root || (message.text ?? "").includes(`<@${state.me.id}`))
    channel.mentions = (channel.mentions ?? 0) + 1;
  changed();
}

function onChanged({ channel, message }) {
  const old = findMessage(channel, message.ts);
  store(
    channel,
    old && message.thread_ts === undefined && old.thread_ts ? { ...message, thread_ts: old.thread_ts } : message,
  );
}

function onChannel({ channel }) {
  const known = state.channels.get(channel.id);
  state.channels.set(channel.id, { ...channel, ...(known && { unread: known.unread, mentions: known.mentions }) });
  changed();
}

function onLeft({ channel }) {
  state.channels.delete(channel);
  if (state.place?.id === channel) openChannel(state.channels.keys().next().value);
  changed();
}

function onHome({ view }) {
  state.homeView = view;
  changed();
}

const HANDLERS = {
  message: onMessage,
  ephemeral: ({ channel, message }) => onMessage({ channel, message: { ...message, ephemeral: true } }),
  changed: onChanged,
  deleted: ({ channel, ts }) => drop(channel, ts),
  channel: onChannel,
  channel_left: onLeft,
  status: showStatus,
  session: showSession,
  prompts: showPrompts,
  view: ({ view }) => showView(view),
  view_closed: ({ view_id: id }) => removeView(id),
  home: onHome,
};
