"""A vector that is planned, and its id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from onnx_conformance.core.corpus.listing.model import PLAIN_RULE
from onnx_conformance.core.corpus.vectors import Kind

from ..forms import STATIC_FORM, form_named
from ..situations.variants import Variant


@dataclass(frozen=True)
class Plan(Variant):
    """A planned vector: a variant of a case, in one form.

    Attributes:
        form: name of the form.
        control: id of the valid vector that must pass before a refusal of an invalid one counts.
        is_open: whether the oracle says that the document leaves the result open.
        rule: name of the rule that proposes it.
    """

    form: str = STATIC_FORM
    control: str | None = None
    is_open: bool = False
    rule: str = PLAIN_RULE

    def but(self, **changes: Any) -> Plan:  # noqa: ANN401  form, control, is_open or rule
        """The same variant of the same case with another form, control, openness or rule."""
        if all(getattr(self, name) == value for name, value in changes.items()):
            return self
        # Like `replace`, but keeps the variant's cached id, which is as expensive as all the rest.
        plan = object.__new__(Plan)
        vars(plan).update({**vars(self), **changes})
        return plan

    @property
    def kind(self) -> Kind:
        """The kind of the case, unless the result is open or a refusal is permitted."""
        if self.case.kind != Kind.VALID:
            return self.case.kind
        may_be_refused = form_named(self.form).refusal is not None
        return Kind.LATITUDE if may_be_refused or self.is_open else Kind.VALID

    @property
    def id(self) -> str:
        """`<operator>-<since_version>/<case>/<variant>`."""
        return self.base_id if self.form == STATIC_FORM else f"{self.base_id}.{self.form}"
