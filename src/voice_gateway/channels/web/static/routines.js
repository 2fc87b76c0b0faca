// Routines: what is planned, when it runs next, how it ended last; new ones in a sentence.

import { post, remove } from "./api.js";
import { ask, conversation } from "./conversation.js";
import { h, keep, set, write } from "./dom.js";
import { confirmDialog, toast } from "./dialogs.js";
import { icon } from "./icons.js";
import { settle } from "./home.js";
import * as live from "./live.js";
import { exactly, sentenceCase, when } from "./words.js";

export function routinesView() {
  const list = h("ul", { class: "list" });
  const empty = h("div", { class: "empty" },
    h("p", {}, "Nothing is planned."),
    h("p", {}, "Say it in a sentence, here or anywhere: “Every evening at ten turn off the lights”, “When the back door opens, turn on the kitchen light”."));
  const field = h("input", { type: "text", id: "new-routine", maxlength: 8000, autocomplete: "off", placeholder: "Every evening at ten turn off the lights" });
  const form = h("form", { class: "line-form", onsubmit: submit },
    h("label", { class: "sr", for: "new-routine" }, "A new routine, in a sentence"), field, h("button", { class: "primary" }, icon("plus"), "Plan it"));
  const element = h("section", { class: "page", "aria-label": "Routines" },
    h("header", { class: "page-head" }, h("h1", {}, "Routines"), h("p", { class: "muted" }, "What happens by itself.")), form, list, empty);

  async function submit(event) {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    try {
      const answer = await settle(await ask(text));
      if (answer.ok) field.value = "";
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }

  const draw = () => {
    empty.hidden = live.state.routines.length > 0;
    keep(list, live.state.routines, (routine) => routine.id, make, update);
  };
  live.on("routines", draw);
  draw();
  return { element };
}

function make() {
  const item = h("li", { class: "card routine" });
  item.parts = {
    sentence: h("p", { class: "routine-sentence" }), next: h("span", {}), last: h("span", {}),
    toggle: h("button", { class: "switch", type: "button", role: "switch", onclick: () => change(item) }, h("span", { class: "knob" })),
    bin: h("button", { class: "round quiet", type: "button", onclick: () => discard(item) }, icon("bin")),
  };
  const { sentence, next, last, toggle, bin } = item.parts;
  item.append(h("div", { class: "routine-text" }, sentence, h("p", { class: "muted facts" }, next, last)), toggle, bin);
  return item;
}

function update(item, routine) {
  const { sentence, next, last, toggle, bin } = item.parts;
  item.routine = routine;
  set(item, "data-off", routine.enabled ? null : "");
  write(sentence, sentenceCase(routine.sentence));
  write(next, routine.enabled ? (routine.next ? `Next: ${when(routine.next)}` : "Waits for its moment") : "Switched off");
  set(next, "title", exactly(routine.next));
  write(last, lastText(routine.last));
  set(toggle, "aria-checked", String(Boolean(routine.enabled)));
  set(toggle, "aria-label", `Active: ${routine.sentence}`);
  set(bin, "aria-label", `Delete: ${routine.sentence}`);
}

function lastText(last) {
  if (!last) return "Has not run yet";
  return `Last: ${last.ok ? "✓" : "✗"} ${when(last.at)} ${last.text}`;
}

// A change is a wish like any other: it may be asked about, refused, and taken back.
async function change(item) {
  const { id, enabled } = item.routine;
  await changed(() => post(path(id), { enabled: !enabled, conversation_id: conversation.id }));
}

async function discard(item) {
  if (!(await confirmDialog(`Delete “${item.routine.sentence}”?`, "Delete"))) return;
  await changed(() => remove(`${path(item.routine.id)}?${new URLSearchParams({ conversation_id: conversation.id })}`));
}

const path = (id) => `/api/routines/${encodeURIComponent(id)}`;

async function changed(run) {
  try {
    await settle(await run());
    await live.refreshRoutines();
  } catch (error) {
    toast(error.message, { bad: true });
  }
}
