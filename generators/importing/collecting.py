"""Runs the code of the installed onnx package that builds its node tests.

ONNX seeds NumPy's generator before each exporting function, so that its cases do not depend on
their order. Two other dependencies are removed here: Pillow, if installed, changes the data of
ImageDecoder's cases, so it is hidden; and the collecting function keeps its first operator filter
for the life of the process, so everything is collected once, and selected afterwards.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any
from unittest import mock

from onnx_conformance.core.errors import BadInputError, ConformanceError

if TYPE_CHECKING:
    import onnx

_EXPANDED = "_expanded"


@dataclass(frozen=True)
class UpstreamCase:
    """One node test of the onnx package.

    Attributes:
        name: ONNX's name, e.g. `test_abs`.
        node: the node that is tested. An expanded case has the nodes of its function instead.
        domain_opset: the opset version that the unexpanded model imports for the node's domain.
        input_types, output_types: declared types of the node's inputs and outputs, in the
            order of its arguments; None for one left out.
        model: the model of this case.
        inputs, outputs: the values, as ONNX's code made them.
        rtol, atol: the tolerance that ONNX gives it.
        source: the function that made the case, e.g. `...case.node.abs.Abs.export`.
        expanded: whether the operator is replaced by its function's nodes.
    """

    name: str
    node: onnx.NodeProto
    domain_opset: int
    input_types: tuple[onnx.TypeProto | None, ...]
    output_types: tuple[onnx.TypeProto | None, ...]
    model: onnx.ModelProto
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    rtol: float
    atol: float
    source: str
    expanded: bool


def collect() -> tuple[UpstreamCase, ...]:
    """Every node test of the installed onnx package, in ONNX's order.

    Raises ConformanceError if this process has collected them before: ONNX keeps the cases that it
    built, with the filter of that time.
    """
    import onnx.backend.test.case.node as node_tests

    if node_tests._NodeTestCases or node_tests._TargetOpType:  # noqa: SLF001  there is no other way to see it
        raise ConformanceError(
            "this process has built ONNX's node tests before; they can be collected only once"
        )
    sources: list[str] = []
    with (
        _without_pillow(),
        _without_snippets(),
        _recording(node_tests, sources),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # overflow and the like are the subject of some cases
        # Without an operator: `--operator` selects among all cases, see above.
        built = node_tests.collect_testcases(None)
    return tuple(_cases(built, sources))


def _cases(built: Sequence[Any], sources: Sequence[str]) -> Iterator[UpstreamCase]:
    """Each case with its node and source: one call of `expect` adds a case and its expansions."""
    base: Any = None
    number = -1
    used: set[str] = set()
    for case in built:
        expanded = base is not None and case.name.startswith(base.name + _EXPANDED)
        if not expanded:
            base = case
            number += 1
        if len(case.data_sets) != 1:
            raise BadInputError(f"{case.name}: has {len(case.data_sets)} data sets, not one")
        if len(base.model.graph.node) != 1:
            raise BadInputError(f"{case.name}: its model has not exactly one node")
        inputs, outputs = case.data_sets[0]
        graph = base.model.graph
        node = graph.node[0]
        yield UpstreamCase(
            name=_unused_name(case.name, used),
            node=node,
            domain_opset=_opset(base.model, node.domain),
            input_types=_argument_types(node.input, graph.input),
            output_types=_argument_types(node.output, graph.output),
            model=case.model,
            inputs=inputs,
            outputs=outputs,
            rtol=case.rtol,
            atol=case.atol,
            source=sources[number],
            expanded=expanded,
        )
    if number + 1 != len(sources):
        raise BadInputError(f"{len(sources)} node tests were made, and {number + 1} were found")


def _unused_name(name: str, used: set[str]) -> str:
    """The name of a case, with a number if an earlier one has the same name.

    Up to version 1.16 some do, and ONNX's own writer replaced one by the other. Names that differ
    only in letter case count as the same, as on many file systems.
    """
    number = 2
    unused = name
    while unused.lower() in used:
        unused = f"{name}_{number}"
        number += 1
    used.add(unused.lower())
    return unused


def _opset(model: onnx.ModelProto, domain: str) -> int:
    for item in model.opset_import:
        if (item.domain or "ai.onnx") == (domain or "ai.onnx"):
            return item.version
    raise BadInputError(f"{model.graph.name}: imports no opset of domain '{domain}'")


def _argument_types(
    names: Sequence[str], declared: Sequence[onnx.ValueInfoProto]
) -> tuple[onnx.TypeProto | None, ...]:
    types = {item.name: item.type for item in declared}
    return tuple(types.get(name) for name in names)


@contextlib.contextmanager
def _without_pillow() -> Iterator[None]:
    """Make `import PIL` fail: ImageDecoder's cases then use the data stored in the package."""
    missing = object()
    before = sys.modules.get("PIL", missing)
    modules: dict[str, Any] = sys.modules
    modules["PIL"] = None  # this is how Python marks an import that fails
    try:
        yield
    finally:
        if before is missing:
            del modules["PIL"]
        else:
            modules["PIL"] = before


def _without_snippets() -> AbstractContextManager[object]:
    """Keep ONNX from reading its own source code, which it does only for its documentation.

    That takes a sixth of the time, and no case depends on it.
    """
    from onnx.backend.test.case import base

    return mock.patch.object(base, "process_snippet", lambda _operator, name, _export: (name, ""))


def _recording(node_tests: ModuleType, sources: list[str]) -> AbstractContextManager[object]:
    """Record which function calls `expect` for each case; the cases themselves do not tell."""
    original = node_tests.expect

    def expect(*arguments: Any, **options: Any) -> None:  # noqa: ANN401  ONNX's own
        original(*arguments, **options)
        sources.append(_source(sys._getframe(1)))  # noqa: SLF001  inspect.stack takes 100 times longer

    return mock.patch.object(node_tests, "expect", expect)


def _source(frame: FrameType | None) -> str:
    """The exporting function; helpers that it called may have called `expect`."""
    while frame is not None:
        function = frame.f_code.co_name
        if function.startswith("export"):
            module = str(frame.f_globals.get("__name__", ""))
            caller = frame.f_back
            # ONNX's metaclass calls the function while it creates its class, named `name`.
            owner = caller.f_locals.get("name") if caller is not None else None
            return f"{module}.{owner}.{function}" if owner else f"{module}.{function}"
        frame = frame.f_back
    return ""
