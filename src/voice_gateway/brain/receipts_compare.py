"""Whether what was done and seen in a turn bears out a claim."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind, Thing
from voice_gateway.brain.receipts_facts import Fact, Status
from voice_gateway.brain.receipts_verbs import BORNE_OUT_BY, OPPOSITE
from voice_gateway.brain.receipts_words import ANY_DEVICE, EMPTY, KINDS, MEASURES, ROOMS

CLAIM = "claim"  # nothing in this turn bears it out
LOOK = "look"  # it could be known, but nobody looked

_MAY_BE_SAID_OF = {
    Aspect.DONE: {Status.DONE},
    Aspect.ONGOING: {Status.DONE, Status.WORKING},
    Aspect.FUTURE: {Status.DONE, Status.WORKING, Status.QUEUED},
    Aspect.SENT: {Status.DONE, Status.WORKING, Status.QUEUED, Status.UNCONFIRMED},
    Aspect.HEDGED: {Status.DONE, Status.WORKING, Status.QUEUED, Status.UNCONFIRMED},
    Aspect.TRIED: set(Status) - {Status.READ},
}
# Kinds of which a tool's own name or arguments always speak: a nameless device is none of these.
_NOWHERE = frozenset("timer sound list media".split())  # these stand in no room
_NAMED_KINDS = frozenset("timer sound list scene sensor".split())


def refuted(
    claim: Claim, facts: Sequence[Fact], *, topics: frozenset[str], said: frozenset[str]
) -> str | None:
    """Why this claim must not be spoken; None when it may be. `said` are the user's own words."""
    if claim.kind is Kind.LOOKED:
        return None if any(fact.status is not Status.FAILED for fact in facts) else CLAIM
    if claim.kind is Kind.TIME:
        return _time(claim, facts, topics)
    if claim.kind is Kind.FAILED:
        return _wrongly_failed(claim, facts, said)
    # "The lamp is on since 10:32": the time was asked for, too.
    told = [clock for fact in facts if not (fact.acted or fact.named) for clock in fact.amounts.clocks]
    own = [clock for clock in claim.amounts.clocks if not any(clock.fits(other) for other in told)]
    claim = replace(claim, amounts=replace(claim.amounts, clocks=own))
    if claim.sweeping and _only_one(facts, said):
        return CLAIM
    if claim.kind is Kind.STATE:
        return _state(claim, facts, topics, said)
    return _act(claim, facts, said)


def _only_one(facts: Sequence[Fact], said: frozenset[str]) -> bool:
    """Whether one thing was touched, and neither the user nor the tool spoke of all of them."""
    told = {word for fact in facts for word in fact.words} | said
    one = len({fact.key for fact in facts}) == 1 and not facts[0].kinds & {"scene"}
    return one and not told & {"all", "everything", "every", "each", "entire", "whole"}


def _act(claim: Claim, facts: Sequence[Fact], said: frozenset[str]) -> str | None:
    acted = [fact for fact in facts if fact.acted]
    if not acted:
        return None if claim.weak else CLAIM
    groups = [(thing, [fact for fact in acted if _is(thing, fact, said)]) for thing in _things(claim)]
    counts = _counts(claim, groups)
    for thing, meant in groups:
        if not _all_or_one(claim, thing, meant, lambda fact: _bears_out(claim, fact, facts, counts)):
            return CLAIM
    return None


# What only a tool of that name does.
_SPECIAL = frozenset("order book buy play record water brew wash feed charge".split())


