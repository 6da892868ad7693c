"""`onnx-validate harness new LANGUAGE`: write a harness to start from."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote

from onnx_conformance.core.errors import BadInputError, ExitCode
from onnx_conformance.core.files import write_whole

SKELETONS = Path(__file__).parents[2] / "skeletons"
# Files that belong to a skeleton; interpreters and compilers leave others beside them.
SUFFIXES = (
    *(".py", ".mjs", ".c", ".h", ".cpp", ".hpp", ".txt"),
    *(".go", ".mod", ".java", ".rs", ".toml"),
)

# Language -> (how to build it, the command that runs it); {} is the folder.
LANGUAGES = {
    "python": ("", "python3 {}/harness.py"),
    "javascript": ("", "node {}/harness.mjs"),
    "c": ("cc -std=c11 -O2 {0}/harness.c -o {0}/harness", "{}/harness"),
    "cpp": ("c++ -std=c++17 -O2 {0}/harness.cpp -o {0}/harness", "{}/harness"),
    "go": ("(cd {0} && go build -o harness .)", "{}/harness"),
    "java": (
        "javac -d {0}/classes {0}/Harness.java {0}/Protocol1.java",
        "java -cp {0}/classes Harness",
    ),
    "rust": ("cargo build --release --manifest-path {}/Cargo.toml", "{}/target/release/harness"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("language", choices=LANGUAGES, help="language of the harness")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="folder to write into (default: ./harness-LANGUAGE)",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Write the skeleton and print what to do next; BadInputError if a file already exists."""
    folder = arguments.output or Path(f"harness-{arguments.language}")
    skeleton = skeleton_files(arguments.language)
    for name in skeleton:
        if (folder / name).exists():
            raise BadInputError(f"{folder / name}: exists already; choose another --output")
    for name, content in skeleton.items():
        write_whole(folder / name, content)
        print(f"wrote {folder / name}")
    build, command = (text.format(quote(str(folder))) for text in LANGUAGES[arguments.language])
    steps = [build] if build else []
    steps += [
        f"onnx-validate harness check -- {command}",
        f"onnx-validate run --backend {quote(f'command:{command}')}",
    ]
    print("It works as it is, and supports nothing. Next:\n" + "\n".join(f"  {s}" for s in steps))
    return ExitCode.OK


def skeleton_files(language: str) -> dict[str, str]:
    """The skeleton's files by their paths in its folder."""
    root = SKELETONS / language
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix in SUFFIXES
    }
