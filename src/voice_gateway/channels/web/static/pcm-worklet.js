// Runs beside the sound: floats become 16-bit samples, in pieces of 64 ms, with their loudness.

const PIECE = 1024;

class Pcm extends AudioWorkletProcessor {
  constructor() {
    super();
    this.samples = new Int16Array(PIECE);
    this.filled = 0;
    this.port.onmessage = () => {
      this.send(this.filled);
      this.port.postMessage({ last: true });
      this.ended = true;
    };
  }

  process([input]) {
    for (const sample of input[0] ?? []) {
      this.samples[this.filled] = Math.max(-1, Math.min(1, sample)) * 32767;
      this.filled += 1;
      if (this.filled === PIECE) this.send(PIECE);
    }
    return !this.ended;
  }

  send(length) {
    if (!length || this.ended) return;
    const pcm = this.samples.slice(0, length);
    let sum = 0;
    for (const sample of pcm) sum += sample * sample;
    const level = Math.min(1, Math.sqrt(sum / length) / 6000);
    this.port.postMessage({ pcm: pcm.buffer, level }, [pcm.buffer]);
    this.filled = 0;
  }
}

registerProcessor("pcm", Pcm);
