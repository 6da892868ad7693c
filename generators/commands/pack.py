"""`onnx-vectors pack OPERATOR`: all that is known of an operator, as Markdown and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.errors import ExitCode

from .arguments import add_specs_folder

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from onnx_conformance.core.corpus.vectors_folder import add_vectors_argument

    add_specs_folder(parser)
    add_vectors_argument(parser)
    parser.epilog = (
        "docs/packs.md describes both files. exit codes: 2 no such operator, 3 a file cannot be"
        " used, or --tags names a requirement that the operator does not have, else 0"
    )
    parser.add_argument("operator", metavar="OPERATOR", help="such as Conv")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("build/packs"),
        metavar="DIR",
        help="the folder for OPERATOR.md and OPERATOR.json (./build/packs)",
    )
    parser.add_argument(
        "--tags",
        type=Path,
        metavar="FILE",
        help="YAML: operator, requirement, and the list of tags that you have for it",
    )
    parser.add_argument(
        "--strength",
        type=Path,
        default=Path("strength/records/record.json"),
        metavar="FILE",
        help="the record of strength (that of the checkout)",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Gather everything and write both files."""
    import json

    from onnx_conformance.core.corpus.requirements import requirements
    from onnx_conformance.core.corpus.vectors_folder import open_vectors
    from onnx_conformance.core.files import write_whole
    from onnx_conformance.core.witnesses.readings import open_ledger

    from ..opens.joining import open_questions, spec_of
    from ..packs.gathering import Beside, entries_of, gathered, strength_of, words_of
    from ..packs.page import page
    from ..packs.tags import read_tags

    operator, slug = spec_of(arguments.specs, arguments.operator)
    corpus = open_vectors(arguments.vectors)
    entries = entries_of(corpus, slug)
    corpus.provide(entries)
    known = words_of(requirements(corpus.root), operator)
    tags = {} if arguments.tags is None else read_tags(arguments.tags, operator, known)
    opens = open_questions(arguments.specs, open_ledger(), slug)
    strength = strength_of(arguments.strength, operator)
    pack = gathered(operator, entries, corpus, Beside(opens, tags, strength))
    arguments.output.mkdir(parents=True, exist_ok=True)
    paths = [arguments.output / f"{slug}{suffix}" for suffix in (".md", ".json")]
    write_whole(paths[0], page(pack))
    write_whole(paths[1], json.dumps(pack, indent=1, ensure_ascii=False) + "\n")
    for path in paths:
        print(path)
    return ExitCode.OK
