"""Limits on everything that is accepted from outside, in one place, each with its reason.

Whatever a child, a results file, a baseline, a manifest or a vector contains is compared with these
before it is used for anything else, so that no file or reply can exhaust the memory, the time or
the disk of the person who judges it. All are far above what honest input needs. docs/protocol.md
and docs/reliability.md list those that an author may meet.
"""

from __future__ import annotations

KIBIBYTE = 1 << 10
MEBIBYTE = 1 << 20

# --- values ---------------------------------------------------------------------------------

# Dimensions are int64 in ONNX (onnx.proto, TensorShapeProto.Dimension.dim_value).
LARGEST_DIMENSION = (1 << 63) - 1
# NumPy stops at 64 and no runtime is known to permit more; a shape is printed in messages.
RANK = 256
# Elements of one tensor. More than any process has memory for; counting further makes numbers of
# thousands of digits, which take minutes to multiply and which Python does not print.
ELEMENTS = (1 << 63) - 1
# Sequences, optionals and maps inside each other: ONNX's types nest two or three deep, and each
# level takes several of Python's 1,000 stack frames wherever values are compared or described.
DEPTH = 32
# Tensors, sequences, optionals and maps in one reply or file, together; each takes microseconds.
VALUES = 100_000
# Elements of all tensors of strings in one reply; each is decoded alone, in a microsecond.
STRINGS = 1_000_000

# --- what a child writes --------------------------------------------------------------------

# The reply to `describe` is kept in every results file and shown in every report.
HANDSHAKE = 64 * KIBIBYTE
# A name and a version are the heading of a column.
NAME = 200
# Lines of other output that are skipped before clocks and signals are looked at again.
LINES_AT_ONCE = 20_000
# Bytes that are read from a child that has ended: all that its pipe and one read can hold.
LINES_IN_PIPE = 8 * MEBIBYTE

# --- what a row keeps and a line of output holds --------------------------------------------------

# A runtime's message: enough for a stack of template errors, too little to fill a disk.
MESSAGE = 4_000
# One line of an error message.
LINE = 2_000
# Outputs, inputs and data sets that a row describes one by one.
LISTED_VALUES = 64
# The end of standard error that is kept with a vector, and the beginning, where a panic says why.
STDERR = 8 * KIBIBYTE
STDERR_HEAD = KIBIBYTE

# --- files ------------------------------------------------------------------------------------

# A vector's id: also the name of a folder, which file systems cut at 255 bytes for each part.
ID = 500
# Nesting of lists and objects in any JSON document: ours have six levels.
NESTING = 64
# data.json: ours have 2 kB.
METADATA = MEBIBYTE
# One file of a vector: protobuf's own limit for a message.
VECTOR_FILE = 2 * 1024 * MEBIBYTE
# Files of one vector, and nesting of its folders.
VECTOR_FILES = 10_000
FOLDERS = 16
# An archive of vectors, and what it may unpack to, which is held in memory: ours have 3 MB at most.
ARCHIVE_FILE = 64 * MEBIBYTE
ARCHIVE = 256 * MEBIBYTE
# Files of one archive: ours have 3,000 at most.
ARCHIVE_FILES = 100_000
# Manifest and requirements: 100,000 vectors take 15 MB.
MANIFEST = 512 * MEBIBYTE
# A baseline or spec: 100,000 entries take 20 MB.
YAML = 64 * MEBIBYTE
# Bytes before external data in a spec of whole models: the file is written, and vectors are small.
EXTERNAL_OFFSET = 64 * KIBIBYTE
# Baselines that include each other, one inside the other: those of 200 operators are one deep.
INCLUDES = 32
# One line of a results file: a header names all that was planned.
RESULTS_LINE = 256 * MEBIBYTE
