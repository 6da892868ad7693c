"""Whether a profile claims less than another, part by part, in words.

A part that is no longer claimed is a loss even if another part claims more: so nothing that was
promised goes unnoticed behind what is new. No corpus is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from onnx_conformance.core.text import listed, one_line

from .needs import FEATURES
from .profile import Claim, Profile

_NAMED = 5
_LONGEST = 80
_EVERYTHING = Profile()
_UNNAMED = Claim("")


def shrunk(old: Profile | None, new: Profile | None) -> tuple[str, ...]:
    """What `old` claims and `new` does not, in words; None claims everything."""
    old, new = old or _EVERYTHING, new or _EVERYTHING
    found = [*_operators(old, new), *_opsets(old, new)]
    found += _lost("the features", tuple(FEATURES) if old.features is None else old.features,
                   new.features)  # fmt: skip
    if old.operators is None:
        found += _of_operator("", _UNNAMED, _UNNAMED, old, new)
        return tuple(found)
    for key, claim in old.operators.items():
        other = _UNNAMED if new.operators is None else new.operators.get(key)
        if other is not None:
            found += _of_operator(f" of {one_line(claim.name, _LONGEST)}", claim, other, old, new)
    return tuple(dict.fromkeys(found))


def _operators(old: Profile, new: Profile) -> Iterator[str]:
    if new.operators is None:
        return
    if old.operators is None:
        yield f"operators other than its {len(new.operators)}"
        return
    gone = [claim.name for key, claim in old.operators.items() if key not in new.operators]
    if gone:
        yield f"the operators {_listed(gone)}"


def _opsets(old: Profile, new: Profile) -> Iterator[str]:
    if new.opset_from is not None and (old.opset_from or 0) < new.opset_from:
        yield f"opsets before {new.opset_from}"
    if new.opset_to is not None and (old.opset_to is None or old.opset_to > new.opset_to):
        yield f"opsets after {new.opset_to}"


def _of_operator(
    of: str, old_claim: Claim, new_claim: Claim, old: Profile, new: Profile
) -> Iterator[str]:
    """What is lost of one operator that both claim; `of` names it in a sentence."""
    yield from _lost(f"versions{of}", old_claim.versions, new_claim.versions)
    variables = dict.fromkeys((*old_claim.types.by_variable, *new_claim.types.by_variable))
    for variable in ("", *variables):
        where = f"{of} as {variable}" if variable else of
        before, now = (
            claim.types.of(variable, profile.types)
            for claim, profile in ((old_claim, old), (new_claim, new))
        )
        yield from _lost(f"element types{where}", before, now)
    before_forms = old.forms if old_claim.forms is None else old_claim.forms
    now_forms = new.forms if new_claim.forms is None else new_claim.forms
    yield from _lost(f"forms{of}", before_forms, now_forms)


def _lost(
    what: str, old: Collection[str | int] | None, new: Collection[str | int] | None
) -> Iterator[str]:
    """What is in `old` and not in `new`, where None has everything."""
    if new is None:
        return
    if old is None:
        yield f"{what} other than {_listed(new) or 'none'}"
        return
    gone = [item for item in old if item not in new]
    if gone:
        yield f"{what} {_listed(gone)}"


def _listed(items: Iterable[object]) -> str:
    words = [one_line(str(item), _LONGEST) for item in items]
    return listed(words, _NAMED)
