"""ONNX's own loader and runner, on the vectors as they are on disk.

What is used of onnx.backend.test: `load_model_tests`, which finds vectors, and the test functions
that `Runner` makes of them, which read the files, call the backend and compare. Only the list of
tests is ours: `Runner` itself begins with onnx's own 1,884.
"""

from __future__ import annotations

import shutil
import warnings
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

import onnx
import pytest
from committed_corpus import ROOT, VECTORS, committed, published_kinds, sample_folder, spec_named
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner
from onnx.reference import ReferenceEvaluator
from small_corpus import entries_of

from onnx_conformance.core.corpus.vector_files import limit_files
from onnx_conformance.core.corpus.vectors import slug
from onnx_conformance.core.values.protos import from_proto
from onnx_conformance.core.values.tensors import Bounded, Tensor
from onnx_conformance.validator.gate.entries import read_baseline
from onnx_conformance.validator.gate.expectations import expectations_of

if TYPE_CHECKING:
    from pathlib import Path

    from onnx.backend.test.case.test_case import TestCase

OPERATORS = ("Reshape", "Shape", "Size")


class Evaluation(BackendRep):
    """A model in onnx.reference; inputs are taken in the order of the graph's."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._session = ReferenceEvaluator(model)

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:  # noqa: ANN401  onnx's signature
        feeds = dict(zip(self._session.input_names, inputs, strict=False))
        return tuple(self._session.run(None, feeds))


class Reference(Backend):
    """onnx.reference with the interface that the runner wants."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> Evaluation:  # noqa: ANN401
        assert "CPU" == device
        return Evaluation(model)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return "CPU" == device


class OnDiskRunner(Runner):
    """The runner with the tests that it is given, instead of onnx's own."""

    def __init__(self, cases: list[TestCase]) -> None:
        self.backend = Reference
        self._parent_module = None
        self._test_kwargs = {}
        self._include_patterns = set()
        self._exclude_patterns = set()
        self._xfail_patterns = set()
        self._test_items = defaultdict(dict)
        for case in cases:
            self._add_model_test(case, case.kind)


def kinds_of(operator: str) -> list[str]:
    return [f"{operator.lower()}-{version}" for version in spec_named(operator).versions]


@cache
def loaded(operator: str) -> tuple[TestCase, ...]:
    """What ONNX's loader finds."""
    return tuple(
        case
        for kind in kinds_of(operator)
        for case in load_model_tests(data_dir=str(sample_folder() / "valid"), kind=kind)
    )


@cache
def failing(operator: str) -> frozenset[str]:
    """Names of the vectors on which ONNX's runner is not satisfied with onnx.reference."""
    failed = set()
    runner = OnDiskRunner(list(loaded(operator)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what NumPy thinks of comparing NaN
        for items in runner._test_items.values():  # noqa: SLF001  ours, see above
            for name, item in items.items():
                if name.endswith("_cpu"):
                    try:
                        item.func(None)
                    except Exception:
                        failed.add(name.removesuffix("_cpu"))
    return frozenset(failed)


def ids_of(operator: str) -> dict[str, str]:
    """Ids of the valid vectors of an operator, by the names of their directories."""
    return {
        slug(plan.id): plan.id
        for plan in committed().plans
        if plan.spec.operator == operator and plan.kind == "valid"
    }


@pytest.mark.parametrize("operator", OPERATORS)
def test_onnx_loads_every_valid_vector(operator: str) -> None:
    assert set(ids_of(operator)) == {case.name for case in loaded(operator)}


@pytest.mark.parametrize("operator", OPERATORS)
def test_onnx_loads_the_tolerance_of_every_vector(operator: str) -> None:
    assert {(0.0, 0.0)} == {(case.rtol, case.atol) for case in loaded(operator)}


def test_onnx_loads_every_valid_vector_of_the_core() -> None:
    loaded_here = {
        case.name
        for folder in (VECTORS / "valid").iterdir()
        for case in load_model_tests(data_dir=str(VECTORS / "valid"), kind=folder.name)
    }
    assert loaded_here == {path.name for path in VECTORS.glob("valid/*/*")}
    assert len(loaded_here) > len(OPERATORS)


@pytest.mark.parametrize("operator", OPERATORS)
def test_onnx_runner_fails_exactly_where_the_baseline_says_the_reference_is_wrong(
    operator: str,
) -> None:
    baseline = read_baseline(ROOT / "baselines/reference.yaml")
    listed = expectations_of(baseline, entries_of(published_kinds(), published_kinds())).of
    names = ids_of(operator)
    assert set(names.values()) & set(listed) == {names[item] for item in failing(operator)}


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_wrong_result_does_not_satisfy_onnx_runner(operator: str) -> None:
    # Without this, a runner that looked at nothing would pass all of the above.
    first, *_ = sorted(loaded(operator), key=lambda case: case.name)

    class Wrong(Evaluation):
        def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:  # noqa: ANN401
            return tuple(item.reshape(-1)[:0] for item in super().run(inputs))

    runner = OnDiskRunner([first])
    runner.backend = type(
        "WrongBackend", (Reference,), {"prepare": classmethod(lambda _, model, *__: Wrong(model))}
    )
    (func,) = [
        item.func
        for items in runner._test_items.values()  # noqa: SLF001
        for name, item in items.items()
        if name.endswith("_cpu")
    ]
    with pytest.raises((AssertionError, RuntimeError)):
        func(None)


def test_onnx_runner_takes_a_folder_that_holds_limits_as_it_is(tmp_path: Path) -> None:
    original = min(loaded("Shape"), key=lambda case: case.name)
    folder = tmp_path / "exp-13" / original.name
    shutil.copytree(original.model_dir, folder)
    output = folder / "test_data_set_0" / "output_0.pb"
    expected = from_proto(onnx.load_tensor(str(output)))
    ends = {
        end: Tensor("int64", expected.shape, end.to_bytes(8, "little") * expected.element_count)
        for end in (0, 1 << 30, 1 << 40)
    }
    limits = {"ieee": (ends[0], ends[1 << 30]), "gpu": (ends[0], ends[1 << 40])}
    value = Bounded(expected.type, expected.shape, expected.data, limits)
    files = limit_files("test_data_set_0", 0, value)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    runner = OnDiskRunner(load_model_tests(data_dir=str(tmp_path), kind="exp-13"))
    (items,) = runner._test_items.values()  # noqa: SLF001  see above
    items[f"{original.name}_cpu"].func(None)
    assert 4 == len(files)