def _bears_out(claim: Claim, fact: Fact, facts: Sequence[Fact], counts: set[float]) -> bool:
    if claim.verb in _SPECIAL and not any(word.startswith(claim.verb) for word in fact.words):
        return False
    if _another_effect(claim.effect, fact.effects) or _another_amount(claim, fact, counts):
        return False
    if fact.status is Status.DONE and _seen_opposite(claim.effect, fact):
        return False
    if fact.status in _MAY_BE_SAID_OF[claim.aspect]:
        return True
    # It was on its way, and a later look has seen it arrive.
    unsure = fact.status in {Status.WORKING, Status.QUEUED, Status.UNCONFIRMED}
    return (
        unsure
        and bool(claim.effect)
        and any(
            other.status is Status.READ and other.key == fact.key and claim.effect in other.state
            for other in facts
        )
    )


def _state(claim: Claim, facts: Sequence[Fact], topics: frozenset[str], said: frozenset[str]) -> str | None:
    things = _things(claim)
    if not facts:
        return LOOK if not claim.weak and _topic(things[-1]) in topics else None
    groups = [(thing, _meant(claim, thing, facts, said)) for thing in things]
    counts = _counts(claim, groups)
    for thing, meant in groups:
        if not meant:
            return LOOK if _topic(thing) in topics else CLAIM
        if claim.none and not any(claim.effect in fact.state for fact in meant):
            continue
        if claim.none or not _all_or_one(claim, thing, meant, lambda fact: _is_so(claim, fact, counts)):
            return CLAIM
    return None


def _meant(claim: Claim, thing: Thing, facts: Sequence[Fact], said: frozenset[str]) -> list[Fact]:
    """What the claim may be about: of a list its entries, and of each thing what was seen last."""
    meant = [fact for fact in facts if _is(thing, fact, said)]
    if not thing and not (claim.sweeping or claim.none):
        meant = _asked_for(meant, said)
    if claim.weak:  # "it" is not a whole list, and a museum is no device
        meant = [fact for fact in meant if not (fact.worded or (fact.listed and not thing))]
    if claim.effect and any(fact.listed for fact in meant):
        meant = [fact for fact in meant if fact.listed]
        if not thing:  # "everything is locked": of lamps nobody can say that
            sort = {claim.effect, OPPOSITE.get(claim.effect, "")}
            meant = [fact for fact in meant if fact.state & sort] or meant
    return meant if claim.past else list({fact.key: fact for fact in meant}.values())


def _asked_for(facts: list[Fact], said: frozenset[str]) -> list[Fact]:
    """ "It is on": of a list, what the user had asked for by name."""
    names = {word for fact in facts if fact.listed for word in fact.words & said} - EMPTY
    return [fact for fact in facts if fact.listed and names <= fact.words] or facts if names else facts


def _things(claim: Claim) -> list[Thing]:
    return claim.things or [Thing(frozenset())]


def _is_so(claim: Claim, fact: Fact, counts: set[float]) -> bool:
    if _another_amount(claim, fact, counts):
        return False
    if fact.status in {Status.READ, Status.DONE}:
        judged = claim.effect in {
            "",
            "fine",
            "low",
        }  # in one's own words: only the opposite speaks against it
        looked = fact.acted or fact.named or bool(fact.state) or claim.weak or judged
        other = _another_effect(claim.effect, fact.state | fact.effects) or _seen_opposite(claim.effect, fact)
        return looked and not other
    if not (claim.effect or claim.amounts):
        return fact.status is Status.WORKING  # "is now brewing"
    if fact.state:
        return not _another_effect(claim.effect, fact.state)
    hedged = claim.aspect is Aspect.HEDGED
    # Not done, and nobody knows the state: only that it is, or may be, as it was.
    unchanged = (claim.still or hedged) and OPPOSITE.get(claim.effect) in fact.effects
    return unchanged or (hedged and fact.status is not Status.FAILED)


