// The waterfall of one turn: beside the conversation where there is room, else over it.

import { get } from "./api.js";
import { h, keep, replace, set, write } from "./dom.js";
import { icon } from "./icons.js";
import * as live from "./live.js";
import { rowsOf, summary } from "./trace-rows.js";
import { duration } from "./words.js";

const PAGES = new Set(["talk", "turns"]); // that have one
const WIDE = matchMedia("(min-width: 66rem)");
const REDRAW_MILLISECONDS = 100; // of a call that is under way
const panel = document.getElementById("trace");
const title = h("h2", { id: "trace-title", tabindex: -1 }, "Trace");
const said = h("p", { class: "trace-said" });
const total = h("p", { class: "muted trace-total" });
const axis = h("div", { class: "axis", "aria-hidden": "true" });
const list = h("ol", { class: "waterfall", "aria-label": "What happened, in order" });
const nothing = h("p", { class: "empty" }, "Say something: here you see what was heard, decided and done, and where the time went.");
let shown = null; // the turn
let timer = 0;
let opener = null;

replace(panel, h("div", { class: "trace-head" }, title, h("button", { class: "round quiet close", type: "button", "aria-label": "Close the trace", onclick: close }, icon("close"))), said, total, axis, list, nothing);
panel.addEventListener("keydown", (event) => event.key === "Escape" && panel.classList.contains("open") && close());
live.on("turn", (event) => event.turn === shown && draw());

export function pageChanged(page) {
  panel.hidden = !PAGES.has(page);
  panel.classList.remove("open");
  draw();
}

// quietly: without covering the page where there is little room.
export async function show(turn, { quietly = false } = {}) {
  shown = turn;
  if (!quietly && !WIDE.matches) {
    opener = document.activeElement;
    panel.classList.add("open");
    title.focus();
  }
  draw();
  if (!live.eventsOf(turn).some((event) => event.type === "answered")) await recall(turn);
}

export function forget(turn) {
  if (shown === turn) {
    shown = null;
    draw();
  }
}

// A turn from before the page was loaded is fetched from what is kept.
export async function recall(turn) {
  if (live.eventsOf(turn).length) return;
  try {
    const { events } = await get(`/api/turns/${encodeURIComponent(turn)}`);
    events.forEach((event) => live.take(event, { past: true }));
  } catch {
    // It is not kept, or not yet: its events come by themselves.
  }
}

function close() {
  panel.classList.remove("open");
  opener?.focus();
}

function draw() {
  clearTimeout(timer);
  const events = shown ? live.eventsOf(shown) : [];
  const rows = rowsOf(events);
  nothing.hidden = rows.length > 0;
  axis.hidden = total.hidden = said.hidden = !rows.length;
  if (!rows.length) return replace(list);
  const heard = events.find((event) => event.type === "heard");
  write(said, heard ? `“${heard.text}”` : "");
  const start = Math.min(...rows.map((row) => row.start));
  const running = rows.some((row) => row.end == null);
  const end = Math.max(start + 0.001, ...rows.map((row) => row.end ?? Date.now() / 1000));
  write(total, summary(events, rows, end - start));
  const scale = (moment) => ((moment - start) / (end - start)) * 100;
  replace(axis, [0, 0.5, 1].map((part) => h("span", {}, part ? duration((end - start) * part) : "0")));
  keep(list, rows, (row) => row.key, make, (item, row) => update(item, row, scale));
  if (running && !document.hidden) timer = setTimeout(draw, REDRAW_MILLISECONDS);
  return undefined;
}

function make(row) {
  const item = h("li", { class: "step", "data-kind": row.kind });
  item.parts = {
    label: h("span", { class: "label" }), mark: h("span", { class: "mark", role: "img" }), note: h("span", { class: "note" }),
    time: h("span", { class: "time" }), bar: h("span", { class: "span" }), more: h("dl", {}), permission: h("span", { class: "badge" }),
  };
  const { label, mark, note, time, bar, more, permission } = item.parts;
  const summaryLine = h("summary", {}, h("span", { class: "what" }, icon(row.icon), label, mark, permission, time), note, h("span", { class: "lane", "aria-hidden": "true" }, bar));
  item.append(h("details", {}, summaryLine, more));
  return item;
}

function update(item, row, scale) {
  const { label, mark, note, time, bar, more, permission } = item.parts;
  set(item, "data-state", row.state || null);
  set(item, "data-faint", row.faint ? "" : null);
  write(label, row.label);
  write(note, row.note ?? "");
  mark.hidden = !row.mark;
  write(mark, row.mark?.sign ?? "");
  set(mark, "aria-label", row.mark?.word ?? "");
  permission.hidden = !row.permission || row.permission === "allowed";
  write(permission, row.permission ?? "");
  const end = row.end ?? Date.now() / 1000;
  write(time, row.end == null ? `${duration(end - row.start)} …` : end > row.start ? duration(end - row.start) : "");
  bar.style.setProperty("--from", `${scale(row.start).toFixed(2)}%`);
  bar.style.setProperty("--to", `${(100 - scale(end)).toFixed(2)}%`);
  const wanted = JSON.stringify(row.details);
  if (more.dataset.made !== wanted) {
    more.dataset.made = wanted;
    replace(more, row.details.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
  }
}
