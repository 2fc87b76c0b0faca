// What stands in front of the page: a question, and what was just done.

import { h } from "./dom.js";
import { icon } from "./icons.js";

const TOAST_MILLISECONDS = 6000;

// The words of the answer. Closing the question is a no.
export function questionDialog(text) {
  return new Promise((resolve) => {
    const field = h("input", { type: "text", autocomplete: "off", "aria-label": "Another answer", placeholder: "or say something else" });
    const dialog = h("dialog", { class: "card", "aria-labelledby": "question-text" },
      h("form", {
        onsubmit(event) {
          event.preventDefault();
          end(event.submitter?.value || field.value.trim() || "yes");
        },
      },
      h("p", { id: "question-text", class: "dialog-text" }, text),
      field,
      h("div", { class: "question" }, h("button", { class: "primary", value: "yes" }, "Yes"), h("button", { value: "no" }, "No"))));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !field.value.trim()) return;
      event.preventDefault();
      end(field.value.trim());
    });
    open(dialog, () => resolve("no"));
    const end = (words) => {
      dialog.onclose = null;
      dialog.close();
      dialog.remove();
      resolve(words);
    };
  });
}

export function confirmDialog(text, label) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "card", "aria-labelledby": "confirm-text" },
      h("p", { id: "confirm-text", class: "dialog-text" }, text),
      h("div", { class: "question" },
        h("button", { class: "danger", type: "button", onclick: () => end(true) }, label),
        h("button", { type: "button", onclick: () => end(false) }, "Keep")));
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
  dialog.querySelector("button")?.focus();
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
