"""A PortAudio that does what a test says: which rates it takes, when it sends sound, and when it goes."""

import threading

import numpy as np


class PortAudioError(Exception):
    pass


class FakePortAudio:
    """Stands for the `sounddevice` package; a test sends sound with `send`."""

    PortAudioError = PortAudioError
    _initialized = 1

    def __init__(self, *, rates=(16000, 48000), channels=(1, 2), present=True) -> None:
        self.rates = rates
        self.channels = channels
        self.present = present
        self.streams: list[FakeStream] = []
        self.refreshed = 0
        self.hang = threading.Event()
        self.hang.set()
        self.default = self
        self.device = (0, -1)

    def query_devices(self):
        card = {"name": "Card", "max_input_channels": 2, "max_output_channels": 0}
        return ({**card, "default_samplerate": 48000.0},) if self.present else ()

    def _terminate(self):
        self.refreshed += 1

    def _initialize(self):
        pass

    def RawInputStream(self, **options):  # noqa: N802 (PortAudio's own name)
        self.hang.wait()
        if options["samplerate"] not in self.rates or options["channels"] not in self.channels:
            raise PortAudioError("Invalid sample rate")
        self.streams.append(FakeStream(self, **options))
        return self.streams[-1]


class FakeStream:
    def __init__(self, owner, *, samplerate, channels, blocksize, callback, finished_callback, **_):
        self.owner = owner
        self.rate = samplerate
        self.channels = channels
        self.blocksize = blocksize
        self.callback = callback
        self.finished_callback = finished_callback
        self.closed = False

    def start(self):
        pass

    def send(self, floats) -> None:
        """As the card would: block by block, the same sound on every channel."""
        samples = np.rint(np.asarray(floats) * 32767).astype(np.int16)
        for at in range(0, len(samples) - self.blocksize + 1, self.blocksize):
            block = np.repeat(samples[at : at + self.blocksize, None], self.channels, axis=1)
            self.callback(block.tobytes(), self.blocksize, None, None)

    def abort(self, ignore_errors=True):
        pass

    def close(self, ignore_errors=True):
        self.closed = True
