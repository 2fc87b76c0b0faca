// Permissions: what tools of other servers and named devices may do without a question.

import { get, post } from "./api.js";
import { announce, h, keep, set, write } from "./dom.js";
import { sentenceCase } from "./words.js";

const CHOICES = { default: "By its risk", always: "Always", ask: "Ask first", pin: "Ask for the PIN", never: "Never" };
const RISKS = { unknown: "asks first", sensitive: "asks first, with the PIN where one is set" };

export class Permits {
  constructor() {
    this.list = h("ul", { class: "list permits" });
    this.name = h("input", { type: "text", maxlength: 200, required: true, placeholder: "Device or tool", "aria-label": "Name of a device or tool" });
    this.choice = chooser("Permission");
    this.pin = h("input", { type: "password", inputmode: "numeric", autocomplete: "off", placeholder: "PIN, where one is set", "aria-label": "PIN" });
    this.problem = h("p", { class: "error-line", role: "alert", hidden: true });
    const form = h("form", { class: "permit-form", onsubmit: (event) => this.submit(event) }, this.name, this.choice, this.pin, h("button", { class: "primary" }, "Save"));
    this.element = h("section", { "aria-labelledby": "permits-title" },
      h("h2", { id: "permits-title" }, "Permissions"),
      h("p", { class: "muted" }, "Tools of other servers, and what you decided for devices by name."), this.list, form, this.problem);
  }

  async load() {
    this.show((await get("/api/permits")).permits);
  }

  show(permits) {
    keep(this.list, permits, ({ name }) => name, ({ name }) => this.row(name), (row, { permit, risk }) => {
      if (row.choice !== document.activeElement) row.choice.value = permit;
      write(row.risk, permit === "default" ? RISKS[risk] ?? "" : "");
    });
  }

  row(name) {
    const row = h("li", { class: "card permit" });
    row.choice = chooser(`Permission for ${name}`, () => this.save(name, row.choice.value));
    row.risk = h("span", { class: "muted" });
    row.append(h("strong", { title: name }, sentenceCase(name)), row.risk, row.choice);
    return row;
  }

  submit(event) {
    event.preventDefault();
    this.save(this.name.value.trim(), this.choice.value);
  }

  async save(name, permit) {
    if (!name) return;
    this.problem.hidden = true;
    try {
      this.show((await post("/api/permits", { name, permit, pin: this.pin.value })).permits);
      announce(`${name}: ${CHOICES[permit]}.`);
      this.name.value = "";
      this.choice.value = "default";
    } catch (error) {
      write(this.problem, error.message);
      this.problem.hidden = false;
      this.load();
    }
    this.pin.value = "";
  }
}

function chooser(label, onchange) {
  const options = Object.entries(CHOICES).map(([value, text]) => h("option", { value }, text));
  const element = h("select", { "aria-label": label }, options);
  if (onchange) set(element, "onchange", onchange);
  return element;
}
