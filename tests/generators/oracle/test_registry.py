"""Calls and the functions that answer them."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import resources
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.tensors import SequenceValue, Tensor
from onnx_conformance.generators.oracle import (
    Answer,
    Call,
    InvalidCallError,
    OpenError,
    answers,
    compute,
    has_oracle,
    index,
    operators,
    oracle,
    registry,
)
from onnx_conformance.generators.oracle.arith.grid import vector
from onnx_conformance.generators.oracle.arith.integers import int64_scalar, int64_tensor
from onnx_conformance.generators.oracle.arith.rationals import Fraction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onnx_conformance.generators.oracle.registry import Result

MODULE = "made_for_a_test"
FLOATS = Tensor("float32", (2,), np.array([0.5, -0.0], np.float32).tobytes())


@oracle("Made", versions=(7, None))
def made(call: Call) -> Result:
    """Its input, or what is open."""
    if call.int_attribute("invalid", 0):
        raise InvalidCallError("as asked for")
    first = call.choose("first", "one", "two")
    second = call.choose("second", "three", "four") if first == "two" else "none"
    if second == "four":
        raise InvalidCallError("four is refused")
    return (vector("string", (first.encode(), second.encode())),)


@oracle("Made", versions=(1, 6))
@oracle("Other", "a.domain")
def older(call: Call) -> Result:
    """Its input."""
    return (call.tensor("x"),)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType(f"{operators.__name__}.{MODULE}")
    for function in (made, older):
        monkeypatch.setattr(function, "__module__", module.__name__)
        setattr(module, function.__name__, function)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(index.MODULES, MODULE, "Made a.domain:Other")
    for cached in (index.module_of, registry.registrations_of):
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in (index.module_of, registry.registrations_of):
        cached.cache_clear()


def call(version: int, operator: str = "Made", domain: str = "", **attributes: Any) -> Call:  # noqa: ANN401
    return Call(version, attributes, {"x": FLOATS}, operator, domain)


@pytest.mark.usefixtures("registered")
def test_a_version_has_its_own_function() -> None:
    assert (FLOATS,) == compute(call(6))
    assert (vector("string", (b"one", b"none")),) == compute(
        replace(call(7), readings={"first": "one"})
    )


@pytest.mark.usefixtures("registered")
def test_the_domain_is_part_of_the_name() -> None:
    assert (FLOATS,) == compute(call(1, "Other", "a.domain"))
    with pytest.raises(BadInputError, match="operator 'Other' has no oracle"):
        compute(call(1, "Other"))
    with pytest.raises(BadInputError, match=r"'a\.domain:Made' has no oracle"):
        compute(call(1, "Made", "a.domain"))


@pytest.mark.usefixtures("registered")
def test_what_is_open_is_answered_once_for_each_reading() -> None:
    assert [
        Answer({"first": "one"}, (vector("string", (b"one", b"none")),)),
        Answer({"first": "two", "second": "three"}, (vector("string", (b"two", b"three")),)),
        Answer({"first": "two", "second": "four"}, None, "four is refused"),
    ] == list(answers(call(7)))
    assert [Answer({}, None, "as asked for")] == list(answers(call(7, invalid=1)))
    assert [Answer({}, (FLOATS,))] == list(answers(call(6)))


@pytest.mark.usefixtures("registered")
def test_what_is_open_must_be_chosen() -> None:
    with pytest.raises(OpenError, match="first: one or two") as caught:
        compute(call(7))
    assert ("first", ("one", "two")) == (caught.value.question, caught.value.readings)
    with pytest.raises(ValueError, match="'three' is none of one, two"):
        compute(replace(call(7), readings={"first": "three"}))


def test_a_choice_of_one_is_none() -> None:
    with pytest.raises(ValueError, match="two readings or more"):
        call(7).choose("first", "one")


def test_whether_there_is_an_oracle() -> None:
    assert has_oracle("Shape")
    assert has_oracle("Shape", since_version=25)
    assert not has_oracle("Shape", "a.domain")
    assert not has_oracle("Unheard")


def test_the_index_names_what_the_modules_register() -> None:
    found = {
        (entry.domain, entry.operator): module
        for module in index.MODULES
        for entry in registry.registrations_in(module)
    }
    assert found == dict(index.module_of())


def test_every_module_with_an_oracle_is_in_the_index() -> None:
    modules = {
        f"{room.name}.{item.name.removesuffix('.py')}"
        for room in resources.files(operators).iterdir()
        if room.is_dir()
        for item in room.iterdir()
        if item.name.endswith(".py") and "\n@oracle(" in item.read_text()
    }
    assert modules == set(index.MODULES)


@pytest.mark.parametrize("module", sorted(index.MODULES))
def test_versions_of_an_operator_do_not_overlap(module: str) -> None:
    entries = registry.registrations_in(module)
    for entry in entries:
        last = entry.last or entry.first
        covering = [
            other
            for other in entries
            if (other.domain, other.operator) == (entry.domain, entry.operator)
            and other.first <= last
            and entry.first <= (other.last or last)
        ]
        assert [entry] == covering


class TestCall:
    """What a call says of its inputs and attributes."""

    given = Call(
        1,
        {
            "i": 3,
            "f": 0.5,
            "s": "text",
            "b": b"bytes",
            "is": (1, 2),
            "fs": (0.5,),
            "ss": ("a", b"b"),
        },
        {
            "x": FLOATS,
            "n": int64_tensor([3, -1]),
            "k": int64_scalar(4),
            "many": (FLOATS, FLOATS),
            "list": SequenceValue(()),
        },
        outputs=("Y",),
    )

    def test_inputs(self) -> None:
        items = self.given.grid("x").items
        assert [Fraction(1, 2), "-0"] == [items[0], items[1].value]
        assert self.given.optional_grid("absent") is None
        assert self.given.optional_grid("x") == self.given.grid("x")
        assert (self.given.grid("x"),) * 2 == self.given.grids("many")
        assert () == self.given.grids("absent")
        assert (3, -1) == self.given.integers("n")
        assert 4 == self.given.integer("k")
        assert [True, False] == [self.given.has("x"), self.given.has("absent")]

    def test_attributes(self) -> None:
        found = [
            self.given.int_attribute("i"),
            self.given.float_attribute("f"),
            self.given.string_attribute("s"),
            self.given.string_attribute("b"),
            self.given.ints_attribute("is"),
            self.given.floats_attribute("fs"),
            self.given.strings_attribute("ss"),
            self.given.int_attribute("absent", 9),
            self.given.ints_attribute("absent", ()),
            self.given.attribute("f"),
        ]
        assert [3, 0.5, "text", "bytes", (1, 2), (0.5,), (b"a", b"b"), 9, (), 0.5] == found

    @pytest.mark.parametrize(
        ("method", "name", "message"),
        [
            ("grid", "absent", "input 'absent' is absent"),
            ("grid", "list", "input 'list' is no tensor"),
            ("integers", "x", "element type float32, no integers"),
            ("integer", "n", "has 2 elements, not one"),
            ("attribute", "absent", "attribute 'absent' is absent"),
            ("int_attribute", "absent", "attribute 'absent' is absent"),
            ("int_attribute", "s", "attribute 's' has the wrong type: 'text'"),
        ],
    )
    def test_what_is_not_there_makes_the_call_invalid(
        self, method: str, name: str, message: str
    ) -> None:
        with pytest.raises(InvalidCallError, match=message):
            getattr(self.given, method)(name)

    def test_outputs(self) -> None:
        assert [True, False] == [self.given.wants("Y"), self.given.wants("Z")]
        assert replace(self.given, outputs=()).wants("Z")
