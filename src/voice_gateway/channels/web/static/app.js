// Starts the page: its pages, the way between them, and what the top of it says.

import { announce, h, replace, set, write } from "./dom.js";
import { icon } from "./icons.js";
import { watchAlarms } from "./alarms.js";
import * as live from "./live.js";
import * as tracePanel from "./trace-panel.js";
import { healthView } from "./health.js";
import { homeView } from "./home.js";
import { routinesView } from "./routines.js";
import { talkView } from "./talk.js";
import { turnsView } from "./turns.js";

const PAGES = [
  { id: "talk", name: "Talk", view: talkView },
  { id: "home", name: "Home", view: homeView },
  { id: "routines", name: "Routines", view: routinesView },
  { id: "turns", name: "Turns", view: turnsView },
  { id: "health", name: "Health", view: healthView },
];
const STATES = { ok: "Ready", starting: "Starting …", degraded: "Degraded", lost: "Connection lost" };
const main = document.getElementById("main");
const views = new Map(); // id -> {element, shown?}

function links() {
  return PAGES.map(({ id, name }) => h("a", { href: `#${id}`, "data-page": id }, icon(id), h("span", {}, name)));
}

// #turns/ID: the page, and what of it.
function show() {
  const [wanted, ...rest] = location.hash.slice(1).split("/");
  const page = PAGES.find(({ id }) => id === wanted) ?? PAGES[0];
  if (!views.has(page.id)) {
    const view = page.view();
    views.set(page.id, view);
    main.append(view.element);
  }
  for (const [id, view] of views) view.element.hidden = id !== page.id;
  document.body.dataset.page = page.id;
  document.title = page.id === "talk" ? "Voice Gateway" : `${page.name} · Voice Gateway`;
  for (const link of document.querySelectorAll("#nav a")) {
    set(link, "aria-current", link.dataset.page === page.id ? "page" : null);
  }
  tracePanel.pageChanged(page.id);
  views.get(page.id).shown?.(decodeURIComponent(rest.join("/")));
}

function stateNow() {
  if (!live.state.connected) return ["lost", STATES.lost];
  const parts = [...live.state.parts.values()];
  const degraded = parts.filter((part) => part.state === "degraded");
  if (degraded.length) return ["degraded", degraded.length === 1 ? `Degraded: ${degraded[0].part}` : `Degraded: ${degraded.length} parts`];
  if (!parts.length || parts.some((part) => part.state === "starting")) return ["starting", STATES.starting];
  return ["ok", STATES.ok];
}

function showState() {
  const [state, text] = stateNow();
  const pill = document.getElementById("state");
  if (pill.dataset.state !== state && state === "lost") announce("The connection to the gateway is lost. Trying again.");
  pill.dataset.state = state;
  write(document.getElementById("state-text"), text);
}

function start() {
  replace(document.getElementById("nav"), links());
  watchAlarms(document.getElementById("alarms"));
  live.on("connection", showState);
  live.on("part", showState);
  addEventListener("hashchange", () => {
    show();
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
  show();
  live.connect();
}

start();
