"""`onnx-vectors promote`: write what exploration found as a case of the operator's spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.documents import parse_json
from onnx_conformance.core.errors import BadInputError, ExitCode, UsageError
from onnx_conformance.core.exploring.ids import parse_id

from .arguments import add_specs_folder

if TYPE_CHECKING:
    import argparse

EPILOG = """\
Without --write the case is printed. It is refused where no requirement covers it, and, with
--found, where a vector of the corpus shows the same on that backend already. What is written has no
name unless --name gives one: fill it in, and say in `purpose` what a runtime gets wrong.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = EPILOG
    add_specs_folder(parser)
    parser.add_argument("id", metavar="ID", help="of the finding: explore/conv-22/s7f3a.121")
    parser.add_argument(
        "--name", metavar="NAME", help="the id of the case: lower case, underscores"
    )
    parser.add_argument(
        "--covers",
        metavar="REQUIREMENT",
        help="the requirement that it is under (default: the first of the vector it began with)",
    )
    parser.add_argument(
        "--found",
        type=Path,
        metavar="RESULTS",
        help="results of the exploration: what they call known is refused",
    )
    parser.add_argument("--write", action="store_true", help="add the case to the spec")


def execute(arguments: argparse.Namespace) -> int:
    """Print the case, or write it."""
    from onnx_conformance.core.files import write_whole

    from ..exploring.installed import installed_explorer
    from ..exploring.promoting import NAMELESS, inserted, promoted
    from ..planning.reading import read_specs

    parsed = parse_id(arguments.id)
    if arguments.found is not None:
        _refuse_known(arguments.found, arguments.id)
    drawing = installed_explorer().drawing(parsed)
    if drawing is None:
        raise BadInputError(f"{arguments.id}: there is no such call in this version")
    case = promoted(drawing, arguments.covers, arguments.name or NAMELESS)
    if not arguments.write:
        print("\n".join(case.lines))
        return ExitCode.OK
    path = arguments.specs / Path(case.path).name
    if not path.is_file():
        raise UsageError(f"{path}: no such spec; name the folder of the specs with --specs")
    before = path.read_text("utf-8")
    named = read_specs(arguments.specs, (path.stem,))[1][0] if arguments.name else None
    write_whole(path, inserted(before, case, named))
    if arguments.name:
        try:
            read_specs(arguments.specs, (path.stem,))
        except BadInputError:
            write_whole(path, before)
            raise
    print(f"{path}: has the case, under '{case.covers}'; `onnx-vectors admit` proposes its vectors")
    return ExitCode.OK


def _refuse_known(path: Path, finding: str) -> None:
    """BadInputError where results of an exploration say that the corpus shows the same already."""
    try:
        last = path.read_bytes().splitlines()[-1]
        causes = parse_json(last, path)["explored"]["causes"]
        known = {str(item["id"]): str(item["known"]) for item in causes}
    except (OSError, IndexError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise BadInputError(f"{path}: holds no results of an exploration: {error!r}") from None
    if known.get(finding):
        raise BadInputError(f"{finding}: {known[finding]} shows the same on this backend already")
