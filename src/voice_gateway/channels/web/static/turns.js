// Turns: everything that was said, by every door, found again by its words.

import { get, remove } from "./api.js";
import { announce, h, keep, set, write } from "./dom.js";
import { confirmDialog, toast } from "./dialogs.js";
import { icon } from "./icons.js";
import * as live from "./live.js";
import * as tracePanel from "./trace-panel.js";
import { count, duration, exactly, markOf, when } from "./words.js";

const PAGE = 50;
const MOST = 200; // that can be asked for at once
const TYPING_MILLISECONDS = 200;

export function turnsView() {
  return new Turns();
}

class Turns {
  constructor() {
    this.turns = [];
    this.list = h("ul", { class: "list turns" });
    this.empty = h("p", { class: "empty" });
    this.search = h("input", { type: "search", id: "search", placeholder: "Search what was said and answered", autocomplete: "off", oninput: () => this.typed() });
    this.more = h("button", { type: "button", class: "more-button", hidden: true, onclick: () => this.load({ further: true }) }, "Show earlier ones");
    this.element = h("section", { class: "page", "aria-label": "Turns" },
      h("header", { class: "page-head" }, h("h1", {}, "Turns"), h("p", { class: "muted" }, "Everything that was said, and what became of it.")),
      h("form", { class: "line-form", role: "search", onsubmit: (event) => event.preventDefault() },
        h("label", { class: "sr", for: "search" }, "Search the turns"), icon("search"), this.search),
      this.list, this.empty, this.more);
    live.on("answered", () => this.soon());
    live.on("connection", (connected) => connected && this.soon());
    live.on("heard", (event) => this.underWay(event));
  }

  shown(turn) {
    this.load();
    if (turn) tracePanel.show(turn);
  }

  typed() {
    this.later(() => this.load());
  }

  later(work) {
    clearTimeout(this.timer);
    this.timer = setTimeout(work, TYPING_MILLISECONDS);
  }

  // What is answered is kept a moment later. Whoever looks at earlier ones goes on with it.
  soon() {
    if (this.element.hidden) return;
    this.later(() => this.load({ wanted: Math.min(Math.max(PAGE, this.turns.length), MOST) }));
  }

  underWay(event) {
    if (this.element.hidden || this.search.value) return;
    this.turns = [{ id: event.turn, at: event.at, door: event.door, room: event.room, text: event.text, reply: "…", acts: [], live: true }, ...this.turns];
    this.draw();
  }

  async load({ further = false, wanted = PAGE } = {}) {
    const words = this.search.value.trim();
    const query = new URLSearchParams({ limit: wanted });
    if (words) query.set("search", words);
    if (further) query.set("before", this.turns.at(-1).id);
    const asked = (this.asked = Symbol("load"));
    try {
      const { turns } = await get(`/api/turns?${query}`);
      if (this.asked !== asked) return; // another one was asked for meanwhile
      this.turns = further ? [...this.turns, ...turns] : turns;
      this.more.hidden = turns.length < wanted;
      write(this.empty, words ? `No turn has “${words}” in it.` : "Nothing was said yet, or turns are not kept (recorder.enabled).");
      if (words) announce(`${count(this.turns.length, "turn")} found`);
    } catch (error) {
      this.turns = [];
      write(this.empty, error.message);
    }
    this.draw();
  }

  draw() {
    this.empty.hidden = this.turns.length > 0;
    keep(this.list, this.turns, (turn) => turn.id, (turn) => this.make(turn), (item, turn) => this.update(item, turn));
  }

  make(turn) {
    const item = h("li", { class: "turn-row" });
    item.parts = { text: h("span", { class: "turn-text" }), reply: h("span", { class: "turn-reply" }), facts: h("span", { class: "muted facts" }), mark: h("span", { class: "mark", role: "img" }) };
    const { text, reply, facts, mark } = item.parts;
    item.append(
      h("button", { type: "button", class: "turn-open", onclick: () => this.open(item, turn.id) }, mark, h("span", { class: "turn-words" }, text, reply, facts)),
      h("button", { type: "button", class: "round quiet", "aria-label": `Delete this turn: ${turn.text}`, onclick: () => this.discard(turn) }, icon("bin")));
    return item;
  }

  update(item, turn) {
    const { text, reply, facts, mark } = item.parts;
    const found = markOfTurn(turn);
    write(text, turn.text);
    write(reply, turn.reply);
    write(facts, [when(turn.at), turn.door, turn.room, duration(turn.seconds)].filter(Boolean).join(" · "));
    set(facts, "title", exactly(turn.at));
    write(mark, found?.sign ?? "·");
    set(mark, "aria-label", found?.word ?? "nothing to do");
    set(item, "data-mark", found?.state ?? null);
    set(item.firstChild, "aria-pressed", String(this.selected === turn.id));
  }

  open(_item, id) {
    this.selected = id;
    this.draw();
    tracePanel.show(id);
  }

  async discard(turn) {
    if (!(await confirmDialog(`Delete “${turn.text}” for ever?`, "Delete"))) return;
    try {
      await remove(`/api/turns/${encodeURIComponent(turn.id)}`);
      this.turns = this.turns.filter((one) => one.id !== turn.id);
      tracePanel.forget(turn.id);
      this.draw();
      announce("Deleted");
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }
}

// Done when all acts are, not done when one of them is not.
function markOfTurn(turn) {
  const marks = (turn.acts ?? []).map(markOf).filter(Boolean);
  if (!marks.length) return turn.ok === false ? { sign: "✗", word: "not done", state: "bad" } : null;
  return marks.find((one) => one.state === "bad") ?? marks.find((one) => one.state === "open") ?? marks[0];
}
