"""Forms with inputs of the operator that other nodes compute, as exporters write them.

Data propagation and symbolic inference try to know the one-dimensional int64 parameters of an
operator, such as the shape of Reshape, before the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from onnx_conformance.core.values.tensors import Tensor

from ..oracle.arith.integers import int64_scalar, int64_tensor, int64_values
from ..situations.situations import Situation
from . import Form
from .conditions import ordinary
from .models import SYMBOLIC, ModelBuilder, Presentation

_LARGEST_FED = 2**16


def _presented(
    situation: Situation, compute: Callable[[ModelBuilder, str, tuple[int, ...]], str]
) -> Presentation:
    """The parameters are results of `compute`; the data is fed with symbolic dimensions."""
    builder = ModelBuilder(situation)
    parameters = _parameters(situation)
    for name in situation.input_names:
        if name in parameters:
            compute(builder, name, int64_values(situation.tensors(name)[0]))
        else:
            builder.feed(name, situation.tensors(name), SYMBOLIC)
    return builder.presented()


def _from_shape(builder: ModelBuilder, name: str, values: tuple[int, ...]) -> str:
    """Shape of another graph input that has these dimensions."""
    return _measured(builder, name, values, name)


def _measured(builder: ModelBuilder, name: str, dims: tuple[int, ...], made: str) -> str:
    like = Tensor("bool", dims, bytes(math.prod(dims)))
    return builder.node("Shape", [builder.feed(f"like_{name}", [like], SYMBOLIC)], [made])


def _from_concat(builder: ModelBuilder, name: str, values: tuple[int, ...]) -> str:
    """Concat of elements that Gather selects from a longer vector, in reverse order."""
    source = builder.feed(f"{name}_reversed", [int64_tensor(values[::-1])], SYMBOLIC)
    parts = []
    for position in range(len(values)):
        index = builder.initializer(
            builder.own(f"index_{position}"), int64_tensor([len(values) - 1 - position])
        )
        parts.append(builder.node("Gather", [source, index], [f"{name}_{position}"], axis=0))
    return builder.node("Concat", parts, [name], axis=0)


def _from_cast(builder: ModelBuilder, name: str, values: tuple[int, ...]) -> str:
    """Cast of int32 to int64."""
    data = b"".join(value.to_bytes(4, "little", signed=True) for value in values)
    narrow = Tensor("int32", (len(values),), data)
    return builder.node("Cast", [builder.feed(f"{name}_int32", [narrow])], [name], to=7)


def _from_arithmetic(builder: ModelBuilder, name: str, values: tuple[int, ...]) -> str:
    """A run-time vector minus a constant one: neither is the value itself."""
    raised = builder.feed(f"{name}_plus_3", [int64_tensor([value + 3 for value in values])])
    three = builder.initializer(builder.own("three"), int64_scalar(3))
    return builder.node("Sub", [raised, three], [name])


def _from_mixed(builder: ModelBuilder, name: str, values: tuple[int, ...]) -> str:
    """Concat of one run-time dimension with constants: the pattern that shape fusions search."""
    dimension = _measured(builder, name, values[:1], f"{name}_0")
    rest = builder.initializer(f"{name}_rest", int64_tensor(values[1:]))
    return builder.node("Concat", [dimension, rest], [name], axis=0)


def _parameters(situation: Situation) -> tuple[str, ...]:
    """The inputs that control the operation: by their role, and one-dimensional int64."""
    return tuple(
        name
        for name in situation.input_names[1:]
        if not _is_data(situation, name)
        and situation.tensors(name)[0].type == "int64"
        and len(situation.tensors(name)[0].shape) == 1
    )


def _is_data(situation: Situation, name: str) -> bool:
    parameter = situation.version.parameter_of(name)
    return parameter is None or situation.roles[parameter.name].is_data


def _computable(situation: Situation) -> bool:
    """Whether the parameters are one-dimensional int64, and the opset is recent enough."""
    # Sub broadcasts and Cast takes `to` as an int since opset 7 and 6.
    recent = situation.model_opset >= 7
    return recent and ordinary(situation) and bool(_parameters(situation))


def _all_values(situation: Situation, condition: Callable[[tuple[int, ...]], bool]) -> bool:
    return _computable(situation) and all(
        condition(int64_values(situation.tensors(name)[0])) for name in _parameters(situation)
    )


FORMS = (
    Form(
        "from_shape",
        "A parameter is the Shape of another graph input.",
        applies=lambda situation: _all_values(
            situation,
            lambda values: min(values, default=0) >= 0 and math.prod(values) <= _LARGEST_FED,
        ),
        build=lambda situation: _presented(situation, _from_shape),
    ),
    Form(
        "from_concat",
        "A parameter is a Concat of elements taken by Gather.",
        applies=lambda situation: _all_values(situation, lambda values: len(values) > 0),
        build=lambda situation: _presented(situation, _from_concat),
    ),
    Form(
        "from_cast",
        "A parameter is cast from int32.",
        applies=lambda situation: _all_values(
            situation, lambda values: all(-(2**31) <= value < 2**31 for value in values)
        ),
        build=lambda situation: _presented(situation, _from_cast),
    ),
    Form(
        "from_arithmetic",
        "A parameter is the difference of a run-time vector and a constant.",
        applies=lambda situation: _all_values(
            situation, lambda values: all(value < 2**62 for value in values)
        ),
        build=lambda situation: _presented(situation, _from_arithmetic),
    ),
    Form(
        "from_mixed",
        "A parameter is a Concat of one run-time dimension with constants, the pattern that shape"
        " fusions look for.",
        applies=lambda situation: _all_values(
            situation, lambda values: len(values) > 1 and 0 <= values[0] <= _LARGEST_FED
        ),
        build=lambda situation: _presented(situation, _from_mixed),
    ),
)
