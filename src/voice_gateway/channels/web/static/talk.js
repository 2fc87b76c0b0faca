// Conversation: type or hold to talk, answers as they come.

import { AnswerCard, questionButtons } from "./answers.js";
import { announce, h, replace, set } from "./dom.js";
import { ask, before, startAnew, undo } from "./conversation.js";
import { icon } from "./icons.js";
import * as live from "./live.js";
import { HoldToTalk } from "./microphone.js";
import { Player, speakAloud } from "./sound.js";
import * as tracePanel from "./trace-panel.js";
import { isTurnedOn } from "./words.js";

const MOST_SHOWN = 200; // turns and notices: a page may stay open for months

export function talkView() {
  return new Talk();
}

class Talk {
  constructor() {
    this.list = h("ol", { class: "turns-talk", "aria-label": "Conversation" });
    this.hello = h("div", { class: "hello" });
    this.field = h("input", { type: "text", id: "say", maxlength: 8000, autocomplete: "off", enterkeyhint: "send", placeholder: "Type here …", "aria-label": "Say what should happen" });
    this.player = new Player((playing) => set(this.sound, "data-playing", playing ? "" : null));
    this.microphone = new HoldToTalk({
      speak: () => speakAloud(),
      started: () => this.heardStart(),
      event: (type, data) => this.voiceEvent(type, data),
      audio: (samples, rate) => this.player.play(samples, rate),
      ended: (reason) => this.voiceEnded(reason),
    });
    this.sound = h("button", { class: "round quiet sound", type: "button", "aria-label": "Speak answers aloud", title: "Speak answers aloud", onclick: () => this.toggleSound() });
    this.anew = h("button", { class: "anew quiet", type: "button", hidden: true, onclick: () => this.startAnew() }, icon("plus"), "New conversation");
    this.element = h("section", { class: "page talk", "aria-label": "Talk" },
      h("h1", { class: "sr" }, "Talk"),
      h("div", { class: "scroll" }, this.hello, this.list, this.anew),
      h("form", { class: "composer", onsubmit: (event) => this.submit(event) },
        this.field,
        this.sound,
        this.microphone.button,
        h("button", { class: "round primary", "aria-label": "Send", title: "Send" }, icon("send")),
        h("p", { class: "hint", id: "mic-hint" }, this.microphone.hint)));
    this.showSound();
    this.cards = [];
    live.on("devices", () => this.greet());
    live.on("answered", (event) => this.answeredAfterAll(event));
    live.on("notice", ({ text, alarm }) => !alarm && this.notice(text));
    this.questions = new Map();
    live.on("question", (question) => this.ownerQuestion(question));
    this.greet();
    this.restore();
  }

  shown() {
    if (matchMedia("(hover: hover)").matches) this.field.focus();
    const last = this.cards.at(-1);
    if (last?.turn) tracePanel.show(last.turn, { quietly: true });
  }

  // --- before anything was said

  greet() {
    this.hello.hidden = this.cards.length > 0;
    this.anew.hidden = !this.hello.hidden;
    if (this.hello.hidden) return;
    const start = (text) => h("button", { class: "chip", type: "button", onclick: () => this.say(text) }, text);
    replace(this.hello,
      h("img", { src: "/icon.svg", alt: "", width: 64, height: 64 }),
      h("h2", {}, "What should happen?"),
      h("p", { class: "muted" }, "Type it, or hold the microphone and say it. On the way you see what was heard, decided and done."),
      h("div", { class: "chips" }, suggestions().map(start)));
  }

  // Nothing that was said counts any more, not even an open question.
  startAnew() {
    startAnew();
    this.microphone.leave();
    this.player.stop();
    for (const { turn } of this.cards) tracePanel.forget(turn);
    this.cards = [];
    this.spoken = null;
    replace(this.list);
    this.greet();
    this.field.focus();
    announce("A new conversation.");
  }

  async restore() {
    const turns = await before();
    await Promise.all(turns.map((turn) => tracePanel.recall(turn.id)));
    for (const turn of turns) {
      const events = live.eventsOf(turn.id);
      const card = this.add(turn.text, events.some((event) => event.heard_by));
      const outcomes = events.filter((event) => event.type === "acted");
      card.show({ ...turn, text: turn.reply, expects_answer: false, outcomes }, turn.id);
      card.settle();
    }
  }

  // --- what is said

