"""Changes to a model before the runtime sees it, and the declaration of each change.

A runtime that needs a change has a column of its own in reports: `tract` and `tract+freeze` are two
backends. A change uses only the values that the vector feeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .kit import Harness, Model, UnsupportedError
from .protobuf import freeze, input_names, with_static_inputs
from .values import Tensor, Value

FREEZE = "--freeze"
STATIC = "--static"
RELOAD = "--reload"

ADAPTATIONS = {
    FREEZE: ("freeze", "graph inputs after the first become initializers with the values fed"),
    STATIC: ("static", "graph inputs are declared with the dimensions of the values fed"),
    RELOAD: ("reload", "the model is loaded again for each data set"),
}


class _Deferred(NamedTuple):
    """A model that can only be loaded once a data set is known."""

    data: bytes
    names: tuple[str, ...]


class Adapted:
    """A harness that adapts its models as its options say."""

    def __init__(self, inner: Harness, options: Sequence[str]) -> None:
        """Adapt the models of `inner`; `options` are keys of ADAPTATIONS."""
        self._inner = inner
        self._options = tuple(options)

    def describe(self) -> dict[str, Any]:
        """The inner harness' description, and the list of changes."""
        description = dict(self._inner.describe())
        declared = [
            {"adaptation": ADAPTATIONS[option][0], "reason": ADAPTATIONS[option][1]}
            for option in self._options
        ]
        description["adapts"] = [*description.get("adapts", []), *declared]
        return description

    def load(self, model: Model) -> Any:  # noqa: ANN401  a deferred model, or the inner session
        """Keep the model until values are known; one that cannot be parsed goes to the runtime."""
        try:
            return _Deferred(model.data, tuple(input_names(model.data)))
        except ValueError:
            return self._inner.load(model)

    def run(
        self,
        session: Any,  # noqa: ANN401  what `load` returned
        inputs: Mapping[str, Value],
        outputs: Sequence[str],
    ) -> Sequence[Value] | None:
        """Change the model for this data set, load it and run it."""
        if not isinstance(session, _Deferred):
            return self._inner.run(session, inputs, outputs)
        data, fed = session.data, dict(inputs)
        if FREEZE in self._options:
            first = session.names[:1]
            frozen = {name: _tensor(name, fed.pop(name)) for name in inputs if name not in first}
            data = freeze(data, frozen)
        if STATIC in self._options:
            shapes = {name: value.shape for name, value in fed.items() if isinstance(value, Tensor)}
            data = with_static_inputs(data, shapes)
        model = Model(data=data)
        try:
            return self._inner.run(self._inner.load(model), fed, outputs)
        finally:
            model.close()


def _tensor(name: str, value: Value) -> Tensor:
    if not isinstance(value, Tensor):
        raise UnsupportedError(f"input '{name}' is no tensor: it cannot be an initializer")
    return value
