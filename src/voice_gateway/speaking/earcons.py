"""Earcons: short sounds, computed here, so that no files are needed."""

from enum import StrEnum

import numpy as np

from voice_gateway.sound.samples import Floats
from voice_gateway.turn import Speech

RATE = 24_000
LOUDNESS = 0.2  # of full scale: heard, not startling
FADE_SECONDS = 0.008  # without it a tone begins and ends with a click


class Earcon(StrEnum):
    WAKE = "wake"
    HEARD = "heard"
    ERROR = "error"  # what was heard was no request
    DONE = "done"  # all that was asked for is confirmed
    NOT_DONE = "not done"
    MODEL = "model"  # the words that follow are a language model's
    RING = "ring"
    ALARM = "alarm"  # smoke, gas, water: nothing else sounds like it


# Each tone: frequency in Hz (0 is a pause) and seconds. Up says "go on", down says "no".
_TONES: dict[Earcon, tuple[tuple[float, float], ...]] = {
    Earcon.WAKE: ((660, 0.06), (880, 0.08)),
    Earcon.HEARD: ((880, 0.06),),
    Earcon.ERROR: ((330, 0.12), (0, 0.04), (262, 0.18)),
    Earcon.DONE: ((784, 0.05), (1047, 0.05), (1319, 0.1)),
    Earcon.NOT_DONE: ((392, 0.1), (0, 0.03), (392, 0.1), (0, 0.03), (294, 0.2)),
    Earcon.MODEL: ((523, 0.05), (622, 0.07)),
    Earcon.ALARM: ((1568, 0.25), (1047, 0.25)) * 4,
    Earcon.RING: ((988, 0.15), (0, 0.08), (988, 0.15), (0, 0.08), (1319, 0.3)),
}


def earcon(kind: Earcon) -> Speech:
    loud = {Earcon.ALARM: 3.0, Earcon.MODEL: 0.5}.get(kind, 1.0)
    samples = np.concatenate([_tone(*tone) for tone in _TONES[kind]])
    return Speech(np.asarray(samples * loud, np.float32), RATE)


def _tone(frequency: float, seconds: float) -> Floats:
    count = round(seconds * RATE)
    fade = min(count // 2, round(FADE_SECONDS * RATE))
    shape = np.ones(count)
    shape[:fade] = np.linspace(0, 1, fade)
    shape[count - fade :] = np.linspace(1, 0, fade)
    wave = np.sin(2 * np.pi * frequency * np.arange(count) / RATE)
    return np.asarray(LOUDNESS * shape * wave, np.float32)
