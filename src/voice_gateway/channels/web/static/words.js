// Numbers, times and marks in words.

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const OPEN = new Set(["working", "queued", "unconfirmed"]);

// A moment is seconds since 1970, or a text in ISO's form.
export function moment(value) {
  const date = typeof value === "number" ? new Date(value * 1000) : new Date(value);
  return Number.isNaN(date.getTime()) ? null : date;
}

export function when(value) {
  const date = moment(value);
  if (!date) return String(value ?? "");
  const today = new Date();
  return date.toDateString() === today.toDateString() ? CLOCK.format(date) : `${DAY.format(date)}, ${CLOCK.format(date)}`;
}

export function exactly(value) {
  const date = moment(value);
  return date ? LONG.format(date) : "";
}

export function ago(value) {
  const date = moment(value);
  if (!date) return "";
  const seconds = Math.max(0, (Date.now() - date.getTime()) / 1000);
  if (seconds < 60) return "less than a minute";
  if (seconds < 3600) return count(Math.round(seconds / 60), "minute");
  if (seconds < 86400) return count(Math.round(seconds / 3600), "hour");
  return count(Math.round(seconds / 86400), "day");
}

export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

export function duration(seconds) {
  if (seconds == null || Number.isNaN(seconds)) return "";
  if (seconds < 0.001) return "< 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

// "on", "on, 35 %"
export const isTurnedOn = (device) => /^on\b/i.test(device.state ?? "");

export function sentenceCase(text) {
  const words = String(text ?? "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// What became of an act: ✓ done, ✗ not done, … under way; null for what is no act (a look, a question).
export function markOf(outcome) {
  const status = outcome.status ?? outcome.outcome ?? outcome.structured?.outcome ?? (outcome.ok ? "confirmed" : "failed");
  if (outcome.read_only || status === "read" || status === "waiting" || outcome.error === "unknown_tool") return null;
  if (status === "confirmed") return { sign: "✓", word: "done", state: "ok" };
  if (OPEN.has(status)) return { sign: "…", word: status.replaceAll("_", " "), state: "open" };
  return { sign: "✗", word: `not done (${status.replaceAll("_", " ")})`, state: "bad" };
}

// What an act was about: the device by its server's name, else the tool; with its state, or what was asked if that is
// not done.
export function aboutOutcome(outcome) {
  const facts = outcome.structured ?? {};
  if (typeof facts.device === "string" && facts.device.trim()) {
    const done = !markOf(outcome) || markOf(outcome).state === "ok";
    const value = done && typeof facts.state === "string" ? facts.state : inline(facts.requested ?? {});
    return value ? `${facts.device}: ${value}` : facts.device;
  }
  const values = Object.values(outcome.args ?? {}).map(inline).filter((value) => value && !/^[[{]/.test(value)).join(", ");
  const name = sentenceCase(outcome.name ?? outcome.tool ?? "call");
  return values ? `${name}: ${values}` : name;
}

export function inline(value) {
  if (value == null) return "";
  if (Array.isArray(value)) return value.map(inline).join(", ");
  if (typeof value === "object") return Object.values(value).map(inline).filter(Boolean).join(", ");
  return String(value);
}

export function pretty(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
