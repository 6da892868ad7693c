"""`onnx-vectors check`: prove that specs, vectors and manifest agree. Nothing is written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_output, add_specs

if TYPE_CHECKING:
    import argparse

_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_specs(parser)
    add_output(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Hold specs against schemas, witnesses and each other, then the vectors against the specs."""
    from ..corpus.coverage import gaps
    from ..corpus.making import ask_witnesses, plan_corpus
    from ..corpus.writing import corpus_differences
    from ..specs.schema_check import check_against_schemas

    corpus = plan_corpus(arguments.specs, arguments.profile)
    check_against_schemas(corpus.specs)
    problems = list(gaps(corpus))
    ask_witnesses(corpus)
    differences = list(corpus_differences(corpus, arguments.output))
    problems += differences
    for line in problems[:_SHOWN]:
        print(f"onnx-vectors: {line}", file=sys.stderr)
    if len(problems) > _SHOWN:
        print(f"onnx-vectors: and {len(problems) - _SHOWN} more", file=sys.stderr)
    if differences:
        profile = "" if arguments.profile == "standard" else f" --profile {arguments.profile}"
        print(
            f"onnx-vectors: run `onnx-vectors generate --specs {arguments.specs}"
            f" --output {arguments.output}{profile}`, and look at what changed",
            file=sys.stderr,
        )
    if problems:
        return ExitCode.BAD_INPUT
    print(
        f"{arguments.output}: {len(corpus.plans)} vectors agree with"
        f" {len(corpus.specs)} specs and the manifest"
    )
    return ExitCode.OK
