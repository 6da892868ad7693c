"""A real Chromium, spoken to over its DevTools pipe: no driver, no package, no network."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60.0
# What DevTools answer where a page is left before an expression has its value.
_NAVIGATED = "Inspected target navigated or closed"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find_chromium() -> str | None:
    """Chromium's command: ONNX_CONFORMANCE_CHROMIUM, else what is on the path."""
    named = os.environ.get("ONNX_CONFORMANCE_CHROMIUM")
    if named:
        return named
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def needed(loud: str) -> list[pytest.MarkDecorator]:
    """The marks of a test that looks at pages: without a browser it is skipped, and says so.

    Where ONNX_CONFORMANCE_CHROMIUM names one that is not there, it fails instead.
    """
    missing = find_chromium() is None
    reason = f"{loud}: no chromium here; apt-get install chromium, or set ONNX_CONFORMANCE_CHROMIUM"
    return [pytest.mark.browser, pytest.mark.skipif(missing, reason=reason)]


class NavigatedError(RuntimeError):
    """The page was left before a command was answered."""


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, command: str, profile: Path) -> None:
        to_browser, self._write = _pipe()
        self._read, from_browser = _pipe()

        def hand_over() -> None:
            # The pipe's ends are 3 and 4 by Chromium's convention.
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        self._process = subprocess.Popen(
            [command, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=hand_over,  # noqa: PLW1509  the only way to give fds their numbers
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(item["targetId"] for item in targets if item["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the browser and wait for it, so that its profile can be removed."""
        self._session = None
        self.call("Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, **parameters: Any) -> Any:  # noqa: ANN401  DevTools' JSON
        """One DevTools command and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    navigated = answer["error"].get("message") == _NAVIGATED
                    kind = NavigatedError if navigated else RuntimeError
                    raise kind(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until its script is ready."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + (f"#{fragment}" if fragment else ""))
        self.wait_for("document.documentElement?.dataset.ready === 'yes'")

    def evaluate(self, expression: str) -> Any:  # noqa: ANN401  a value of the page
        """The value of an expression, promises awaited."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression holds, a promise's value too, on whatever page comes."""
        end = time.monotonic() + PATIENCE
        while not self._holds(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def _holds(self, expression: str) -> bool:
        """Whether an expression holds; it does not where its page is left before it is answered."""
        try:
            return bool(self.evaluate(f"Promise.resolve({expression}).then(Boolean)"))
        except NavigatedError:
            return False

    def press(self, key: str, *, control: bool = False) -> None:
        """Press and release a key, e.g. `Enter`, `ArrowDown`, `Tab`."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37}
        codes |= {"ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32}
        facts: dict[str, Any] = {
            "key": key,
            "code": key,
            "windowsVirtualKeyCode": codes[key],
            "modifiers": 2 if control else 0,
        }
        if key == "Enter":
            facts["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **facts)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{**facts, "text": ""})

    def emulate(self, width: int, height: int, *, dark: bool = False, phone: bool = False) -> None:
        """Set the viewport and what the person prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])

    def screenshot(self, path: Path) -> None:
        """Write what is visible as PNG."""
        shot = self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], PATIENCE)[0]:
                raise TimeoutError("Chromium says nothing")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium ended")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, facts = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(facts["exceptionDetails"]))
        elif method == "Log.entryAdded" and facts["entry"]["level"] == "error":
            self.problems.append(facts["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])


def _pipe() -> tuple[int, int]:
    """A pipe whose ends lie above 9, so that none of them is 3 or 4."""
    moved = []
    for end in os.pipe():
        moved.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return moved[0], moved[1]
