"""A drawn graph as data, and as a vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.vectors import DataSet, Kind, Vector
from onnx_conformance.core.exploring.explorer import Refusal
from onnx_conformance.core.values.elements import element_type
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import NamedValue, Tensor

from ...corpus.building import PLAIN_ATOL, PLAIN_RTOL, files_of
from ...corpus.described.limit_rules import accuracy_of
from ...situations.permitting.permitted import NotPermittedError
from ..calls import EXPLORED
from ..drawing import Made
from .answering import InexactError, answered, with_either_zero

if TYPE_CHECKING:
    import onnx


# IR version with which ONNX released an opset, for those that graphs are drawn at.
_IR = 8
_IR_SINCE = {19: 9, 21: 10, 23: 11, 24: 12, 25: 13, 28: 14}


@dataclass(frozen=True)
class DrawnNode:
    """A node.

    Attributes:
        operator: of the default domain.
        inputs: names; '' is an absent one.
        outputs: names.
        attributes: by name, of kinds that `onnx.helper.make_attribute` knows; tensors are Tensors.
        branch: the name of a bool scalar; the node is in the then-branch of an If with it.
    """

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...] = ()
    branch: str = ""


@dataclass(frozen=True)
class DrawnGraph:
    """Nodes in order, with the values that are fed and stored: a `drawing.Drawing`.

    Attributes:
        opset: of the default domain.
        feeds, constants: values by name, which are graph inputs and initializers.
        nodes: in order.
        outputs: names of the graph's outputs.
        motifs: what was drawn, in words.
    """

    opset: int
    feeds: tuple[NamedValue, ...]
    constants: tuple[NamedValue, ...]
    nodes: tuple[DrawnNode, ...]
    outputs: tuple[str, ...]
    motifs: tuple[str, ...] = ()

    @property
    def operator(self) -> str:
        """The operators of the nodes that compute: of one node its own."""
        names = dict.fromkeys(item.operator for item in self.nodes)
        return "+".join(names)

    @property
    def base(self) -> str:
        """Graphs are made of nothing of the corpus."""
        return ""

    @property
    def edits(self) -> tuple[str, ...]:
        """The motifs, and the chain of operators."""
        return (*self.motifs, f"nodes = {' '.join(item.operator for item in self.nodes)}")

    @property
    def traits(self) -> tuple[str, ...]:
        """Each operator with the types that it reads: a backend may lack a kernel."""
        values = self.values()
        found = []
        for node in self.nodes:
            kinds = sorted({values[name].type for name in node.inputs if name})
            found.append(f"node {node.operator} {','.join(kinds)}")
        return tuple(dict.fromkeys(found))

    def values(self) -> dict[str, Tensor]:
        """All values by name; InexactError where a node has no exact result."""
        known: dict[str, Any] = {item.name: item.value for item in (*self.feeds, *self.constants)}
        for node in self.nodes:
            given = [known[name] if name else None for name in node.inputs]
            made = answered(
                node.operator, self.opset, dict(node.attributes), given, len(node.outputs)
            )
            known.update(zip(node.outputs, made, strict=True))
        return known

    def plain(self) -> DrawnGraph:
        """The same graph: there is one form."""
        return self

    def made(self, vector_id: str) -> Made:
        """See `drawing.Drawing`."""
        from ...forms.models import serialize

        try:
            known = self.values()
        except InexactError as error:
            raise NotPermittedError(Refusal.INVALID, str(error)) from None
        outputs = tuple(NamedValue(name, with_either_zero(known[name])) for name in self.outputs)
        accuracy = accuracy_of(outputs)
        vector = Vector(
            id=vector_id,
            kind=Kind.VALID,
            purpose="; ".join(self.edits)[:400],
            operator=self.operator,
            since_version=self.opset,
            opset=self.opset,
            ir_version=_ir_version(self.opset),
            types={},
            case=EXPLORED,
            form="static",
            covers=(),
            documented=None,
            rtol=PLAIN_RTOL if accuracy else 0.0,
            atol=PLAIN_ATOL if accuracy else 0.0,
            inputs=tuple(item.name for item in self.feeds),
            outputs=self.outputs,
            accuracy=accuracy,
            extra={EXPLORED: {"base": "", "edits": list(self.edits)}},
        )
        model = serialize(self.proto(known))
        return Made(vector, files_of(vector, model, [DataSet(self.feeds, outputs)], []))

    def proto(self, known: Mapping[str, Tensor]) -> onnx.ModelProto:
        """The model; `known` has all values, for the types and shapes of inputs and outputs."""
        from onnx import helper

        def info(name: str) -> onnx.ValueInfoProto:
            tensor = known[name]
            code = element_type(tensor.type).code
            return helper.make_tensor_value_info(name, code, list(tensor.shape))

        graph = helper.make_graph(
            [node for item in self.nodes for node in _protos(item, known)],
            "explored",
            [info(item.name) for item in self.feeds],
            [info(name) for name in self.outputs],
            [to_proto(known[item.name], item.name) for item in self.constants],
        )
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", self.opset)],
            ir_version=_ir_version(self.opset),
            producer_name="onnx-conformance",
        )


def _ir_version(opset: int) -> int:
    return max([_IR, *(version for since, version in _IR_SINCE.items() if opset >= since)])


def _protos(node: DrawnNode, known: Mapping[str, Tensor]) -> list[onnx.NodeProto]:
    """The node, or an If with the node in one branch and its result as a constant in the other."""
    from onnx import AttributeProto, helper

    from onnx_conformance.core.values.tensors import Tensor as Value

    plain = helper.make_node(node.operator, node.inputs, node.outputs)
    for name, value in node.attributes:
        given = to_proto(value, name) if isinstance(value, Value) else value
        listed = list(given) if isinstance(given, tuple) else given
        # Only lists of integers may be empty: the axes of a scalar.
        kind = AttributeProto.INTS if listed == [] else None
        plain.attribute.append(helper.make_attribute(name, listed, attr_type=kind))
    if not node.branch:
        return [plain]
    inner = [f"inner_{name}" for name in node.outputs]
    plain.output[:] = inner
    infos = [
        helper.make_tensor_value_info(
            name, element_type(known[outer].type).code, list(known[outer].shape)
        )
        for name, outer in zip(inner, node.outputs, strict=True)
    ]
    then_branch = helper.make_graph([plain], "then_branch", [], infos)
    others = [f"other_{name}" for name in node.outputs]
    stored = [
        helper.make_node("Constant", [], [name], value=to_proto(known[outer], name))
        for name, outer in zip(others, node.outputs, strict=True)
    ]
    for item, name in zip(infos, others, strict=True):
        renamed = type(item)()
        renamed.CopyFrom(item)
        renamed.name = name
        infos = [*infos, renamed]
    count = len(node.outputs)
    else_branch = helper.make_graph(stored, "else_branch", [], infos[count:])
    return [
        helper.make_node(
            "If", [node.branch], node.outputs, then_branch=then_branch, else_branch=else_branch
        )
    ]
