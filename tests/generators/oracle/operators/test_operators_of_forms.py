"""The oracles of what forms put around an operator, compared with values worked out by hand."""

# ruff: noqa: ANN401  elements of every type
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from onnx_conformance.core.values.tensors import OptionalValue, SequenceValue, Tensor
from onnx_conformance.generators.oracle.arith.grid import Grid, grid_of, tensor_of_numbers
from onnx_conformance.generators.oracle.arith.numbers import INF, NAN, NEG_INF, NEG_ZERO, ZERO
from onnx_conformance.generators.oracle.arith.rationals import Fraction
from onnx_conformance.generators.oracle.arith.rounding import decode, round_to
from onnx_conformance.generators.oracle.errors import InvalidCallError, OpenError
from onnx_conformance.generators.oracle.operators.conversion.texts import numbers_in, shortest
from onnx_conformance.generators.oracle.registry import Call, answers, compute
from onnx_conformance.generators.oracle.subgraph import Subgraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx_conformance.core.values.tensors import Value


def tensor(name: str, shape: tuple[int, ...], *items: Any) -> Tensor:
    numbers = [Fraction(item) if isinstance(item, float) else item for item in items]
    return tensor_of_numbers(name, shape, numbers)


def floats(*items: Any) -> Tensor:
    return tensor("float32", (len(items),), *map(_number, items))


def _number(item: Any) -> Any:
    return Fraction(item) if isinstance(item, (int, float)) else item


def ints(*items: int) -> Tensor:
    return tensor("int64", (len(items),), *items)


def ask(
    operator: str, version: int, attributes: dict[str, Any] | None = None, **inputs: Any
) -> Any:
    """The outputs, tensors as (type, shape, numbers)."""
    result = compute(Call(version, attributes or {}, inputs, operator=operator))
    return [told(item) for item in result]


def told(item: Any) -> Any:
    grid = grid_of(item) if isinstance(item, Tensor) else item
    return (grid.type, grid.shape, list(grid.items)) if isinstance(grid, Grid) else grid


# --- Identity, Constant ---


def test_identity_gives_the_very_bits() -> None:
    payload = Tensor("float32", (1,), b"\x01\x00\xa0\x7f")
    assert (payload,) == compute(Call(25, {}, {"input": payload}, operator="Identity"))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("value", ints(7), ("int64", (1,), [7])),
        ("value_int", 7, ("int64", (), [7])),
        ("value_ints", (7, 8), ("int64", (2,), [7, 8])),
        ("value_float", 0.5, ("float32", (), [Fraction(1, 2)])),
        ("value_floats", (0.5, -0.0), ("float32", (2,), [Fraction(1, 2), NEG_ZERO])),
        ("value_string", "a", ("string", (), [b"a"])),
        ("value_strings", ("a", b"\xff"), ("string", (2,), [b"a", b"\xff"])),
    ],
)
def test_a_constant_is_a_scalar_or_vector_of_its_attribute(
    name: str, value: Any, expected: Any
) -> None:
    assert [expected] == ask("Constant", 25, {name: value})


@pytest.mark.parametrize("attributes", [{}, {"value_int": 1, "value_float": 1.0}])
def test_a_constant_has_one_value(attributes: dict[str, Any]) -> None:
    with pytest.raises(InvalidCallError, match="not 1"):
        ask("Constant", 25, attributes)


# --- Squeeze, Unsqueeze, Concat, Gather ---


@pytest.mark.parametrize(
    ("axes", "shape"), [(None, (2, 3)), ((0,), (2, 1, 3)), ((-2,), (1, 2, 3)), ((0, 2), (2, 3))]
)
def test_squeeze_takes_out_axes_of_size_1(
    axes: tuple[int, ...] | None, shape: tuple[int, ...]
) -> None:
    data = tensor("int64", (1, 2, 1, 3), *range(6))
    inputs = {} if axes is None else {"axes": ints(*axes)}
    assert [("int64", shape, [0, 1, 2, 3, 4, 5])] == ask("Squeeze", 13, data=data, **inputs)
    attributes = {} if axes is None else {"axes": axes}
    assert [("int64", shape, [0, 1, 2, 3, 4, 5])] == ask("Squeeze", 11, attributes, data=data)


