"""Which way imports go: the tree keeps to it, and a step the other way is noticed."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = ("core", "generators", "validator", "src", "second_opinion", "strength", "tools")
LINT = "import sys; from importlinter.cli import lint_imports_command as lint; lint()"


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


HOUSES = "generators and validator import core, and know nothing of each other"
# module that gets it, the line, the contract that it breaks, and what the report says
FORBIDDEN = [
    (
        "core/files.py",
        "from onnx_conformance.validator.judging import verdicts",
        HOUSES,
        "core.files -> onnx_conformance.validator.judging.verdicts",
    ),
    (
        "generators/main.py",
        "from onnx_conformance.validator.judging import verdicts",
        HOUSES,
        "generators.main -> onnx_conformance.validator.judging.verdicts",
    ),
    (
        "validator/main.py",
        "def later():\n    from onnx_conformance.generators.corpus.shipping import installed",
        HOUSES,
        "validator.main -> onnx_conformance.generators.corpus.shipping.installed",
    ),
    (
        "validator/gate/entries.py",
        "def later():\n    import tools.figures",
        "tools: what is made from results and specs; the packages know nothing of it",
        "validator.gate.entries -> tools.figures",
    ),
    (
        "second_opinion/evaluators/signal/fourier.py",
        "def later():\n    from onnx_conformance.generators import oracle",
        "the second opinion knows nothing of the first, nor of who else answers",
        "second_opinion.evaluators.signal.fourier -> onnx_conformance.generators.oracle",
    ),
    (
        "strength/vectors.py",
        "def later():\n    from .records import record",
        "strength: from the commands down to vectors; wrong runtimes and mutants apart",
        "strength.vectors -> strength.records.record",
    ),
    (
        "core/values/floats.py",
        "from ..corpus import patterns",
        "core: the corpus is made of values",
        "core.values.floats -> onnx_conformance.core.corpus.patterns",
    ),
    (
        "validator/judging/judge.py",
        "from ..results import merging",
        "validator: from the commands down to judging",
        "validator.judging.judge -> onnx_conformance.validator.results.merging",
    ),
    (
        "generators/specs/cases/reading.py",
        "from ...forms import all_forms",
        "generators: from the commands down to signatures",
        "generators.specs.cases.reading -> onnx_conformance.generators.forms",
    ),
    (
        "generators/situations/making.py",
        "def later():\n    from ..planning.plans import Plan",
        "generators: from the commands down to signatures",
        "generators.situations.making -> onnx_conformance.generators.planning.plans",
    ),
    (
        "validator/harnesses/kit.py",
        "import onnx_conformance.core.errors",
        "harnesses run in other people's interpreters, and import nothing of ours",
        "validator.harnesses.kit -> onnx_conformance.core.errors",
    ),
    (
        "generators/oracle/arith/numbers.py",
        "def later():\n    import numpy",
        "the oracle shares nothing with the witnesses",
        "generators.oracle.arith.numbers -> numpy",
    ),
    (
        "generators/importing/kept.py",
        "from . import verifying",
        "no circles",
        "No cycles are allowed in onnx_conformance.generators.importing.",
    ),
    (
        "core/attic.py",
        "",
        "core: the corpus is made of values",
        "onnx_conformance.core.attic",
    ),
]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a copy of the tree in which every forbidden import stands."""
    root = tmp_path_factory.mktemp("tree")
    unwanted = shutil.ignore_patterns("__pycache__", "skeletons")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, symlinks=True, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", root)
    for module, line, _, _ in FORBIDDEN:
        with (root / module).open("a", encoding="utf-8") as stream:
            stream.write(f"\n\n{line}\n")
    result = lint(root)
    assert 1 == result.returncode, result.stdout + result.stderr
    return result.stdout


def test_every_import_goes_the_permitted_way() -> None:
    result = lint(ROOT)
    assert 0 == result.returncode, result.stdout
    assert ", 0 broken." in result.stdout


@pytest.mark.parametrize(("module", "line", "contract", "arrow"), FORBIDDEN)
def test_an_import_that_goes_another_way_is_noticed(
    broken: str, module: str, line: str, contract: str, arrow: str
) -> None:
    assert f"{contract} BROKEN" in broken, (module, line)
    report = broken.split("Broken contracts")[1]
    of_contract = report.split(f"\n{contract}\n-")[1]
    assert "".join(arrow.split()) in "".join(of_contract.split())


PACKAGES = [ROOT / name for name in ("core", "generators", "validator", "strength", "tools")]


def own_modules(package: Path) -> list[Path]:
    """Our modules; skeletons are files to copy, in folders as other people have them."""
    return [path for path in sorted(package.rglob("*.py")) if "skeletons" not in path.parts]


def docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_module_of_more_than_400_lines_says_why(package: Path) -> None:
    assert [] == [
        f"{path.relative_to(ROOT)}: {lines} lines"
        for path in own_modules(package)
        if (lines := len(path.read_text("utf-8").splitlines())) > 400
        and "400 lines" not in docstring(path)
    ]


def crowded(package: Path, root: Path) -> list[str]:
    """The folders of more than a dozen modules whose docstring does not say why."""
    modules = [path for path in own_modules(package) if path.name != "__init__.py"]
    counts = Counter(path.parent for path in modules)
    return [
        f"{folder.relative_to(root)}: {count} modules"
        for folder, count in counts.items()
        if count > 12 and "modules" not in docstring(folder / "__init__.py")
    ]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_folder_of_more_than_a_dozen_modules_says_why(package: Path) -> None:
    assert [] == crowded(package, ROOT)


@pytest.mark.parametrize(
    ("number", "words", "found"),
    [
        (12, "Values.", []),
        (13, "Values.", ["core/values: 13 modules"]),
        (13, "Values.\n\nThe folder has 13 modules: none is apart.", []),
    ],
)
def test_a_folder_is_crowded_from_thirteen_modules_without_a_reason(
    tmp_path: Path, number: int, words: str, found: list[str]
) -> None:
    folder = tmp_path / "core" / "values"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(f'"""{words}"""\n', "utf-8")
    for position in range(number):
        (folder / f"module_{position}.py").write_text("", "utf-8")
    assert found == crowded(tmp_path / "core", tmp_path)


def miscounted(package: Path) -> list[str]:
    """The folders whose docstring tells another number of modules than they have."""
    found = []
    for path in own_modules(package):
        if path.name == "__init__.py":
            count = sum(item.name != "__init__.py" for item in path.parent.glob("*.py"))
            told = re.findall(r"The folder has (\d+) modules", docstring(path))
            found += [
                f"{path.parent.name}: {count}, told {item}" for item in told if item != f"{count}"
            ]
    return found


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_docstring_counts_the_modules_of_its_folder_right(package: Path) -> None:
    assert [] == miscounted(package)


def test_a_docstring_that_counts_wrong_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("", "utf-8")
    (tmp_path / "__init__.py").write_text('"""The folder has 2 modules."""\n', "utf-8")
    assert [f"{tmp_path.name}: 1, told 2"] == miscounted(tmp_path)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_package_says_what_may_come_in_and_what_may_not(package: Path) -> None:
    packages = [path for path in own_modules(package) if path.name == "__init__.py"]
    assert [] == [
        f"{path.relative_to(ROOT)}"
        for path in packages
        # The docstring of `operators` speaks for the folders of all families.
        if path.parents[1].name != "operators"
        and not {"May come in:", "May not:"} <= set(re.findall(r"May .+?:", docstring(path)))
    ]
