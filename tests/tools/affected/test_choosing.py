"""Which tests a changed file concerns, in a small checkout and in ours."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from tools.affected.__main__ import _imported, said
from tools.affected.choosing import Choosing, Chosen
from tools.affected.reaching import BY_NAME, LOADERS, module_of

if TYPE_CHECKING:
    from pathlib import Path

HOUSE = "onnx_conformance"
# What each module imports; test files import what `checkout` writes into them.
IMPORTED = {
    f"{HOUSE}.core.files": [],
    f"{HOUSE}.core.words": [],
    f"{HOUSE}.validator.main": [f"{HOUSE}.core.files"],
    f"{HOUSE}.validator.commands": [],
    f"{HOUSE}.validator.commands.run": [f"{HOUSE}.core.words"],
    f"{HOUSE}.validator.commands.compare": [],
    f"{HOUSE}.generators.oracle.registry": [],
    f"{HOUSE}.generators.oracle.operators.rows.top": [],
    f"{HOUSE}.generators.oracle.operators.making.shape": [],
}
FILES = {
    "core/files.py": "",
    "core/words.py": "",
    "core/table.yaml": "",
    "validator/main.py": "",
    "validator/commands/run.py": '"""See compare.md."""\nTABLE = "table.yaml"\n',
    "validator/commands/compare.py": "",
    "generators/oracle/registry.py": "",
    "generators/oracle/operators/rows/top.py": "",
    "generators/oracle/operators/making/shape.py": "",
    "docs/compare.md": "",
    "specs/topk.yaml": "",
    "specs/schemas.json": json.dumps({"operators": {"": {"TopK": {}}}}),
    "tests/conftest.py": "",
    "tests/support/calls.py": "from onnx_conformance.generators.oracle import registry\n",
    "tests/support/misbehaving/hangs.py": "",
    "tests/core/test_files.py": "from onnx_conformance.core import files\n",
    "tests/core/test_words.py": "def test_words(): pass\n",
    "tests/validator/test_run.py": (
        "from onnx_conformance.validator.main import main\nmain(['run', 'hangs'])\n"
    ),
    "tests/validator/test_child.py": 'CODE = "-m onnx_conformance.validator.main"\nX = "compare"\n',
    "tests/generators/test_top.py": "import calls\ncalls.call('TopK')\n",
    "tests/generators/test_all.py": "from places import SPECS\n",
    "tests/docs/test_pages.py": "PAGE = 'compare.md'\n",
    "tests/repository/test_all_modules.py": "GLOB = '*.py'\n",
}
WHOLE = "repository/test_all_modules"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        # By imports: its own test, and whatever leads to it.
        ("core/files.py", f"core/test_files {WHOLE} validator/test_child validator/test_run"),
        ("core/words.py", f"core/test_words {WHOLE} validator/test_run"),
        # A command is imported by name, by whoever says its name.
        ("validator/commands/run.py", f"{WHOLE} validator/test_run"),
        ("validator/commands/compare.py", f"{WHOLE} validator/test_child"),
        # An oracle is imported by the name of an operator, and a helper's imports count.
        ("generators/oracle/operators/rows/top.py", f"generators/test_top {WHOLE}"),
        ("generators/oracle/operators/making/shape.py", WHOLE),
        ("generators/oracle/registry.py", f"generators/test_top {WHOLE}"),
        # A module that is gone: what tests what lies beside it.
        ("core/gone.py", f"core/test_files core/test_words {WHOLE}"),
        # Data: whoever names it, or leads to what names it; a page that a module points to is not.
        ("core/table.yaml", "validator/test_run"),
        ("docs/compare.md", "docs/test_pages"),
        ("specs/topk.yaml", "generators/test_all generators/test_top"),
        ("docs/unknown.svg", ""),
        ("tests/support/calls.py", f"generators/test_top {WHOLE}"),
        ("tests/support/misbehaving/hangs.py", f"{WHOLE} validator/test_run"),
        ("tests/core/test_words.py", f"core/test_words {WHOLE}"),
        ("tests/core/test_gone.py", WHOLE),
    ],
)
def test_tests_are_chosen_by_imports_and_names(checkout: Path, file: str, expected: str) -> None:
    chosen = Choosing(checkout, IMPORTED).of(file)
    found = [item.removeprefix("tests/").removesuffix(".py") for item in chosen.tests]
    assert expected.split() == found


@pytest.mark.parametrize("file", ["pyproject.toml", "constraints.txt", "tests/conftest.py"])
def test_what_every_test_depends_on_concerns_every_test(checkout: Path, file: str) -> None:
    every = {name for name in FILES if "/test_" in name}
    assert every == set(Choosing(checkout, IMPORTED).of(file).tests)


def test_a_file_that_concerns_no_test_is_said_loudly() -> None:
    nothing = Chosen("LICENSE", "is found by the name LICENSE in", ())
    lines = said([nothing], [], "main")
    assert (
        "affected: LICENSE is found by the name LICENSE in no test: NOTHING IS RUN FOR IT"
        == lines[0]
    )
    assert "affected: 1 changed files: NO TEST IS RUN" == lines[1]
    assert ["affected: nothing differs from main: NO TEST IS RUN"] == said([], [], "main")


# --- this checkout -------------------------------------------------------------------------


@cache
def ours() -> Choosing:
    return Choosing(ROOT, _imported())


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("core/errors.py", "tests/validator/gate/test_baseline.py"),
        ("validator/harnesses/runtimes/reference.py", "tests/validator/commands/test_run.py"),
        ("validator/reports/templates/page.html.j2", "tests/validator/reports/test_html.py"),
        ("generators/families/kinds/trees.py", "tests/generators/families/kinds/test_trees.py"),
        ("generators/oracle/operators/rows/top.py", "tests/strength/mutants/test_helpers.py"),
        ("specs/topk.yaml", "tests/generators/commands/test_schemas.py"),
        ("docs/known-faults.md", "tests/docs/test_known_faults.py"),
        ("baselines/onnxruntime.yaml", "tests/docs/test_findings.py"),
        (".github/workflows/ci.yml", "tests/repository/test_workflows.py"),
    ],
)
def test_in_this_checkout_a_file_concerns_what_uses_it(file: str, expected: str) -> None:
    assert expected in ours().of(file).tests


def test_an_oracle_of_one_operator_concerns_few_tests() -> None:
    assert len(ours().of("generators/oracle/operators/rows/top.py").tests) < 20


def test_whatever_imports_by_name_is_known() -> None:
    """Who imports a child by name has a place in `reaching`, or its tests would be left out."""
    known = {*LOADERS, *BY_NAME}
    # These import what they are told to: commands whose tables are in `main`, modules of others.
    told = {f"{HOUSE}.core.commandline", f"{HOUSE}.generators.oracle.own"}
    found = set()
    for package in ("core", "generators", "validator"):
        for path in (ROOT / package).rglob("*.py"):
            if "import_module(" in path.read_text(encoding="utf-8"):
                found.add(str(module_of(path.relative_to(ROOT).as_posix())))
    others = {name for name in found if ".harnesses.runtimes." in name}
    packages = {f"{HOUSE}.validator.commands.harness"}  # reached with its package
    assert set() == found - known - told - others - packages
