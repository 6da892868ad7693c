"""The files of one vector: its digest, its values and the limits beside them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from ..documents import (
    parse_json,
    read_plain,
)
from ..errors import BadInputError
from ..limits import FOLDERS, METADATA, VECTOR_FILE, VECTOR_FILES
from ..values.describing import text
from ..values.limits import GPU, IEEE, check_limits, limit_values, profiles_of, with_limits
from ..values.onnx_values import TENSOR, parse_value, serialize_value
from ..values.sampling import sampled
from ..values.tensors import Drawn, NamedValue, Sampled, Tensor, Value
from .listing.folders import is_inside
from .metadata import from_json
from .soundness import check_limits_judge, check_places
from .vectors import ABSENT_INPUTS, DATA_FILE, VALUE_KINDS, DataSet, Expect, Vector

# Neighbours in a corpus present one situation in several forms: a third to a half of their values
# are the same. Larger files are read each time, so that those that are kept take a megabyte.
_KEPT_VALUES = 256
_KEPT_BYTES = 4096

_LIMIT_FILES = {IEEE: ("low", "high"), GPU: ("gpu_low", "gpu_high")}  # profile -> names of files


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over a vector's files: each name and the SHA-256 of its content, sorted by name."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(os.fsencode(name) + b"\0" + hashlib.sha256(files[name]).digest())
    return total.hexdigest()


def read_files(directory: str | Path, root: str = "") -> dict[str, bytes]:
    """Every file below a vector's directory by its relative POSIX path.

    Args:
        directory: of the vector.
        root: the real path of a folder: links that lead to what is inside it are followed. If it is
            empty, no link is.

    Raises BadInputError if there is another link, or more than a vector may have (`core.limits`).
    """
    files: dict[str, bytes] = {}
    _read_below(os.fspath(directory), "", files, FOLDERS, root)
    return dict(sorted(files.items()))


def _read_below(folder: str, prefix: str, files: dict[str, bytes], depth: int, root: str) -> None:
    # os and not pathlib: this runs for every vector, and pathlib took half of its time.
    if depth == 0:
        raise BadInputError(f"{folder}: more than {FOLDERS} folders inside each other")
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                if not root:
                    raise BadInputError(f"{entry.path}: is a link; a vector holds plain files only")
                if not is_inside(entry.path, root):
                    raise BadInputError(f"{entry.path}: is a link that leads outside {root}")
            if entry.is_file():
                files[prefix + entry.name] = read_plain(entry.path, VECTOR_FILE)
                if len(files) > VECTOR_FILES:
                    raise BadInputError(f"{folder}: more than {VECTOR_FILES:,} files")
            elif entry.is_dir():
                _read_below(entry.path, f"{prefix}{entry.name}/", files, depth - 1, root)


def vector_of(files: Mapping[str, bytes], where: str) -> Vector:
    """The vector that these files describe; BadInputError if data.json is missing or unusable."""
    if DATA_FILE not in files:
        raise BadInputError(f"{where}: has no {DATA_FILE}")
    if len(files[DATA_FILE]) > METADATA:
        raise BadInputError(f"{where}/{DATA_FILE}: has more than {METADATA:,} bytes")
    place = f"{where}/{DATA_FILE}"
    return from_json(parse_json(files[DATA_FILE], place), place)


def data_sets_of(vector: Vector, files: Mapping[str, bytes], where: str) -> tuple[DataSet, ...]:
    """The values in test_data_set_0, test_data_set_1 ... among a vector's files."""
    folders = {name.split("/")[0] for name in files if name.startswith("test_data_set_")}
    count = max(len(folders), 1)  # a model without inputs that must be refused has no .pb
    return tuple(
        DataSet(
            _values(vector, vector.inputs, files, f"test_data_set_{index}/input", where),
            ()
            if vector.expect != Expect.OUTPUTS
            else _outputs(vector, files, f"test_data_set_{index}", where),
        )
        for index in range(count)
    )


def permitted_outputs_of(
    vector: Vector, files: Mapping[str, bytes], where: str
) -> dict[str, tuple[NamedValue, ...]]:
    """The outputs of each permitted result of a latitude vector, by its label."""
    return {
        item.taken: _outputs(vector, files, item.folder, where, has_laws=item.laws)
        for item in vector.permitted
        if item.folder is not None
    }


