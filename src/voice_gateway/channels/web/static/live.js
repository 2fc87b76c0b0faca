// What happens in the gateway, as it happens: one stream for the whole page, and the last turns' events.

import { get, toLogin } from "./api.js";

const KEPT_TURNS = 60;
const AGAIN_MILLISECONDS = 2000;
const TYPES = [
  "heard", "staged", "round", "judged", "started", "acted", "said", "answered", "waiting", "progress", "notice",
  "part", "planned", "list", "devices", "event", "alarms", "question",
];
const STATES = new Set(["devices", "part"]); // of these /api/… has the whole
const turns = new Map(); // id -> {events, seen}
const listeners = new Map(); // type -> functions
export const state = { connected: false, devices: [], routines: [], parts: new Map() };

export function on(type, listener) {
  if (!listeners.has(type)) listeners.set(type, new Set());
  listeners.get(type).add(listener);
  return () => listeners.get(type).delete(listener);
}

function tell(type, data) {
  for (const listener of listeners.get(type) ?? []) listener(data);
}

export const eventsOf = (turn) => turns.get(turn)?.events ?? [];

// An event of a turn may come twice: by the stream of all, and by that of the question itself. One of the past is
// news for nobody but who looks at its turn.
export function take(event, { past = false } = {}) {
  if (event.turn) {
    if (!turns.has(event.turn)) turns.set(event.turn, { events: [], seen: new Set() });
    const turn = turns.get(event.turn);
    const key = JSON.stringify([event.type, event.at, event.call_id ?? event.call?.id, event.text, event.stage, event.number]);
    if (turn.seen.has(key)) return;
    turn.seen.add(key);
    turn.events.push(event);
    if (turns.size > KEPT_TURNS) turns.delete(turns.keys().next().value);
    tell("turn", event);
  }
  if (!past) tell(event.type, event);
}

// While everything is read anew, what comes meanwhile may be newer: it is said again behind it.
let meanwhile = null;

function received(type, data) {
  if (STATES.has(type)) meanwhile?.push([type, data]);
  apply(type, data);
}

function apply(type, data) {
  if (type === "devices") merge(data.devices, data.removed ?? []);
  else {
    if (type === "part") state.parts.set(data.part, data);
    if (type === "planned" && data.kind === "routine") refreshRoutines();
    take({ ...data, type });
  }
}

function merge(changed, removed) {
  const known = new Map(state.devices.map((device) => [device.id, device]));
  for (const device of changed) known.set(device.id, device);
  for (const id of removed) known.delete(id);
  state.devices = [...known.values()];
  tell("devices", state.devices);
}

function replaceRoutines(routines) {
  state.routines = routines;
  tell("routines", routines);
}

export async function refreshRoutines() {
  replaceRoutines((await get("/api/routines")).routines);
}

// Everything as it is now: at the start, and whenever the stream was interrupted.
async function refresh() {
  const newer = (meanwhile = []);
  const [devices, routines, health] = await Promise.allSettled([get("/api/devices"), get("/api/routines"), get("/api/health")]);
  if (meanwhile !== newer) return; // it was asked once more since
  meanwhile = null;
  if (devices.status === "fulfilled") {
    state.devices = devices.value.devices;
    tell("devices", state.devices);
  }
  if (routines.status === "fulfilled") replaceRoutines(routines.value.routines);
  if (health.status === "fulfilled") {
    state.parts = new Map(health.value.parts.map((part) => [part.part, part]));
    tell("part", null);
  } else if (state.connected) setTimeout(refresh, AGAIN_MILLISECONDS);
  for (const [type, data] of newer) apply(type, data);
}

// A stream does not say why it ended; a page without a valid token is led elsewhere, however often that is asked.
async function signedOut() {
  try {
    const page = await fetch("/", { headers: { Accept: "text/html" }, redirect: "manual" });
    return page.type === "opaqueredirect";
  } catch {
    return false;
  }
}

let delay = 500;
export function connect() {
  const source = new EventSource("/api/events");
  source.onopen = () => {
    delay = 500;
    state.connected = true;
    tell("connection", true);
    refresh();
  };
  source.onerror = () => {
    source.close(); // our own way to try again: the browser gives up after some answers
    if (state.connected) {
      state.connected = false;
      tell("connection", false);
    }
    signedOut().then((out) => (out ? toLogin() : setTimeout(connect, delay)));
    delay = Math.min(delay * 1.7, 5000);
  };
  for (const type of TYPES) source.addEventListener(type, (event) => received(type, JSON.parse(event.data)));
}
