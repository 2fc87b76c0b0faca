// Health: every part, what is wrong with it and what to do, permits, and the doctor.

import { get, stream } from "./api.js";
import { announce, h, keep, replace, set, write } from "./dom.js";
import * as live from "./live.js";
import { Permits } from "./permits.js";
import { ago, count, exactly, sentenceCase } from "./words.js";

const WORDS = { ok: "Well", degraded: "Degraded", starting: "Starting", off: "Off" };
const HEADLINES = { ok: "All is well.", degraded: "Something is missing.", starting: "It is starting." };
const RANK = { degraded: 0, starting: 1, ok: 2, off: 3 };
const REFRESH_MILLISECONDS = 5000;

export function healthView() {
  return new Health();
}

class Health {
  constructor() {
    this.headline = h("p", { class: "headline" });
    this.parts = h("ul", { class: "list parts" });
    this.permits = new Permits();
    this.checks = h("ol", { class: "list checks", "aria-label": "What the doctor tried" });
    this.button = h("button", { class: "primary", type: "button", onclick: () => this.examine() }, "Run the doctor");
    this.element = h("section", { class: "page", "aria-label": "Health" },
      h("header", { class: "page-head" }, h("h1", {}, "Health"), this.headline),
      h("section", { "aria-labelledby": "parts-title" }, h("h2", { id: "parts-title" }, "Parts"), this.parts),
      this.permits.element,
      h("section", { "aria-labelledby": "doctor-title" }, h("h2", { id: "doctor-title" }, "Doctor"),
        h("p", { class: "muted" }, "Tries every part once, from the microphone to each server, and says what to do."), this.button, this.checks));
    live.on("part", () => this.load());
    live.on("answered", () => this.load());
  }

  shown() {
    this.load();
    clearInterval(this.timer);
    this.timer = setInterval(() => (this.element.hidden ? clearInterval(this.timer) : this.load()), REFRESH_MILLISECONDS);
  }

  async load() {
    if (this.element.hidden || document.hidden) return;
    try {
      const { state, parts } = await get("/api/health");
      write(this.headline, HEADLINES[state] ?? sentenceCase(state));
      this.headline.dataset.state = state;
      keep(this.parts, [...parts].sort((one, other) => RANK[one.state] - RANK[other.state]), (part) => part.part, makePart, updatePart);
      await this.permits.load();
    } catch (error) {
      write(this.headline, error.message);
      this.headline.dataset.state = "degraded";
    }
  }

  async examine() {
    this.button.disabled = true;
    write(this.button, "Running …");
    replace(this.checks);
    let failed = 0;
    let problem = "";
    try {
      await stream("/api/doctor", {}, (type, data) => {
        if (type === "check") this.checks.append(check(data));
        else if (type === "done") ({ failed, error: problem } = data);
      });
      if (problem) throw new Error(problem);
      announce(failed ? `The doctor found ${count(failed, "problem")}.` : "The doctor found nothing wrong.");
    } catch (error) {
      this.checks.append(check({ check: "doctor", verdict: "failed", text: error.message }));
    }
    this.button.disabled = false;
    write(this.button, "Run the doctor again");
  }
}

function makePart() {
  const item = h("li", { class: "card part" });
  item.parts = { name: h("h3", {}), badge: h("span", { class: "badge" }), sentence: h("p", {}), advice: h("p", { class: "advice" }), facts: h("p", { class: "muted facts" }), error: h("p", { class: "error-line" }), log: h("pre", { tabindex: 0 }), fold: h("details", {}, h("summary", {}, "Last lines of its log")) };
  const { name, badge, sentence, advice, facts, error, log, fold } = item.parts;
  fold.append(log);
  item.append(h("div", { class: "part-head" }, name, badge), sentence, advice, error, facts, fold);
  return item;
}

function updatePart(item, part) {
  const { name, badge, sentence, advice, facts, error, log, fold } = item.parts;
  set(item, "data-state", part.state);
  write(name, sentenceCase(part.part));
  write(badge, WORDS[part.state] ?? part.state);
  write(sentence, part.sentence);
  advice.hidden = !part.advice || part.state === "ok";
  write(advice, sentenceCase(part.advice ?? ""));
  const told = typeof part.last_error === "object" && part.last_error ? part.last_error.text ?? part.last_error.sentence : part.last_error;
  error.hidden = !told || `${part.sentence} ${part.advice ?? ""}`.includes(told);
  write(error, told ? `Last error: ${told}` : "");
  write(facts, [part.since ? `for ${ago(part.since)}` : "", part.restarts ? count(part.restarts, "restart") : ""].filter(Boolean).join(" · "));
  set(facts, "title", part.since ? `since ${exactly(part.since)}` : null);
  const lines = part.stderr ?? [];
  fold.hidden = !lines.length;
  write(log, lines.join("\n").replaceAll("\n", "\n"));
  set(log, "aria-label", `Last lines of the log of ${part.part}`);
}

const VERDICTS = { ok: ["ok", "✓", "fine"], warning: ["open", "–", "to know"], failed: ["bad", "✗", "problem"] };

function check({ check: name, verdict, text, advice }) {
  const [state, sign, word] = VERDICTS[verdict] ?? VERDICTS.failed;
  return h("li", { "data-mark": state },
    h("span", { class: "mark", role: "img", "aria-label": word }, sign),
    h("div", {}, h("strong", {}, sentenceCase(name)), h("p", {}, text), advice ? h("p", { class: "muted" }, advice) : null));
}
