"""What a child can see does not name the corpus: arguments, environment, the folder of a model."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import commands
import pytest
from runnable_corpus import shape_vector, write_manifest, write_vector

from onnx_conformance.validator.host.hiding import without_vectors

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(sys.platform != "linux", reason="what /proc of Linux shows")
@pytest.mark.parametrize("asks", ["inline", "path"])
def test_a_child_sees_nothing_that_names_the_corpus(tmp_path: Path, asks: str) -> None:
    root = tmp_path / "the-corpus"
    write_vector(root, shape_vector("shape-15/two/float32"))
    write_manifest(root)
    spied = tmp_path / "spied"
    words = commands.run_words(root, "spies")
    cache = str(root / "cache")
    done = commands.validate(*words, SPIED=str(spied), ASKS=asks, ONNX_CONFORMANCE_CACHE=cache)
    assert 0 == done.returncode
    found = json.loads(spied.read_text())
    assert [] == [text for text in found["seen"] if "the-corpus" in text]
    assert "the-corpus" not in found["path"]
    # Beside the model there is nothing, least of all what is expected.
    assert ([] if asks == "inline" else [found["path"].rpartition("/")[2]]) == found["files"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (b"python\0run\0--vectors\0/a/b\0-x\0", b"python\0run\0--vectors\0....\0-x\0"),
        (b"run\0--vectors=/a/b\0", b"run\0--vectors=....\0"),
        (b"run\0--vec\0/a\0", b"run\0--vec\0..\0"),
        (b"run\0--verbose\0/a\0", b"run\0--verbose\0/a\0"),
        (b"run\0--vectors", b"run\0--vectors"),
    ],
)
def test_what_vectors_says_is_dotted_out(given: bytes, shown: bytes) -> None:
    assert shown == without_vectors(given)
    assert len(given) == len(shown)
