// Times and sizes as people write them, in the reader's own zone and language.

const locale = navigator.language || "en";
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hour12: hour12() });
const longDay = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long" });
const full = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "medium" });

function hour12() {
  return new Intl.DateTimeFormat(locale, { hour: "numeric" }).resolvedOptions().hour12;
}

/** A Slack ts ("1763733600.000100") as a Date. */
export function dateOf(ts) {
  return new Date(Number.parseFloat(ts) * 1000);
}

/** "14:06". */
export function timeOf(ts) {
  return clock.format(dateOf(ts));
}

/** "Saturday, 21 November 2026 at 14:06:00", for tooltips. */
export function fullTime(ts) {
  return full.format(dateOf(ts));
}

/** A key that is equal for two ts of the same local day. */
export function dayKey(ts) {
  return dateOf(ts).toDateString();
}

/** "Today", "Yesterday" or "Thursday, November 19". */
export function dayName(ts) {
  const date = dateOf(ts);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (date.toDateString() === today.toDateString()) return "Today";
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  return longDay.format(date);
}

/** "today at 14:06". */
export function dayAndTime(ts) {
  const day = dayName(ts);
  return `${["Today", "Yesterday"].includes(day) ? day.toLowerCase() : day} at ${timeOf(ts)}`;
}

/** Slack's date tokens ({date_num}, {time}, …) filled in for a Unix time in seconds. */
export function formatTokens(format, seconds) {
  const date = new Date(seconds * 1000);
  const write = (options) => new Intl.DateTimeFormat("en", options).format(date);
  const values = {
    date_num: () =>
      `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`,
    date: () => write({ year: "numeric", month: "long", day: "numeric" }),
    date_short: () => write({ year: "numeric", month: "short", day: "numeric" }),
    date_long: () => write({ weekday: "long", year: "numeric", month: "long", day: "numeric" }),
    time: () => clock.format(date),
    time_secs: () => write({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
    ago: () => relative(seconds),
  };
  return format.replace(/\{(\w+?)(?:_pretty)?\}/g, (whole, name) => (values[name] ? values[name]() : whole));
}

function relative(seconds) {
  const minutes = Math.round((Date.now() / 1000 - seconds) / 60);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (Math.abs(minutes) < 60) return words.format(-minutes, "minute");
  if (Math.abs(minutes) < 60 * 48) return words.format(-Math.round(minutes / 60), "hour");
  return words.format(-Math.round(minutes / 1440), "day");
}

/** "12 kB". */
export function sizeOf(bytes) {
  if (!(bytes >= 0)) return "";
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** count(3, "reply", "replies") -> "3 replies". */
export function count(n, one, many = `${one}s`) {
  return `${n} ${n === 1 ? one : many}`;
}
