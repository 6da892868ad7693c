"""Forms with the operator inside a subgraph, and its inputs from the outer scope."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from onnx import helper

from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ..oracle.arith.integers import int64_scalar
from ..situations.asking import outputs_with
from ..situations.graphs import captured
from . import Form
from .conditions import ordinary, well_formed
from .models import ModelBuilder, Presentation, operator_node, value_info

if TYPE_CHECKING:
    from collections.abc import Mapping

    import onnx

    from ..situations.situations import OutputDeclaration, Situation

_TRUE = Tensor("bool", (), b"\x01")
_FALSE = Tensor("bool", (), b"\x00")


# The first opset whose If and Loop have bfloat16 among their types.
_BFLOAT16_SINCE = 16


def _applies(situation: Situation) -> bool:
    # Before opset 11, If and Loop had narrower rules for the shapes of their outputs.
    if not ordinary(situation) or situation.model_opset < 11:
        return False
    carried = {item.type for item in situation.outputs} | set(situation.types.values())
    return situation.model_opset >= _BFLOAT16_SINCE or "bfloat16" not in carried


def _fed(situation: Situation) -> ModelBuilder:
    builder = ModelBuilder(situation)
    for name in situation.input_names:
        builder.feed(name, situation.tensors(name))
    return builder


def _if(situation: Situation) -> Presentation:
    """The condition is known only at run time, so that both branches must be kept."""
    builder = _fed(situation)
    taken = helper.make_graph(
        [operator_node(situation, situation.input_names, _inner(situation))],
        "taken",
        [],
        [value_info(f"inner_{item.name}", item.type, None) for item in situation.outputs],
    )
    other = helper.make_graph(
        [_placeholder(item, f"other_{item.name}") for item in situation.outputs],
        "not_taken",
        [],
        [value_info(f"other_{item.name}", item.type, None) for item in situation.outputs],
    )
    builder.node(
        "If",
        [builder.feed(builder.own("condition"), [_TRUE])],
        situation.output_names,
        then_branch=taken,
        else_branch=other,
    )
    builder.results()
    return builder.finish()


def _loop(situation: Situation) -> Presentation:
    """Two iterations; the loop carries the operator's outputs."""
    builder = _fed(situation)
    condition_in, condition_out = builder.own("condition_in"), builder.own("condition_out")
    carried_in = [f"carried_{item.name}" for item in situation.outputs]
    body = helper.make_graph(
        [
            helper.make_node("Identity", [condition_in], [condition_out]),
            operator_node(situation, situation.input_names, _inner(situation)),
        ],
        "body",
        [
            value_info(builder.own("iteration"), "int64", []),
            value_info(condition_in, "bool", []),
            *(
                value_info(name, item.type, None)
                for name, item in zip(carried_in, situation.outputs, strict=True)
            ),
        ],
        [
            value_info(condition_out, "bool", []),
            *(value_info(f"inner_{item.name}", item.type, None) for item in situation.outputs),
        ],
    )
    return _looped(builder, situation, body, {})


def _looped(
    builder: ModelBuilder, situation: Situation, body: onnx.GraphProto, carried: Mapping[str, str]
) -> Presentation:
    """Two iterations of a body that carries these values, by their last names, and the outputs."""
    for item in situation.outputs:
        builder.add(_placeholder(item, f"initial_{item.name}"))
    builder.node(
        "Loop",
        [
            builder.initializer(builder.own("trip_count"), int64_scalar(2)),
            builder.initializer(builder.own("keep_going"), _TRUE),
            *carried.values(),
            *(f"initial_{item.name}" for item in situation.outputs),
        ],
        [*carried, *situation.output_names],
        body=body,
    )
    builder.results()
    return builder.finish()


def _loop_carried(situation: Situation) -> Presentation:
    """The Loop carries the data: in the first of two iterations it has an extra axis of size 1."""
    builder = _fed(situation)
    first, *others = situation.input_names
    data = situation.tensors(first)[0]
    before = builder.feed(f"{first}_before", [replace(data, shape=(*data.shape, 1))])
    condition_in, condition_out = builder.own("condition_in"), builder.own("condition_out")
    carried = [(f"{first}_carried", data.type)]
    carried += [(f"carried_{item.name}", item.type) for item in situation.outputs]
    body = helper.make_graph(
        [
            helper.make_node("Identity", [condition_in], [condition_out]),
            operator_node(situation, [f"{first}_carried", *others], _inner(situation)),
            helper.make_node("Identity", [first], [f"{first}_next"]),
        ],
        "body",
        [
            value_info(builder.own("iteration"), "int64", []),
            value_info(condition_in, "bool", []),
            *(value_info(name, type_name, None) for name, type_name in carried),
        ],
        [
            value_info(condition_out, "bool", []),
            value_info(f"{first}_next", data.type, None),
            *(value_info(f"inner_{item.name}", item.type, None) for item in situation.outputs),
        ],
    )
    return _looped(builder, situation, body, {f"{first}_last": before})


def _carried_applies(situation: Situation) -> bool:
    if not (_applies(situation) and well_formed(situation) and situation.input_names):
        return False
    first, *others = situation.data_sets[0].inputs
    if first.name in captured(situation.attributes):
        return False  # inside, the first input has another name
    data = situation.tensors(first.name)[0]
    if len(data.shape) >= 64:  # NumPy permits no more axes
        return False
    # The loop's initial value must be a valid input too, like the data itself.
    carried = NamedValue(first.name, replace(data, shape=(*data.shape, 1)))
    outputs = outputs_with(situation, "carried", inputs=(carried, *others))
    return outputs is not None and len(outputs) == len(situation.outputs)


def _inner(situation: Situation) -> list[str]:
    return [f"inner_{item.name}" for item in situation.outputs]


def _placeholder(output: OutputDeclaration, name: str) -> onnx.NodeProto:
    """A Constant of the output's type without elements: not the result of any case here."""
    empty: bytes | tuple[bytes, ...] = () if output.type == "string" else b""
    value = to_proto(Tensor(output.type, (0,) * max(output.rank or 0, 1), empty))
    return helper.make_node("Constant", [], [name], value=value)


FORMS = (
    Form(
        "if_branch",
        "The node is in a branch of If and reads its inputs from the outer scope.",
        applies=_applies,
        build=_if,
    ),
    Form(
        "loop_body",
        "The node is in the body of a Loop of two iterations.",
        applies=_applies,
        build=_loop,
    ),
    Form(
        "loop_carried",
        "The node is in the body of a Loop that carries its data, which has one axis more in the"
        " first of two iterations. Catches what is computed once for all iterations.",
        applies=_carried_applies,
        build=_loop_carried,
    ),
)
