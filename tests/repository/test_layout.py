"""Tests lie in folders like the packages, so that a module finds its test and a test its module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# What is tested there is no package: the checkout as a whole, and its pages.
OTHERS = {"repository", "docs"}
PACKAGES = {
    "core",
    "generators",
    "validator",
    "strength",
    "releasing",
    "benchmarks",
    "tools",
    "second_opinion",
}
# Modules that several tests share are importable by their names from here, and hold no tests.
HELPERS = {"support"}


def misplaced(root: Path) -> list[str]:
    """Each Python file below tests/ that is where no reader would look, with what is wrong."""
    found = []
    for path in sorted((root / "tests").rglob("*.py")):
        place = path.relative_to(root / "tests")
        if place.name == "conftest.py":  # where pytest looks for it
            continue
        room, test = place.parent, place.name.startswith("test_")
        if place.parts[0] in HELPERS:
            found += [f"{place}: a test among the helpers"] if test else []
        elif not test:
            found += [f"{place}: a helper among the tests: tests/support/ is for these"]
        elif place.parts[0] in OTHERS and len(place.parts) == 2:
            continue
        elif place.parts[0] not in PACKAGES:
            found += [f"{place}: no package is called that"]
        elif not (root / room).is_dir() or not any((root / room).rglob("*.py")):
            found += [f"{place}: there is no package {room}/"]
    return found


def test_every_test_lies_in_a_folder_of_a_package_or_a_named_other() -> None:
    assert [] == misplaced(ROOT)


def test_what_is_out_of_place_is_named(tmp_path: Path) -> None:
    for name in (
        "core/files.py",
        "tests/conftest.py",
        "tests/core/test_files.py",
        "tests/docs/test_page.py",
        "tests/support/helper.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [] == misplaced(tmp_path)
    for name in (
        "tests/test_flat.py",
        "tests/core/helper.py",
        "tests/core/values/test_floats.py",
        "tests/docs/deep/test_page.py",
        "tests/support/test_helper.py",
        "tests/misc/test_some.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [
        "core/helper.py: a helper among the tests: tests/support/ is for these",
        "core/values/test_floats.py: there is no package core/values/",
        "docs/deep/test_page.py: no package is called that",
        "misc/test_some.py: no package is called that",
        "support/test_helper.py: a test among the helpers",
        "test_flat.py: no package is called that",
    ] == misplaced(tmp_path)
