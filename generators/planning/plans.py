"""One vector that is to be made, and its id."""

from __future__ import annotations

from dataclasses import dataclass

from onnx_conformance.core.corpus.vectors import Kind

from ..forms import STATIC_FORM, form_named
from ..situations.variants import Variant


@dataclass(frozen=True)
class Plan(Variant):
    """One vector that is to be made: a variant of a case, in one form.

    Attributes:
        form: by its name.
        control: id of the valid vector that an invalid one is held against.
        is_open: whether the oracle says that the document leaves the result open.
    """

    form: str = STATIC_FORM
    control: str | None = None
    is_open: bool = False

    @property
    def kind(self) -> Kind:
        """The case's, but for what is open or may be refused."""
        if self.case.kind != Kind.VALID:
            return self.case.kind
        may_be_refused = form_named(self.form).refusal is not None
        return Kind.LATITUDE if may_be_refused or self.is_open else Kind.VALID

    @property
    def id(self) -> str:
        """`<operator>-<since_version>/<case>/<variant>`."""
        return self.base_id if self.form == STATIC_FORM else f"{self.base_id}.{self.form}"
