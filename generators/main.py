"""The command `onnx-vectors`."""

from __future__ import annotations

import sys

from onnx_conformance.core.commandline import dispatch

_PACKAGE = "onnx_conformance.generators.commands."

COMMANDS = {
    "generate": (_PACKAGE + "generate", "write the vectors that the specs declare"),
    "check": (_PACKAGE + "check", "prove that specs, vectors and manifest agree"),
    "changes": (_PACKAGE + "changes", "show what changed among vectors between two releases"),
    "admit": (_PACKAGE + "admit", "show and take in what the rules propose for the corpus"),
    "list": (_PACKAGE + "list", "list the vectors that the specs declare"),
    "import": (_PACKAGE + "import_onnx", "write ONNX's own node tests as files"),
    "new": (_PACKAGE + "new", "write the skeleton of a spec for an operator that has none"),
    "promote": (_PACKAGE + "promote", "write what exploration found as a case of a spec"),
    "schemas": (_PACKAGE + "schemas", "take or compare the snapshot of ONNX's schemas"),
    "families": (_PACKAGE + "families", "show the families that a spec may name"),
    "opens": (_PACKAGE + "opens", "show what documents leave open, and what runtimes make of it"),
    "pack": (_PACKAGE + "pack", "write all that is known of an operator, as Markdown and JSON"),
    "coverage": (_PACKAGE + "coverage", "show which requirement is covered by what"),
    "from-model": (_PACKAGE + "from_model", "cut vectors from a model of yours"),
}


def main() -> int:
    """Entry point: returns the exit code."""
    return dispatch(
        "onnx-vectors",
        "Makes ONNX conformance vectors from YAML specs.",
        COMMANDS,
        sys.argv[1:],
        ("onnx", "numpy", "yaml", "gmpy2"),
    )


if __name__ == "__main__":
    sys.exit(main())
