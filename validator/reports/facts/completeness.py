"""What is missing from results, in sentences, so that a gap is not taken for success."""

from __future__ import annotations

from onnx_conformance.core.corpus.vectors_folder import DEFAULT, STANDARD
from onnx_conformance.core.text import listed, one_line, quantity

from ...results.lost_children import lost_children
from ...results.records import Results, ResumedFacts
from .claims import claims

VALIDITY_ALONE = (
    "judges validity alone: no value was compared, so its counts are not comparable with those of a"
    " runtime"
)
_SHARDS = 8  # that a sentence names
_FOUND = tuple(map(str, (STANDARD, DEFAULT)))


def gaps(results: Results) -> list[str]:
    """One sentence for each thing that is missing; empty if every verdict is there."""
    found = []
    shards = results.header.extra.get("missing_shards", ())
    if shards:
        names = listed([one_line(str(item), 20) for item in shards], _SHARDS)
        found.append(
            f"{quantity(len(shards), 'shard')} missing ({names}):"
            f" {_unknown(results)} in no results file"
        )
    elif _in_no_shard(results):
        found.append(f"{quantity(_in_no_shard(results), 'selected vector')} in none of the shards")
    if not results.header.planned:
        found.append("no vector was planned: nothing was judged")
    missing = results.missing
    if missing:
        found.append(
            f"{quantity(len(missing), 'planned vector')} without a verdict,"
            f" the first is '{one_line(missing[0], 200)}'"
        )
    return found


def _at_stop(results: Results) -> list[str]:
    """How children ended when they were asked to, where they did not end well."""
    said = (results.footer or {}).get("notes") or {}
    return [
        one_line(fact, 200) + (f" ({count} times)" if count != 1 else "")
        for fact, count in said.items()
        if fact.endswith("'stop'")
    ]


def _found_by_itself(results: Results) -> bool:
    """Whether the vectors are of a folder that nobody named."""
    header = results.header
    named = "--vectors" in header.extra.get("arguments", ("--vectors",))
    return not named and header.corpus.get("root", "") in _FOUND


def _resumed(results: Results, facts: ResumedFacts) -> str:
    """How many verdicts are older than the run that continued them."""
    date = one_line(results.header.started, 40) or "an unknown date"
    at = one_line(str(facts.get("at", "")), 40)
    if not facts.get("judged"):
        return f"every verdict is of an earlier run, begun {date}: --resume judged nothing ({at})"
    earlier = quantity(facts.get("earlier", 0), "verdict is", "verdicts are")
    judged = quantity(facts.get("judged", 0), "more", "more")
    return f"{earlier} of an earlier run, begun {date}; --resume judged {judged} ({at})"


def reused_in_words(results: Results) -> str:
    """How many verdicts were taken over from earlier runs, and of when; empty if none."""
    dates = sorted(results.reused)
    if not dates:
        return ""
    count = sum(results.reused.values())
    when = " to ".join(dict.fromkeys(one_line(item[:10]) for item in (dates[0], dates[-1])))
    are = "verdict was" if count == 1 else "verdicts were"
    return (
        f"{count:,} of {len(results.rows):,} {are} taken over from earlier runs (--reuse) of {when}"
    )


def _in_no_shard(results: Results) -> int:
    """How many of the selected vectors none of the shards planned, though every shard is there."""
    extra = results.header.extra
    return (
        max(0, extra.get("selected", 0) - len(results.header.planned)) if extra.get("shard") else 0
    )


def _unknown(results: Results) -> str:
    selected = results.header.extra.get("selected")
    if isinstance(selected, int) and selected > len(results.header.planned):
        number = selected - len(results.header.planned)
        return f"{quantity(number, 'vector')} {'is' if number == 1 else 'are'}"
    return "the vectors of it are"


def notes(results: Results) -> list[str]:
    """Sentences that a reader needs to understand the counts and that no verdict tells."""
    describe = results.header.describe
    found = claims(results)
    if describe.get("judges") == "validity":
        found.append(VALIDITY_ALONE)
    for item in describe.get("adapts") or ():
        if isinstance(item, dict):
            name = one_line(str(item.get("adaptation", "")), 80)
            reason = one_line(str(item.get("reason", "")), 300)
            found.append(f"adapted before the runtime saw it: {name}: {reason}")
    if _found_by_itself(results):
        found.append(
            f"the vectors are those of ./{results.header.corpus['root']} in the working folder, and"
            " not of the published corpus: --vectors names others"
        )
    resumed = (results.footer or {}).get("resumed")
    if resumed:
        found.append(_resumed(results, resumed))
    if results.reused:
        found.append(reused_in_words(results))
    lost = lost_children(results)
    if lost.count:
        found.append(lost.words)
    found += _at_stop(results)
    spoiled = results.in_company
    if spoiled:
        found.append(
            f"{quantity(len(spoiled), 'vector')} did otherwise alone in a fresh process than behind"
            f" others in the same one; the first is '{one_line(spoiled[0], 200)}'"
        )
    return found
