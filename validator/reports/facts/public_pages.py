"""Addresses of ONNX's documents: of an operator, and of one of its versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OPERATORS = "https://onnx.ai/onnx/operators"
_PAGES = "https://onnx.ai/onnx/repo-docs"


def public_page(operator: str, requirements: Mapping[str, Any], version: int = 0) -> str:
    """The address of an operator's document, or of its part on one version; else empty.

    For subjects that are not operators, such as the model itself, it is a page of the repository.
    Source of the names: onnx, docs/docsgen/source/onnx_sphinx.py.
    """
    documents = [str(words.get("document", "")) for words in requirements.values()]
    if documents and all(not item.startswith(f"{operator}-") for item in documents):
        page = next((item.removesuffix(".md") for item in documents if item.endswith(".md")), "")
        return f"{_PAGES}/{page}.html" if page.isalnum() else ""
    domain, _, name = operator.rpartition(".")
    squeezed = domain.replace(".", "")
    if not name.isalnum() or not (squeezed.isalnum() or not domain):
        return ""
    page = f"{_OPERATORS}/onnx_{squeezed}_{name}.html"
    if not version:
        return page
    return f"{page}#l-onnx-op{domain.replace('.', '-')}-{name.lower()}-{version}"
