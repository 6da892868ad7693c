"""A model file in, its uses out, with everything that must be said of it in a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..text import brief, quantity
from .inferring import DEADLINE, inferred
from .opening import OpenedModel, open_model
from .schemas import domain_of, newest_ir, newest_opset, schema_of
from .uses import Found, uses_of
from .values import UNKNOWN_TYPE
from .walking import SeenNode, nodes_of

if TYPE_CHECKING:
    import onnx


_SHOWN = 6


@dataclass(frozen=True)
class ModelUses:
    """What a model uses.

    Attributes:
        opened: the file.
        typed: the model without weights, with functions inlined and types inferred.
        imports: the opset of each domain.
        nodes: how many there are, in subgraphs and functions too.
        found: the uses, in the order in which they first occur.
        remarks: what could not be read or is beyond what is known, one sentence each.
    """

    opened: OpenedModel
    typed: onnx.ModelProto
    imports: Mapping[str, int]
    nodes: int
    found: tuple[Found, ...]
    remarks: tuple[str, ...]

    @property
    def producer(self) -> str:
        """What wrote the model, as far as it says so."""
        proto = self.opened.proto
        return f"{proto.producer_name} {proto.producer_version}".strip()


def list_uses(path: Path, deadline: float = DEADLINE) -> ModelUses:
    """Read a model and list its uses; BadInputError if the file holds no model.

    Args:
        path: the file.
        deadline: seconds for inferring types.
    """
    opened = open_model(path)
    typed, reason = inferred(opened.proto, deadline)
    seen = tuple(nodes_of(typed))
    imports = {domain_of(item.domain): item.version for item in opened.proto.opset_import}
    remarks = [*opened.remarks]
    if reason is not None:
        remarks.append(f"{reason}: types of values between nodes are unknown")
    remarks += _about_opsets(imports)
    if opened.proto.ir_version > newest_ir():
        remarks.append(
            f"IR version {opened.proto.ir_version} is newer than {newest_ir()}, the newest that is"
            " known here: what it means by its fields is guessed"
        )
    remarks += _about_operators(seen)
    unknown = sum(
        any(item is not None and item.type == UNKNOWN_TYPE for item in node.inputs)
        for node in seen
        if schema_of(node.domain, node.proto.op_type, node.opset) is not None
    )
    if unknown and reason is None:
        remarks.append(
            f"{quantity(unknown, 'node takes', 'nodes take')} a value whose type nothing says: they"
            " follow a node of another domain, or the model is not valid"
        )
    return ModelUses(opened, typed, imports, len(seen), uses_of(seen), tuple(remarks))


def _about_opsets(imports: Mapping[str, int]) -> Iterator[str]:
    for domain, version in imports.items():
        newest = newest_opset(domain)
        if newest is not None and version > newest:
            yield (
                f"opset {version} of {domain or 'ai.onnx'} is newer than {newest}, the newest that"
                " is known here: its operators are looked up as of that one"
            )


def _about_operators(seen: Sequence[SeenNode]) -> Iterator[str]:
    """A sentence for each domain that is not ONNX's, and for operators that an opset has not."""
    foreign: dict[str, list[str]] = {}
    absent: list[str] = []
    for node in seen:
        if node.called:
            continue
        if newest_opset(node.domain) is None:
            foreign.setdefault(node.domain, []).append(node.proto.op_type)
            continue
        schema = schema_of(node.domain, node.proto.op_type, node.opset)
        if schema is None or schema.deprecated:
            absent.append(f"{node.proto.op_type} in opset {node.opset}")
    for domain, names in foreign.items():
        yield (
            f"{quantity(len(names), 'node')} of the domain {brief(domain, 60)}, which ONNX has no"
            f" document of, so that no vector can cover them: {_counted(names)}"
        )
    if absent:
        yield f"no such operator, or none any more: {_counted(absent)}"


def _counted(names: Iterable[str]) -> str:
    counts = Counter(names).most_common()
    shown = ", ".join(f"{name} {count}" for name, count in counts[:_SHOWN])
    return f"{shown} and {len(counts) - _SHOWN} more" if len(counts) > _SHOWN else shown
