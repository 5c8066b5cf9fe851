// Where interactive elements stand: on a message, or in a view. They tell the app which surface was used.

import { post } from "./api.js";
import { findMessage, state } from "./state.js";
import { say } from "./toast.js";

async function send(body) {
  const answer = await post("action", body);
  if (answer.ok) return null;
  const error = answer.error ?? "unknown error";
  say(`${state.app.name} did not answer this: ${error}`);
  return error;
}

/** The state of every input on a surface: {block_id: {action_id: {type, …}}}. */
export function readInputs(inputs) {
  const values = {};
  for (const [key, read] of inputs) {
    const [blockId, actionId] = key.split("\n");
    values[blockId] ??= {};
    values[blockId][actionId] = read();
  }
  return values;
}

/** The surface of a message. */
export function messageContext(channel, message) {
  const inputs = new Map();
  const act = (action) => {
    const now = findMessage(channel, message.ts) ?? message;
    return send({ channel, message_ts: now.ts, ...action, state: { values: readInputs(inputs) } });
  };
  const suggest = (body) => post("suggest", { channel, message_ts: message.ts, ...body });
  return { inputs, dispatch: true, act, suggest, initial: () => undefined };
}

/** The surface of a modal or of the home tab; `kept` is the state to start from, for views that are redrawn. */
export function viewContext(view, kept = {}) {
  const inputs = new Map();
  const act = (action) => send({ view_id: view.id, ...action, state: { values: readInputs(inputs) } });
  const suggest = (body) => post("suggest", { view_id: view.id, ...body });
  return { inputs, dispatch: true, act, suggest, initial: (blockId, actionId) => kept[blockId]?.[actionId] };
}
