"""Forms with the operator inside a subgraph, and its inputs from the outer scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import onnx
from onnx import helper

from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ..oracle.arith.integers import int64_scalar
from ..situations.asking import outputs_with
from ..situations.graphs import captured
from ..situations.situations import OutputDeclaration, Situation
from . import Form
from .conditions import all_of, has_inputs, ordinary, well_formed
from .models import ModelBuilder, Presentation, operator_node, value_info

_TRUE = Tensor("bool", (), b"\x01")


# The first opset whose If and Loop have bfloat16 among their types.
_BFLOAT16_SINCE = 16


def _applies(situation: Situation) -> bool:
    # Before opset 11, If and Loop had narrower rules for the shapes of their outputs.
    if not ordinary(situation) or situation.model_opset < 11:
        return False
    carried = {item.type for item in situation.outputs} | set(situation.types.values())
    return situation.model_opset >= _BFLOAT16_SINCE or "bfloat16" not in carried


def _if(situation: Situation) -> Presentation:
    """The condition is known only at run time, so that both branches must be kept."""
    builder = ModelBuilder(situation)
    builder.feed_all(situation.input_names)
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


def _loop(situation: Situation, carried: Sequence[str] = ()) -> Presentation:
    """Two iterations; the loop carries the operator's outputs, and the inputs that are named.

    In the first iteration such an input has an extra axis of size 1.
    """
    builder = ModelBuilder(situation)
    builder.feed_all(situation.input_names)
    data = {name: situation.tensors(name)[0] for name in carried}
    for name, tensor in data.items():
        builder.feed(f"{name}_before", [replace(tensor, shape=(*tensor.shape, 1))])
    condition_in, condition_out = builder.own("condition_in"), builder.own("condition_out")
    inputs = [f"{name}_carried" if name in data else name for name in situation.input_names]
    body = helper.make_graph(
        [
            helper.make_node("Identity", [condition_in], [condition_out]),
            operator_node(situation, inputs, _inner(situation)),
            *(helper.make_node("Identity", [name], [f"{name}_next"]) for name in data),
        ],
        "body",
        [
            value_info(builder.own("iteration"), "int64", []),
            value_info(condition_in, "bool", []),
            *(value_info(f"{name}_carried", item.type, None) for name, item in data.items()),
            *(value_info(f"carried_{item.name}", item.type, None) for item in situation.outputs),
        ],
        [
            value_info(condition_out, "bool", []),
            *(value_info(f"{name}_next", item.type, None) for name, item in data.items()),
            *(value_info(f"inner_{item.name}", item.type, None) for item in situation.outputs),
        ],
    )
    for item in situation.outputs:
        builder.add(_placeholder(item, f"initial_{item.name}"))
    builder.node(
        "Loop",
        [
            builder.initializer(builder.own("trip_count"), int64_scalar(2)),
            builder.initializer(builder.own("keep_going"), _TRUE),
            *(f"{name}_before" for name in data),
            *(f"initial_{item.name}" for item in situation.outputs),
        ],
        [*(f"{name}_last" for name in data), *situation.output_names],
        body=body,
    )
    builder.results()
    return builder.finish()


def _carried_applies(situation: Situation) -> bool:
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
        applies=all_of(_applies, well_formed, has_inputs, _carried_applies),
        build=lambda situation: _loop(situation, situation.input_names[:1]),
    ),
)
