"""Results files of anybody: read in words or refused in words, and shown under names that hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import commands
import pytest
import sample_results as sample
from runnable_corpus import shape_vector, write_manifest, write_vector

from onnx_conformance.core.corpus.corpus import open_corpus
from onnx_conformance.core.errors import BadInputError
from onnx_conformance.validator.commands.shared.downloads import Downloads
from onnx_conformance.validator.commands.shared.formats import writer_of
from onnx_conformance.validator.reports.site.writing import write_site
from onnx_conformance.validator.results.file_format import read_results

if TYPE_CHECKING:
    from pathlib import Path

    from onnx_conformance.validator.results.records import Results

A = "shape-15/clip_start/float32"


def failing(path: Path, backend: str, *ids: str) -> Results:
    rows = [sample.row(item, "wrong-value") for item in ids or (A,)]
    return sample.write(path, sample.header(backend, [row.id for row in rows]), rows)


@pytest.mark.parametrize("key", ["verdict", "kind", "expect"])
def test_a_row_without_a_word_that_it_must_have_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "r"
    failing(path, "a")
    head, row, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, json.dumps({**json.loads(row), key: None}), *rest, ""]))
    with pytest.raises(BadInputError, match="r:2: is not a results record: None is not a valid"):
        read_results(path)


@pytest.mark.parametrize(
    "requirements",
    [
        {"Shape": 5},
        {"Shape": {"clamp-start": 5}},
        {"Shape": {"clamp-start": {"text": {"a": []}}}},
        {"Shape": {"clamp-start": {"text": 7, "url": []}}},
        {"Shape": {"clamp-start": {"text": "t", "since": [1]}}},
    ],
)
@pytest.mark.parametrize("name", ["html", "markdown", "junit", "json", "operators", "readings"])
def test_requirements_of_another_type_are_unknown_ones(
    tmp_path: Path, requirements: dict[str, Any], name: str
) -> None:
    rows = [sample.row(A, "wrong-value")]
    head = sample.header("a", [A], requirements=requirements)
    results = sample.write(tmp_path / "r", head, rows)
    assert not results.header.requirements.get("Shape")
    assert "".join(writer_of(name)([results]))


@pytest.mark.parametrize("option", ["--results", "--junit", "--html"])
def test_a_name_that_is_too_long_is_bad_input(tmp_path: Path, option: str) -> None:
    root = tmp_path / "vectors"
    write_vector(root, shape_vector("shape-15/two/float32"))
    write_manifest(root)
    done = commands.validate(*commands.run_words(root), option, tmp_path / ("r" * 300))
    assert 3 == done.returncode
    assert "File name too long" in done.stderr.decode()


def site_of(tmp_path: Path, *columns: Results) -> list[str]:
    """The files of a site below its folders, those at its top left out."""
    write_site(columns, tmp_path / "site")
    root = tmp_path / "site"
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*/*") if path.is_file())


def test_a_runtime_named_like_the_file_of_another_has_a_page(tmp_path: Path) -> None:
    columns = [failing(tmp_path / name, name) for name in ("a", "a.json")]
    files = site_of(tmp_path, *columns)
    assert {"badges/a.json", "badges/a-json.json", "runtimes/a-json.html"} <= set(files)


def test_names_and_ids_that_are_long_have_pages(tmp_path: Path) -> None:
    long_ids = [f"{'o' * 450}-15/{case}/float32" for case in "ab"]
    columns = [
        failing(tmp_path / "1", "n" * 300, f"shape-15/{'c' * 470}/float32"),
        failing(tmp_path / "2", "n" * 299, *long_ids),
    ]
    pages = [path for path in site_of(tmp_path, *columns) if path.endswith(".html")]
    assert 4 == len(pages)  # two runtimes, two operators


def test_vectors_whose_names_differ_in_a_sign_have_files_of_their_own(tmp_path: Path) -> None:
    ids = [f"shape-15/{case}/float32" for case in ("a_b", "a-b", "c")]
    for number, item in enumerate(ids):
        write_vector(tmp_path / "vectors" / str(number), shape_vector(item))
    corpus = open_corpus(tmp_path / "vectors")
    shown, files = Downloads(corpus).of([failing(tmp_path / "r", "a", *ids)])
    assert 3 == len({shown[item]["model"] for item in ids})
    assert 6 == len(files)  # a model and a zip for each
