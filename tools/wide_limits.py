"""Limits that say next to nothing: a list that may only become shorter.

    python -m tools.wide_limits [--vectors build/vectors] [--write]

An output says next to nothing where an element may be infinite beside a finite expectation, or
where a range is wider than 2 % of the largest value (float32, float64, complex), 25 % in narrow
types.
`tools/wide_limits.txt` lists today's, each with its width; one that is not listed, or is wider
than listed, is an error, and so is a line that is no longer needed. --write renews the list, and
refuses where it would become longer or wider, unless it is not there yet.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from onnx_conformance.core.corpus.corpus import load, open_corpus
from onnx_conformance.core.corpus.vector_files import data_sets_of
from onnx_conformance.core.corpus.vectors import Kind
from onnx_conformance.core.files import write_whole
from onnx_conformance.generators.packs.limits import limits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from onnx_conformance.core.corpus.corpus import Entry

LIST = Path(__file__).with_name("wide_limits.txt")
_WIDE = 0.02
_WIDE_NARROW = 0.25
_FULL = {"float32", "float64", "complex64", "complex128"}
_SHARE = 64


def says_little(element_type: str, width: float) -> bool:
    """Whether limits of this type and width say next to nothing."""
    return width > (_WIDE if element_type in _FULL else _WIDE_NARROW)


def wide(entries: Iterable[Entry]) -> list[tuple[str, float]]:
    """The outputs of these vectors whose limits say next to nothing: `ID OUTPUT`, and the width."""
    found: dict[str, float] = {}
    for entry in entries:
        folder = Path(entry.location) / "test_data_set_0"
        if entry.kind is not Kind.VALID or not any(
            item.name.startswith("low_") for item in folder.iterdir()
        ):
            continue
        loaded = load(entry)
        for item in limits_of(data_sets_of(loaded.vector, loaded.files, loaded.location)):
            if item.profile == "ieee" and says_little(item.expected.type, item.width):
                key = f"{entry.id} {item.output}"
                found[key] = max(found.get(key, 0.0), float(f"{item.width:.3g}"))
    return list(found.items())


def differences(found: Mapping[str, float], listed: Mapping[str, float]) -> Iterator[str]:
    """A line for each output that is not listed, or wider than listed, and each needless line."""
    for key, width in found.items():
        if key not in listed:
            yield (
                f"{key}: limits as wide as {_share(width)} of the largest value say next to nothing"
            )
        elif width > listed[key]:
            yield (
                f"{key}: limits are {_share(width)} wide, more than {_share(listed[key])} as listed"
            )
    for key in listed:
        if key not in found:
            yield f"{key}: is listed and says something now; take its line out of {LIST.name}"


def _share(width: float) -> str:
    return "infinite" if math.isinf(width) else f"{width:.3g}"


def read_list(text: str) -> dict[str, float]:
    """The list: `WIDTH ID OUTPUT` a line."""
    lines = (line.partition(" ") for line in text.splitlines() if line)
    return {key: float(width) for width, _, key in lines}


def main() -> int:
    """Compare, or write; 1 where the list is to be looked at."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--vectors", type=Path, default=Path("build/vectors"))
    parser.add_argument("--write", action="store_true", help="renew the list")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    entries = list(open_corpus(arguments.vectors).entries.values())
    parts = [entries[place :: arguments.jobs * 4] for place in range(arguments.jobs * 4)]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        found = dict(sorted(chain.from_iterable(pool.map(wide, parts))))
    listed = read_list(LIST.read_text("utf-8")) if LIST.is_file() else None
    lines = list(differences(found, listed or {}))
    worse = [line for line in lines if "is listed and says" not in line]
    if arguments.write and (listed is None or not worse):
        text = "".join(f"{width:g} {key}\n" for key, width in found.items())
        write_whole(LIST, text)
        lines = []
    for line in lines:
        print(f"limits: {line}", file=sys.stderr)
    if lines:
        return 1
    print(f"limits of {len(found):,} outputs say next to nothing, all of them listed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
