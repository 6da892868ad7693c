"""The element types that values can have: the table of core/values, which lies beside this.

It is read and not imported, as a harness runs in an interpreter that has nothing else of ours.
"""

from __future__ import annotations

import json
from pathlib import Path

_ROWS = json.loads(Path(__file__).with_name("element_types.json").read_text("utf-8"))

#: The value of TensorProto.DataType.
DATA_TYPES: dict[str, int] = {row["name"]: row["code"] for row in _ROWS}

#: The width of an element in raw_data; strings have none.
BITS: dict[str, int] = {row["name"]: row["bits"] for row in _ROWS if row["bits"]}

#: The name in ml_dtypes of those that NumPy does not have.
ML_TYPES: dict[str, str] = {row["name"]: row["ml_dtypes"] for row in _ROWS if "ml_dtypes" in row}

#: NumPy has these, by the same names.
NUMPY_TYPES = frozenset(BITS) - frozenset(ML_TYPES)

#: The bits of types with several elements in one byte of raw_data.
PACKED_BITS = {name: bits for name, bits in BITS.items() if bits < 8}

#: Those of them that are integers with a sign.
SIGNED_PACKED = frozenset(
    row["name"] for row in _ROWS if row["name"] in PACKED_BITS and row["kind"] == "int"
)