@pytest.mark.parametrize(
    ("version", "axes", "words"),
    [
        (13, (1,), "has size 2"),
        (13, (3,), "outside"),
        (1, (-1,), "negative axis"),
    ],
)
def test_squeeze_refuses_other_axes(version: int, axes: tuple[int, ...], words: str) -> None:
    data = tensor("int64", (1, 2, 1), 0, 1)
    given = {"axes": ints(*axes)} if version >= 13 else {}
    with pytest.raises(InvalidCallError, match=words):
        ask("Squeeze", version, {} if given else {"axes": axes}, data=data, **given)


def test_unsqueeze_puts_axes_where_the_result_has_them() -> None:
    data = tensor("int64", (2,), 0, 1)
    assert [("int64", (1, 2, 1), [0, 1])] == ask("Unsqueeze", 13, data=data, axes=ints(0, -1))
    assert [("int64", (1, 2, 1), [0, 1])] == ask("Unsqueeze", 1, {"axes": (2, 0)}, data=data)


@pytest.mark.parametrize(
    ("axis", "shape", "items"),
    [(0, (4, 1), [1, 2, 3, 4]), (1, (2, 2), [1, 3, 2, 4]), (-1, (2, 2), [1, 3, 2, 4])],
)
def test_concat_joins_along_the_axis(axis: int, shape: tuple[int, ...], items: list[int]) -> None:
    one, other = tensor("int64", (2, 1), 1, 2), tensor("int64", (2, 1), 3, 4)
    assert [("int64", shape, items)] == ask("Concat", 13, {"axis": axis}, inputs=(one, other))


def test_concat_1_joins_along_axis_1_by_default() -> None:
    one = tensor("float32", (1, 1), Fraction(1))
    assert (1, 2) == ask("Concat", 1, inputs=(one, one))[0][1]


@pytest.mark.parametrize(
    ("version", "axis", "shape", "words"),
    [
        (13, 2, (2, 1), "outside"),
        (13, 0, (2, 2), "do not join"),
        (13, 0, (2,), "do not join"),
    ],
)
def test_concat_refuses_what_does_not_fit(
    version: int, axis: int, shape: tuple[int, ...], words: str
) -> None:
    one, other = tensor("int64", (2, 1), 1, 2), tensor("int64", shape, *range(4)[: shape[-1] * 2])
    if shape == (2,):
        other = ints(1, 2)
    with pytest.raises(InvalidCallError, match=words):
        ask("Concat", version, {"axis": axis}, inputs=(one, other))


def readings(operator: str, version: int, attributes: dict[str, Any], **inputs: Any) -> list[Any]:
    """The outputs under each reading of what is open; None where a reading refuses the call."""
    call = Call(version, attributes, inputs, operator=operator)
    return [
        None if item.result is None else [told(part) for part in item.result]
        for item in answers(call)
    ]


def test_a_negative_axis_is_open_before_the_page_has_it() -> None:
    one = tensor("int64", (1, 2), 1, 2)
    joined = [("int64", (1, 4), [1, 2, 1, 2])]
    assert [joined, None] == readings("Concat", 4, {"axis": -1}, inputs=(one, one))


def test_gather_puts_the_shape_of_the_indices_in_the_place_of_the_axis() -> None:
    data = tensor("int64", (2, 3), 0, 1, 2, 10, 11, 12)
    indices = tensor("int64", (1, 2), 2, -3)
    assert [("int64", (2, 1, 2), [2, 0, 12, 10])] == ask(
        "Gather", 13, {"axis": 1}, data=data, indices=indices
    )


@pytest.mark.parametrize("index", [3, -4])
def test_gather_refuses_an_index_outside(index: int) -> None:
    with pytest.raises(InvalidCallError, match="outside"):
        ask("Gather", 13, {"axis": 0}, data=ints(1, 2, 3), indices=ints(index))


def test_a_negative_index_is_open_before_the_page_has_it() -> None:
    found = readings("Gather", 1, {"axis": 0}, data=ints(1, 2, 3), indices=ints(-1))
    assert [[("int64", (1,), [3])], None] == found


# --- arithmetic ---


