"""Writes profiles: as YAML for people, and as JSON for the header of a results file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from onnx_conformance.core.text import printable_line

from .profile import Claim, Profile, Types
from .reading import ALL

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
# Plain words that some YAML readers take for something else.
_NOT_TEXTS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


def to_json(profile: Profile) -> dict[str, Any]:
    """The profile as a JSON document, which `reading.profile_of_json` reads."""
    document: dict[str, Any] = {}
    if profile.name:
        document["name"] = profile.name
    if profile.source:
        document["source"] = profile.source
    opsets = {"from": profile.opset_from, "to": profile.opset_to}
    opsets = {key: value for key, value in opsets.items() if value is not None}
    if opsets:
        document["opsets"] = opsets
    if profile.types.all is not None:
        document["types"] = list(profile.types.all)
    for key in ("forms", "features"):
        value = getattr(profile, key)
        if value is not None:
            document[key] = list(value)
    if profile.operators is not None:
        document["operators"] = {claim.name: _claim(claim) for claim in profile.operators.values()}
    return document


def _claim(claim: Claim) -> Any:  # noqa: ANN401  JSON
    versions = ALL if claim.versions is None else list(claim.versions)
    if not claim.types.restricts and claim.forms is None:
        return versions
    document: dict[str, Any] = {"versions": versions}
    if claim.types.restricts:
        document["types"] = _types(claim.types)
    if claim.forms is not None:
        document["forms"] = list(claim.forms)
    return document


def _types(types: Types) -> Any:  # noqa: ANN401  JSON
    if types.all is not None:
        return list(types.all)
    return {variable: list(names) for variable, names in types.by_variable.items()}


def profile_on_a_line(profile: Profile) -> str:
    """The profile as YAML on one line."""
    return _flow(to_json(profile))


def profile_text(profile: Profile, before: Sequence[str] = (), after: Sequence[str] = ()) -> str:
    """The profile as YAML, one operator a line, between comments.

    Args:
        profile: what to write.
        before: lines of comments, without their `#`.
        after: the same, behind the profile.
    """
    lines = [_comment(line) for line in before]
    for key, value in to_json(profile).items():
        if key != "operators":
            lines.append(f"{key}: {_flow(value)}")
        elif value:
            lines.append("operators:")
            lines += [f"  {_text(name)}: {_flow(item)}" for name, item in sorted(value.items())]
        else:
            lines.append("operators: []")
    lines += [_comment(line) for line in after]
    return "\n".join(lines or ["{}"]) + "\n"


def _comment(line: str) -> str:
    return f"# {printable_line(line)}".rstrip()


def _flow(value: Any) -> str:  # noqa: ANN401  JSON
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXTS:
        return text
    return json.dumps(text, ensure_ascii=False)
