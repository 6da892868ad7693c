"""Which tests each changed file concerns, and by which rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from .reaching import HELPERS, OTHERS, PACKAGES, Reached, Reaching, module_of
from .sources import read_source

# What every test depends on.
_EVERYTHING = ("pyproject.toml", "constraints.txt", "tests/conftest.py")
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
        return {
            str(module): read_source(path).words
            for package in (*PACKAGES, *OTHERS)
            for path in (self._root / package).rglob("*.py")
            if (module := module_of(path.relative_to(self._root).as_posix())) in self._imported
        }

    def of(self, file: str) -> Chosen:
        """Which tests a changed file concerns."""
        rule, tests = self._of(file)
        if file.endswith(".py"):  # some tests are about the checkout, and look for *.py in it
            whole = self._those(lambda reached: ".py" in reached.words)
            tests |= {name for name in whole if name.startswith("tests/repository/")}
        return Chosen(file, rule, tuple(sorted(tests)))

    def _of(self, file: str) -> tuple[str, set[str]]:
        place, module = PurePosixPath(file), module_of(file)
        if file in _EVERYTHING:
            return "concerns every test", set(self._tests)
        if module is not None:
            own = self._own_tests(place)
            if module not in self._imported:
                return "is gone; what lies beside it is tested by", own
            return "is reached by", own | self._those(lambda reached: module in reached.modules)
        if place.parts[0] == "tests":
            return self._of_tests(place)
        return self._of_spec(place) if place.match("specs/*.yaml") else self._of_data(place)

    def _of_tests(self, place: PurePosixPath) -> tuple[str, set[str]]:
        """What is in the folder of tests: a test, what tests share, or data."""
        if place.match("test_*.py"):
            return "is a test, and runs", {str(place)} & self._tests.keys()
        if str(place.parent) == HELPERS and place.suffix == ".py":
            return "is imported by", self._those(lambda reached: place.stem in reached.helpers)
        if place.parent.name == "misbehaving":  # started as programs, with or without the ending
            return self._named(place, {place.name, place.stem})
        return self._of_data(place)

    def _own_tests(self, place: PurePosixPath) -> set[str]:
        """The test of a module's name, or else those of its folder; none where there are none."""
        folder = PurePosixPath("tests") / place.parent
        own = f"{folder}/test_{place.stem}.py"
        if own in self._tests:
            return {own}
        return {name for name in self._tests if PurePosixPath(name).parent == folder}

    def _of_data(self, place: PurePosixPath) -> tuple[str, set[str]]:
        """What is no module of ours: by its name, or else by the folder that it lies in.

        Where a folder is no package, its files are read as a whole, and both names count.
        """
        whole = place.suffix or len(place.parts) == 1  # `run`, in a folder, is everybody's word
        names = {place.name} if whole else set()
        folders = [folder.name for folder in place.parents if folder.name]
        if folders and folders[-1] not in (*PACKAGES, *OTHERS, "docs", "tests"):
            return self._named(place, {*names, folders[0], folders[-1]})
        rule, found = self._named(place, names)
        for folder in folders:
            if not found:
                rule, found = self._named(place, {folder})
        return rule, found

    def _of_spec(self, place: PurePosixPath) -> tuple[str, set[str]]:
        """A spec: tests that name its operator, and those that read every spec."""
        operator = place.stem.rpartition(".")[2]  # in small letters; its domain is before it
        words = {place.name, place.stem, operator, _FOLDERS["specs"]}
        return f"is named as {operator}, or read with all specs, by", self._those(
            lambda reached: bool(words & {*reached.words, *map(str.lower, reached.words)})
        )

    def _named(self, place: PurePosixPath, names: set[str]) -> tuple[str, set[str]]:
        """Tests that name a file or its folder, or lead to a module that reads it.

        Modules name pages, too, to send people there; only tests read these.
        """
        words = {*names, *(_FOLDERS.get(name, name) for name in names)}
        page = place.suffix == ".md"
        modules = {item for item, said in self._words.items() if words & said and not page}
        return f"is found by the name {' or '.join(sorted(names))} in", self._those(
            lambda reached: bool(words & reached.words or modules & reached.modules)
        )

    def _those(self, concerned: Callable[[Reached], bool]) -> set[str]:
        return {name for name, reached in self._tests.items() if concerned(reached)}
