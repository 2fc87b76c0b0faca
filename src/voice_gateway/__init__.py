"""A local-first voice gateway: it acts through tools and never claims what it did not do."""

import os

# onnxruntime reports its use to its maker and writes an identity into the home folder, from the moment it is
# imported. This is the one place that surely comes before that; programs that we start inherit it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

__version__ = "0.2.0"
