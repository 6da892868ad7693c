"""How operators are named: `Add`, `ai.onnx.ml:Scaler`."""

from __future__ import annotations


def name_of(domain: str, operator: str) -> str:
    """The name of an operator, with its domain unless that is ONNX's own, which is ''."""
    return f"{domain}:{operator}" if domain else operator


def split_name(name: str) -> tuple[str, str]:
    """Domain and operator of a name."""
    domain, _, operator = name.rpartition(":")
    return domain, operator


def slug_of(domain: str, operator: str) -> str:
    """How the ids of an operator's vectors begin, before the version."""
    return name_of(domain, operator).replace(":", ".").lower()
