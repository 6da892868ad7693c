"""The oracles of RNN, GRU and LSTM: equations, directions, lengths, layouts, and their bounds."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts, misfits
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ZEROS = {"padding": "zeros", "empty-sequence": "initial-state"}


def _floats(*shape: int, items: Sequence[float]) -> Grid:
    return Grid("float32", shape, [Fraction(item) for item in items])


def _results(
    operator: str,
    inputs: Mapping[str, Grid],
    version: int = 22,
    readings: Mapping[str, str] = ZEROS,
    **attributes: Any,  # noqa: ANN401  of several kinds
) -> list[Grid]:
    given = {name: tensor_of(grid) for name, grid in inputs.items()}
    found = compute(Call(version, attributes, given, operator, readings=readings))
    return [item for item in found if isinstance(item, Grid)]


def _values(grid: Grid) -> list[float]:
    return [float(item) for item in grid_of(tensor_of(grid)).items]


def _sum(steps: Sequence[float], **more: Grid) -> dict[str, Grid]:
    """An RNN whose state is the input plus the state before."""
    one = _floats(1, 1, 1, items=[1])
    x = _floats(len(steps), 1, 1, items=steps)
    return {"X": x, "W": one, "R": one, **more}


RELU = {"activations": (b"Relu",)}


def test_a_state_is_carried_along() -> None:
    y, last = _results("RNN", _sum([1, 2, 3]), **RELU)
    assert [1, 3, 6] == _values(y)
    assert [6] == _values(last)


def test_a_state_may_be_infinite_on_the_side_whose_terms_overflow() -> None:
    inputs = {
        "X": _floats(1, 1, 3, items=[2.0**127, 2.0**127, -(2.0**127)]),
        "W": _floats(1, 1, 3, items=[1, 1, 1]),
        "R": _floats(1, 1, 1, items=[1]),
        "initial_h": _floats(1, 1, 1, items=[0]),
    }
    affine = {"activations": (b"Affine",), "activation_alpha": (1.0,), "activation_beta": (0.0,)}
    _, last = _results("RNN", inputs, **affine)
    infinities = [accepts("float32", last.items[0], end) for end in (INF, NEG_INF)]
    assert [True, False] == infinities


def test_a_reverse_sequence_is_taken_from_its_own_end() -> None:
    lengths = Grid("int32", (1,), [2])
    y, last = _results("RNN", _sum([1, 2, 4], sequence_lens=lengths), direction="reverse", **RELU)
    assert [3, 2, 0] == _values(y)
    assert [3] == _values(last)


def test_the_batch_comes_first_in_layout_1() -> None:
    one = _floats(1, 1, 1, items=[1])
    x = _floats(2, 3, 1, items=[1, 2, 3, 10, 20, 30])
    y, last = _results("RNN", {"X": x, "W": one, "R": one}, layout=1, **RELU)
    assert ((2, 3, 1, 1), [1, 3, 6, 10, 30, 60]) == (y.shape, _values(y))
    assert ((2, 1, 1), [6, 60]) == (last.shape, _values(last))


@pytest.mark.parametrize(("reading", "last"), [("transposed", [2, 3]), ("as-written", [0, 5])])
def test_before_version_7_r_may_stand_as_it_is(reading: str, last: list[int]) -> None:
    inputs = {
        "X": _floats(1, 1, 1, items=[0]),
        "W": _floats(1, 2, 1, items=[0, 0]),
        "R": _floats(1, 2, 2, items=[0, 2, 0, 3]),
        "initial_h": _floats(1, 1, 2, items=[1, 1]),
    }
    readings = {"recurrence-transposed": reading}
    assert last == _values(_results("RNN", inputs, 1, readings, **RELU)[1])


def test_an_empty_sequence_keeps_or_loses_its_state() -> None:
    inputs = _sum(
        [1], sequence_lens=Grid("int32", (1,), [0]), initial_h=_floats(1, 1, 1, items=[7])
    )
    assert [7] == _values(_results("RNN", inputs, **RELU)[1])
    lost = {**ZEROS, "empty-sequence": "zeros"}
    assert [0] == _values(_results("RNN", inputs, readings=lost, **RELU)[1])


@pytest.mark.parametrize(
    ("attributes", "readings", "last"),
    [
        ({}, {}, 60.0),
        ({"clip": 2.0}, {"clip-of-the-cell": "not-clipped"}, 28.0),
        ({"clip": 2.0}, {"clip-of-the-cell": "clipped"}, 4.0),
        ({"input_forget": 1}, {"coupled-gate": "forget"}, 10.0),
        ({"input_forget": 1}, {"coupled-gate": "input"}, 10.0),
    ],
)
def test_lstm_by_hand(attributes: dict[str, Any], readings: dict[str, str], last: float) -> None:
    # i, o, f, c are 2, 2, 4, 5 and the old cell is 5. H is 2 (4 * 5 + 2 * 5); with all clipped to 2
    # it is 2 (2 * 5 + 2 * 2) or 2 * 2; with f = 1 - 2 or i = 1 - 4 it is 10.
    inputs = {
        "X": _floats(1, 1, 1, items=[1]),
        "W": _floats(1, 4, 1, items=[2, 2, 4, 5]),
        "R": _floats(1, 4, 1, items=[0, 0, 0, 0]),
        "initial_c": _floats(1, 1, 1, items=[5]),
    }
    names = {"activations": (b"Relu",) * 3}
    hidden = _results("LSTM", inputs, readings={**ZEROS, **readings}, **names, **attributes)[1]
    assert [last] == _values(hidden)


@pytest.mark.parametrize(("flag", "last"), [(0, -37.0), (1, -39.0)])
def test_gru_multiplies_the_reset_gate_before_or_after(flag: int, last: float) -> None:
    # z = 2, r = 3; h = 4 + 3 * 2 * 5 + 1 + 6, or 4 + 3 * (2 * 5 + 1) + 6; H = (1 - z) h + z * 2.
    inputs = {
        "X": _floats(1, 1, 1, items=[1]),
        "W": _floats(1, 3, 1, items=[2, 3, 4]),
        "R": _floats(1, 3, 1, items=[0, 0, 5]),
        "B": _floats(1, 6, items=[0, 0, 6, 0, 0, 1]),
        "initial_h": _floats(1, 1, 1, items=[2]),
    }
    names = {"activations": (b"Relu", b"Relu")}
    found = _results("GRU", inputs, linear_before_reset=flag, **names)[1]
    assert [last] == _values(found)


def _rounded(x: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", x))[0])


def test_an_ordinary_float32_lstm_is_within_the_bounds() -> None:
    """A second derivation: the equations in Python, every step rounded to float32."""
    weights = [_rounded(math.sin(3 * place + 1)) for place in range(64)]
    steps = [_rounded(math.cos(5 * place)) for place in range(6)]
    w, r = weights[:8], weights[8:24]
    hidden, cell, seen = [0.0, 0.0], [0.0, 0.0], []

    def gate(at: int, x: float) -> float:
        total = _rounded(w[at] * x)
        for unit in range(2):
            total = _rounded(total + _rounded(r[2 * at + unit] * hidden[unit]))
        return total

    def sigmoid(x: float) -> float:
        return _rounded(_rounded(0.5 * _rounded(math.tanh(_rounded(0.5 * x)))) + 0.5)

    for x in steps:
        sums = [gate(at, x) for at in range(8)]
        opened = [sigmoid(item) for item in sums[:6]]
        new = [_rounded(math.tanh(item)) for item in sums[6:]]
        cell = [
            _rounded(_rounded(opened[4 + unit] * cell[unit]) + _rounded(opened[unit] * new[unit]))
            for unit in range(2)
        ]
        hidden = [_rounded(opened[2 + unit] * _rounded(math.tanh(cell[unit]))) for unit in range(2)]
        seen += hidden
    inputs = {
        "X": _floats(6, 1, 1, items=steps),
        "W": _floats(1, 8, 1, items=w),
        "R": _floats(1, 8, 2, items=r),
    }
    y, last, inside = _results("LSTM", inputs)
    assert [] == misfits(y, tensor_of(_floats(6, 1, 1, 2, items=seen)))
    assert [] == misfits(last, tensor_of(_floats(1, 1, 2, items=hidden)))
    assert [] == misfits(inside, tensor_of(_floats(1, 1, 2, items=cell)))
    wrong = [item + 1e-5 for item in seen]
    assert list(range(12)) == misfits(y, tensor_of(_floats(6, 1, 1, 2, items=wrong)))


@pytest.mark.parametrize("ulps", [-3, 0, 3])
@pytest.mark.parametrize("x", [-0.75, -0.0369, 1e-6, 0.02, 2.5])
def test_tanh_may_be_computed_as_the_page_writes_it(x: float, ulps: int) -> None:
    x = _rounded(x)
    power = _rounded(math.exp(-2 * x))
    power += ulps * math.ulp(power) * 2**29  # From float64 to float32.
    seen = _rounded(_rounded(1 - power) / _rounded(1 + power))
    found = _results("RNN", _sum([x]))[1]
    assert [] == misfits(found, tensor_of(_floats(1, 1, 1, items=[seen])))
    assert [0] == misfits(found, tensor_of(_floats(1, 1, 1, items=[seen + 1e-6])))


@pytest.mark.parametrize(
    ("name", "constants", "x", "expected"),
    [
        ("Affine", (0.5, 2.0), 3.0, 3.5),
        ("LeakyRelu", (0.5, None), -3.0, -1.5),
        ("ThresholdedRelu", (2.0, None), 1.5, 0.0),
        ("ThresholdedRelu", (2.0, None), 2.5, 2.5),
        ("HardSigmoid", (0.25, 0.5), 1.0, 0.75),
        ("HardSigmoid", (0.25, 0.5), 9.0, 1.0),
        ("Softsign", (None, None), 1.0, 0.5),
        ("Relu", (None, None), -2.0, 0.0),
    ],
)
def test_functions_by_hand(
    name: str, constants: tuple[float | None, float | None], x: float, expected: float
) -> None:
    attributes: dict[str, Any] = {"activations": (name.encode(),)}
    for key, value in zip(("activation_alpha", "activation_beta"), constants, strict=True):
        if value is not None:
            attributes[key] = (value,)
    found = _results("RNN", _sum([x]), **attributes)[1]
    assert [expected] == [float(Fraction(str(value_of(item)))) for item in found.items]


@pytest.mark.parametrize("reading", ["those-that-use-one", "one-each"])
def test_who_consumes_a_value_is_open(reading: str) -> None:
    one = _floats(2, 1, 1, items=[1, 1])
    inputs = {"X": _floats(1, 1, 1, items=[-2]), "W": one, "R": one}
    attributes = {
        "direction": "bidirectional",
        "activations": (b"Relu", b"LeakyRelu"),
        "activation_alpha": (0.5, 0.25),
    }
    with pytest.raises(OpenError, match="values-of-activations"):
        _results("RNN", inputs, **attributes)
    found = _results("RNN", inputs, readings={"values-of-activations": reading}, **attributes)[1]
    assert [0.0, -1.0 if reading == "those-that-use-one" else -0.5] == _values(found)


@pytest.mark.parametrize(
    ("changes", "attributes"),
    [
        ({"W": _floats(1, 2, 1, items=[1, 1])}, {}),
        ({"R": _floats(1, 1, 2, items=[1, 1])}, {}),
        ({"B": _floats(1, 1, items=[1])}, {}),
        ({"sequence_lens": Grid("int32", (1,), [3])}, {}),
        ({"sequence_lens": Grid("int32", (2,), [1, 1])}, {}),
        ({"initial_h": _floats(1, 2, 1, items=[1, 1])}, {}),
        ({}, {"hidden_size": 2}),
        ({}, {"direction": "sideways"}),
        ({}, {"layout": 2}),
        ({}, {"activations": (b"Cosh",)}),
        ({}, {"activations": (b"Tanh",) * 3}),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Grid], attributes: dict[str, Any]) -> None:
    with pytest.raises(InvalidCallError):
        _results("RNN", {**_sum([1, 2]), **changes}, **attributes)


def test_the_default_of_gru_1_is_forward() -> None:
    names = {"activations": (b"Relu", b"Relu"), "direction": "foward"}
    one = _floats(1, 3, 1, items=[1, 1, 1])
    inputs = {"X": _floats(1, 1, 1, items=[0.5]), "W": one, "R": one}
    assert [0.25] == _values(_results("GRU", inputs, 1, **names)[1])
    with pytest.raises(InvalidCallError):
        _results("GRU", inputs, 3, **names)


GREAT = Fraction(10**30)


def _overflowing(operator: str, gates: int, x: Sequence[Any]) -> list[Grid]:
    """A step whose sums are x[0] * 1e30 + x[1] * 1e30."""
    inputs = {
        "X": Grid("float32", (1, 1, 2), x),
        "W": Grid("float32", (1, gates, 2), [GREAT] * 2 * gates),
        "R": Grid("float32", (1, gates, 1), [Fraction(0)] * gates),
    }
    return _results(operator, inputs)


@pytest.mark.parametrize(("operator", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_a_sum_that_may_overflow_either_way_is_nan_behind_any_activation(
    operator: str, gates: int
) -> None:
    for output in _overflowing(operator, gates, [GREAT, -GREAT]):
        assert accepts("float32", output.items[0], Fraction(0))
        assert accepts("float32", output.items[0], NAN)


def test_a_product_may_overflow_against_an_infinite_input() -> None:
    for output in _overflowing("RNN", 1, [INF, -GREAT]):
        assert accepts("float32", output.items[0], Fraction(1))
        assert accepts("float32", output.items[0], NAN)


def test_a_sum_that_cannot_overflow_is_no_nan() -> None:
    for output in _overflowing("RNN", 1, [INF, -Fraction(1)]):
        assert Fraction(1) == output.items[0]


@pytest.mark.parametrize(("reading", "last"), [("stays", NAN), ("greatest", 2), ("least", -2)])
def test_what_clip_makes_of_nan_is_open(reading: str, last: Any) -> None:  # noqa: ANN401
    inputs = {
        "X": Grid("float32", (1, 1, 1), [NAN]),
        "W": _floats(1, 1, 1, items=[1]),
        "R": _floats(1, 1, 1, items=[0]),
        "initial_h": _floats(1, 1, 1, items=[0]),
    }
    affine = {"activations": (b"Affine",), "activation_alpha": (1.0,), "activation_beta": (0.0,)}
    readings = {**ZEROS, "nan-clipped": reading}
    _, state = _results("RNN", inputs, readings=readings, clip=2.0, **affine)
    assert last == state.items[0]


@pytest.mark.parametrize(
    ("function", "reading", "last"),
    [
        ("Relu", {"relu-of-nan": "propagates"}, NAN),
        ("Relu", {"relu-of-nan": "zero"}, 0),
        ("HardSigmoid", {"hardsigmoid-of-nan": "propagates"}, NAN),
        ("HardSigmoid", {"hardsigmoid-of-nan": "one"}, 1),
        ("HardSigmoid", {"hardsigmoid-of-nan": "zero"}, 0),
        ("ThresholdedRelu", {"threshold-of-nan": "propagates"}, NAN),
        ("ThresholdedRelu", {"threshold-of-nan": "zero"}, 0),
        ("LeakyRelu", {}, NAN),
    ],
)
def test_what_a_function_makes_of_nan_is_open_as_for_its_operator(
    function: str,
    reading: dict[str, str],
    last: Any,  # noqa: ANN401
) -> None:
    inputs = {
        "X": Grid("float32", (1, 1, 1), [NAN]),
        "W": _floats(1, 1, 1, items=[1]),
        "R": _floats(1, 1, 1, items=[0]),
        "initial_h": _floats(1, 1, 1, items=[0]),
    }
    activations = (function.encode(),)
    _, state = _results("RNN", inputs, readings={**ZEROS, **reading}, activations=activations)
    assert [last] == [x for x in (NAN, 0, 1) if accepts("float32", state.items[0], x)]


def _with_infinite_cell(**more: Grid) -> list[Grid]:
    inputs = {
        "X": _floats(1, 1, 1, items=[0]),
        "W": _floats(1, 4, 1, items=[0] * 4),
        "R": _floats(1, 4, 1, items=[0] * 4),
        "initial_c": Grid("float32", (1, 1, 1), [INF]),
    }
    return _results("LSTM", {**inputs, **more})


def test_peepholes_that_nobody_gave_may_be_multiplied_by_an_infinite_cell() -> None:
    _, last, _ = _with_infinite_cell()
    assert accepts("float32", last.items[0], Fraction(1, 2))
    assert accepts("float32", last.items[0], NAN)


def test_peepholes_of_zero_are_multiplied_by_an_infinite_cell() -> None:
    _, last, _ = _with_infinite_cell(P=_floats(1, 3, items=[0] * 3))
    assert NAN == last.items[0]


def test_whether_a_cell_that_nobody_gave_meets_an_infinite_peephole_is_open() -> None:
    with pytest.raises(OpenError) as raised:
        _results(
            "LSTM",
            {
                "X": _floats(1, 1, 1, items=[0]),
                "W": _floats(1, 4, 1, items=[0] * 4),
                "R": _floats(1, 4, 1, items=[0] * 4),
                "P": Grid("float32", (1, 3), [INF] * 3),
            },
        )
    assert "no-state-times-infinity" == raised.value.question
