"""Finding a Dask scheduler, or starting one here."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING

from ..errors import ClusterError
from ..text import one_line

if TYPE_CHECKING:
    from distributed import LocalCluster

    from .addresses import Address

# Workers started here are believed dead after so many seconds of silence; others as their scheduler
# says (distributed.scheduler.worker-ttl, five minutes).
_SILENCE = "30s"


def require_listening(address: Address, seconds: float) -> None:
    """Raise ClusterError at once where nobody listens: Dask would try again until its timeout."""
    if not address.text.startswith(("tcp://", "tls://")):
        return
    if address.is_encrypted:
        _require_certificates(address)
    port = int(address.text.rpartition(":")[2])
    try:
        socket.create_connection((address.host, port), timeout=seconds).close()
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"{address.text}: no Dask scheduler answers: {one_line(str(error), 300)};"
            f" `dask scheduler --port {port}` starts one there"
        ) from None


def _require_certificates(address: Address) -> None:
    """Raise ClusterError where Dask is told of no certificates: it would end in a traceback."""
    import dask

    lacking = [
        "DASK_DISTRIBUTED__COMM__TLS__" + name.upper().replace("-", "_").replace(".", "__")
        for name in ("ca-file", "client.cert", "client.key")
        if not dask.config.get(f"distributed.comm.tls.{name}", None)
    ]
    if lacking:
        raise ClusterError(
            f"{address.text}: TLS needs certificates; set {', '.join(lacking)} (docs/scale.md#tls)"
        )


def start_local(workers: int) -> LocalCluster:
    """A scheduler and so many workers of one thread, as processes of this machine."""
    import dask
    from distributed import LocalCluster

    settings = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.scheduler.worker-ttl": _SILENCE,
        "distributed.worker.daemon": True,
    }
    with dask.config.set(settings):
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=_dashboard(),
            silence_logs=logging.CRITICAL,
        )


def _dashboard() -> str | None:
    """Where Dask shows its dashboard: at a port of its choice, if what it draws with is there."""
    from importlib.util import find_spec

    return "127.0.0.1:0" if find_spec("bokeh") else None


def require_dask() -> None:
    """Raise ClusterError if Dask is not installed; keep what its loggers say to ourselves."""
    try:
        import distributed  # noqa: F401  whether it is there
    except ModuleNotFoundError:
        raise ClusterError(
            "a cluster needs Dask: pip install 'onnx-conformance[cluster]'"
        ) from None
    # What its loggers say of connections that break is said here, in words.
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
