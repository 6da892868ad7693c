"""When, on what and of which versions results are: what is at the top of every page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx_conformance.core.text import one_line

if TYPE_CHECKING:
    from ...results.records import Header, Results

_PLATFORMS_SHOWN = 3


def provenance(results: Sequence[Results]) -> dict[str, str]:
    """`words`: days, machines and versions in a sentence; old results do not name a machine."""
    headers = [item.header for item in results]
    days = sorted({header.started[:10] for header in headers if header.started})
    when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""
    named = (one_line(str(header.extra.get("platform", "")), 120) for header in headers)
    platforms = list(dict.fromkeys(filter(None, named)))
    where = "; ".join(platforms[:_PLATFORMS_SHOWN])
    if len(platforms) > _PLATFORMS_SHOWN:
        where += f"; and {len(platforms) - _PLATFORMS_SHOWN} more"
    run = ", ".join(item for item in (when, f"on {where}" if where else "") if item)
    versions = ", ".join(dict.fromkeys(filter(None, map(_version, headers))))
    return {"words": ". ".join(item for item in (run and f"Run {run}", versions) if item)}


def _version(header: Header) -> str:
    """The runtime and its version, by the name that it gives itself."""
    name = str(header.describe.get("name") or header.backend)
    return one_line(f"{name} {header.describe.get('version', '')}", 80)
