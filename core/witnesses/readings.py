"""What runtimes make of each open question: a ledger of its own, `open_questions.json`.

`tools/open_questions.py` makes it from results files and vectors; `onnx-vectors opens` shows
it beside what the specs say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..documents import INTEGER, OBJECT, OBJECTS, TEXT, check, json_line, parsed, read_plain
from ..errors import BadInputError
from ..limits import MANIFEST
from .ledger import Engine

LEDGER = Path(__file__).with_name("open_questions.json")
FORMAT = 1
#: Stands for a result that no reading permits.
NONE_OF_THESE = ""


@dataclass(frozen=True)
class Asked:
    """A question that vectors ask, and what runtimes answered.

    Attributes:
        vectors: how many ask it.
        example: the id of one, in the plain form where one is.
        taken: for each runtime of the ledger, its readings with their number of vectors; empty for
            one that ran none of them.
    """

    vectors: int
    example: str
    taken: tuple[Mapping[str, int], ...]


@dataclass(frozen=True)
class OpenLedger:
    """What runtimes make of open questions.

    Attributes:
        corpus: version of the corpus.
        runtimes: those that were run.
        questions: by operator as in ids, and by id of the question.
    """

    corpus: str
    runtimes: tuple[Engine, ...]
    questions: Mapping[str, Mapping[str, Asked]]


@cache
def open_ledger() -> OpenLedger:
    """The ledger that comes along."""
    return read_open_ledger(LEDGER)


def read_open_ledger(path: Path) -> OpenLedger:
    """The ledger in a file; BadInputError if it holds none."""
    try:
        document = parsed(read_plain(path, MANIFEST), unique=True)
        check(document, {"format": INTEGER, "corpus": TEXT, "runtimes": OBJECTS})
        check(document, {"questions": OBJECT})
        if document["format"] != FORMAT:
            raise BadInputError(f"{path}: has format {document['format']}, not {FORMAT}")
        runtimes = tuple(Engine(item["name"], item["version"]) for item in document["runtimes"])
        questions = {
            slug: {
                name: Asked(item["vectors"], item["example"], tuple(item["taken"]))
                for name, item in of_one.items()
            }
            for slug, of_one in document["questions"].items()
        }
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path}: is no ledger of open questions: {error!r}") from None
    return OpenLedger(document["corpus"], runtimes, questions)


def open_ledger_text(ledger: OpenLedger) -> str:
    """The ledger as JSON, an operator a line."""
    head = {
        "format": FORMAT,
        "corpus": ledger.corpus,
        "runtimes": [{"name": item.name, "version": item.version} for item in ledger.runtimes],
    }
    lines = [f" {json_line(key)}: {json_line(value)}," for key, value in head.items()]
    operators = [
        f"  {json_line(slug)}: "
        + json_line(
            {
                name: {
                    "vectors": item.vectors,
                    "example": item.example,
                    "taken": [dict(one) for one in item.taken],
                }
                for name, item in of_one.items()
            }
        )
        for slug, of_one in ledger.questions.items()
    ]
    return "\n".join(["{", *lines, ' "questions": {', ",\n".join(operators), " }", "}"]) + "\n"
