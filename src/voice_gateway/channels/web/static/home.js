// Home: devices by room, as they are now; a switch says what its device said, not what was wished.

import { asksFor } from "./answers.js";
import { act, ask, undo } from "./conversation.js";
import { announce, h, keep, replace, set, write } from "./dom.js";
import { questionDialog, toast } from "./dialogs.js";
import { iconOfDevice } from "./icons.js";
import * as live from "./live.js";
import { isTurnedOn, sentenceCase } from "./words.js";

const NOWHERE = "No room";
const SWITCHED = ["on", "off"];
const LABELS = {
  open: "Open", close: "Close", stop: "Stop", lock: "Lock", unlock: "Unlock", play: "Play", pause: "Pause",
  previous: "Back", next: "Next", start: "Start", dock: "Dock",
};
const LEVELS = { dim: "Level", volume: "Volume", speed: "Speed" }; // actions that take a number from 0 to 100
const ON = /^(on|playing|paused|idle|buffering|cleaning|unlocked|heat|cool|auto)\b|\bopen(ing)?$/i;
const TARGET = /set to (-?\d+(?:[.,]\d+)?) *([^\s,;]+)/; // of a thermostat
const STEP = { "°C": 0.5, "°F": 1 };

export function homeView() {
  const rooms = h("div", { class: "rooms" });
  const empty = h("p", { class: "empty" }, "No device is known yet. They appear here as soon as a server that has some is connected.");
  const tally = h("p", { class: "muted" });
  const element = h("section", { class: "page", "aria-label": "Home" }, h("header", { class: "page-head" }, h("h1", {}, "Home"), tally), rooms, empty);
  const draw = () => {
    const devices = live.state.devices;
    empty.hidden = devices.length > 0;
    write(tally, devices.length ? tallyOf(devices) : "");
    keep(rooms, byRoom(devices), ([room]) => room, makeRoom, updateRoom);
  };
  live.on("devices", draw);
  draw();
  return { element };
}

function tallyOf(devices) {
  const on = devices.filter((device) => isTurnedOn(device)).length;
  const away = devices.filter((device) => device.available === false).length;
  return [`${devices.length} devices`, `${on} on`, away ? `${away} not answering` : ""].filter(Boolean).join(" · ");
}

function byRoom(devices) {
  const rooms = new Map();
  for (const device of devices) {
    const room = device.room || NOWHERE;
    if (!rooms.has(room)) rooms.set(room, []);
    rooms.get(room).push(device);
  }
  const named = [...rooms].sort(([one], [other]) => (one === NOWHERE) - (other === NOWHERE) || one.localeCompare(other));
  for (const [, those] of named) those.sort((one, other) => one.name.localeCompare(other.name));
  return named;
}

function makeRoom([room]) {
  return h("section", { class: "room", "aria-label": room }, h("h2", {}, room), h("ul", { class: "devices" }));
}

function updateRoom(section, [, devices]) {
  keep(section.querySelector("ul"), devices, (device) => device.id, () => new Card().element, (item, device) => item.card.update(device));
}

class Card {
  constructor() {
    this.icon = h("span", { class: "device-icon" });
    this.name = h("span", { class: "device-name" });
    this.state = h("span", { class: "device-state" });
    this.controls = h("div", { class: "controls" });
    this.toggle = null;
    this.element = h("li", { class: "card device" }, h("div", { class: "device-head" }, this.icon, h("div", { class: "device-text" }, this.name, this.state)), this.controls);
    this.element.card = this;
  }

  update(device) {
    const same = this.device && JSON.stringify([this.device.actions, this.device.kind, this.device.name]) === JSON.stringify([device.actions, device.kind, device.name]);
    this.device = device;
    set(this.element, "data-on", isOn(device) ? "" : null);
    set(this.element, "data-away", device.available === false ? "" : null);
    write(this.name, device.name);
    write(this.state, stateText(device));
    if (!same) this.build(device);
    if (this.toggle) set(this.toggle, "aria-checked", String(isSwitchedOn(device)));
    if (this.slider && !this.busy && document.activeElement !== this.slider) this.slider.value = levelOf(device);
    if (this.target) write(this.target, TARGET.exec(device.state)?.slice(1).join(" ") ?? "–");
    for (const control of this.element.querySelectorAll("button, input")) control.disabled = this.busy || device.available === false;
  }

