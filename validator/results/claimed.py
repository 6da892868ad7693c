"""What a profile claims among the rows of results, and what was run although it is not claimed.

A run with a profile judges what is claimed. With `run --all` it judges everything, and what is not
claimed is counted apart: no report lists it, and no gate is red for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from onnx_conformance.core.errors import BadInputError
from onnx_conformance.core.text import one_line

from ..profiles.needs import Needs
from ..profiles.profile import Profile
from ..profiles.reading import profile_of_json
from .records import Header, Results, Row


def profile_in_header(header: Header) -> Profile | None:
    """The profile that a run was checked against; None if it had none.

    Raises BadInputError if the header's profile cannot be read.
    """
    facts = header.extra.get("profile")
    if not isinstance(facts, dict) or "claims" not in facts:
        return None
    try:
        return profile_of_json(facts["claims"])
    except BadInputError as error:
        name = one_line(header.backend, 80)
        raise BadInputError(f"the profile in the results of '{name}': {error}") from None


def claimed_part(results: Results) -> Results:
    """The results without the rows that the run's profile does not claim.

    Their verdicts are counted in the header, under `ran_unclaimed` of its profile. Results of a
    run that had no profile, or judged only what it claims, are returned as they are.
    """
    profile = profile_in_header(results.header)
    if profile is None:
        return results
    others = {row.id: row.verdict for row in results.rows if profile.why_not(needs_of_row(row))}
    if not others:
        return results
    extra = results.header.extra
    counts = dict(Counter(str(verdict) for verdict in others.values()).most_common())
    header = replace(
        results.header,
        planned=tuple(item for item in results.header.planned if item not in others),
        extra={**extra, "profile": {**extra["profile"], "ran_unclaimed": counts}},
    )
    rows = tuple(row for row in results.rows if row.id not in others)
    return replace(results, header=header, rows=rows)


def needs_of_row(row: Row) -> Needs:
    """What the vector of a row needs; the domain of its operator is in its id."""
    name = row.id.partition("/")[0].rpartition("-")[0]
    domain = name.removesuffix(row.operator.lower()).removesuffix(".")
    operator = f"{domain}.{row.operator}" if domain.startswith("ai.onnx.") else row.operator
    return Needs(operator, row.since_version, row.opset, row.form, row.types, row.covers)
