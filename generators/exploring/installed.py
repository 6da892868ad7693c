"""The explorer that is installed with this package: see `core.exploring`."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from onnx_conformance.core.errors import BadInputError, ConformanceError
from onnx_conformance.core.exploring.explorer import Explored, Refusal
from onnx_conformance.core.exploring.ids import ExploredId, parse_id
from onnx_conformance.core.text import one_line

from ..situations.permitting.permitted import NotPermittedError, NotPresentedError
from .anew import fresh_vector
from .corpus import bases_of, chosen, graph_opsets, has_vectors
from .drawing import Drawer, Drawing, NotDrawnError, drawer_of

#: How often something else is drawn where the documents refuse what was drawn.
ATTEMPTS = 8
_KEPT = 64
# The letter of `modelled`, which needs a file.
_MODEL = "m"


class InstalledExplorer:
    """Draws calls with the specs and oracles of this package."""

    def __init__(self) -> None:
        """Nothing is read before it is asked for."""
        self._drawings: OrderedDict[str, Sequence[Drawing]] = OrderedDict()
        self._model: Drawer | None = None

    def subjects(
        self, operators: Sequence[str], *, graphs: bool = False
    ) -> Mapping[str, Sequence[str]]:
        """As `core.exploring.explorer.Explorer` says."""
        if graphs:
            return {"graph": tuple(f"graph-{opset}" for opset in graph_opsets())}
        return chosen(operators)

    def without_vectors(self, operators: Sequence[str]) -> Sequence[str]:
        """As `core.exploring.explorer.Explorer` says."""
        return [slug for slug in chosen(operators) if not has_vectors(slug)]

    def of_model(self, path: Path) -> Mapping[str, Sequence[str]]:
        """As `core.exploring.explorer.Explorer` says."""
        from .modelled import ModelDrawer

        drawer = ModelDrawer(path)
        self._model = drawer
        return drawer.subjects

    def _drawer(self, letter: str) -> Drawer:
        """The drawer with a letter; BadInputError if there is none."""
        if letter != _MODEL:
            return drawer_of(letter)
        if self._model is None:
            raise BadInputError(
                "this call was drawn from a user's model: `onnx-validate explore --model FILE`"
                " draws it again, and writes it with --output"
            )
        return self._model

    def draw(self, explored_id: str, avoid: frozenset[str] = frozenset()) -> Explored:
        """As `core.exploring.explorer.Explorer` says."""
        began = time.monotonic()
        parsed = parse_id(explored_id)
        if parsed.steps:
            drawing = self._simpler(parsed)
            if drawing is None:
                return Explored(explored_id, refusal=Refusal.NOTHING, message="nothing is simpler")
            return _explored(explored_id, drawing, avoid, began)[0]
        return self._first(parsed, avoid, began)[0]

    def base(self, vector_id: str) -> Explored:
        """As `core.exploring.explorer.Explorer` says."""
        began = time.monotonic()
        drawing = bases_of(vector_id.split("/", 1)[0].rpartition("-")[0]).call(vector_id)
        return _explored(vector_id, drawing, frozenset(), began)[0]

    def fresh(self, vector_id: str, seed: str) -> Explored:
        """As `core.exploring.explorer.Explorer` says."""
        return fresh_vector(vector_id, seed)

    def drawing(self, explored_id: ExploredId) -> Drawing | None:
        """What an id names, without asking an oracle; None if nothing is simpler."""
        if explored_id.steps:
            return self._simpler(explored_id)
        found, drawing = self._first(explored_id, frozenset(), time.monotonic())
        refused = found.refusal in (Refusal.INVALID, Refusal.NOT_PRESENTED)
        return None if refused else drawing

    def _first(
        self, parsed: ExploredId, avoid: frozenset[str], began: float
    ) -> tuple[Explored, Drawing | None]:
        """The first attempt that the documents permit, or the last, with its drawing."""
        name, drawer = str(parsed), self._drawer(parsed.drawer)
        found, drawing = Explored(name, refusal=Refusal.NOTHING), None
        tries = 0
        for attempt in range(ATTEMPTS):
            try:
                drawn = drawer.draw(parsed.subject, parsed.seed, parsed.index, attempt)
            except NotDrawnError as error:
                return Explored(name, refusal=Refusal.NOTHING, message=str(error)), None
            except ConformanceError:
                raise
            except Exception as error:
                return _failed(name, error), None
            if not drawn.edits:
                continue
            found, drawing = _explored(name, drawn, avoid, began, tries)
            if found.refusal not in (Refusal.INVALID, Refusal.NOT_PRESENTED):
                break
            # What a form cannot present is permitted by the document.
            tries += found.refusal is Refusal.INVALID
        return found, drawing

    def _simpler(self, parsed: ExploredId) -> Drawing | None:
        """The drawing at the end of the steps of an id; None if there is no such step."""
        before = type(parsed)(
            parsed.subject, parsed.drawer, parsed.seed, parsed.index, parsed.steps[:-1]
        )
        key = str(before)
        if key not in self._drawings:
            drawing = self.drawing(before)
            self._drawings[key] = (
                [] if drawing is None else self._drawer(parsed.drawer).simpler(drawing)
            )
            while len(self._drawings) > _KEPT:
                self._drawings.popitem(last=False)
        simpler, number = self._drawings[key], parsed.steps[-1]
        return simpler[number] if number < len(simpler) else None


def _explored(
    explored_id: str, drawing: Drawing, avoid: frozenset[str], began: float, tries: int = 0
) -> tuple[Explored, Drawing]:
    """The call, in the plain form where its own cannot present it; and the drawing of it."""
    told = Explored(
        explored_id,
        drawing.operator,
        drawing.base,
        tuple(drawing.edits),
        tuple(drawing.traits),
        tries=tries,
    )
    lacking = avoid.intersection(drawing.traits)
    if lacking:
        return replace(told, refusal=Refusal.AVOIDED, message=min(lacking)), drawing
    try:
        made = drawing.made(explored_id)
    except NotPresentedError as error:
        plain = drawing.plain()
        if plain != drawing and plain.edits:
            return _explored(explored_id, plain, avoid, began, tries)
        refusal, message = Refusal.NOT_PRESENTED, one_line(str(error), 300)
    except NotPermittedError as error:
        refusal, message = error.refusal, one_line(str(error), 300)
    except Exception as error:
        refusal, message = Refusal.FAULT, one_line(f"{type(error).__name__}: {error}", 300)
    else:
        kind, seconds = made.vector.kind.value, time.monotonic() - began
        return replace(told, kind=kind, files=made.files, seconds=seconds), drawing
    seconds = time.monotonic() - began
    return replace(told, refusal=refusal, message=message, seconds=seconds), drawing


def _failed(explored_id: str, error: Exception) -> Explored:
    text = one_line(f"cannot be drawn: {type(error).__name__}: {error}", 300)
    return Explored(explored_id, refusal=Refusal.FAULT, message=text)


def installed_explorer() -> InstalledExplorer:
    """The explorer; nothing is read before it is used."""
    return InstalledExplorer()
