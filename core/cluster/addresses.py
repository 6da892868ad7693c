"""The address of a cluster, as a person gives it, and what to say about its safety."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from ..text import brief

LOCAL = "local"
# The port of a Dask scheduler, unless it was told another.
_PORT = 8786
_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_SCHEMES = ("tcp", "tls", "ws", "wss")
_SAFE = ("tls", "wss")


@dataclass(frozen=True)
class Address:
    """Where a cluster is.

    Attributes:
        text: as Dask takes it: `tls://host:8786`; empty for one that is started here.
        workers: how many are started here.
        scheduler_file: the file in which a scheduler wrote its address; None if there is none.
    """

    text: str = ""
    workers: int = 0
    scheduler_file: Path | None = None

    @property
    def host(self) -> str:
        """Name or number of the scheduler's machine; empty if it is here or not known yet."""
        return re.sub(r"^\w+://", "", self.text).rpartition(":")[0].strip("[]")

    @property
    def is_encrypted(self) -> bool:
        """Whether whoever is not part of the cluster can neither read nor join."""
        return self.text.partition("://")[0] in _SAFE


def parse_address(text: str) -> Address:
    """The address that `--cluster` was given: `local:4`, `tls://host:8786`, `host`, or a file.

    Raises UsageError for anything else.
    """
    match = _LOCAL.fullmatch(text)
    if match:
        return Address(workers=int(match[1]))
    if text.endswith(".json"):
        return Address(scheduler_file=Path(text))
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "tcp", text
    if (
        scheme not in _SCHEMES
        or not re.fullmatch(r"[\w.\-\[\]:]+", rest)
        or text.partition(":")[0] == LOCAL
    ):
        raise UsageError(
            f"--cluster wants local:N, HOST[:PORT], tls://HOST:PORT or a scheduler's file"
            f" (.json), not {brief(text)}"
        )
    if not re.search(r":\d{1,5}$", rest):
        rest = f"{rest}:{_PORT}"
    return Address(f"{scheme}://{rest}")


def warning(address: Address) -> str:
    """What must be said about an address; empty if there is nothing to fear.

    Dask runs whatever a client sends, and all of them unpickle what the others send: without TLS
    whoever reaches a port runs code on every machine.
    """
    if not address.text or address.is_encrypted:
        return ""
    found = _numbers(address.host)
    if found and all(item.is_loopback for item in found):
        return ""
    danger = "whoever reaches its ports can run code on all of its machines, and on this one"
    if any(item.is_global for item in found):
        return (
            f"WARNING: {address.text} is PUBLIC and has no TLS: {danger}. Stop it, and"
            " start it with TLS (docs/scale.md#tls)"
        )
    return f"note: {address.text} has no TLS: {danger}; docs/scale.md#tls helps"


def _numbers(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        return [ipaddress.ip_address(host)]
    except ValueError:
        pass
    try:
        facts = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [ipaddress.ip_address(str(item[4][0]).partition("%")[0]) for item in facts]
