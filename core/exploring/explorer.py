"""What the validator may ask of whoever draws calls that no spec wrote down: an installed package.

An explorer is found by name, so that the validator knows nothing of specs and oracles: an entry
point of the group `onnx_conformance.exploring`, named `published`, that takes nothing and returns
one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..errors import BadInputError
from ..installed import installed
from ..words import Word

GROUP = "onnx_conformance.exploring"


class Refusal(Word):
    """Why a drawn call is not put to a backend."""

    INVALID = "invalid"  # the document does not permit it
    NO_ORACLE = "no-oracle"  # nothing says what it must return
    TOO_LARGE = "too-large"  # more elements than are asked for
    OUT_OF_TIME = "out-of-time"  # the oracle takes too long
    FAULT = "fault"  # ours: an oracle that fails, a model that we cannot write
    NOT_PRESENTED = "not-presented"  # the form that was drawn cannot hold it
    AVOIDED = "avoided"  # the backend is known not to have what it needs
    NOTHING = "nothing"  # there is no such call: the last simpler one is passed


@dataclass(frozen=True)
class Explored:
    """A drawn call, or why there is none.

    Attributes:
        id: of the call.
        operator: its operator as in the document; empty for a graph of several.
        base: the vector of the corpus that it was made from; empty if there is none.
        edits: what was changed in that, each in words whose part before '=' is its kind.
        traits: what a backend must have for it; a caller names those that it lacks.
        kind: as of a vector; `valid` or `latitude`.
        files: the files of its vector, by path in its directory; empty if it was refused.
        refusal: why it is not put to a backend; None if it is.
        message: the reason in words.
        seconds: what drawing it took.
        tries: how many calls the documents refused before.
    """

    id: str
    operator: str = ""
    base: str = ""
    edits: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    kind: str = "valid"
    files: Mapping[str, bytes] | None = None
    refusal: Refusal | None = None
    message: str = ""
    seconds: float = 0.0
    tries: int = 0


class Explorer(Protocol):
    """Draws calls, each from its id alone: the same files on every machine."""

    def subjects(
        self, operators: Sequence[str], *, graphs: bool = False
    ) -> Mapping[str, Sequence[str]]:
        """By operator, its versions with something to draw from, as in ids, the newest first.

        Args:
            operators: names of operators in any letter case; empty means all.
            graphs: the subjects of graphs instead, which are drawn from these operators.

        Raises IncompleteError, with similar names, for one that the corpus does not have.
        """
        ...

    def without_vectors(self, operators: Sequence[str]) -> Sequence[str]:
        """Operators without a vector to draw from, as in ids."""
        ...

    def of_model(self, path: Path) -> Mapping[str, Sequence[str]]:
        """Draw by the letter `m` from the uses of a model, from now on.

        Returns by operator, as in ids, its versions that the model uses and that something can be
        drawn of. Raises BadInputError if the file holds no model.
        """
        ...

    def draw(self, explored_id: str, avoid: frozenset[str] = frozenset()) -> Explored:
        """The call with that id; see `Explored` for what refuses it.

        Args:
            explored_id: of the call.
            avoid: traits that the backend is known not to have: no oracle is asked then.

        Raises BadInputError if it is no id, or names nothing that is here.
        """
        ...

    def fresh(self, vector_id: str, seed: str) -> Explored:
        """A vector of the corpus with its derived inputs drawn anew from the same profiles.

        A vector whose values are all written out, or that cannot be made of other values, is the
        one of the corpus: its `edits` are empty then, and `message` may say why.

        Args:
            vector_id: of a vector of an operator; of others nothing is refused but made.
            seed: another one gives other values.
        """
        ...

    def base(self, vector_id: str) -> Explored:
        """A vector of the corpus in the same form, to learn whether a backend passes it."""
        ...


def find_explorer() -> Explorer:
    """The installed explorer; BadInputError if there is none."""
    try:
        make: Callable[[], Explorer] = installed(GROUP, "this installation cannot draw calls")
        return make()
    except ImportError as error:
        raise BadInputError(f"calls cannot be drawn here: {error}") from None
