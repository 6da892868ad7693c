"""Others who know what ONNX means, and what they say of each vector.

onnx.reference, strict shape inference and the checker are asked about every vector. None of them
decides: where one disagrees with the spec, a ruling in the spec must say why the spec stands, and
a disagreement without a ruling stops the generation. A ruling that nothing needs any more is
reported too, so that rulings go when their witness is mended.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.patterns import IdIndex
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.values.comparing import compare
from onnx_conformance.core.values.tensors import Tensor, from_proto, to_proto

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import onnx

    from onnx_conformance.core.corpus.vectors import DataSet

    from ..specs.model import Spec
    from .building import Built


@dataclass(frozen=True)
class Disagreement:
    """What a witness says of a vector, where that is not what the spec says."""

    witness: str
    vector: str
    says: str


def disagreements(built: Built) -> tuple[Disagreement, ...]:
    """All that the witnesses say against one vector."""
    if built.vector.kind == "invalid":
        found = _about_invalid(built)
    elif built.data_sets[0].outputs:
        found = _about_valid(built)
    else:
        found = iter(())  # what the document leaves open, a witness cannot get wrong
    return tuple(Disagreement(witness, built.vector.id, says) for witness, says in found)


def _about_valid(built: Built) -> Iterator[tuple[str, str]]:
    import onnx

    try:
        onnx.checker.check_model(built.model, full_check=True)
    except Exception as error:
        yield "checker", f"refuses the model: {_line(error)}"
    says = _inference_says(built)
    if says:
        yield "inference", says
    says = _reference_says(built)
    if says:
        yield "reference", says


def _about_invalid(built: Built) -> Iterator[tuple[str, str]]:
    """The checker must refuse what can be known from the model, the reference must not compute."""
    import onnx

    if built.vector.reject != "run":
        try:
            onnx.checker.check_model(built.model, full_check=True)
            yield "checker", "accepts the model"
        except Exception:  # noqa: S110  it refuses, as it must
            pass
    try:
        _evaluate(built.model, built.data_sets[0])
    except Exception:
        return
    yield "reference", "computes a result"


def _inference_says(built: Built) -> str | None:
    """What strict shape inference knows of the outputs, where it is not what is expected."""
    import onnx

    try:
        inferred = onnx.shape_inference.infer_shapes(
            built.model, check_type=True, strict_mode=True, data_prop=True
        )
    except Exception as error:
        return f"refuses the model: {_line(error)}"
    for info in inferred.graph.output:
        for data_set in built.data_sets:
            for item in data_set.outputs:
                if item.name == info.name and isinstance(item.value, Tensor):
                    says = _contradiction(info, item.value)
                    if says:
                        return says
    return None


def _contradiction(info: onnx.ValueInfoProto, expected: Tensor) -> str | None:
    from onnx.helper import tensor_dtype_to_string

    tensor = info.type.tensor_type
    if to_proto(expected).data_type != tensor.elem_type:
        return f"infers {tensor_dtype_to_string(tensor.elem_type)} for {info.name}"
    if not tensor.HasField("shape"):
        return None
    dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
    fits = len(dims) == len(expected.shape) and all(
        inferred in {None, size} for inferred, size in zip(dims, expected.shape, strict=True)
    )
    shown = ["?" if dim is None else dim for dim in dims]
    return None if fits else f"infers shape {shown} for {info.name}, not {list(expected.shape)}"


def _reference_says(built: Built) -> str | None:
    """What onnx.reference returns or raises, where it is not what is expected."""
    for data_set in built.data_sets:
        try:
            got = _evaluate(built.model, data_set)
        except Exception as error:
            return f"raises {type(error).__name__}: {_line(error)}"
        for item, tensor in zip(data_set.outputs, got, strict=True):
            if not isinstance(tensor, Tensor):
                return f"{item.name}: {tensor}"
            difference = compare(item.value, tensor).difference
            if difference is not None:
                return f"{item.name}: expected {difference.expected}, got {difference.got}"
    return None


def _evaluate(model: onnx.ModelProto, data_set: DataSet) -> list[Tensor | str]:
    from onnx import numpy_helper
    from onnx.reference import ReferenceEvaluator

    feeds = {
        item.name: numpy_helper.to_array(to_proto(item.value))
        for item in data_set.inputs
        if isinstance(item.value, Tensor)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what NumPy thinks of NaN is not our question
        outputs = ReferenceEvaluator(model).run(None, feeds)
    return [_tensor(output) for output in outputs]


def _tensor(output: object) -> Tensor | str:
    import numpy as np
    from onnx import numpy_helper

    if not isinstance(output, np.ndarray):
        return f"a {type(output).__name__}, which is no tensor"
    return from_proto(numpy_helper.from_array(output))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def unruled(
    specs: Sequence[Spec],
    vectors: Sequence[str],
    found: Iterable[Disagreement],
    *,
    stale_too: bool = True,
) -> tuple[str, ...]:
    """A line for each disagreement that no ruling covers, and each pattern that covers none."""
    index = IdIndex(vectors)
    problems = []
    left = {(item.witness, item.vector): item for item in found}
    for spec in specs:
        for ruling in spec.rulings:
            unneeded = []
            for pattern in ruling.vectors:
                covered = [
                    key
                    for key in ((ruling.witness, vector) for vector in index.matching(pattern))
                    if key in left and ruling.says in left[key].says
                ]
                if not covered:
                    unneeded.append(pattern)
                for key in covered:
                    del left[key]
            problems += [
                f"{spec.path}:{ruling.line}: ruling '{ruling.id}': the {ruling.witness} does not"
                f" say '{ruling.says}' of any vector in '{pattern}'; remove the pattern"
                for pattern in unneeded
                if stale_too
            ]
    problems += [
        f"{item.vector}: the {item.witness} {item.says}; mend the spec, or record a ruling"
        for item in left.values()
    ]
    return tuple(problems)


def require_rulings(
    specs: Sequence[Spec],
    vectors: Sequence[str],
    found: Iterable[Disagreement],
    *,
    stale_too: bool = True,
) -> None:
    """BadInputError where a disagreement has no ruling or a ruling no disagreement."""
    problems = unruled(specs, vectors, found, stale_too=stale_too)
    if problems:
        shown = "\n  ".join(problems[:20])
        more = f"\n  and {len(problems) - 20} more" if len(problems) > 20 else ""
        raise BadInputError(f"witnesses disagree with the specs:\n  {shown}{more}")
