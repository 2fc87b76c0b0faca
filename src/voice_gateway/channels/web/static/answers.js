// An answer as it is shown: its words, ✓ and ✗ for what was done, buttons for a question, and undo.

import { h, replace, set, write } from "./dom.js";
import { icon } from "./icons.js";
import * as live from "./live.js";
import { aboutOutcome, duration, markOf } from "./words.js";

const BRAINS = { local: "without a model", none: "not understood" };

// The acts of a turn. What a call's status is, and whether it only looked, stands in the turn's events.
export function actsOf(answer, turn) {
  const known = new Map(live.eventsOf(turn).filter((one) => one.type === "acted").map((one) => [one.call_id, one]));
  return (answer.outcomes ?? answer.acts ?? [])
    .map((outcome) => ({ ...known.get(outcome.call_id), ...outcome }))
    .map((outcome) => ({ outcome, mark: markOf(outcome) }))
    .filter(({ mark }) => mark);
}

export function actsList(acts) {
  const list = h("ul", { class: "acts", "aria-label": "What was done" });
  for (const { outcome, mark } of acts) {
    const extra = mark.state === "ok" ? "" : ` (${mark.word.replace(/^not done \((.*)\)$/, "$1")})`;
    list.append(
      h("li", { "data-mark": mark.state },
        h("span", { class: "mark", role: "img", "aria-label": mark.word }, mark.sign),
        h("span", {}, aboutOutcome(outcome) + extra)),
    );
  }
  return list;
}

// What kind of answer is expected: "yes_no", "pin", "words", or "" for none.
export function asksFor(answer, turn) {
  if (!answer.expects_answer) return "";
  if (!turn) return "yes_no"; // of a press whose events nobody followed
  const events = live.eventsOf(turn);
  const told = events.findLast((event) => event.type === "answered")?.asks;
  if (told) return told;
  return events.some((event) => event.type === "judged" && event.decision === "ask") ? "yes_no" : "words";
}

export function questionButtons(reply, kind = "yes_no") {
  const buttons = [
    h("button", { class: "primary", type: "button", onclick: () => reply("yes") }, "Yes"),
    h("button", { type: "button", "data-safe": "", onclick: () => reply("no") }, "No"),
  ];
  if (kind !== "pin") return h("div", { class: "question", role: "group", "aria-label": "Your answer" }, buttons);
  const field = h("input", { type: "password", inputmode: "numeric", autocomplete: "off", "aria-label": "PIN", placeholder: "PIN" });
  return h("form", {
    class: "question",
    "aria-label": "Your answer",
    onsubmit(event) {
      event.preventDefault();
      reply(field.value);
    },
  }, field, h("button", { class: "primary" }, "Confirm"), buttons[1]);
}

export class AnswerCard {
  constructor({ onTrace, onUndo, onReply }) {
    this.handlers = { onTrace, onUndo, onReply };
    this.text = h("p", { class: "words" });
    this.more = h("div", { class: "more" });
    this.foot = h("div", { class: "foot" });
    this.element = h("div", { class: "reply", "data-busy": true }, this.text, this.more, this.foot);
    this.said = "";
    this.parts = [];
  }

  piece(text, source) {
    this.said += text;
    const last = this.parts.at(-1);
    if (last?.source === source) last.text += text;
    else this.parts.push({ source, text });
    this.write(this.parts);
  }

  // The words of a language model carry a badge, which no text can imitate.
  write(parts) {
    const badge = () => h("span", { class: "badge", title: "Words of the language model" }, "model");
    replace(this.text, parts.flatMap(({ source, text }, at) => [at ? " " : "", source === "model" ? [badge(), " "] : "", text]).flat());
  }

  waiting(text) {
    if (!this.said) write(this.text, text);
  }

  show(answer, turn) {
    this.turn = turn;
    if (answer.parts?.length) this.write(answer.parts);
    else write(this.text, answer.text || "Done.");
    set(this.element, "data-busy", null);
    set(this.element, "data-ok", String(answer.ok));
    const acts = actsOf(answer, turn);
    const asks = asksFor(answer, turn);
    replace(
      this.more,
      acts.length ? actsList(acts) : null,
      asks && asks !== "words" ? questionButtons(this.handlers.onReply, asks) : null,
    );
    this.undoable = acts.some(({ mark }) => mark.state !== "bad");
    this.brain = BRAINS[answer.stage] ?? `by ${answer.stage}`;
    this.seconds = answer.seconds;
    this.showFoot(this.undoable);
  }

  showFoot(undo) {
    replace(
      this.foot,
      h("span", { class: "muted" }, [duration(this.seconds), this.brain].filter(Boolean).join(" · ")),
      this.turn ? h("button", { class: "quiet", type: "button", onclick: () => this.handlers.onTrace(this.turn) }, icon("trace"), "Trace") : null,
      undo ? h("button", { class: "quiet undo", type: "button", onclick: this.handlers.onUndo }, icon("undo"), "Undo") : null,
    );
  }

  // Only the last word counts: earlier answers offer neither yes and no nor undo.
  settle() {
    this.more.querySelector(".question")?.remove();
    if (this.turn || this.seconds != null) this.showFoot(false);
  }

  // Something else was said before the answer came; if it still comes, it is shown.
  leave() {
    if (!this.element.hasAttribute("data-busy")) return;
    this.left = true;
    if (!this.said) write(this.text, "Interrupted.");
    set(this.element, "data-busy", null);
  }

  failed(reason) {
    write(this.text, reason);
    set(this.element, "data-busy", null);
    set(this.element, "data-ok", "false");
  }
}