@pytest.mark.parametrize(
    ("operator", "items"), [("Add", [4, -1]), ("Sub", [-2, -3]), ("Mul", [3, -2])]
)
def test_arithmetic_on_floats_rounds_the_exact_result(operator: str, items: list[int]) -> None:
    found = ask(operator, 14, A=floats(1, -2), B=floats(3, 1))
    assert [("float32", (2,), [Fraction(item) for item in items])] == found


def test_what_becomes_of_too_large_an_integer_is_open() -> None:
    data, one = tensor("int8", (2,), 127, -128), tensor("int8", (1,), 1)
    assert [[("int8", (2,), [-128, -127])], [("int8", (2,), [127, -127])]] == readings(
        "Add", 14, {}, A=data, B=one
    )
    assert [[("int8", (2,), [126, 127])], [("int8", (2,), [126, -128])]] == readings(
        "Sub", 14, {}, A=data, B=one
    )
    assert [("int8", (2,), [3, -4])] == ask(
        "Add", 14, A=tensor("int8", (2,), 1, -2), B=tensor("int8", (2,), 2, -2)
    )


def test_subtraction_of_zeros_has_the_sign_of_ieee_754() -> None:
    found = ask("Sub", 14, A=floats(NEG_ZERO, ZERO, INF), B=floats(ZERO, ZERO, INF))
    assert [("float32", (3,), [NEG_ZERO, ZERO, NAN])] == found


