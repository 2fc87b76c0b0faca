// Answers as sound: pieces of PCM, one behind the other.

const KEY = "speak";

export function speakAloud(wanted) {
  if (wanted !== undefined) localStorage.setItem(KEY, wanted ? "1" : "0");
  return localStorage.getItem(KEY) === "1";
}

// The gateway's hearing and voice, for sound in both directions.
export function openVoice(query) {
  const address = new URL("/api/voice", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.search = new URLSearchParams(query);
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  return socket;
}

export class Player {
  // playing(true or false) is told when the first piece starts, and when the last one ends or is stopped
  constructor(playing) {
    this.playing = playing;
    this.next = 0;
  }

  play(samples, rate) {
    this.context ??= new AudioContext();
    this.context.resume();
    const buffer = this.context.createBuffer(1, samples.length, rate);
    const channel = buffer.getChannelData(0);
    for (let index = 0; index < samples.length; index += 1) channel[index] = samples[index] / 32768;
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.context.destination);
    this.next = Math.max(this.next, this.context.currentTime + 0.03);
    source.start(this.next);
    this.next += buffer.duration;
    this.last = source;
    source.onended = () => this.last === source && this.playing(false);
    this.playing(true);
  }

  // An answer to what was typed; failed(reason) where there is no voice.
  speak(text, failed) {
    this.stop();
    const socket = openVoice({ speak: "1" });
    this.socket = socket;
    let rate = 0;
    socket.onopen = () => socket.send(JSON.stringify({ type: "speak", text }));
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) return this.play(new Int16Array(data), rate);
      const message = JSON.parse(data);
      if (message.type === "audio") rate = message.rate;
      const reason = message.type === "error" ? message.text : message.error;
      if (reason) failed(reason);
      if (reason || message.type === "audio_end") socket.close();
      return undefined;
    };
  }

  stop() {
    this.socket?.close();
    this.socket = null;
    this.context?.close();
    this.context = this.last = null;
    this.next = 0;
    this.playing(false);
  }
}