  submit(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text) return;
    this.field.value = "";
    this.say(text);
  }

  add(text, spoken = false) {
    for (const card of this.cards) card.settle();
    const card = new AnswerCard({
      onTrace: (turn) => tracePanel.show(turn),
      onUndo: () => this.undo(),
      onReply: (words) => this.say(words),
    });
    card.you = h("p", {}, spoken ? icon("mic") : null, text);
    this.cards.push(card);
    this.append(h("li", {}, h("div", { class: "you" }, card.you), card.element));
    this.greet();
    this.scroll();
    return card;
  }

  append(item) {
    this.list.append(item);
    while (this.list.children.length > MOST_SHOWN) this.list.firstElementChild.remove();
    this.cards = this.cards.filter((card) => this.list.contains(card.element));
  }

  async say(text, question) {
    const card = this.add(/^\d{3,}$/.test(text) ? "••••" : text);
    await this.answered(card, (onEvent) => ask(text, onEvent, question));
  }

  // What another program asks for; it is answered here or in any other channel.
  ownerQuestion({ id, text, pin, open }) {
    if (!open) {
      this.questions.get(id)?.querySelector(".question")?.remove();
      this.questions.delete(id);
    }
    if (!open || this.questions.has(id)) return;
    const item = h("li", { class: "notice" }, h("p", {}, text), questionButtons((words) => this.say(words, id), pin ? "pin" : "yes_no"));
    this.questions.set(id, item);
    this.append(item);
    announce(text);
    this.scroll();
  }

  async undo() {
    const card = this.add("Undo");
    await this.answered(card, (onEvent) => undo(onEvent));
  }

  async answered(card, run) {
    this.quiet();
    try {
      const answer = await run((type, data) => this.event(card, type, data));
      if (!this.cards.includes(card)) return; // another conversation was begun
      this.done(card, answer);
      if (speakAloud()) this.player.speak(answer.text, (reason) => this.noVoice(reason));
    } catch (error) {
      card.failed(error.message);
      announce(error.message);
    }
    this.scroll();
  }

  event(card, type, data) {
    if (!this.cards.includes(card)) return;
    if (data.turn && !card.turn) {
      card.turn = data.turn;
      tracePanel.show(data.turn, { quietly: true });
    }
    if (type === "said") card.piece(data.text, data.source);
    else if (type === "waiting") card.waiting(data.text);
    this.scroll();
  }

  done(card, answer) {
    card.show(answer, card.turn);
    announce(answer.text);
    card.more.querySelector(".question input")?.focus(); // never a yes: a second Enter must not be one
  }

  notice(text) {
    if ([...this.questions.values()].some((item) => item.firstChild.textContent === text)) return;
    this.append(h("li", { class: "notice" }, h("p", {}, text)));
    if (this.element.hidden) return;
    announce(text);
    this.scroll();
  }

  scroll() {
    requestAnimationFrame(() => this.list.lastElementChild?.scrollIntoView({ block: "end" }));
  }

  // --- by voice

  heardStart() {
    this.quiet();
    this.spoken?.leave();
    this.spoken = null;
  }

  quiet() {
    this.microphone.silence();
    this.player.stop();
  }

  answeredAfterAll(event) {
    const card = this.cards.find(({ left, turn }) => left && turn === event.turn);
    if (!card) return;
    card.left = false;
    const outcomes = live.eventsOf(event.turn).filter(({ type }) => type === "acted");
    card.show({ ...event, expects_answer: false, outcomes }, event.turn);
    card.settle();
  }

  voiceEvent(type, data) {
    if (type === "transcript") {
      if (!data.text) return;
      this.spoken = this.add(data.text, true);
      return;
    }
    if (!this.spoken) {
      if (type !== "answer" && !data.turn) return;
      this.spoken = this.add("…", true);
    }
    if (data.turn) live.take({ ...data, type });
    if (type === "answer") this.done(this.spoken, data);
    else this.event(this.spoken, type, data);
  }

  voiceEnded(reason) {
    if (reason) this.notice(reason);
  }

  toggleSound(wanted = !speakAloud()) {
    speakAloud(wanted);
    if (!wanted) this.quiet();
    this.showSound();
  }

  // It would fail at every answer: said once, and switched off.
  noVoice(reason) {
    this.toggleSound(false);
    this.notice(`The answer cannot be spoken: ${reason}`);
  }

  showSound() {
    set(this.sound, "aria-pressed", String(speakAloud()));
    replace(this.sound, icon(speakAloud() ? "sound" : "silent"));
  }
}

// Of this home, so that the first press does something.
function suggestions() {
  const devices = live.state.devices.filter((device) => device.available !== false);
  const lamp = devices.find((device) => /light|lamp|dimmer/i.test(device.kind) && device.actions?.includes("on"))
    ?? devices.find((device) => device.actions?.includes("on"));
  const found = lamp ? [`Turn ${isTurnedOn(lamp) ? "off" : "on"} the ${lamp.name}`] : [];
  return [...found, "Which lights are on?", "What time is it?", "Set a timer for five minutes", "What can you do?"];
}
