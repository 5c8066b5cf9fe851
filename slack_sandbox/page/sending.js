// What happens to a text that was typed: it is a message, or a command of an app or of Slack itself.

import { post } from "./api.js";
import { state } from "./state.js";

const ERRORS = {
  channel_not_found: "That channel does not exist.",
  msg_too_long: "The message is too long.",
  no_text: "The message is empty.",
};

// The sandbox says these to the reader in a message of its own.
const SHOWN_IN_CHANNEL = new Set(["operation_timeout", "http_service_error", "dispatch_failed"]);

/** Slack's own commands: what each is shown as, and what it does. */
export const OWN_COMMANDS = [
  { command: "/invite", usage_hint: "@someone", description: "Add people or apps to this channel", run: invite },
];

/** When a command was last run: channel -> Unix seconds. */
export const commandTimes = new Map();

/** Send it; null when it went well, else a sentence. */
export async function sendText(channel, text, threadTs) {
  if (text.startsWith("/")) return runCommand(channel, text, threadTs);
  const answer = await post("message", { channel, text, ...(threadTs ? { thread_ts: threadTs } : {}) });
  return answer.ok ? null : `Not sent: ${ERRORS[answer.error] ?? answer.error}`;
}

async function runCommand(channel, text, threadTs) {
  const [command] = text.split(/\s/);
  if (threadTs) return `${command} is not supported in threads. Sorry!`;
  const own = OWN_COMMANDS.find((item) => item.command === command);
  if (own) return own.run(channel, text);
  if (!state.commands.some((item) => item.command === command))
    return `${command} is not a valid command. To send it as a message, put a space before it.`;
  commandTimes.set(channel, Date.now() / 1000);
  const answer = await post("command", { channel, text });
  return answer.ok || SHOWN_IN_CHANNEL.has(answer.error) ? null : `${command} failed with the error “${answer.error}”.`;
}

const UNINVITED = {
  already_in_channel: "is in this channel already.",
  method_not_supported_for_channel_type: "can't be added to a direct message.",
};

async function invite(channel, text) {
  const named = [...text.matchAll(/@([\p{L}\p{N}._-]+)/gu)].map(([, name]) => name.replace(/[.-]+$/, ""));
  if (!named.length) return "Say whom to add, as in /invite @" + state.users.get(state.app.user_id)?.name;
  for (const name of named) {
    const user = [...state.users.values()].find((one) => one.name === name);
    if (!user) return `There is nobody called @${name} here.`;
    const answer = await post("invite", { channel, user: user.id });
    if (!answer.ok) return `@${name} ${UNINVITED[answer.error] ?? `was not added: ${answer.error}`}`;
  }
  return null;
}
