// Answers as sound: pieces of PCM, one behind the other.

const KEY = "speak";

export function speakAloud(wanted) {
  if (wanted !== undefined) localStorage.setItem(KEY, wanted ? "1" : "0");
  return localStorage.getItem(KEY) === "1";
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

  stop() {
    this.context?.close();
    this.context = this.last = null;
    this.next = 0;
    this.playing(false);
  }
}
