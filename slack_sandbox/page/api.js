// The page's door to the server: calls that answer JSON, and the stream of events.

const reader = new URLSearchParams(location.search).get("as");
const who = reader ? { as: reader } : {}; // without it, the server takes the first person

/** Look at the sandbox as another person, who has other direct messages and other unread channels; `place`: a hash. */
export function becomePerson(id, place = "") {
  location.assign(`/?as=${encodeURIComponent(id)}${place}`);
}

/** The part of the address that says who is looking: "" or "?as=U123". */
export const asPerson = reader ? `?as=${encodeURIComponent(reader)}` : "";

/** GET a JSON answer. */
export async function get(path, parameters = {}) {
  const query = new URLSearchParams({ ...who, ...parameters }).toString();
  return answer(await fetch(`/client/${path}${query ? `?${query}` : ""}`));
}

/** POST a JSON body; the answer always has `ok`, and `error` when it is false. */
export async function post(path, body) {
  try {
    const headers = { "Content-Type": "application/json" };
    return await answer(await fetch(`/client/${path}${asPerson}`, { method: "POST", headers, body: JSON.stringify(body) }));
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, error: "the sandbox does not answer" };
    throw error;
  }
}

async function answer(response) {
  const type = response.headers.get("Content-Type") ?? "";
  const body = type.includes("json") ? await response.json() : {};
  if (response.ok) return { ok: true, ...body };
  return { ok: false, error: `HTTP ${response.status}`, ...body };
}

/** Read the stream for ever: `onEvent(event)` each time, `onState(connected)` when it is lost and found again. */
export function openStream(onEvent, onState) {
  const address = `${location.origin.replace(/^http/, "ws")}/client/stream${asPerson}`;
  let attempt = 0;
  const connect = () => {
    const socket = new WebSocket(address);
    socket.addEventListener("open", () => {
      onState(true, attempt > 0);
      attempt = 0;
    });
    socket.addEventListener("message", (message) => onEvent(JSON.parse(message.data)));
    socket.addEventListener("close", () => {
      onState(false, false);
      attempt += 1;
      setTimeout(connect, Math.min(5000, 200 * 2 ** Math.min(attempt, 5)));
    });
  };
  connect();
}
