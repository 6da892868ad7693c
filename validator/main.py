"""The command `onnx-validate`."""

from __future__ import annotations

import sys

from onnx_conformance.core.commandline import dispatch

_PACKAGE = "onnx_conformance.validator.commands."

COMMANDS = {
    "run": (_PACKAGE + "run", "run a backend on vectors and judge what it does"),
    "list": (_PACKAGE + "list", "list the vectors that a selection takes"),
    "show": (_PACKAGE + "show", "show one vector in words, and what backends made of it"),
    "backends": (_PACKAGE + "backends", "list the backends, and which of them can run here"),
    "baseline": (_PACKAGE + "baseline", "write, renew and check the list of known failures"),
    "profile": (_PACKAGE + "profile", "say what a runtime claims to support, and draft it"),
    "harness": (_PACKAGE + "harness", "write a harness to start from, or check one"),
    "explore": (_PACKAGE + "explore", "put calls that no spec wrote down to a backend"),
    "repro": (_PACKAGE + "repro", "show a failure with the runtime alone, for its issue tracker"),
    "report": (_PACKAGE + "report", "make reports from results files"),
    "site": (_PACKAGE + "site", "write pages of what every runtime does into a folder"),
    "witnesses": (_PACKAGE + "witnesses", "say which independent engines agree with each vector"),
    "compare": (_PACKAGE + "compare", "say what changed between two results files"),
    "model": (_PACKAGE + "model", "say whether a model of yours runs right on a runtime"),
}


def main() -> int:
    """Entry point: returns the exit code."""
    return dispatch(
        "onnx-validate",
        "Runs any ONNX backend against conformance vectors and says, case by case, what it did.",
        COMMANDS,
        sys.argv[1:],
    )


if __name__ == "__main__":
    sys.exit(main())
