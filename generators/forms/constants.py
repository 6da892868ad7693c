"""Forms with inputs of the operator that are known before the run.

If an operator has several inputs, the first is its data and the others are its parameters, such as
the shape of Reshape: in practice the parameters are the constant ones. With one input, that one is
used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from onnx_conformance.core.values.tensors import Tensor

from ..oracle.arith.integers import int64_tensor, int64_values
from ..situations.asking import outputs_with
from ..situations.data.element_values import derived_tensor
from ..situations.situations import Situation
from . import Form
from .conditions import (
    all_of,
    has_inputs,
    ordinary,
    several_inputs,
    single,
    tensors_only,
    well_formed,
)
from .models import SYMBOLIC, ModelBuilder, Presentation


def parameters(situation: Situation) -> tuple[str, ...]:
    """The inputs after the first, or the only one."""
    names = situation.input_names
    return names[1:] if len(names) > 1 else names


def _presented(
    situation: Situation,
    constant: tuple[str, ...],
    add: Callable[[ModelBuilder, str, Tensor], str],
) -> Presentation:
    """Inputs in `constant` are added by `add`, the others are fed."""
    builder = ModelBuilder(situation)
    for name in situation.input_names:
        if name in constant:
            add(builder, name, situation.tensors(name)[0])
        else:
            builder.feed(name, situation.tensors(name))
    return builder.presented()


def _overridden(builder: ModelBuilder, name: str, tensor: Tensor) -> str:
    return builder.initializer(name, _other(tensor), fed=(tensor,))


def _other(tensor: Tensor) -> Tensor:
    """A default that must not be used: other elements.

    Elements of int64, such as a shape, are reversed, which often makes another shape that fits: a
    runtime that uses the default then gives a wrong result instead of only refusing. If the
    reverse is the same, they are ones.
    """
    if tensor.type == "int64":
        values = int64_values(tensor)
        ones = (1,) * tensor.element_count
        other = int64_tensor(ones if values == values[::-1] else values[::-1])
        return replace(other, shape=tensor.shape)
    return derived_tensor(tensor.type, tensor.shape, "a default that must not be taken")


def _shows(situation: Situation) -> bool:
    """Whether the defaults would give another result than the fed values, or none."""
    given = parameters(situation)
    inputs = [
        replace(item, value=_other(item.value))
        if item.name in given and isinstance(item.value, Tensor)
        else item
        for item in situation.data_sets[0].inputs
    ]
    return outputs_with(situation, "defaults", inputs=inputs) != situation.data_sets[0].outputs


def _overridden_dims(situation: Situation) -> Presentation:
    """The default has other dimensions than the fed value; the model does not declare them."""
    builder = ModelBuilder(situation)
    (name,) = situation.input_names
    (tensor,) = situation.tensors(name)
    dims = tuple(size % 7 + 2 for size in tensor.shape)
    default = derived_tensor(tensor.type, dims, "a default that must not be taken")
    builder.initializer(name, default, fed=(tensor,), dims=SYMBOLIC)
    return builder.presented()


def _may_have_other_dims(situation: Situation) -> bool:
    # With more axes the default would be a large tensor; a scalar cannot have other dimensions.
    return (
        len(situation.input_names) == 1
        and 0 < len(situation.tensors(situation.input_names[0])[0].shape) <= 4
    )


def _shared_initializer(situation: Situation) -> Presentation:
    builder = ModelBuilder(situation)
    for name in situation.input_names:
        builder.initializer(name, situation.tensors(name)[0])
    builder.operator()
    first = situation.input_names[0]
    (data,) = situation.tensors(first)
    builder.node("Identity", [first], [f"{first}_copy"])
    builder.result(f"{first}_copy", [data], type_name=data.type, rank=len(data.shape))
    return builder.finish()


def _data_sets_initializer(situation: Situation) -> Presentation:
    builder = ModelBuilder(situation)
    first, *others = situation.input_names
    builder.feed(first, situation.tensors(first), SYMBOLIC)
    for name in others:
        builder.initializer(name, situation.tensors(name)[0])
    return builder.presented()


def _parameters_stay(situation: Situation) -> bool:
    """Whether several data sets have the same parameters."""
    return not single(situation) and all(
        len(set(situation.tensors(name))) == 1 for name in parameters(situation)
    )


def _has_defaults(situation: Situation) -> bool:
    # Initializers are defaults of graph inputs since IR version 4 (IR.md, Graphs).
    return situation.ir_version >= 4


def _constant_takes_type(situation: Situation) -> bool:
    """Whether Constant of this opset has the parameters' types: before opset 9 only floats."""
    if situation.model_opset >= 9:
        return True
    return all(
        tensor.type in {"float16", "float32", "float64"}
        for name in parameters(situation)
        for tensor in situation.tensors(name)
    )


