"""The oracles of DFT and STFT: against sums in double precision, and by laws of the transform."""

from __future__ import annotations

import cmath
from typing import TYPE_CHECKING

import pytest

from onnx_conformance.generators.oracle.accuracy.limits import accepts
from onnx_conformance.generators.oracle.arith.grid import Grid, scalar, tensor_of, value_of
from onnx_conformance.generators.oracle.arith.numbers import NAN, fraction
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import round_to
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.operators.signals.turns import point_of
from onnx_conformance.generators.oracle.registry import Call, compute

if TYPE_CHECKING:
    from onnx_conformance.generators.oracle.arith.grid import Shape

SIGNAL = [Fraction(item, 8) for item in (3, -17, 22, 9, -4, 31, 5, -26, 14, 2, -7, 12)]


def _dft(shape: Shape, items: list[Fraction], **more: int) -> Grid:
    attributes = {"inverse": 0, "onesided": 0}
    attributes.update({key: more.pop(key) for key in tuple(more) if key in attributes})
    inputs = {"input": tensor_of(Grid("float64", shape, items))}
    inputs |= {key: tensor_of(scalar("int64", value)) for key, value in more.items()}
    (found,) = compute(Call(20, attributes, inputs, "DFT", types={"T1": "float64"}))
    assert isinstance(found, Grid)
    return found


def _numbers(grid: Grid) -> list[complex]:
    floats = [float(fraction(value_of(item))) for item in grid.items]  # type: ignore[arg-type]
    return [complex(a, b) for a, b in zip(floats[::2], floats[1::2], strict=True)]


def _plain(line: list[complex], sign: int = -1) -> list[complex]:
    size = len(line)
    return [
        sum(x * cmath.exp(sign * 2j * cmath.pi * k * n / size) for n, x in enumerate(line))
        for k in range(size)
    ]


def _near(one: list[complex], other: list[complex]) -> bool:
    return len(one) == len(other) and all(
        abs(a - b) < 1e-12 for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 8, 12])
def test_a_real_signal_has_the_spectrum_of_the_formula(size: int) -> None:
    line = SIGNAL[:size]
    assert _near(_plain([complex(item) for item in line]), _numbers(_dft((size, 1), line)))


def test_a_complex_signal_has_the_spectrum_of_the_formula_and_back() -> None:
    line = [complex(a, b) for a, b in zip(SIGNAL[::2], SIGNAL[1::2], strict=True)]
    assert _near(_plain(line), _numbers(_dft((6, 2), SIGNAL)))
    back = [item / 6 for item in _plain(line, 1)]
    assert _near(back, _numbers(_dft((6, 2), SIGNAL, inverse=1)))


def test_half_a_spectrum_is_the_beginning_of_the_whole() -> None:
    for size in (5, 6):
        whole = _numbers(_dft((size, 1), SIGNAL[:size]))
        half = _dft((size, 1), SIGNAL[:size], onesided=1)
        assert (size // 2 + 1, 2) == half.shape
        assert whole[: size // 2 + 1] == _numbers(half)


def test_the_signal_of_half_a_spectrum_is_that_of_the_symmetric_whole() -> None:
    half = [complex(a, b) for a, b in zip(SIGNAL[:6:2], SIGNAL[1:6:2], strict=True)]
    for length in (4, 5):
        mirrored = [*half, *(half[length - k].conjugate() for k in range(3, length))]
        mirrored[0] = complex(mirrored[0].real)
        if length == 4:
            mirrored[2] = complex(mirrored[2].real)
        expected = [item.real / length for item in _plain(mirrored, 1)]
        found = _dft((3, 2), SIGNAL[:6], onesided=1, inverse=1, dft_length=length)
        assert (length, 1) == found.shape
        got = [float(fraction(value_of(item))) for item in found.items]  # type: ignore[arg-type]
        assert _near([complex(item) for item in expected], [complex(item) for item in got])


def test_an_axis_is_transformed_for_each_place_on_the_others() -> None:
    found = _numbers(_dft((2, 3, 1), SIGNAL[:6], axis=0))
    expected = [complex(SIGNAL[n] + SIGNAL[n + 3]) for n in range(3)]
    assert expected == found[:3]


def test_factors_of_quarters_and_twelfths_are_exact() -> None:
    one = 1 << 256
    assert [(one, 0), (0, one), (-one, 0), (0, -one)] == [point_of(n, 4) for n in range(4)]
    assert (one // 2, -one // 2) == (point_of(1, 6)[0], point_of(1, 3)[0])


def test_a_wrong_factor_is_outside_of_the_limits_and_a_rounding_is_not() -> None:
    line = [round_to("float32", Fraction(item, 3)) for item in (1, 2, 4, 5, 7, 8, 10)]
    inputs = {"input": tensor_of(Grid("float32", (7, 1), line))}
    call = Call(20, {"inverse": 0, "onesided": 0}, inputs, "DFT", types={"T1": "float32"})
    (found,) = compute(call)
    assert isinstance(found, Grid)
    exact = fraction(value_of(found.items[3]))  # type: ignore[arg-type]
    near = round_to("float32", exact * (1 + Fraction(1, 2**22)))
    far = round_to("float32", exact * (1 + Fraction(1, 2**10)))
    assert [True, False] == [accepts("float32", found.items[3], got) for got in (near, far)]


def test_an_element_that_is_no_number_is_open() -> None:
    inputs = {"input": tensor_of(Grid("float32", (2, 1), [NAN, 1]))}
    with pytest.raises(OpenError, match="not-finite"):
        compute(Call(20, {"inverse": 0, "onesided": 0}, inputs, "DFT", types={"T1": "float32"}))


@pytest.mark.parametrize("axis", [-1, 1, 2, -3])
def test_the_last_axis_and_axes_beyond_the_rank_are_refused(axis: int) -> None:
    with pytest.raises(InvalidCallError, match="no axis"):
        _dft((4, 1), SIGNAL[:4], axis=axis)


def test_a_frame_has_the_spectrum_of_its_piece_times_the_window() -> None:
    window = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(1, 4)]
    inputs = {
        "signal": tensor_of(Grid("float64", (1, 12, 1), SIGNAL)),
        "frame_step": tensor_of(scalar("int64", 3)),
        "window": tensor_of(Grid("float64", (4,), window)),
    }
    (found,) = compute(Call(17, {"onesided": 1}, inputs, "STFT", types={"T1": "float64"}))
    assert isinstance(found, Grid)
    assert (1, 3, 3, 2) == found.shape
    expected = []
    for start in (0, 3, 6):
        piece = [a * b for a, b in zip(SIGNAL[start : start + 4], window, strict=True)]
        expected += _numbers(_dft((4, 1), piece, onesided=1))
    assert expected == _numbers(found)


def test_a_frame_of_nothing_is_open() -> None:
    inputs = {
        "signal": tensor_of(Grid("float32", (1, 4, 1), [Fraction(1)] * 4)),
        "frame_step": tensor_of(scalar("int64", 2)),
        "frame_length": tensor_of(scalar("int64", 0)),
    }
    with pytest.raises(OpenError, match="frame-of-nothing"):
        compute(Call(17, {"onesided": 1}, inputs, "STFT"))
    readings = {"frame-of-nothing": "nothing"}
    (found,) = compute(Call(17, {"onesided": 1}, inputs, "STFT", readings=readings))
    assert isinstance(found, Grid)
    assert (1, 3, 1, 2) == found.shape
    assert [0j] * 3 == _numbers(found)
