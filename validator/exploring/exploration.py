"""The loop: draw, run, judge, remember; until the time is over, the calls are drawn, or Ctrl-C."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from onnx_conformance.core.exploring.explorer import Explored, Refusal
from onnx_conformance.core.exploring.ids import is_explored
from onnx_conformance.core.text import one_line

from ..judging.verdicts import Verdict
from ..results.causes import words_without_particulars
from ..results.records import Row
from .causes import Failure
from .learning import Learning
from .schedule import Schedule, operator_in
from .supplying.makers import Makers, Task

if TYPE_CHECKING:
    from .running import Judging

# Calls that are ready and wait for the backend, and tasks that wait for a process, at most.
_READY, _OPEN = 48, 12
# An operator of which so many calls in a row could not be put to the backend is left.
_FRUITLESS = 40
_NO_FAILURE = (Verdict.PASS, Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE)


@dataclass
class Tally:
    """What was drawn of one operator.

    Attributes:
        refused: calls that were not put to the backend, by reason.
        tries: calls that the documents refused before one that they permit.
        verdicts: of the calls that ran.
        seconds: of drawing and running.
    """

    refused: Counter[str] = field(default_factory=Counter)
    tries: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def ran(self) -> int:
        """How many calls ran."""
        return self.verdicts.total()

    @property
    def valid(self) -> float | None:
        """The share of drawn calls that the documents permit; None if none was drawn."""
        invalid = self.tries + self.refused[Refusal.INVALID]
        # What a backend lacks, or what is too much for us, may be valid: nobody asked.
        return self.ran / (self.ran + invalid) if self.ran + invalid else None


@dataclass(frozen=True)
class Fault:
    """A fault of ours that exploration met.

    Attributes:
        example: the id of the first call that shows it.
        message: what went wrong.
        calls: how many calls met it.
    """

    example: str
    message: str
    calls: int


class Exploration:
    """Explores one backend.

    Attributes:
        tallies: what was drawn, by operator.
        failures: calls that the backend did not pass.
    """

    def __init__(
        self,
        schedule: Schedule,
        makers: Makers,
        runner: Judging,
        learning: Learning,
        *,
        count: int | None = None,
    ) -> None:
        """Explore until `over` says so, or until `count` calls are drawn."""
        self._schedule = schedule
        self._makers = makers
        self._runner = runner
        self._learning = learning
        self._left = count
        self._calls: dict[str, Explored] = {}
        self._parked: dict[str, list[Explored]] = {}
        self._fruitless: Counter[str] = Counter()
        self._faults: dict[tuple[str, str], tuple[str, str, int]] = {}
        self._stopping = False
        self.tallies: dict[str, Tally] = defaultdict(Tally)
        self.failures: list[Failure] = []
        self.drawn = 0

    @property
    def faults(self) -> list[Fault]:
        """Our own faults that it met, the most frequent first."""
        found = [Fault(*item) for item in self._faults.values()]
        return sorted(found, key=lambda item: (-item.calls, item.example))

    def run(self, over: Callable[[Exploration], bool], watch: Callable[[], None]) -> None:
        """Explore; `watch` is called now and then."""
        while not (self._runner.unusable or self._runner.stopped):
            if not self._stopping and over(self):
                self._stopping = True
                self._makers.forget()
            if not self._feed() and not self._under_way():
                break
            if self._stopping and not self._runner.busy:
                break
            for explored in self._makers.results(0 if self._runner.busy else 0.05):
                self._take(explored)
            for row in self._runner.rows():
                self._judged(row)
            watch()
        for row in self._runner.rest():
            self._judged(row)

    def _under_way(self) -> bool:
        return bool(self._makers.open or self._runner.busy)

    def _feed(self) -> bool:
        """Have more drawn; False once there is nothing more to draw."""
        while (
            not self._stopping
            and self._makers.open < max(_OPEN, self._makers.most)
            and self._runner.ahead < _READY
            and (self._left is None or self._left > 0)
        ):
            following = self._schedule.by_time() if self._left is None else self._schedule.in_turn()
            if following is None:
                return False
            if self._left is not None:
                self._left -= 1
            self.drawn += 1
            name = str(following)
            operator = operator_in(name)
            self._makers.submit(Task(name, avoid=self._learning.avoid(operator), key=operator))
        return not self._stopping and (self._left is None or self._left > 0)

    # --- what was drawn ---

    def _take(self, explored: Explored) -> None:
        if not is_explored(explored.id):
            self._base_made(explored)
            return
        operator = operator_in(explored.id)
        tally = self.tallies[operator]
        tally.tries += explored.tries
        tally.seconds += explored.seconds
        self._schedule.took(operator, explored.seconds)
        if explored.refusal is not None:
            self._refused(operator, explored)
        elif not explored.base or self._learning.passes(explored.base):
            self._add(explored)
        elif self._learning.passes(explored.base) is False:
            self._avoided(operator, explored.base)
        elif explored.base in self._parked:
            self._parked[explored.base].append(explored)
        else:
            self._parked[explored.base] = [explored]
            self._makers.submit(Task(explored.base, is_base=True, key=operator))

    def _add(self, explored: Explored) -> None:
        if explored.id not in self._calls and not self._runner.stopped:
            self._calls[explored.id] = explored
            self._runner.add(explored)

    def _refused(self, operator: str, explored: Explored) -> None:
        refusal = explored.refusal or Refusal.NOTHING
        self.tallies[operator].refused[refusal] += 1
        if refusal is Refusal.FAULT:
            self._fault(explored)
        self._done(operator, fruitful=False)

    def _fault(self, explored: Explored) -> None:
        words = words_without_particulars(explored.message, explored.operator)
        key = (explored.operator, words)
        example, message, calls = self._faults.get(
            key, (explored.id, f"{explored.operator}: {one_line(explored.message, 300)}", 0)
        )
        self._faults[key] = (example, message, calls + 1)

    def _avoided(self, operator: str, base: str) -> None:
        self._learning.lack(operator, f"base {base}")
        self.tallies[operator].refused[Refusal.AVOIDED] += 1
        self._done(operator, fruitful=False)

    def _base_made(self, explored: Explored) -> None:
        if explored.files is not None:
            self._runner.add(explored)
            return
        if explored.refusal is Refusal.FAULT:
            self._fault(explored)
        self._learning.no_base(explored.id)
        self._released(explored.id)

    def _released(self, base: str) -> None:
        """Go on with the calls that waited for a vector of the corpus."""
        for explored in self._parked.pop(base, ()):
            if self._learning.passes(base):
                self._add(explored)
            else:
                self._avoided(operator_in(explored.id), base)

    # --- what the backend did ---

    def _judged(self, row: Row) -> None:
        if not is_explored(row.id):
            self._learning.base(row)
            self._released(row.id)
            return
        explored = self._calls.pop(row.id)
        operator = operator_in(row.id)
        tally = self.tallies[operator]
        tally.verdicts[row.verdict] += 1
        tally.seconds += row.seconds
        self._schedule.took(operator, row.seconds)
        traits = tuple(item for item in explored.traits if not item.startswith("base "))
        self._learning.call(operator, traits, row)
        if row.verdict == Verdict.BAD_VECTOR:
            self._fault(replace(explored, message=row.message))
        elif row.verdict not in _NO_FAILURE:
            self.failures.append(Failure(row, explored, row.id))
        self._done(operator, fruitful=row.verdict not in _NO_FAILURE[1:])

    def _done(self, operator: str, *, fruitful: bool) -> None:
        self._schedule.finished(operator)
        self._fruitless[operator] = 0 if fruitful else self._fruitless[operator] + 1
        if self._fruitless[operator] >= _FRUITLESS:
            self._schedule.give_up(operator)