def limit_files(folder: str, index: int, value: Value, name: str = "") -> dict[str, bytes]:
    """The files beside `output_<index>.pb` with the limits of a value; none if it has no limits.

    If a profile has the same limits as the next tighter one, no files are written for it: readers
    use those of the tighter one.

    Args:
        folder: the folder of the output, e.g. `test_data_set_0`.
        index: number of the output.
        value: the expected output: a Bounded, or a value that contains one.
        name: name of the output.

    Raises BadInputError if limits contradict the value or each other.
    """
    check_limits(value)
    files = {}
    tighter: tuple[Value, Value] = value, value
    for profile in profiles_of(value):
        limits = limit_values(value, profile)
        if limits != tighter:
            for file, limit in zip(_LIMIT_FILES[profile], limits, strict=True):
                files[f"{folder}/{file}_{index}.pb"] = serialize_value(limit, name)
        tighter = limits
    return files


def _outputs(
    vector: Vector, files: Mapping[str, bytes], folder: str, where: str, *, has_laws: bool = True
) -> tuple[NamedValue, ...]:
    """The outputs in a folder, each with the limits from the files beside it."""
    outputs = list(_values(vector, vector.outputs, files, f"{folder}/output", where))
    for index, item in enumerate(outputs):
        limits = {}
        for profile, names in _LIMIT_FILES.items():
            paths = [f"{folder}/{name}_{index}.pb" for name in names]
            if not files.keys().isdisjoint(paths):  # one file without the other is an error
                low, high = (_value(vector, item.name, files, path, where) for path in paths)
                limits[profile] = low, high
        laws = vector.laws.get(item.name) if has_laws else None
        if laws and isinstance(item.value, Tensor):
            value = item.value
            drawn = Drawn(value.type, value.shape, value.data, tuple(laws))
            check_places(drawn, f"{where}/{folder}/output_{index}.pb")
            outputs[index] = NamedValue(item.name, drawn)
        if limits:
            try:
                bounded = with_limits(item.value, limits)
                check_limits(bounded)
            except BadInputError as error:
                raise BadInputError(f"{where}/{folder}/output_{index}.pb: {error}") from None
            check_limits_judge(bounded, vector, f"{where}/{folder}/output_{index}.pb")
            outputs[index] = NamedValue(item.name, bounded)
        places = vector.compared.get(item.name)
        if places is not None:
            outputs[index] = NamedValue(
                item.name,
                _some_of(outputs[index].value, places, f"{where}/{folder}/output_{index}.pb"),
            )
    return tuple(outputs)


def _some_of(value: Value, places: tuple[int, ...], where: str) -> Sampled:
    """The output with the positions that are compared; BadInputError if one is not there."""
    if not isinstance(value, Tensor) or places[-1] >= value.element_count:
        raise BadInputError(
            f"{where}: data.json compares its element {places[-1]}, and it is {text(value)}"
        )
    return sampled(value, places)


def _values(
    vector: Vector, names: Iterable[str], files: Mapping[str, bytes], stem: str, where: str
) -> tuple[NamedValue, ...]:
    absent = vector.extra.get(ABSENT_INPUTS, ())
    values = []
    for index, name in enumerate(names):
        file = f"{stem}_{index}.pb"
        if file in files or name not in absent:
            values.append(NamedValue(name, _value(vector, name, files, file, where)))
    return tuple(values)


def _value(vector: Vector, name: str, files: Mapping[str, bytes], file: str, where: str) -> Value:
    if file not in files:
        raise BadInputError(f"{where}/{file}: is missing")
    kind = vector.extra.get(VALUE_KINDS, {}).get(name, TENSOR)
    try:
        content = files[file]
        return (_kept_value if len(content) <= _KEPT_BYTES else parse_value)(kind, content)
    except BadInputError as error:
        raise BadInputError(f"{where}/{file}: {error}") from None


@lru_cache(_KEPT_VALUES)
def _kept_value(kind: str, content: bytes) -> Value:
    """The value in a small file; values cannot be changed, so several vectors can hold one."""
    return parse_value(kind, content)
