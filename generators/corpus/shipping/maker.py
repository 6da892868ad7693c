"""A process that makes operator versions for a run: `python -m …shipping.maker FACTS`.

It reads one operator a line from standard input, puts its versions into the cache and writes a line
of JSON for it. It ends with its input, and when the process that started it is gone. FACTS is JSON:
the folders of the manifests, the specs and the cache.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnx_conformance.core.corpus.cache import put
from onnx_conformance.core.errors import ConformanceError, ExitCode

from ..parallel import make_operator

if TYPE_CHECKING:
    from .source import PublishedVectors


def make(source: PublishedVectors, operator: str, operator_versions: Sequence[str]) -> list[str]:
    """Put versions of one operator into the cache; the ids that differ from the manifests.

    Args:
        source: the published corpus.
        operator: name of the spec's file without its ending.
        operator_versions: those that are needed.
    """
    profile = str(source.lock.manifest["profile"])
    patterns = tuple(f"{name}/*" for name in operator_versions)
    made: dict[str, dict[str, Mapping[str, bytes]]] = {name: {} for name in operator_versions}
    for vector in make_operator(source.specs, operator, profile, patterns).vectors:
        name = vector.listed.operator_version
        if name in made:  # else it is a control of another version
            made[name][vector.listed.id] = vector.files
    return [
        differing
        for name, vectors in made.items()
        for differing in put(source.archive(name), source.lock.version(name).vectors, vectors)
    ]


def _reply(source: PublishedVectors, line: str) -> dict[str, Any]:
    """The answer to one line; an error is told, as the run has to say it."""
    request = json.loads(line)
    try:
        return {"differing": make(source, request["operator"], request["versions"])}
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
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may be among the replies
    for line in sys.stdin:
        replies.write(json.dumps(_reply(source, line)) + "\n")
        replies.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
