"""Whatever is in a spec of whole models, its vectors are made or it is refused in one line.

The figures of long runs are in docs/reliability.md.
"""

# ruff: noqa: S311
# S311: the same on every machine is what is wanted of this randomness.

from __future__ import annotations

import re
import shutil
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
import yaml
from committed_corpus import SPECS
from endurance import rounds
from spoiling import SEED, line_of, spoiled, spoiled_bytes

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.generators.main import COMMANDS
from onnx_conformance.generators.specs.reading import spec_files
from onnx_conformance.generators.whole_models.reading import read_model_spec
from onnx_conformance.generators.whole_models.variants import all_variants

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 10.0
"""Seconds that one command may take for a spoiled spec; an honest one takes 0.3."""
CASES = {"ir": 25, "graphs": 20, "ai.onnx.preview.training.gradient": 10}
NUMBERS = ("0", "-1", "9" * 20, "1e999", "nan", "2147483648", str(2**63), "x", "[[1]]", "null")
CHARACTERS = "\0(}<\"'{\t"


def beginning(name: str) -> str:
    """A spec of whole models with its first cases."""
    text = (SPECS / "models" / f"{name}.yaml").read_text("utf-8")
    head, cases = text.split("\ncases:\n")
    taken = cases.split("\n  - id: ")[: CASES[name]]
    return f"{head}\ncases:\n" + "\n  - id: ".join(taken) + "\n"


def folder_of(specs: Path) -> Path:
    """A folder of specs with the schemas and one operator; returns that of the whole models."""
    (specs / "models").mkdir(parents=True)
    for name in ("corpus.yaml", "types.yaml", "schemas.json", "not.yaml"):
        shutil.copy(SPECS / name, specs / name)
    return specs / "models"


def altered(random: Random, text: str) -> str:
    """The text with another number, word, character or order of lines, once or twice."""
    for _ in range(random.randint(1, 2)):
        lines = text.split("\n")
        first = random.randrange(len(lines))
        last = min(len(lines) - 1, first + random.choice((1, 1, 2, 5)))
        how = random.randrange(6)
        if how == 0:
            lines[first], lines[last] = lines[last], lines[first]
            text = "\n".join(lines)
        elif how == 1:
            del lines[first:last]
            text = "\n".join(lines)
        elif how == 2:
            at = random.randrange(len(text))
            text = text[:at] + random.choice(CHARACTERS) + text[at + 1 :]
        elif how == 3:
            found, other = random.choices(list(re.finditer(r"\w+", text)), k=2)
            text = text[: found.start()] + other[0] + text[found.end() :]
        else:
            found = random.choice(list(re.finditer(r"(?<![\w.])-?\d+(\.\d+)?", text)))
            text = text[: found.start()] + random.choice(NUMBERS) + text[found.end() :]
    return text


def spoiled_spec(random: Random, honest: str) -> bytes:
    """A spec with changes in its text, in what it holds, or in its bytes."""
    how = random.randrange(8)
    if how == 0:
        return spoiled_bytes(random, honest.encode())
    if how == 1:
        # JSON is YAML, and can be written however deep it is.
        return line_of(spoiled(random, yaml.safe_load(honest)))
    return altered(random, honest).encode()


@rounds(6, 100)
def test_a_spoiled_spec_is_made_or_refused_with_file_and_line(
    tmp_path: Path, rounds: int, capfd: pytest.CaptureFixture[str]
) -> None:
    models = folder_of(tmp_path / "specs")
    common = ("--specs", str(tmp_path / "specs"), "--profile", "full", "--jobs", "1")
    commands = (["list", *common], ["generate", *common, "--output", str(tmp_path / "out")])
    codes = []
    for name in CASES:
        honest = beginning(name)
        path = models / f"{name}.yaml"
        for number in range(rounds):
            content = spoiled_spec(Random(f"{SEED} {name} {number}"), honest)
            path.write_bytes(content)
            for words in commands:
                began = time.process_time()
                code = dispatch("onnx-vectors", "", COMMANDS, words)
                said = capfd.readouterr().err
                seen = (name, number, words[0], said)
                assert time.process_time() - began < LONGEST, seen
                assert code in {ExitCode.OK, ExitCode.BAD_INPUT}, seen
                if code == ExitCode.BAD_INPUT:
                    assert len(said.splitlines()) == 1, seen
                    assert re.search(rf"{re.escape(str(path))}:\d+", said), seen
                codes.append(code)
        path.unlink()
    assert {ExitCode.OK, ExitCode.BAD_INPUT} == set(codes)


HEAD = """\
subject: IR
document: IR.md
requirements:
  - {id: one, text: "Something holds.", part: Graphs}
cases:
"""
CASE = """\
  - id: plain
    covers: [one]
    model: |
      <ir_version: 8, opset_import: ["": 17]>
      g (float[N] x) => (float[N] y) { t = Neg(x)  y = Abs(t) }
    inputs: {x: [1, -2.5]}
    outputs: {y: [1, 2.5]}
"""


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("ir_version: 8", f"ir_version: {'9' * 20}", "the model cannot be parsed: "),
        ("Abs(t)", "Elu <alpha = 1e999> (t)", "the model cannot be parsed: "),
        ("    inputs:", "    set: {ir_version.x: 1}\n    inputs:", "'ir_version' has no fields"),
        ("    inputs:", "    set: {'ir_version[0]': 1}\n    inputs:", "has no element 0"),
        ("    inputs:", "    merge: {ir_version: x}\n    inputs:", "is no message"),
    ],
)
def test_what_cannot_be_a_model_names_its_line(
    tmp_path: Path, was: str, becomes: str, said: str
) -> None:
    assert was in CASE
    path = tmp_path / "ir.yaml"
    path.write_text(HEAD + CASE.replace(was, becomes), "utf-8")
    with pytest.raises(BadInputError, match=re.escape(said)) as caught:
        list(all_variants(read_model_spec(path, spec_files(SPECS)[0])))
    assert str(caught.value).startswith(f"{path}:6: ")


def test_a_control_of_several_models_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ir.yaml"
    each = CASE.replace("    inputs:", "    each: {u: [float32, float64]}\n    inputs:")
    invalid = CASE.replace("id: plain", "id: bad").partition("    outputs:")[0]
    path.write_text(f"{HEAD}{each}{invalid}    reject: load\n    control: plain\n", "utf-8")
    *_, variant = all_variants(read_model_spec(path, spec_files(SPECS)[0]))
    with pytest.raises(BadInputError, match="control 'plain' has 0 models for it, not one"):
        assert variant.control


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("location: ../../x", "'location' names a file of its own"),
        ("location: model.onnx", "'location' names a file of its own"),
        ("offset: 1000000000000", "is outside 0 to 65536"),
    ],
)
def test_external_data_lie_near_and_beside_the_model(tmp_path: Path, keys: str, said: str) -> None:
    path = tmp_path / "ir.yaml"
    stored = f"    tensors: {{w: {{values: [1], kept: external, {keys}}}}}\n"
    path.write_text(HEAD + CASE + stored, "utf-8")
    with pytest.raises(BadInputError, match=re.escape(said)) as caught:
        read_model_spec(path, spec_files(SPECS)[0])
    assert str(caught.value).startswith(f"{path}:13: ")