_OVERRIDABLE = all_of(ordinary, has_inputs, _has_defaults)
_MAY_OMIT = (
    "a runtime may, or may not, let a graph input with a default be left out (IR.md, Graphs)"
)
_MAY_OVERRIDE = (
    "a runtime may, or may not, let the default of a graph input be overridden (IR.md, Graphs)"
)

FORMS = (
    Form(
        "initializer",
        "The parameters are initializers. Catches constant folding and fusions that read them.",
        applies=all_of(ordinary, has_inputs),
        build=lambda situation: _presented(
            situation, parameters(situation), ModelBuilder.initializer
        ),
    ),
    Form(
        "constant",
        "The parameters are Constant nodes.",
        applies=all_of(ordinary, has_inputs, _constant_takes_type),
        build=lambda situation: _presented(situation, parameters(situation), ModelBuilder.constant),
    ),
    Form(
        "all_initializers",
        "Every input is an initializer: the whole graph can be computed before the run.",
        applies=all_of(ordinary, several_inputs),
        build=lambda situation: _presented(
            situation, situation.input_names, ModelBuilder.initializer
        ),
    ),
    Form(
        "data_initializer",
        "The data is an initializer, the parameters come at run time.",
        applies=all_of(ordinary, several_inputs),
        build=lambda situation: _presented(
            situation, situation.input_names[:1], ModelBuilder.initializer
        ),
    ),
    Form(
        "overridable",
        "The parameters are initializers that are graph inputs too, and are not fed.",
        applies=_OVERRIDABLE,
        build=lambda situation: _presented(
            situation, parameters(situation), ModelBuilder.overridable
        ),
        refusal=_MAY_OMIT,
    ),
    Form(
        "overridden",
        "The parameters are initializers that are graph inputs too, and are fed other values than"
        " their defaults. Catches folding of what is not constant.",
        applies=all_of(_OVERRIDABLE, well_formed, _shows),
        build=lambda situation: _presented(situation, parameters(situation), _overridden),
        refusal=_MAY_OVERRIDE,
    ),
    Form(
        "overridden_dims",
        "The only input is an initializer that is a graph input with symbolic dimensions, and is"
        " fed a value of other dimensions. Catches folding of what is not constant.",
        applies=all_of(_OVERRIDABLE, well_formed, _may_have_other_dims),
        build=_overridden_dims,
        refusal=_MAY_OVERRIDE,
    ),
    Form(
        "shared_initializer",
        "Every input is an initializer, and another node reads the first. Catches folding that"
        " writes into the constant.",
        applies=all_of(ordinary, several_inputs, well_formed),
        build=_shared_initializer,
    ),
    Form(
        "data_sets_initializer",
        "Several data sets with different shapes are run on one loaded model whose parameters are"
        " initializers. Catches what is resolved once, or at load, for all.",
        applies=all_of(tensors_only, several_inputs, _parameters_stay),
        build=_data_sets_initializer,
    ),
)