def _all_or_one(claim: Claim, thing: Thing, facts: list[Fact], good: Callable[[Fact], bool]) -> bool:
    """ "Everything is off" needs all of them; "the light is off" one of those that may be meant."""
    if not facts:
        return False
    measured = claim.kind is Kind.STATE and not claim.effect
    if measured or not (claim.every or thing.many):
        return any(good(fact) for fact in facts)
    keys: dict[str, bool] = {}
    for fact in facts:
        # "I turned it on and off": both were done. Of "done" only the last attempt tells.
        earlier = bool(claim.effect) and keys.get(fact.key, False)
        keys[fact.key] = earlier or good(fact)
    if claim.kind is Kind.STATE and thing.many and not claim.every:
        return any(keys.values())  # "the lights are on" of a list in which some are
    return all(keys.values())


def _time(claim: Claim, facts: Sequence[Fact], topics: frozenset[str]) -> str | None:
    seen = [fact for fact in facts if fact.status is not Status.FAILED and (fact.amounts.clocks or fact.days)]
    if not seen:
        return LOOK if "time" in topics else None
    for fact in seen:
        days = not (claim.days and fact.days) or claim.days <= fact.days
        clocks = not fact.amounts.clocks or all(
            any(clock.fits(other) for other in fact.amounts.clocks) for clock in claim.amounts.clocks
        )
        if days and clocks:
            return None
    return CLAIM


def _wrongly_failed(claim: Claim, facts: Sequence[Fact], said: frozenset[str]) -> str | None:
    """It is said not to have worked, and all that it can mean has worked."""
    thing = claim.things[0] if claim.things else Thing(frozenset())
    meant = [fact for fact in facts if fact.acted and _is(thing, fact, said)]
    done = [fact for fact in meant if fact.status is Status.DONE and claim.effect in fact.effects]
    return CLAIM if done and len(done) == len(meant) else None


def _is(thing: Thing, fact: Fact, said: frozenset[str]) -> bool:
    """Whether the fact may be about the thing: each word of its name is borne out."""
    return all(called(word, fact, said) for word in thing.words)


def called(word: str, fact: Fact, said: frozenset[str]) -> bool:
    """Whether the fact may be about what this word means."""
    if word in fact.words or word in ANY_DEVICE:
        return True
    if word in MEASURES and fact.status is Status.READ:
        return not fact.kinds & _NOWHERE
    if word in ROOMS:
        # A scene changes whatever it is made of, wherever that is.
        scene = "scene" in fact.kinds and fact.status is Status.DONE
        return not fact.placed and ((word in said and not fact.kinds & _NOWHERE) or scene)
    kind = KINDS.get(word)
    if kind is None:
        return False
    # A device of which nobody knows what it is, is what the user called it.
    unknown = not fact.kinds and (fact.acted or fact.named) and kind not in _NAMED_KINDS
    return kind in fact.kinds or (unknown and (not said or kind in {KINDS.get(one) for one in said}))


def _another_effect(claimed: str, known: Iterable[str]) -> bool:
    effects = set(known)
    return bool(claimed and effects) and not effects & BORNE_OUT_BY.get(claimed, frozenset({claimed}))


def _seen_opposite(claimed: str, fact: Fact) -> bool:
    """A blind that is 40 percent open is not closed, although it was lowered."""
    return claimed not in fact.state and OPPOSITE.get(claimed, "") in fact.state


def _another_amount(claim: Claim, fact: Fact, counts: set[float]) -> bool:
    if not claim.amounts.missing(fact.amounts):
        return False
    return not claim.amounts.numbers <= counts or bool(claim.amounts.spans or claim.amounts.clocks)


def _counts(claim: Claim, groups: Sequence[tuple[Thing, Sequence[Fact]]]) -> set[float]:
    """ "All three lights", "two lights are on": of how many it is true."""
    counts = {len(groups)}
    for _, meant in groups:
        counts.add(
            len({fact.key for fact in meant if not _another_effect(claim.effect, fact.state or fact.effects)})
        )
    return {float(count) for count in counts}


def _topic(thing: Thing) -> str:
    kinds = {KINDS[word] for word in thing.words if word in KINDS}
    for topic in ("timer", "sound"):
        if topic in kinds:
            return topic
    return "home"
