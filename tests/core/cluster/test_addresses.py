"""Addresses of clusters, and what is said about their safety."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnx_conformance.core.cluster.addresses import Address, parse_address, warning
from onnx_conformance.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("local:4", Address(workers=4)),
        ("head", Address("tcp://head:8786")),
        ("10.0.0.1:9000", Address("tcp://10.0.0.1:9000")),
        ("tls://head:8786", Address("tls://head:8786")),
        ("[::1]:9000", Address("tcp://[::1]:9000")),
        ("/shared/scheduler.json", Address(scheduler_file=Path("/shared/scheduler.json"))),
    ],
)
def test_addresses_that_people_give(text: str, address: Address) -> None:
    assert address == parse_address(text)


@pytest.mark.parametrize("text", ["", "local", "local:0", "http://head:80", "a b", "tcp://"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--cluster wants local:N"):
        parse_address(text)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (Address(workers=2), ""),
        (Address("tcp://127.0.0.1:8786"), ""),
        (Address("tls://8.8.8.8:8786"), ""),
        (Address("tcp://10.0.0.1:8786"), "note: tcp://10.0.0.1:8786 has no TLS"),
        (Address("tcp://8.8.8.8:8786"), "WARNING: tcp://8.8.8.8:8786 is PUBLIC and has no TLS"),
    ],
)
def test_the_less_safe_the_louder(address: Address, said: str) -> None:
    assert said == warning(address)[: len(said)]
    assert bool(said) == bool(warning(address))
