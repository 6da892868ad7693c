"""Which tests each changed file concerns, and by which rule."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .reaching import HELPERS, OTHERS, PACKAGES, Reached, Reaching, module_of
from .sources import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

# What every test depends on.
_EVERYTHING = ("pyproject.toml", "constraints.txt", "tests/conftest.py")
_MISBEHAVING = f"{HELPERS}/misbehaving/"
# Folders whose files tests read as a whole, by the names that tests/support/places.py gives them.
_FOLDERS = {"specs": "SPECS", "vectors": "VECTORS"}


@dataclass(frozen=True)
class Chosen:
    """The tests that one changed file concerns.

    Attributes:
        file: The changed file, from the root of the checkout.
        rule: Why these tests, in words that follow the file's name.
        tests: Files of tests, from the root of the checkout, sorted. There may be none.
    """

    file: str
    rule: str
    tests: tuple[str, ...]


class Choosing:
    """Knows what each file of tests leads to."""

    def __init__(self, root: Path, imported: Mapping[str, Iterable[str]]) -> None:
        """Take the checkout, and which modules of ours each of them imports."""
        self._root = root
        self._imported = imported

    @cached_property
    def _tests(self) -> dict[str, Reached]:
        reaching = Reaching(self._root, self._imported)
        return {
            path.relative_to(self._root).as_posix(): reaching.of(path)
            for path in sorted((self._root / "tests").rglob("test_*.py"))
        }

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        """What each module of ours spells out, by its dotted name."""
        found = {}
        for package in (*PACKAGES, *OTHERS):
            for path in (self._root / package).rglob("*.py"):
                module = module_of(path.relative_to(self._root).as_posix())
                if module in self._imported:
                    found[str(module)] = read_source(path).words
        return found

    def of(self, file: str) -> Chosen:
        """Which tests a changed file concerns."""
        chosen = self._of(file)
        if not file.endswith(".py"):
            return chosen
        whole = {
            name for name, reached in self._tests.items() if _reads_every_module(name, reached)
        }
        return self._chosen_tests(file, chosen.rule, whole.union(chosen.tests))

    def _of(self, file: str) -> Chosen:
        place = PurePosixPath(file)
        if file in _EVERYTHING:
            return self._chosen(file, "concerns every test", lambda _: True)
        if place.parts[0] == "tests" and place.name.startswith("test_") and place.suffix == ".py":
            return self._chosen_tests(file, "is a test, and runs", {file})
        if str(place.parent) == HELPERS and place.suffix == ".py":
            return self._chosen(
                file, "is imported by", lambda reached: place.stem in reached.helpers
            )
        if file.startswith(_MISBEHAVING):
            names = {place.name, place.stem}
            return self._chosen(file, "is named by", lambda reached: bool(names & reached.words))
        module = module_of(file)
        return self._of_data(place) if module is None else self._of_module(file, module)

    def _of_module(self, file: str, module: str) -> Chosen:
        own = self._own_tests(PurePosixPath(file))
        if module not in self._imported:
            return self._chosen_tests(file, "is gone; what lies beside it is tested by", own)
        found = {name for name, reached in self._tests.items() if module in reached.modules}
        return self._chosen_tests(file, "is reached by", found | own)

    def _own_tests(self, place: PurePosixPath) -> set[str]:
        """The test of a module's name, or else those of its folder; none where there are none."""
        folder = PurePosixPath("tests") / place.parent
        own = f"{folder}/test_{place.stem}.py"
        if own in self._tests:
            return {own}
        return {name for name in self._tests if PurePosixPath(name).parent == folder}

    def _of_data(self, place: PurePosixPath) -> Chosen:
        """What is no module of ours: by its name, or else by the folder that it lies in.

        Where a folder is no package, its files are read as a whole, and both names count.
        """
        file = str(place)
        if place.parts[0] == "specs" and place.suffix == ".yaml" and len(place.parts) == 2:
            return self._of_spec(place)
        whole = place.suffix or len(place.parts) == 1  # `run`, in a folder, is everybody's word
        name = {place.name} if whole else set()
        if place.parts[0] not in (*PACKAGES, *OTHERS, "docs", "tests") and len(place.parts) > 1:
            return self._named(file, {*name, place.parts[0], place.parent.name})
        by_name = self._named(file, name)
        if by_name.tests:
            return by_name
        for folder in place.parents:
            if folder.name and (found := self._named(file, {folder.name})).tests:
                return found
        return by_name

    def _of_spec(self, place: PurePosixPath) -> Chosen:
        """A spec: tests that name its operator, and those that read every spec."""
        operator = self._operators.get(place.stem, place.stem)
        words = {place.stem, place.name, operator, _FOLDERS["specs"]}
        return self._chosen(
            str(place),
            f"({operator}) is named, or read with all specs, by",
            lambda reached: bool(words & reached.words),
        )

    @cached_property
    def _operators(self) -> dict[str, str]:
        """The operator of each spec, by the name of the file."""
        schemas = json.loads((self._root / "specs" / "schemas.json").read_bytes())
        return {
            f"{domain}.{name}".lower().lstrip("."): name
            for domain, operators in schemas["operators"].items()
            for name in operators
        }

    def _named(self, file: str, names: set[str]) -> Chosen:
        """Tests that name a file or its folder, or lead to a module that reads it.

        Modules name pages, too, to send people there; only tests read these.
        """
        words = {*names, *(_FOLDERS.get(name, name) for name in names)}
        page = file.endswith(".md")
        modules = {item for item, said in self._words.items() if words & said and not page}
        return self._chosen(
            file,
            f"is found by the name {' or '.join(sorted(names))} in",
            lambda reached: bool(words & reached.words or modules & reached.modules),
        )

    def _chosen(self, file: str, rule: str, concerned: Callable[[Reached], bool]) -> Chosen:
        found = {name for name, reached in self._tests.items() if concerned(reached)}
        return self._chosen_tests(file, rule, found)

    def _chosen_tests(self, file: str, rule: str, tests: set[str]) -> Chosen:
        return Chosen(file, rule, tuple(sorted(tests & self._tests.keys())))


def _reads_every_module(name: str, reached: Reached) -> bool:
    """Whether a file of tests is about the checkout as a whole, and looks for `*.py` in it."""
    return name.startswith("tests/repository/") and ".py" in reached.words
