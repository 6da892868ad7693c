"""The backend `inference`: ONNX's shape inference, compared with the models' real results.

`onnx.shape_inference` computes no values. It is called twice here, in strict mode: for the model as
it is, and for the same model with the dimensions and the values that are fed, so that it has all
the information there is. The inferred outputs are compared with the types and shapes that the
oracles give; where a document leaves the result open, with those of each reading. If they
contradict all of them, the reply is an output of the inferred type and shape: the verdict is then
`wrong-type` or `wrong-shape`. If not, the model is accepted, as by a checker; a fault that only
values show cannot be noticed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import onnx
import onnx.shape_inference

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.elements import element_type, element_type_of_code
from onnx_conformance.core.values.protos import to_proto
from onnx_conformance.core.values.tensors import Tensor, Value
from onnx_conformance.core.values.wire import from_wire, to_wire

from ...oracle.errors import InvalidCallError, OpenError
from ...oracle.registry import Call, Result, compute
from ..model import Model
from ..outcomes import LOAD, NoOracleError, RefusedError
from ..running import Session
from ..server import MESSAGE_LIMIT, Server

if TYPE_CHECKING:
    from ...signatures.reading import Signatures

NAME = "inference"
# Elements of a result that is invented to show a shape, and of an input whose value is given.
_MOST = 100_000
# Ways to read the documents that are tried where a shape contradicts the preferred one.
_MOST_WAYS = 64


class ReadSession(Session):
    """A session that gives the results of each reading of the documents."""

    def __init__(self, model: Model, signatures: Signatures) -> None:
        """`asked` are the questions for which a run had no reading, with all that they have."""
        super().__init__(model, signatures)
        self.asked: dict[str, tuple[str, ...]] = {}

    def answer(self, call: Call) -> Result:
        """The same, with what was asked kept."""
        try:
            return compute(call)
        except OpenError as error:
            self.asked[error.question] = error.readings
            reading = {error.question: error.readings[0]}
            return self.answer(replace(call, readings={**call.readings, **reading}))
        except (BadInputError, InvalidCallError):
            return super().answer(call)

    def ways(self, feeds: Mapping[str, Value]) -> Iterator[Mapping[str, Value]]:
        """The results by each combination of readings, the preferred one first.

        Nothing comes by a reading that refuses the model, or of which no oracle knows the result.
        """
        waiting: list[dict[str, str]] = [{}]
        for readings in waiting:
            self.readings, self.asked = readings, {}
            try:
                yield self.run(feeds)
            except (RefusedError, NoOracleError):
                if not readings:
                    return
            others = list(product(*self.asked.values()))[1:]
            ways = [{**readings, **dict(zip(self.asked, way, strict=True))} for way in others]
            waiting += ways[: _MOST_WAYS - len(waiting)]


class InferenceServer(Server):
    """Answers the requests of protocol 1 with the results of shape inference."""

    def __init__(self) -> None:
        """Use the oracles for the real results."""
        super().__init__(NAME, ReadSession)

    def describe(self) -> dict[str, Any]:
        """The handshake; the version is that of the installed onnx."""
        return {
            "protocol": 1,
            "name": "onnx.shape_inference",
            "version": onnx.__version__,
            "model": "path",
            "judges": "validity",
            "details": {"inference": "strict, with types checked and data propagated"},
        }

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """`accepted`, or the outputs of the first data set with shapes other than inferred."""
        proto = self.parsed(request["model"])
        _infer(proto)
        data_sets = [{item["name"]: from_wire(item) for item in it} for it in request["data_sets"]]
        outputs = []
        contradicted = False
        for feeds in data_sets:
            inferred = _infer(_with_values(proto, feeds))
            found = self._nearest(request, inferred, feeds)
            if found is None:
                return {"accepted": True}
            given = [_contradicting(inferred.get(name), found[name]) for name in request["outputs"]]
            contradicted = contradicted or any(item is not None for item in given)
            outputs.append(
                [
                    to_wire(found[name] if item is None else item)
                    for name, item in zip(request["outputs"], given, strict=True)
                ]
            )
        return {"outputs": outputs} if contradicted else {"accepted": True}

    def _nearest(
        self,
        request: dict[str, Any],
        inferred: Mapping[str, onnx.TypeProto],
        feeds: Mapping[str, Value],
    ) -> Mapping[str, Value] | None:
        """Results that are as inferred, or else the preferred ones; None if nothing is known."""
        preferred = None
        try:
            session = self.load(request["model"])
        except (RefusedError, NoOracleError):
            return None
        if not isinstance(session, ReadSession):
            raise TypeError("the server opens other sessions")
        for found in session.ways(feeds):
            wanted = [(inferred.get(name), found[name]) for name in request["outputs"]]
            if all(_alike(*item) for item in wanted):
                return found
            preferred = found if preferred is None else preferred
        return preferred


def _infer(proto: onnx.ModelProto) -> dict[str, onnx.TypeProto]:
    """The types that are inferred for the graph's outputs; RefusedError if inference fails."""
    try:
        done = onnx.shape_inference.infer_shapes(
            proto, check_type=True, strict_mode=True, data_prop=True
        )
    except Exception as error:
        raise RefusedError(f"{type(error).__name__}: {error}"[:MESSAGE_LIMIT], LOAD) from None
    return {item.name: item.type for item in done.graph.output}


