// Hold to talk: microphone → AudioWorklet → 16 kHz PCM → WebSocket.

import { conversation } from "./conversation.js";
import { h, set, write } from "./dom.js";
import { icon } from "./icons.js";
import { openVoice } from "./sound.js";

const RATE = 16000;
const TAP_MILLISECONDS = 350; // a shorter press is a tap: it listens until the next one

export class HoldToTalk {
  // on: {speak(): bool, started(), event(type, data), audio(samples, rate), ended(reason or "")}
  constructor(on) {
    this.on = on;
    this.hint = "Hold the microphone to talk, or tap it to start and to stop.";
    this.button = h("button", { class: "round mic", type: "button", "aria-label": "Hold to talk", "aria-pressed": "false", title: "Hold to talk", "aria-describedby": "mic-hint" }, icon("mic"));
    this.button.addEventListener("pointerdown", (event) => event.button === 0 && this.press(event));
    for (const end of ["pointerup", "pointercancel"]) this.button.addEventListener(end, () => this.release());
    this.button.addEventListener("contextmenu", (event) => event.preventDefault());
    this.button.addEventListener("keydown", (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (!event.repeat) this.press(event);
    });
    this.button.addEventListener("keyup", (event) => (event.key === " " || event.key === "Enter") && this.release());
    // A screen reader presses without a pointer or a key.
    this.button.addEventListener("click", (event) => event.detail === 0 && !this.pressedAt && this.toggle());
  }

  press(event) {
    if (event.pointerId !== undefined) this.button.setPointerCapture(event.pointerId);
    this.pressedAt = performance.now();
    if (this.listening) this.stopAtRelease = true;
    else this.start();
  }

  release() {
    if (!this.pressedAt) return;
    const tapped = performance.now() - this.pressedAt < TAP_MILLISECONDS;
    setTimeout(() => (this.pressedAt = 0)); // the click that follows is of this press
    if (this.stopAtRelease || !tapped) this.stop();
    this.stopAtRelease = false;
  }

  toggle() {
    if (this.listening) this.stop();
    else this.start();
  }

  async start() {
    if (this.session) this.close(this.session); // who speaks into the answer does not want the rest of it
    const session = { chunks: [], stopped: false };
    this.session = session; // before anybody hears of it: whoever silences the old one must not meet the new
    this.listening = true;
    this.show("listening");
    this.on.started();
    try {
      this.openSocket(session);
      await this.openMicrophone(session);
      if (session.closed) this.closeMicrophone(session); // it came too late
      else if (session.stopped) await this.finish(session); // let go before the microphone was there
    } catch (error) {
      if (session.closed) return;
      this.close(session);
      this.idle(spokenReason(error));
    }
  }

  openSocket(session) {
    const socket = openVoice({ conversation_id: conversation.id, speak: this.on.speak() ? "1" : "0" });
    session.socket = socket;
    socket.onopen = () => {
      socket.send(JSON.stringify({ type: "start" }));
      for (const chunk of session.chunks.splice(0)) socket.send(chunk);
    };
    socket.onmessage = ({ data }) => this.received(session, data);
    socket.onclose = (event) => {
      const lost = !session.answered && !session.failed;
      this.close(session);
      this.idle(lost ? event.reason || "The gateway did not hear that: the connection ended." : "");
    };
  }

  received(session, data) {
    if (session.closed) return; // what was on its way when it was closed
    if (data instanceof ArrayBuffer) {
      this.on.audio(new Int16Array(data), session.rate);
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "audio") session.rate = message.rate;
    else if (message.type === "audio_end") this.close(session);
    else if (message.type === "error") {
      session.failed = true;
      this.close(session);
      this.idle(message.text ?? message.error ?? "That could not be heard.");
    } else {
      if (message.type === "transcript") this.heard(session, message);
      this.on.event(message.type, message);
      if (message.type === "answer") {
        session.answered = true;
        this.idle("");
        if (!this.on.speak()) this.close(session);
      }
    }
  }

  heard(session, { text }) {
    this.closeMicrophone(session);
    if (text) return this.show("thinking");
    session.answered = true;
    this.close(session);
    return this.idle("Nothing was heard. Hold the microphone while you speak.");
  }

  async openMicrophone(session) {
    if (!navigator.mediaDevices) throw new DOMException("", "SecurityError");
    session.stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
    session.context = new AudioContext({ sampleRate: RATE });
    if (session.closed) return;
    await session.context.audioWorklet.addModule("/pcm-worklet.js");
    const worklet = new AudioWorkletNode(session.context, "pcm");
    worklet.port.onmessage = ({ data }) => {
      this.level(data.level);
      if (session.socket.readyState === WebSocket.OPEN) session.socket.send(data.pcm);
      else if (session.socket.readyState === WebSocket.CONNECTING) session.chunks.push(data.pcm);
    };
    session.worklet = worklet;
    session.context.createMediaStreamSource(session.stream).connect(worklet);
  }

  async stop() {
    if (!this.listening) return; // it failed while the button was held
    const session = this.session;
    this.listening = false;
    session.stopped = true;
    this.show("thinking");
    if (session.worklet) await this.finish(session);
  }

  // The end is said behind the last sound, also where the way is only just being opened.
  async finish(session) {
    const last = new Promise((resolve) => {
      const forward = session.worklet.port.onmessage;
      session.worklet.port.onmessage = (event) => (event.data.last ? resolve() : forward(event));
    });
    session.worklet.port.postMessage("end");
    await last;
    this.closeMicrophone(session);
    const end = JSON.stringify({ type: "end" });
    if (session.socket.readyState === WebSocket.OPEN) session.socket.send(end);
    else if (session.socket.readyState === WebSocket.CONNECTING) session.chunks.push(end);
  }

  closeMicrophone(session) {
    if (session === this.session) this.listening = false;
    for (const track of session.stream?.getTracks() ?? []) track.stop();
    if (session.context && session.context.state !== "closed") session.context.close();
    this.level(0);
  }

  // The rest of an answer is not wanted.
  silence() {
    if (this.session?.answered) this.close(this.session);
  }

  // In the middle of whatever it is.
  leave() {
    if (this.session && !this.session.closed) this.close(this.session);
    this.show("idle");
  }

  close(session) {
    session.closed = true;
    this.closeMicrophone(session);
    if (session.socket) {
      session.socket.onclose = null;
      session.socket.close();
    }
  }

  idle(reason) {
    this.listening = false;
    this.show("idle");
    this.on.ended(reason);
  }

  show(state) {
    this.button.dataset.state = state;
    set(this.button, "aria-pressed", String(state === "listening"));
    const hint = { listening: "Listening … let go when you are done.", thinking: "One moment …", idle: this.hint }[state];
    const line = document.getElementById("mic-hint");
    if (line) write(line, hint);
  }

  level(value) {
    this.button.style.setProperty("--level", value.toFixed(2));
  }
}

function spokenReason(error) {
  if (error.name === "NotAllowedError") return "The browser does not let this page use the microphone. Allow it beside the address.";
  if (error.name === "NotFoundError") return "There is no microphone on this device.";
  if (error.name === "SecurityError") return "A browser gives the microphone only to a page on this machine, or one with TLS.";
  return `The microphone cannot be used: ${error.message}`;
}
