// What stands in front of the page: a question, and what was just done.

import { questionButtons } from "./answers.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

const TOAST_MILLISECONDS = 6000;

// The words of the answer. Closing the question is a no.
export function questionDialog(text, kind) {
  return new Promise((resolve) => {
    const end = (words) => {
      resolve(words);
      dialog.close();
    };
    const dialog = h("dialog", { class: "card", "aria-labelledby": "question-text" },
      h("p", { id: "question-text", class: "dialog-text" }, text), kind === "words" ? wordsForm(end) : questionButtons(end, kind));
    open(dialog, () => resolve("no"));
  });
}

function wordsForm(end) {
  const field = h("input", { type: "text", autocomplete: "off", "aria-label": "Your answer", required: true });
  return h("form", {
    class: "question",
    onsubmit(event) {
      event.preventDefault();
      end(field.value);
    },
  }, field, h("button", { class: "primary" }, "Answer"), h("button", { type: "button", onclick: () => end("no") }, "Never mind"));
}

export function confirmDialog(text, label) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "card", "aria-labelledby": "confirm-text" },
      h("p", { id: "confirm-text", class: "dialog-text" }, text),
      h("div", { class: "question" },
        h("button", { class: "danger", type: "button", onclick: () => end(true) }, label),
        h("button", { type: "button", "data-safe": "", onclick: () => end(false) }, "Keep")));
    const end = (yes) => {
      resolve(yes);
      dialog.close();
    };
    open(dialog, () => resolve(false));
  });
}

function open(dialog, closed) {
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.onclose = () => {
    dialog.remove();
    closed();
  };
  dialog.addEventListener("close", () => before?.focus());
  dialog.showModal();
  dialog.querySelector("input, [data-safe]")?.focus(); // never what does it: the key that opened this may still be down
}

export function toast(text, { bad = false, undo = null } = {}) {
  const element = h("div", { class: "toast", "data-bad": bad ? "" : null },
    h("span", { class: "mark", "aria-hidden": "true" }, bad ? "✗" : ""),
    h("p", {}, text),
    undo ? h("button", { class: "quiet", type: "button", onclick: () => (element.remove(), undo()) }, icon("undo"), "Undo") : null,
    h("button", { class: "quiet", type: "button", "aria-label": "Dismiss", onclick: () => element.remove() }, icon("close")));
  const toasts = document.getElementById("toasts");
  toasts.append(element);
  while (toasts.children.length > 3) toasts.firstChild.remove();
  const leave = () => setTimeout(() => (element.matches(":hover, :focus-within") ? leave() : element.remove()), TOAST_MILLISECONDS);
  leave();
}
