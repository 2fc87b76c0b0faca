"""What is said in one turn of a model, sentence by sentence, and what has to be said besides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from home_words.question import is_question
from voice_gateway.brain.grounding.claims import Claims
from voice_gateway.brain.grounding.clause import Claim, tells_of_the_rest
from voice_gateway.brain.grounding.looks import grounded
from voice_gateway.brain.grounding.wish import HomeNames, TurnKind, Wish
from voice_gateway.brain.languages import (
    is_bare_question,
    languages_of,
    listed,
    own_sentence,
    words_in,
)
from voice_gateway.turn import NOT_MADE, NOT_MEANT, OutcomeStatus, ToolOutcome
from voice_gateway.turns.render_outcomes import render_outcomes

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

LONGEST = 2_000  # characters that are looked at; a model that goes round in circles writes more
_NOTHING_HAPPENED = NOT_MEANT | NOT_MADE


def is_look(outcome: ToolOutcome) -> bool:
    """The loudness is asked with the tool that also sets it."""
    return outcome.read_only or outcome.args.get("action") == "get"


@dataclass
class Grounding:
    """What is said in one turn. `review` takes the model's sentences as they come, `tell` what tools brought
    about; `finish` gives what else has to be said. Each returns the text to be said now."""

    said: str
    language: str = "en"
    home: HomeNames = field(default_factory=HomeNames)
    tools: Sequence["BaseTool"] = ()
    outcomes: list[ToolOutcome] = field(default_factory=list)
    silent: bool = True  # neither the model nor a tool gave anything that could be judged
    replaced: bool = False  # our own sentence stands for all that the model said
    _held: list[str] = field(default_factory=list)
    _untold: list[ToolOutcome] = field(default_factory=list)
    _riddle: bool = False  # the sentence before was a question
    _begun: bool = False  # the tale that was asked for
    _spoke: bool = False  # something was said that a listener can take for the answer
    _doubt: bool = False  # something was not said, or should not stand alone: our own sentence must be heard

    @cached_property
    def wish(self) -> Wish:
        return Wish(self.said, self.home, self.tools)

    @cached_property
    def _claims(self) -> Claims:
        return Claims(self.wish)

    @property
    def kind(self) -> TurnKind:
        """Whoever tried to act did not take it for talk, unless it was refused for being just that."""
        acts = (one for one in self.outcomes if not is_look(one))
        tried = any(one.status is not OutcomeStatus.NOT_PERMITTED for one in acts)
        return TurnKind.HOME if tried else self.wish.kind

    @property
    def acted(self) -> bool:
        """Whether something happened, or may have."""
        return any(not is_look(one) and one.status not in _NOTHING_HAPPENED for one in self.outcomes)

    @property
    def looked(self) -> bool:
        return any(is_look(outcome) for outcome in self.outcomes)

    # --- what tools brought about

    def tell(self, outcome: ToolOutcome) -> str:
        """Told at once when it happened or may have; what never ran may yet be tried in another way."""
        self.silent = False
        if is_look(outcome) and outcome.status is OutcomeStatus.NOT_PERMITTED:
            return ""  # nobody asked for a search, and nobody looked
        self.outcomes.append(outcome)
        if is_look(outcome) or outcome.status in _NOTHING_HAPPENED:
            self._untold.append(outcome)
            return ""
        return render_outcomes([outcome])

    def next_round(self) -> str:
        """The calls of a round are done. What the model wrote beside them is judged by what they were."""
        held, self._held = self._held, []
        return " ".join(sentence for sentence in held if self.acted and self._passes_beside(sentence))

    # --- what the model says

    def review(self, sentence: str) -> str:
        self.silent = False
        if len(sentence) > LONGEST:  # nobody can judge it in time, so our own sentence is heard
            self._doubt = True
            return ""
        if self.acted:
            return sentence if self._passes_beside(sentence) else ""
        if self.looked:
            return self._seen(sentence)
        if self.kind is TurnKind.TALK:
            return self._talked(sentence)
        self._held.append(sentence)
        return ""

    def finish(self) -> str:
        """The end of the turn: what nobody told yet, or our own true sentence."""
        if self.silent:
            return ""
        if self.acted:
            return " ".join(filter(None, [self._late(), self._part_left()]))
        if self.looked:
            return " ".join(filter(None, [self._late(), self._looked()]))
        return self._nothing_done()

    # --- no call

    def _talked(self, sentence: str) -> str:
        """After plain talk: what claims nothing of this home; in doubt with our own sentence behind it."""
        claim = self._claims.in_talk(sentence, begun=self._begun)
        self._begun |= claim is Claim.NONE and self._claims.begins(sentence)
        self._doubt |= claim is not Claim.NONE
        self._spoke = True
        return "" if claim is Claim.MADE else sentence

    def _nothing_done(self) -> str:
        """After a wish: what claims nothing, or our own sentence; after unclear words in front of talk."""
        held, refused = self._held, self._late()
        true = refused or own_sentence("not_checked", self.language)
        if held and self._may_stand(held):
            asks = any(is_question(sentence) for sentence in held)
            return " ".join(filter(None, ["" if asks else refused, *held]))
        if self._spoke and not held:
            return true if self._doubt else ""
        harmless = [one for one in held if self.kind is TurnKind.UNCLEAR and self._claims.harmless(one)]
        self.replaced = not harmless
        return " ".join([true, *harmless])

    def _may_stand(self, held: Sequence[str]) -> bool:
        if len(held) == 1 and is_question(held[0]) and not languages_of(held[0]):
            return self.kind is TurnKind.UNCLEAR and is_bare_question(held[0])
        return sum(map(is_question, held)) <= 1 and all(map(self._claims.none, held))

    # --- after an act

    def _passes_beside(self, sentence: str) -> bool:
        """The joke that was also asked for, or a question; nothing about what was done. What has no subject
        of its own passes only as the answer to a riddle."""
        told = tells_of_the_rest(sentence) and not self._riddle and not is_question(sentence)
        passes = not told and (self._claims.none(sentence, done=True) or self._beside(sentence))
        self._riddle = passes and is_question(sentence)
        self._spoke |= passes
        return passes

    def _beside(self, sentence: str) -> bool:
        if not all(outcome.ok for outcome in self.outcomes) or not self._claims.harmless(sentence):
            return False
        known = languages_of(sentence)
        told = self._claims.tells_of_us(sentence, "did")
        if not known or told or any(one.words("me") & set(words_in(sentence)) for one in known):
            return False
        return len(self.wish.parts) > 1 and any(part.kind is TurnKind.TALK for part in self.wish.parts)

    def _part_left(self) -> str:
        """A part of the wish that no call served."""
        spoke = self._spoke or not all(outcome.ok for outcome in self.outcomes)
        left = self.wish.unserved(self.outcomes, spoke=spoke) if len(self.said) <= LONGEST else None
        if left is None:
            return own_sentence("nothing_else", self.language)
        return " ".join(own_sentence("part_left", self.language).format(part=part) for part in left)

    def _late(self) -> str:
        """What never ran and was not made good by a later call; and looks beside an act."""
        done = {outcome.name for outcome in self.outcomes if outcome.ok}
        left = [one for one in self._untold if not is_look(one) and one.name not in done]
        if self.acted and (is_question(self.said) or len(self.wish.parts) > 1):
            left += [one for one in self._untold if is_look(one)]
        return render_outcomes(left) if left and self.kind is not TurnKind.TALK else ""

    # --- after a look

    def _seen(self, sentence: str) -> str:
        """Facts must be those of an outcome. What has none answers nothing: it passes only if it asks back,
        or as the talk that was also asked for, and never alone."""
        facts = grounded(sentence, self.outcomes, self.said)
        asks = is_question(sentence) and self._claims.none(sentence, done=True)
        if asks or (facts is None and self._beside(sentence)):
            self._held.append(sentence)
            return ""
        if not facts or self._claims.deed(sentence) or not languages_of(sentence):
            self._doubt |= not self._claims.is_courtesy(sentence)
            return ""
        told, self._held = " ".join([*self._held, sentence]), []
        self._spoke = True
        return told

    def _looked(self) -> str:
        seen = [outcome for outcome in self.outcomes if is_look(outcome)]
        facts = [] if self._spoke and not self._doubt else [render_outcomes(seen)]
        wished = [own_sentence("not_changed", self.language)] if self._wished() else []
        return " ".join([*facts, *wished, *self._held])

    def _wished(self) -> bool:
        """Somebody wanted something done, and the model only looked."""
        if self.kind is TurnKind.TALK or is_question(self.said):
            return False
        return self.wish.verb in listed("verbs", "base") - listed("wish", "looks")
