"""Drawn calls: made from their ids alone, permitted by the documents, and made simpler."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from onnx_conformance.core.errors import BadInputError, IncompleteError
from onnx_conformance.core.exploring.explorer import Refusal, find_explorer
from onnx_conformance.core.exploring.ids import ExploredId, parse_id
from onnx_conformance.generators.exploring.drawing import drawer_of
from onnx_conformance.generators.exploring.installed import installed_explorer
from onnx_conformance.generators.situations.permitting.permitted import (
    NotPermittedError,
    NotPresentedError,
)

_DIGESTS = """
import hashlib, json, sys
from onnx_conformance.generators.exploring.installed import installed_explorer
explorer = installed_explorer()
found = {}
for name in sys.argv[1:]:
    files = explorer.draw(name).files or {}
    found[name] = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
print(json.dumps(found))
"""


def digests(ids: list[str]) -> dict[str, dict[str, str]]:
    run = subprocess.run(
        [sys.executable, "-c", _DIGESTS, *ids], capture_output=True, text=True, check=True
    )
    found: dict[str, dict[str, str]] = json.loads(run.stdout)
    return found


def test_an_id_says_what_the_call_is_made_from() -> None:
    parsed = parse_id("explore/conv-22/s7f3a.121.0.4")
    assert ExploredId("conv-22", "s", 0x7F3A, 121, (0, 4)) == parsed
    assert str(parsed) == "explore/conv-22/s7f3a.121.0.4"


@pytest.mark.parametrize(
    "text", ["explore/conv-22", "explore/conv/s1.2", "explore/conv-22/s1.-2", "conv-22/a/b"]
)
def test_what_is_no_id_of_a_drawn_call_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInputError, match=r"explore/conv-22/s7f3a\.121"):
        parse_id(text)


def test_the_installed_explorer_is_found_by_name() -> None:
    assert ["relu-14", "relu-13", "relu-6"] == list(find_explorer().subjects(["Relu"])["relu"])[:3]


def test_one_id_has_the_same_files_in_every_process() -> None:
    ids = [f"explore/add-14/s7.{index}" for index in range(8)]
    first = digests(ids)
    assert first == digests(list(reversed(ids)))
    assert sum(1 for files in first.values() if files) >= 6


def test_seed_and_number_decide_what_is_drawn() -> None:
    explorer = installed_explorer()
    found = [
        explorer.draw(f"explore/add-14/s{seed}.{index}").files
        for seed in "12"
        for index in range(3)
    ]
    assert len(found) == len({json.dumps(sorted(map(str, (item or {}).items()))) for item in found})


def test_a_drawn_call_tells_its_base_and_its_edits() -> None:
    drawn = installed_explorer().draw("explore/relu-14/s7.1")
    assert drawn.base.startswith("relu-14/")
    assert 1 <= len(drawn.edits) <= 6
    told = json.loads((drawn.files or {})["data.json"])["explored"]
    assert {"base": drawn.base, "edits": list(drawn.edits)} == told


def test_a_trait_that_a_backend_lacks_is_not_drawn() -> None:
    explorer = installed_explorer()
    drawn = explorer.draw("explore/relu-14/s7.1")
    again = explorer.draw("explore/relu-14/s7.1", frozenset(drawn.traits[1:2]))
    assert (Refusal.AVOIDED, None) == (again.refusal, again.files)


def test_making_a_call_simpler_comes_to_an_end() -> None:
    explorer = installed_explorer()
    name, steps = parse_id("explore/add-14/s7.1"), 0
    while (found := explorer.draw(str(name.simpler(0)))).refusal is None:
        name, steps = name.simpler(0), steps + 1
        assert steps < 60
    assert found.refusal in (Refusal.NOTHING, Refusal.INVALID)


def test_an_operator_that_the_corpus_does_not_have_is_named_with_similar_ones() -> None:
    with pytest.raises(IncompleteError, match=r"Rellu.*relu"):
        installed_explorer().subjects(["Rellu"])


def test_a_call_that_a_form_cannot_present_is_presented_plainly() -> None:
    explorer = installed_explorer()
    drawer = drawer_of("d")
    for index in range(60):
        drawing = drawer.draw("max-13", 5, index)
        try:
            drawing.made("explore/max-13/d5.0")
        except NotPresentedError:
            found = explorer.draw(f"explore/max-13/d5.{index}")
            assert (None, 0) == (found.refusal, found.tries)
            assert [] == [item for item in found.edits if item.startswith("form")]
            assert drawing.edits != found.edits
            return
        except NotPermittedError:
            continue
    pytest.fail("no form was drawn that cannot present its call")


def test_an_integer_attribute_is_one_that_a_model_can_hold() -> None:
    drawer = drawer_of("s")
    for index in range(80):
        for item in drawer.draw("constant-25", 0xE36, index).attributes:
            if isinstance(item.value, int):
                assert -(1 << 63) <= item.value < 1 << 63
