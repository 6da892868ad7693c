"""What was measured last, by operator: record.json, which is committed.

A line holds as long as nothing that it depends on has changed: the digest says which state of it
was measured.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.files import write_whole
from onnx_conformance.core.values import comparing
from onnx_conformance.generators.oracle.index import module_of
from onnx_conformance.validator.judging import judge

from ..mutants.equivalents import arguments_for
from ..mutants.mutant import source_files
from ..names import name_of, slug_of
from ..trying.drawing import draws
from ..trying.measuring import Measured
from ..trying.requirements import suspicious
from ..trying.status import Status, percent_of

FILE = Path(__file__).with_name("record.json")
_FORMAT = 1
_PACKAGE = Path(__file__).parents[1]
# The modules here that decide what becomes of a mutant. Not `sampling`, which is taught new kinds
# of inputs for new operators: what `check` measures anew shows where it tells fewer mutants apart.
_DECIDING = (
    "vectors",
    *(
        "mutants/changes",
        "mutants/code",
        "mutants/equivalents",
        "mutants/mutant",
        "mutants/probing",
    ),
    *("mutants/recorder", "mutants/slips", "mutants/values"),
    *("mutants/signatures", "trying/comparing", "trying/judged_vectors", "trying/measuring"),
    *("trying/own_oracle", "trying/question", "trying/tracing", "trying/trial"),
)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


@dataclass(frozen=True)
class Line:
    """What was measured of one operator.

    Attributes:
        digest: of what it depends on.
        vectors: how many there were.
        killed, survived, equivalent, argued: how many mutants.
        suspicious: how many requirements have cases of which none kills a mutant.
        upstream_vectors, upstream_killed: of ONNX's own node tests and the same mutants.
        upstream_digest: of what these depend on: they stay as they are while vectors change.
        partly_tried: how many mutants that survive were not tried on everything that concerns them.
        suspects: the suspicious requirements, where they are known.
    """

    digest: str
    vectors: int
    killed: int
    survived: int
    equivalent: int
    argued: int
    suspicious: int
    upstream_vectors: int
    upstream_killed: int
    upstream_digest: str = ""
    partly_tried: int = 0
    suspects: tuple[str, ...] = ()

    @property
    def percent(self) -> float:
        """Killed, of those that can be told apart."""
        return percent_of(self.killed, self.survived)


def line_of(measured: Measured, digest: str) -> Line:
    """What is kept of a measurement."""
    return Line(
        digest=digest,
        vectors=measured.vectors,
        killed=measured.count(Status.KILLED),
        survived=measured.count(Status.SURVIVED),
        equivalent=measured.count(Status.EQUIVALENT) + measured.count(Status.NOT_COVERED),
        argued=len(measured.argued),
        suspicious=len(suspicious(measured)),
        upstream_vectors=measured.upstream_vectors,
        upstream_killed=measured.upstream_killed,
        partly_tried=measured.partly_tried,
        suspects=tuple(suspicious(measured)),
    )


def read_record(path: Path = FILE) -> dict[str, Line]:
    """The lines by operator; none where there is no file. BadInputError for what is no record."""
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return {name: _line(**entry) for name, entry in document["operators"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(
            f"{path}: no record of strength: {error}; delete it, and `make mutants` writes another"
        ) from None


def _line(suspects: Sequence[str] = (), **rest: Any) -> Line:  # noqa: ANN401  JSON
    return Line(**rest, suspects=tuple(suspects))


def write_record(lines: Mapping[str, Line], path: Path = FILE) -> None:
    """Write the lines, one for each operator, so that a change of one is one line's."""
    rows = [f"  {json.dumps(name)}: {json.dumps(_entry(lines[name]))}" for name in sorted(lines)]
    text = ",\n".join(rows)
    write_whole(path, f'{{\n "format": {_FORMAT},\n "operators": {{\n{text}\n }}\n}}\n')


def _entry(line: Line) -> dict[str, Any]:
    entry = asdict(line)
    if not line.suspects:
        del entry["suspects"]
    return entry