@pytest.mark.parametrize(
    ("shape", "attributes", "items"),
    [
        ((2,), {"axis": 0}, [1, 1, 1, 2, 2, 2]),
        ((3,), {}, [1, 2, 3, 1, 2, 3]),
        ((1, 1), {}, [1] * 6),
        ((2, 3), {"axis": 0}, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_before_version_7_a_run_of_axes_is_broadcast(
    shape: tuple[int, ...], attributes: dict[str, int], items: list[int]
) -> None:
    count = 1
    for size in shape:
        count *= size
    one = tensor("float32", (2, 3), *[ZERO] * 6)
    other = tensor("float32", shape, *map(Fraction, range(1, count + 1)))
    found = ask("Add", 6, {"broadcast": 1, **attributes}, A=one, B=other)
    assert [("float32", (2, 3), [Fraction(item) for item in items])] == found


@pytest.mark.parametrize(
    ("shape", "attributes", "words"),
    [
        ((3,), {"broadcast": 0}, "differ"),
        ((2,), {"broadcast": 1}, "no run"),
        ((1, 2, 3), {"broadcast": 1}, "more axes"),
        ((3,), {"broadcast": 1, "axis": 0}, "no run"),
    ],
)
def test_before_version_7_nothing_else_is_broadcast(
    shape: tuple[int, ...], attributes: dict[str, int], words: str
) -> None:
    one = tensor("float32", (2, 3), *[ZERO] * 6)
    other = tensor("float32", shape, *[ZERO] * (6 if len(shape) == 3 else shape[0]))
    with pytest.raises(InvalidCallError, match=words):
        ask("Add", 6, attributes, A=one, B=other)


# --- Cast ---


@pytest.mark.parametrize(
    ("source", "item", "target", "expected"),
    [
        ("float32", Fraction(-3), "int32", -3),
        ("int16", 200, "int8", -56),
        ("int8", -1, "uint8", 255),
        ("int64", -1, "int4", -1),
        ("float32", NAN, "bool", True),
        ("float32", NEG_ZERO, "bool", False),
        ("bool", True, "float16", Fraction(1)),
        ("int64", 2**53 + 1, "float64", Fraction(2**53)),
        ("float64", Fraction(10) ** 39, "float32", INF),
        ("float32", INF, "float8e4m3fn", Fraction(448)),
        ("float32", NEG_ZERO, "float8e4m3fnuz", ZERO),
        ("string", b"1e2", "float32", Fraction(100)),
        ("string", b"-INF", "float16", NEG_INF),
        ("string", b"36", "int32", 36),
    ],
)
def test_a_cast_gives_the_number_of_the_other_type(
    source: str, item: Any, target: str, expected: Any
) -> None:
    result = compute(
        Call(
            25,
            {"to": code_of(target), "saturate": 1, "round_mode": "up"},
            {"input": tensor(source, (1,), item)},
            operator="Cast",
        )
    )
    grid = result[0]
    assert isinstance(grid, Grid)
    assert (target, [expected]) == (grid.type, list(grid.items))
    like = Call(
        25,
        {"saturate": 1, "round_mode": "up"},
        {"input": tensor(source, (1,), item), "target_type": Tensor(target, (0,), b"")},
        operator="CastLike",
    )
    assert [told(grid)] == [told(item) for item in compute(like)]


def code_of(name: str) -> int:
    from onnx_conformance.core.values.elements import element_type

    return element_type(name).code


def test_cast_1_names_its_type() -> None:
    assert [("int32", (1,), [2])] == ask("Cast", 1, {"to": "INT32"}, input=floats(2))
    with pytest.raises(InvalidCallError, match="'INT5' is no element type"):
        ask("Cast", 1, {"to": "INT5"}, input=floats(2.5))


@pytest.mark.parametrize(("saturate", "expected"), [(1, Fraction(448)), (0, NAN)])
def test_saturate_says_what_becomes_of_too_large_a_number(saturate: int, expected: Any) -> None:
    attributes = {"to": code_of("float8e4m3fn"), "saturate": saturate}
    assert [("float8e4m3fn", (1,), [expected])] == ask("Cast", 19, attributes, input=floats(1000))


@pytest.mark.parametrize(("mode", "expected"), [("up", 4), ("down", 2), ("nearest", 4)])
def test_round_mode_holds_for_powers_of_two(mode: str, expected: int) -> None:
    attributes = {"to": code_of("float8e8m0"), "saturate": 1, "round_mode": mode}
    found = ask("Cast", 25, attributes, input=floats(3))
    assert [("float8e8m0", (1,), [Fraction(expected)])] == found


def test_what_is_undefined_is_left_open() -> None:
    call = Call(13, {"to": code_of("int8")}, {"input": floats(300)}, operator="Cast")
    with pytest.raises(OpenError, match="float-beyond-integer"):
        compute(call)


@pytest.mark.parametrize("text", [b"", b"Hello", b"1_000", b"0x10", b"1e", b"--1"])
def test_a_string_that_is_no_number_is_left_open(text: bytes) -> None:
    with pytest.raises(OpenError, match="text-of-no-number"):
        numbers_in(Call(25, {}, {}), [text], "float32")


@pytest.mark.parametrize("item", [0.1, 314.15926, 1e-7, 1e20, 5e-324, 2.0, 1.5, 123456789.0])
def test_a_double_as_a_string_has_the_digits_of_python_without_exponent(item: float) -> None:
    text = shortest("float64", Fraction(item))
    assert "e" not in text
    assert (item, len(repr(item).partition("e")[0].replace(".", "").strip("0"))) == (
        float(text),
        len(text.replace(".", "").strip("0")),
    )


def test_all_float16_numbers_survive_their_text() -> None:
    for code in range(1, 0x7C00, 37):
        item = decode("float16", code)
        assert isinstance(item, Fraction)
        assert item == round_to("float16", Fraction(shortest("float16", item)))


# --- control flow ---


def graph(run: Any, outputs: int = 1, shape: tuple[int, ...] | None = ()) -> Subgraph:
    names = tuple(f"out_{at}" for at in range(outputs))
    return Subgraph((), names, ("int64",) * outputs, (shape,) * outputs, run)


def scalar(value: int) -> Tensor:
    return tensor("int64", (), value)


def truth(value: int) -> Tensor:
    return Tensor("bool", (), bytes([value]))


def test_if_runs_one_branch_alone() -> None:
    def other(_values: Sequence[Value]) -> tuple[Value, ...]:
        raise AssertionError("the other branch ran")

    branches = {"then_branch": graph(lambda _: (ints(1),)), "else_branch": graph(other)}
    assert [("int64", (1,), [1])] == ask("If", 25, branches, cond=truth(1))
    with pytest.raises(AssertionError, match="the other branch"):
        ask("If", 25, branches, cond=truth(0))


def test_if_takes_one_bool() -> None:
    with pytest.raises(InvalidCallError, match="not one bool"):
        ask("If", 25, {"then_branch": graph(None)}, cond=Tensor("bool", (2,), b"\x01\x01"))


# --- sequences and optionals ---


SEQUENCE = SequenceValue((ints(0), ints(1), ints(2)))


def positions(sequence: Any) -> list[int]:
    return [grid_of(item).items[0] for item in sequence.items]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (None, [0, 1, 2, 9]),
        (0, [9, 0, 1, 2]),
        (3, [0, 1, 2, 9]),
        (-1, [0, 1, 9, 2]),
        (-3, [9, 0, 1, 2]),
    ],
)
def test_insert_counts_positions_from_both_ends(position: int | None, expected: list[int]) -> None:
    place = {} if position is None else {"position": scalar(position)}
    (found,) = ask("SequenceInsert", 11, input_sequence=SEQUENCE, tensor=ints(9), **place)
    assert expected == positions(found)


@pytest.mark.parametrize(("position", "expected"), [(None, [0, 1]), (0, [1, 2]), (-2, [0, 2])])
def test_erase_counts_positions_from_both_ends(position: int | None, expected: list[int]) -> None:
    place = {} if position is None else {"position": scalar(position)}
    (found,) = ask("SequenceErase", 11, input_sequence=SEQUENCE, **place)
    assert expected == positions(found)


def test_at_and_length_read_a_sequence() -> None:
    assert [("int64", (1,), [2])] == ask(
        "SequenceAt", 11, input_sequence=SEQUENCE, position=scalar(-1)
    )
    assert [("int64", (), [3])] == ask("SequenceLength", 11, input_sequence=SEQUENCE)


@pytest.mark.parametrize(
    ("operator", "position"),
    [
        ("SequenceAt", 3),
        ("SequenceAt", -4),
        ("SequenceErase", 3),
        ("SequenceInsert", 4),
        ("SequenceInsert", -4),
    ],
)
def test_a_position_outside_is_refused(operator: str, position: int) -> None:
    with pytest.raises(InvalidCallError, match="outside"):
        ask(operator, 11, input_sequence=SEQUENCE, tensor=ints(9), position=scalar(position))


def test_an_empty_sequence_has_nothing_to_erase() -> None:
    with pytest.raises(InvalidCallError, match="nothing to erase"):
        ask("SequenceErase", 11, input_sequence=SequenceValue(()))


def test_a_sequence_is_of_one_type() -> None:
    with pytest.raises(InvalidCallError, match="a sequence of float32 and int64"):
        ask("SequenceConstruct", 11, inputs=(ints(1), floats(1)))
    assert [SequenceValue((ints(1), ints(2, 3)))] == ask(
        "SequenceConstruct", 11, inputs=(ints(1), ints(2, 3))
    )
    assert [SequenceValue(())] == ask("SequenceEmpty", 11)


def test_an_optional_holds_its_input_or_nothing() -> None:
    assert [OptionalValue(ints(1))] == ask("Optional", 15, input=ints(1))
    assert [OptionalValue(None)] == ask("Optional", 15, {"type": "int64"})
    with pytest.raises(InvalidCallError, match="neither"):
        ask("Optional", 15)


def test_the_element_of_an_optional_is_taken_out() -> None:
    held, empty = OptionalValue(ints(1)), OptionalValue(None)
    assert [("int64", (1,), [1])] == ask("OptionalGetElement", 15, input=held)
    assert [("int64", (1,), [1])] == ask("OptionalGetElement", 18, input=ints(1))
    with pytest.raises(InvalidCallError, match="holds nothing"):
        ask("OptionalGetElement", 15, input=empty)
    with pytest.raises(InvalidCallError, match="no optional"):
        ask("OptionalGetElement", 15, input=ints(1))


@pytest.mark.parametrize(
    ("version", "inputs", "expected"),
    [
        (15, {"input": OptionalValue(ints(1))}, True),
        (15, {"input": OptionalValue(None)}, False),
        (18, {"input": ints(1)}, True),
        (18, {}, False),
    ],
)
def test_an_optional_says_whether_it_holds_something(
    version: int,
    inputs: dict[str, Any],
    expected: bool,  # noqa: FBT001
) -> None:
    assert [("bool", (), [expected])] == ask("OptionalHasElement", version, **inputs)


def test_before_version_18_only_optionals_are_asked() -> None:
    with pytest.raises(InvalidCallError, match="no optional"):
        ask("OptionalHasElement", 15, input=ints(1))