def _with_values(proto: onnx.ModelProto, feeds: Mapping[str, Value]) -> onnx.ModelProto:
    """The model with the dimensions and the values that are fed."""
    known = onnx.ModelProto()
    known.CopyFrom(proto)
    fed = {name: value for name, value in feeds.items() if isinstance(value, Tensor)}
    for item in known.graph.input:
        value = fed.get(item.name)
        if value is not None and item.type.HasField("tensor_type"):
            del item.type.tensor_type.shape.dim[:]
            item.type.tensor_type.shape.SetInParent()
            for size in value.shape:
                item.type.tensor_type.shape.dim.add().dim_value = size
    kept = [item for item in known.graph.initializer if item.name not in fed]
    del known.graph.initializer[:]
    known.graph.initializer.extend(kept)
    known.graph.initializer.extend(
        to_proto(value, name) for name, value in fed.items() if value.element_count <= _MOST
    )
    return known


def _contradicting(inferred: onnx.TypeProto | None, value: Value) -> Tensor | None:
    """A tensor of the inferred type and shape if they contradict the value; else None.

    Unknown dimensions are taken from the value.
    """
    if inferred is None or _alike(inferred, value) or not isinstance(value, Tensor):
        return None
    kind, shape = _expected(inferred.tensor_type, value)
    if math.prod(shape) > _MOST:
        raise RefusedError(f"inferred {kind} {list(shape)}, is {value.type} {list(value.shape)}")
    count = math.prod(shape)
    empty = (b"",) * count if kind == "string" else bytes(element_type(kind).byte_count(count))
    return Tensor(kind, shape, empty)


def _alike(inferred: onnx.TypeProto | None, value: Value) -> bool:
    if inferred is None or not inferred.HasField("tensor_type") or not isinstance(value, Tensor):
        return True
    return _expected(inferred.tensor_type, value) == (value.type, value.shape)


def _expected(tensor: onnx.TypeProto.Tensor, value: Tensor) -> tuple[str, tuple[int, ...]]:
    """The inferred type and shape; what is unknown is as in the value."""
    kind = element_type_of_code(tensor.elem_type).name if tensor.elem_type else value.type
    if not tensor.HasField("shape"):
        return kind, value.shape
    return kind, tuple(
        item.dim_value if item.HasField("dim_value") else _at(value.shape, place)
        for place, item in enumerate(tensor.shape.dim)
    )


def _at(shape: tuple[int, ...], place: int) -> int:
    return shape[place] if place < len(shape) else 1
