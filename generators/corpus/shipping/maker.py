"""A process that makes operator versions for a run: `python -m …shipping.maker FACTS`.

It reads one operator a line from standard input, puts its versions into the cache and writes a line
of JSON for it. Each vector is in the spool as soon as it is made. It ends with its input, and when
the process that started it is gone. FACTS is JSON: the folders of the manifests, the specs, the
cache and the spool.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.cache import put
from onnx_conformance.core.corpus.vector_files import digest
from onnx_conformance.core.corpus.vectors import relative_directory
from onnx_conformance.core.errors import ConformanceError, ExitCode

from ...whole_models.reading import model_spec_file
from ..making import build_all, plan_corpus
from ..parallel import make_operator
from .spool import spool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from onnx_conformance.core.corpus.listing.model import Listed

    from .source import PublishedVectors


@dataclass(frozen=True)
class Maker:
    """Makes operator versions.

    Attributes:
        source: the published corpus.
        spool: the folder of the spool: a file for each operator version.
    """

    source: PublishedVectors
    spool: Path

    def make(self, operator: str, operator_versions: Sequence[str]) -> list[str]:
        """Put the versions of one operator into the cache; the ids that differ from the manifests.

        Args:
            operator: name of the spec's file without its ending.
            operator_versions: in the order in which they are needed.
        """
        listed = {name: self.source.listed(name) for name in operator_versions}
        wanted = {item.id: item for items in listed.values() for item in items}
        made: dict[str, dict[str, Mapping[str, bytes]]] = {name: {} for name in listed}
        differing: list[str] = []
        for vector_id, files in self._vectors(operator, listed):
            name = vector_id.split("/", 1)[0]
            if name not in made:
                continue  # a control of another version
            made[name][vector_id] = files
            item = wanted.get(vector_id)
            if item is not None and digest(files) == item.digest:
                spool(self.spool / name, relative_directory(item.kind, item.id), files)
            if len(made[name]) == len(listed[name]):
                differing += self._finish(name, listed[name], made.pop(name))
        for name, vectors in made.items():
            differing += self._finish(name, listed[name], vectors)
        return differing

    def _vectors(
        self, operator: str, listed: Mapping[str, Sequence[Listed]]
    ) -> Iterator[tuple[str, Mapping[str, bytes]]]:
        """The id and the files of each vector, in the order of the manifests."""
        profile = str(self.source.manifest["profile"])
        patterns = tuple(f"{name}/*" for name in listed)
        if model_spec_file(self.source.specs, operator) is not None:
            for made in make_operator(self.source.specs, operator, profile, patterns).vectors:
                yield made.listed.id, made.files
            return
        order = {
            item.id: place
            for place, item in enumerate(item for items in listed.values() for item in items)
        }
        corpus = plan_corpus(self.source.specs, profile, patterns, (operator,))
        plans = sorted(corpus.plans, key=lambda plan: order.get(plan.id, len(order)))
        for built in build_all(replace(corpus, plans=tuple(plans))):
            yield built.vector.id, built.files

    def _finish(
        self, name: str, listed: Sequence[Listed], made: Mapping[str, Mapping[str, bytes]]
    ) -> list[str]:
        """Write the archive of an operator version; from then on nobody looks into its spool."""
        differing = put(self.source.archive(name), listed, made)
        if not differing:
            (self.spool / name).unlink(missing_ok=True)
        return differing


def _reply(maker: Maker, line: str) -> dict[str, Any]:
    """The answer to one line; an error is told, as the run has to say it."""
    request = json.loads(line)
    try:
        return {"differing": maker.make(request["operator"], request["versions"])}
    except ConformanceError as error:
        return {"error": str(error), "code": int(error.exit_code)}
    except ImportError as error:
        return {"lacks": str(error)}
    except Exception as error:
        what = f"{request['operator']} cannot be made: {type(error).__name__}: {error}"
        return {"error": what, "code": int(ExitCode.BAD_INPUT)}


def main() -> int:
    """Serve until the input ends."""
    from .source import PublishedVectors

    facts = json.loads(sys.argv[1])
    source = PublishedVectors(
        Path(facts["root"]), Path(facts["cache"]), sys.stderr, Path(facts["specs"]), 1
    )
    maker = Maker(source, Path(facts["spool"]))
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may be among the replies
    for line in sys.stdin:
        replies.write(json.dumps(_reply(maker, line)) + "\n")
        replies.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