def digests(manifest: Path) -> dict[str, str]:
    """For each operator of a manifest that has an oracle, the digest of what its strength is.

    That is its vectors, the code that its mutants are made of, the arguments about them, and what
    measures and judges. Shared arithmetic is not: where it changes what a correct answer is, the
    vectors change.
    """
    common = digest_of(*judging(_DECIDING))
    known: dict[str, str] = {}
    for (domain, operator), depends in vectors_and_oracles(manifest):
        name = name_of(domain, operator)
        argued = sorted(arguments_for(domain, operator))
        drawing = module_files(["trying/drawing"]) if draws(domain, operator) else []
        known[name] = digest_of(common, *depends, *argued, *map(meaning_of, drawing))
    return known


def vectors_and_oracles(manifest: Path) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Each operator of a manifest that has an oracle, by domain and name, and what it consists of.

    That is a line for each of its vectors, and the meaning of each module of its oracle.
    """
    for (domain, operator), vectors in vectors_by_operator(manifest):
        sources = [meaning_of(Path(file)) for file in source_files(operator, domain)]
        yield (domain, operator), [*vectors, *sources]


def vectors_by_operator(manifest: Path) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Each operator of a manifest that has an oracle, with a line for each of its vectors."""
    found: dict[str, list[str]] = {}
    for name, digest in _listed(json.loads(manifest.read_text(encoding="utf-8"))):
        slug = name.partition("/")[0].rpartition("-")[0]
        found.setdefault(slug, []).append(f"{name} {digest}")
    for domain, operator in module_of():
        vectors = found.get(slug_of(domain, operator))
        if vectors is not None:
            yield (domain, operator), sorted(vectors)


def _listed(document: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401  JSON
    """The digests of operator versions, or, where a manifest has none of these, of vectors."""
    for version, listed in document.get("operators", {}).items():
        yield version, listed["digest"]
    for vectors in document.get("vectors", {}).values():
        yield from vectors.items()


def judging(deciding: Iterable[str]) -> Iterator[str]:
    """The meaning of some modules of this package, and of those that judge."""
    files = module_files(deciding)
    for module in (judge, comparing):
        files += sorted(Path(str(module.__file__)).parent.glob("*.py"))
    return map(meaning_of, files)


def module_files(names: Iterable[str]) -> list[Path]:
    """The files of modules of this package."""
    return [_PACKAGE / f"{name}.py" for name in names]


def meaning_of(path: Path) -> str:
    """What a module does: its code without comments and docstrings, and what it imports by name.

    A module that moves, or whose words are mended, measures and judges as it did.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    imported: set[tuple[str, str | None]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported |= {(item.name, item.asname) for item in node.names}
        elif isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return f"{sorted(imported, key=str)} {ast.dump(_Unimported().visit(tree))}"


class _Unimported(ast.NodeTransformer):
    """A tree without `from … import`, whose place and order mean nothing."""

    def visit_ImportFrom(self, _node: ast.ImportFrom) -> None:
        return None


def digest_of(*texts: str) -> str:
    """The digest of some texts, in their order: 16 hexadecimal digits."""
    summed = hashlib.sha256()
    for text in texts:
        summed.update(hashlib.sha256(text.encode()).digest())
    return summed.hexdigest()[:16]


def as_json(measured: Measured) -> dict[str, Any]:
    """Everything that was found, for other programs."""
    return {
        "operator": measured.name,
        "vectors": measured.vectors,
        "calls": measured.calls,
        "samples": measured.samples,
        **{status.value: measured.count(status) for status in Status},
        "argued": len(measured.argued),
        "upstream": {"vectors": measured.upstream_vectors, "killed": measured.upstream_killed},
        "failures": [list(item) for item in measured.failures],
        "mutants": [
            {
                "name": item.name,
                "status": item.status.value,
                "by": item.by,
                "cases": list(item.cases),
            }
            for item in measured.findings
        ],
    }