  build(device) {
    const actions = device.actions ?? [];
    replace(this.icon, iconOfDevice(device));
    this.toggle?.remove();
    this.toggle = this.slider = this.target = null;
    if (SWITCHED.every((action) => actions.includes(action))) {
      this.toggle = h("button", { class: "switch", type: "button", role: "switch", "aria-label": device.name, onclick: () => this.run(isSwitchedOn(this.device) ? "off" : "on") }, h("span", { class: "knob" }));
      this.element.firstChild.append(this.toggle);
    }
    const level = actions.find((action) => LEVELS[action]);
    const controls = [level ? this.makeSlider(level) : null, actions.includes("set") ? this.makeStepper() : null];
    for (const action of Object.keys(LABELS).filter((one) => actions.includes(one))) {
      controls.push(h("button", { type: "button", "aria-label": `${LABELS[action]} ${device.name}`, onclick: () => this.run(action) }, LABELS[action]));
    }
    replace(this.controls, controls);
    this.controls.hidden = !this.controls.children.length;
  }

  makeSlider(action) {
    this.slider = h("input", { type: "range", min: 0, max: 100, step: 5, "aria-label": `${LEVELS[action]} of ${this.device.name}`, onchange: () => this.run(action, Number(this.slider.value)) });
    return this.slider;
  }

  makeStepper() {
    this.target = h("output", {});
    const button = (sign, word, by) => h("button", { type: "button", "aria-label": `${this.device.name}: ${word}`, onclick: () => this.step(by) }, sign);
    return h("div", { class: "stepper" }, button("−", "lower", -1), this.target, button("+", "higher", 1));
  }

  step(by) {
    const [, now, unit] = TARGET.exec(this.device.state) ?? [];
    this.run("set", now === undefined ? 20 : Number(now.replace(",", ".")) + by * (STEP[unit] ?? 0.5));
  }

  async run(action, level) {
    this.setBusy(true);
    try {
      await settle(await act(this.device, action, level));
    } catch (error) {
      toast(error.message, { bad: true });
    }
    this.setBusy(false);
  }

  setBusy(busy) {
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.busy = busy;
    set(this.element, "data-busy", busy ? "" : null);
    this.update(this.device);
    if (!busy) (focused ?? this.lastFocus)?.focus();
    this.lastFocus = focused;
  }
}

// An answer to a press: a question is asked in front of everything, else it is told below, with undo.
export async function settle(answer) {
  if (answer.expects_answer) {
    const words = await questionDialog(answer.text, asksFor(answer, answer.turn));
    return settle(await ask(words));
  }
  announce(answer.text);
  const again = answer.ok && answer.outcomes?.length ? async () => settle(await undo()) : null;
  toast(answer.text, { bad: !answer.ok, undo: again });
  return answer;
}

function isOn(device) {
  return ON.test(device.state ?? "") || (!device.state && device.level > 0);
}

function isSwitchedOn(device) {
  return Boolean(device.state) && !/^(off|standby|unknown|docked|returning)\b/i.test(device.state);
}

function levelOf(device) {
  if (device.level != null) return device.level;
  const told = /(\d+) *%/.exec(device.state ?? "");
  if (told) return Number(told[1]);
  return isOn(device) ? 100 : 0;
}

function stateText(device) {
  const parts = [];
  if (device.available === false) parts.push("Does not answer");
  if (device.state && !(device.available === false && device.state === "unknown")) parts.push(device.available === false ? `last known ${device.state}` : sentenceCase(device.state));
  if (device.level != null && isOn(device) && !/%/.test(device.state ?? "")) parts.push(`${device.level} %`);
  for (const reading of device.readings ?? []) if (!parts.some((part) => part.includes(reading))) parts.push(String(reading));
  return parts.join(" · ").replace(/(\d) (%|°|W|V|lx)/g, "$1\u00a0$2"); // a number stays with its unit
}
