"""`onnx-validate repro`: every script is run, by Python itself and away from this project."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from harness_client import MAIN
from hypothesis import example, given
from hypothesis import strategies as st
from limited_corpus import LIMITED, limited_corpus
from misbehaviour import harness
from onnx import TensorProto, helper
from runnable_corpus import shape_vector, write_manifest, write_vector
from small_corpus import small_vector

from onnx_conformance.core.commandline import dispatch
from onnx_conformance.core.corpus.vectors import DataSet
from onnx_conformance.core.values.limits import between, ranked
from onnx_conformance.core.values.tensors import Bounded, NamedValue, Tensor
from onnx_conformance.core.values.wire import to_wire
from onnx_conformance.validator.main import COMMANDS
from onnx_conformance.validator.repro import bundled, plain
from onnx_conformance.validator.repro.bundle import bundle_files, harness_files
from onnx_conformance.validator.repro.literals import NoLiteralError, array_source, model_source
from onnx_conformance.validator.repro.plain import plain_script
from onnx_conformance.validator.repro.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

AS_REQUIRED, COULD_NOT_RUN, NOT_AS_REQUIRED = 0, 1, 3
X = [2, 3]
ONNX_NAMES = {"float32": "float", "float64": "double"}


def tensor(name: str, shape: Sequence[int], *numbers: float) -> Tensor:
    return Tensor(name, tuple(shape), np.array(numbers, name).tobytes())


def model_of(operator: str, taken: int, given: tuple[int, int], **attributes: Any) -> bytes:  # noqa: ANN401
    """`y = operator(x)`: element type taken; type and rank given."""
    graph = helper.make_graph(
        [helper.make_node(operator, ["x"], ["y"], **attributes)],
        "g",
        [helper.make_tensor_value_info("x", taken, [f"d{axis}" for axis in range(2)])],
        [helper.make_tensor_value_info("y", given[0], [None] * given[1])],
    )
    opsets = [helper.make_opsetid("", 21)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())


def subject(
    model: bytes,
    inputs: Tensor,
    outputs: Tensor | None,
    control: Subject | None = None,
    **changes: Any,  # noqa: ANN401
) -> Subject:
    kind = "valid" if outputs is not None else "invalid"
    facts = {"inputs": ("x",), "outputs": ("y",), "purpose": "one", "opset": 21, **changes}
    if kind == "invalid":
        facts |= {"reject": "run", "control": "shape-15/whole/float32"}
    vector = small_vector("shape-15/whole/float32", kind, **facts)
    expected = () if outputs is None else (NamedValue("y", outputs),)
    data_sets = (DataSet((NamedValue("x", inputs),), expected),)
    return Subject(vector, model, data_sets, {}, ("It is so. (Shape-15)",), "test", control)


SHAPE = model_of("Shape", TensorProto.FLOAT, (TensorProto.INT64, 1))
IDENTITY = model_of("Identity", TensorProto.FLOAT, (TensorProto.FLOAT, 2))
ZEROS = tensor("float32", X, *[0.0] * 6)
RIGHT = subject(SHAPE, ZEROS, tensor("int64", [2], 2, 3))
WRONG = subject(SHAPE, ZEROS, tensor("int64", [2], 3, 2))
UNKNOWN = model_of("NoSuchOperator", TensorProto.FLOAT, (TensorProto.INT64, 1))
REFUSED = subject(UNKNOWN, ZEROS, None, RIGHT)
ACCEPTED = subject(SHAPE, ZEROS, None, RIGHT)
LAME_CONTROL = subject(UNKNOWN, ZEROS, None, subject(UNKNOWN, ZEROS, tensor("int64", [2], 2, 3)))

PLAIN = ["onnxruntime", "onnxruntime-noopt", "reference"]


def run(folder: Path, *environment: tuple[str, str]) -> tuple[int, str]:
    """Run repro.py in an empty folder; its exit code and what it printed."""
    away = folder.parent / "away"
    away.mkdir(exist_ok=True)
    known = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, str(folder / "repro.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
        cwd=away,
        env={**known, **dict(environment)},
    )
    return done.returncode, done.stdout.decode()


def written(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def script(shown: Subject, backend: str, folder: Path) -> Path:
    text = plain_script(shown, backend)
    assert text is not None
    return written(folder, {"repro.py": text})


def bundle(shown: Subject, folder: Path, *options: str) -> Path:
    command = (sys.executable, str(MAIN), "reference", *options)
    return written(folder, bundle_files(shown, command))


# --- a plain script -------------------------------------------------------------------------


@pytest.mark.parametrize("backend", PLAIN)
@pytest.mark.parametrize(
    ("shown", "code", "words"),
    [
        (RIGHT, AS_REQUIRED, "as required"),
        (WRONG, NOT_AS_REQUIRED, "NOT AS REQUIRED"),
        (REFUSED, AS_REQUIRED, "refused, as required"),
        (ACCEPTED, NOT_AS_REQUIRED, "NOT AS REQUIRED: accepted, though invalid"),
        (LAME_CONTROL, COULD_NOT_RUN, "NoSuchOperator"),
        (subject(UNKNOWN, ZEROS, ZEROS), NOT_AS_REQUIRED, "NOT AS REQUIRED: refused"),
    ],
    ids=["right", "wrong", "refused", "accepted", "control refused", "valid refused"],
)
def test_a_plain_script_shows_what_the_runtime_does(
    tmp_path: Path, backend: str, shown: Subject, code: int, words: str
) -> None:
    found, printed = run(script(shown, backend, tmp_path / "out"))
    assert code == found, printed
    assert words in printed


def test_a_plain_script_says_versions_and_platform(tmp_path: Path) -> None:
    _, printed = run(script(RIGHT, "onnxruntime", tmp_path / "out"))
    assert all(f"{name} " in printed for name in ("onnxruntime", "onnx", "numpy", "Python"))
    assert sys.platform in printed.lower()


def test_a_plain_script_is_short_and_holds_the_model_as_text() -> None:
    text = plain_script(RIGHT, "reference")
    assert text is not None
    assert text.count("\n") <= 25
    assert "y = Shape (x)" in text
    assert "onnx_conformance" not in text


@pytest.mark.parametrize("shown", [RIGHT, REFUSED], ids=["valid", "invalid"])
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (("import platform", "import no_such_library, platform"), "no_such_library"),
        (("CPUExecutionProvider", "CUDAExecutionProvider"), "another would be used"),
    ],
    ids=["a library is missing", "the provider is wrong"],
)
def test_a_plain_script_that_is_broken_never_ends_as_if_the_runtime_were_right(
    tmp_path: Path, shown: Subject, spoil: tuple[str, str], words: str
) -> None:
    folder = script(shown, "onnxruntime", tmp_path / "out")
    source = (folder / "repro.py").read_text()
    assert spoil[0] in source
    (folder / "repro.py").write_text(source.replace(*spoil))
    code, printed = run(folder)
    assert AS_REQUIRED != code
    assert words in printed
    assert ", as required" not in printed


@pytest.mark.parametrize("shape", [(0, 2**32), (2**32, 0), (2**20, 0)])
def test_an_empty_array_with_large_dimensions_prints_little(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    model = model_of("Shape", TensorProto.FLOAT, (TensorProto.INT64, 1))
    empty = Tensor("float32", shape[:2], b"")
    shown = subject(model, empty, Tensor("int64", shape, b""))
    code, printed = run(script(shown, "onnxruntime", tmp_path / "out"))
    assert (NOT_AS_REQUIRED, True) == (code, len(printed) < 2_000), printed


NAN, ZERO = float("nan"), 0.0


@pytest.mark.parametrize(
    ("fed", "required", "facts", "code"),
    [
        ((1.5, NAN, 2.0, -ZERO, 1.0, 0.0), (1.5, NAN, 2.0, -ZERO, 1.0, 0.0), {}, AS_REQUIRED),
        ((1.5, NAN, 2.0, -ZERO, 1.0, 0.0), (1.5, NAN, 2.0, ZERO, 1.0, 0.0), {}, NOT_AS_REQUIRED),
        ((1.5, 2.0, 2.0, -ZERO, 1.0, 0.0), (1.5, 2.0, 2.0, ZERO, 1.0, 0.0), {}, NOT_AS_REQUIRED),
        ((1.5, 2, 2, 2, 2, 2), (1.5001, 2, 2, 2, 2, 2), {}, NOT_AS_REQUIRED),
        ((1.5, 2, 2, 2, 2, 2), (1.5001, 2, 2, 2, 2, 2), {"rtol": 1e-3}, AS_REQUIRED),
        ((1.5, 2, 2, 2, 2, 2), (1.6, 2, 2, 2, 2, 2), {"rtol": 1e-3}, NOT_AS_REQUIRED),
    ],
    ids=["NaN", "sign beside NaN", "sign of zero", "other bits", "near", "not near"],
)
@pytest.mark.parametrize("form", ["plain", "bundle"])
def test_values_are_judged_as_the_vector_says(  # noqa: PLR0913, PLR0917  a row of a table
    tmp_path: Path,
    form: str,
    fed: tuple[float, ...],
    required: tuple[float, ...],
    facts: dict[str, float],
    code: int,
) -> None:
    values = (tensor("float32", X, *fed), tensor("float32", X, *required))
    shown = subject(IDENTITY, *values, **facts)
    make = bundle if form == "bundle" else lambda one, folder: script(one, "reference", folder)
    found, printed = run(make(shown, tmp_path / "out"))
    assert code == found, printed


@pytest.mark.parametrize(("profile", "code"), [(None, 3), ("ieee", 3), ("gpu", 0), ("onnx", 0)])
@pytest.mark.parametrize("backend", ["onnxruntime", "reference+reload"])
def test_an_output_with_limits_is_held_against_those_of_the_profile(
    tmp_path: Path, backend: str, profile: str | None, code: int
) -> None:
    root = limited_corpus(tmp_path / "vectors")
    more = ("--accuracy", profile) if profile else ()
    assert 0 == repro(root, LIMITED, backend, "--output", str(tmp_path / "out"), *more)
    found, words = run(tmp_path / "out")
    assert code == found, words


@given(*[st.integers(0, 2**16 - 1)] * 4)
@example(0x8000, 0x0000, 0x8000, 0x0000)
@example(0x0000, 0x8000, 0x0000, 0x0000)
@example(0x7E00, 0x7E01, 0x7E00, 0x7E00)
@example(0x7C00, 0x7BFF, 0x7BFF, 0x7C00)
def test_the_scripts_accept_what_the_validator_accepts(
    want: int, got: int, low: int, high: int
) -> None:
    codes = [np.array([code], "u2") for code in (got, want, low, high)]
    floats = [code.view("f2") for code in codes]
    missing = [bool(np.isnan(item[0])) for item in floats]
    if len({missing[1], missing[2], missing[3]}) != 1:
        return  # limits are not written so
    got, due, *limits = (ranked(item, "float16") for item in codes)
    expected = bool(between(due, got, *limits)[0])
    tensors = [Tensor("float16", (1,), code.tobytes()) for code in codes]
    bounded = Bounded("float16", (1,), codes[1].tobytes(), {"ieee": (tensors[2], tensors[3])})
    shown = subject(IDENTITY, tensors[0], bounded, accuracy={"rule": "r"})
    names = dict(zip(("got", "required", "low", "high"), floats, strict=True))
    space: dict[str, Any] = {"numpy": np, **names}
    exec(plain._IN_ORDER, space)  # noqa: S102, SLF001  the text of the script, as it is run
    assert expected == bool(eval(plain._check(shown, bounded), space))  # noqa: S307, SLF001
    wires = [to_wire(item) for item in tensors]
    asked = {"rtol": 0.0, "atol": 0.0}
    assert expected == bundled.fits(
        asked, {**wires[1], "low": wires[2], "high": wires[3]}, wires[0]
    )


# --- values and models as source -----------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "source"),
    [
        (tensor("int64", [2], 3, -1), 'numpy.array([3, -1], "int64")'),
        (tensor("float32", [], 0.1), 'numpy.array(0.1, "float32")'),
        (
            tensor("float32", [2], float("inf"), NAN),
            'numpy.array([numpy.inf, numpy.nan], "float32")',
        ),
        (tensor("float64", [2, 3], *[0.0] * 6), 'numpy.zeros((2, 3), "float64")'),
        (Tensor("float32", (0, 2**32), b""), 'numpy.empty((0, 4294967296), "float32")'),
        (Tensor("bool", (2,), b"\1\0"), 'numpy.array([True, False], "bool")'),
        (Tensor("string", (1,), (b"a\xc3\xa9",)), "numpy.array(['aé'], object)"),
        (
            Tensor("float32", (1,), b"\1\0\xc0\x7f"),
            'numpy.frombuffer(bytes.fromhex("0100c07f"), "float32").reshape((1,))',
        ),
    ],
)
def test_a_value_is_written_as_a_person_would(value: Tensor, source: str) -> None:
    assert source == array_source(value)


@pytest.mark.parametrize(
    "value",
    [
        Tensor("bfloat16", (1,), b"\0\0"),
        Tensor("int4", (1,), b"\0"),
        Tensor("string", (1,), (b"\xff",)),
        Tensor("float32", (0, 2**62, 2**62), b""),
    ],
)
def test_what_numpy_has_not_is_left_to_a_bundle(value: Tensor) -> None:
    import ml_dtypes  # noqa: F401  with it, NumPy seems to know more types

    with pytest.raises(NoLiteralError):
        array_source(value)


def test_a_model_that_its_text_does_not_tell_is_given_as_it_is() -> None:
    odd = helper.make_tensor("odd", TensorProto.FLOAT, [1], b"\1\0\xc0\x7f", raw=True)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    node = helper.make_node("Constant", [], ["y"], value=odd)
    model = helper.make_model(helper.make_graph([node], "g", [], [y]))
    model = model.SerializeToString()
    assert model_source(model).startswith('onnx.load_model_from_string(base64.b64decode("')


# --- a bundle -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "code", "words"),
    [
        (RIGHT, AS_REQUIRED, "as required"),
        (WRONG, NOT_AS_REQUIRED, "required int64 [2] [3, 2]"),
        (REFUSED, AS_REQUIRED, "as required, refused at load"),
        (ACCEPTED, NOT_AS_REQUIRED, "NOT AS REQUIRED: accepted, though invalid"),
        (LAME_CONTROL, COULD_NOT_RUN, "the valid control does not pass"),
    ],
    ids=["right", "wrong", "refused", "accepted", "control refused"],
)
@pytest.mark.parametrize("options", [(), ("--inline",)], ids=["path", "inline"])
def test_a_bundle_shows_what_the_runtime_does(
    tmp_path: Path, shown: Subject, code: int, words: str, options: tuple[str, ...]
) -> None:
    found, printed = run(bundle(shown, tmp_path / "out", *options))
    assert code == found, printed
    assert words in printed


@pytest.mark.parametrize("shown", [RIGHT, REFUSED], ids=["valid", "invalid"])
@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ("model.onnx", "model.onnx is missing"),
        ("harness/runtimes/reference.py", "does not describe itself"),
        ("harness", "does not describe itself"),
    ],
)
def test_a_bundle_that_is_broken_never_ends_as_if_the_runtime_were_right(
    tmp_path: Path, shown: Subject, lost: str, words: str
) -> None:
    folder = bundle(shown, tmp_path / "out")
    if (folder / lost).is_dir():
        shutil.rmtree(folder / lost)
    else:
        (folder / lost).unlink()
    code, printed = run(folder)
    assert COULD_NOT_RUN == code, printed
    assert words in printed


def test_a_bundle_runs_where_it_is_moved_to(tmp_path: Path) -> None:
    bundle(RIGHT, tmp_path / "out").rename(tmp_path / "elsewhere")
    assert AS_REQUIRED == run(tmp_path / "elsewhere")[0]


def test_a_bundle_of_an_adapted_backend_adapts_as_the_backend_does(tmp_path: Path) -> None:
    folder = bundle(RIGHT, tmp_path / "out", "--freeze", "--static")
    code, printed = run(folder)
    assert AS_REQUIRED == code, printed
    assert {"adapting.py", "protobuf.py"} <= {path.name for path in (folder / "harness").iterdir()}


def test_a_bundle_holds_the_modules_that_a_harness_imports_and_no_other_harness() -> None:
    names = {path.name for path in harness_files("transformer")}
    assert {"__main__.py", "serving.py", "kit.py", "transformer.py", "onnxruntime.py"} <= names
    assert not {"tvm.py", "openvino.py"} & names


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("well_behaved", AS_REQUIRED, "as required"),
        ("segfaults", NOT_AS_REQUIRED, "NOT AS REQUIRED: no reply: signal 11"),
        ("exits", NOT_AS_REQUIRED, "NOT AS REQUIRED: no reply: exit 3"),
        ("dies_at_start", COULD_NOT_RUN, "the harness does not describe itself: exit 1"),
        ("errors_on_all", COULD_NOT_RUN, "the harness failed"),
        ("prints_noise", AS_REQUIRED, "as required"),
    ],
)
def test_a_command_is_asked_once(tmp_path: Path, name: str, code: int, words: str) -> None:
    folder = written(tmp_path / "out", bundle_files(RIGHT, harness(name)))
    found, printed = run(folder, ("SPOIL", "/whole"))
    assert code == found, printed
    assert words in printed


@pytest.mark.parametrize(
    ("kind", "data"),
    [("bfloat16", b"\xc0\x7f\1\0"), ("int4", b"\x21"), ("float8e4m3fn", b"\x7f\1")],
)
def test_a_bundle_carries_types_that_numpy_has_not(tmp_path: Path, kind: str, data: bytes) -> None:
    code = TensorProto.DataType.Value(
        {"bfloat16": "BFLOAT16", "int4": "INT4"}.get(kind, "FLOAT8E4M3FN")
    )
    model = model_of("Identity", code, (code, 2))
    value = Tensor(kind, (1, 2), data)
    shown = subject(model, value, value)
    assert plain_script(shown, "reference") is None
    found, printed = run(bundle(shown, tmp_path / "out"))
    assert AS_REQUIRED == found, printed


# --- the command ----------------------------------------------------------------------------


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    root = tmp_path / "vectors"
    write_vector(root, shape_vector("shape-15/good/float32", purpose="`quoted` ``` fence"))
    write_manifest(root)
    return root


def repro(vectors: Path, vector_id: str, backend: str, *more: str) -> int:
    words = [vector_id, "--backend", backend, "--vectors", str(vectors), *more]
    return dispatch("onnx-validate", "", COMMANDS, ["repro", *words])


def test_the_command_writes_one_file_and_says_how_to_run_it(
    tmp_path: Path, vectors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert 0 == repro(vectors, "shape-15/good/float32", "onnxruntime", "--output", str(out))
    assert ["repro.py"] == [path.name for path in out.iterdir()]
    assert (
        f"run it: {shlex.join([sys.executable, str(out / 'repro.py')])}" in capsys.readouterr().out
    )
    assert AS_REQUIRED == run(out)[0]


@pytest.mark.parametrize("backend", ["onnxruntime", "reference+reload"])
def test_issue_writes_the_markdown_with_what_the_script_printed(
    tmp_path: Path, vectors: Path, backend: str
) -> None:
    out = tmp_path / "out"
    more = ("--output", str(out), "--issue", "--name", "my runtime")
    assert 0 == repro(vectors, "shape-15/good/float32", backend, *more)
    text = (out / "issue.md").read_text()
    assert text.startswith("### my runtime: Shape-15, case good: `quoted`")
    assert "It prints (exit code 0):" in text
    assert "as required" in text
    assert "no fault here" in text
    assert ("attached `out.zip`" in text) == ("+" in backend) == (tmp_path / "out.zip").exists()


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        (("shape-15/nonesuch/float32", "reference"), 5, "'shape-15/nonesuch/float32' matches no"),
        (("shape-15/good/float32", "nonesuch"), 2, "unknown backend 'nonesuch'"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    vectors: Path,
    capsys: pytest.CaptureFixture[str],
    asked: tuple[str, str],
    code: int,
    words: str,
) -> None:
    assert code == repro(vectors, *asked)
    error = capsys.readouterr().err
    assert words in error
    assert 1 == len(error.splitlines())
