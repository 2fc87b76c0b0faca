"""What a sentence of a model claims: nothing, something of this home or a deed of ours, or who knows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from home_words.question import is_question
from voice_gateway.brain.grounding.clause import (
    BEGINNING,
    SHORT,
    Claim,
    deed_in,
    deeds_in,
    has_names,
    in_general,
    points,
    sensed,
    states_in,
    stems_of,
)
from voice_gateway.brain.grounding.wish import Wish
from voice_gateway.brain.languages import (
    BREAK,
    LEAST_STEM,
    Language,
    clauses_of,
    data,
    english,
    is_kind,
    languages,
    languages_of,
    listed,
    matches,
    singular,
    spelled_out,
    tool_verbs,
    words_in,
)

_OPENING = 5  # words that a tale begins with: "es riecht nach Gas" is none


@dataclass(frozen=True)
class Claims:
    """What sentences claim that answer a wish."""

    wish: Wish

    # --- after a wish: only what asks back, or says that it cannot or could

    def none(self, sentence: str, *, done: bool = False) -> bool:
        """Nothing but one question for what is missing, or first-person inability, refusal or offer. Where
        something was `done`, a question may take it for granted: "anything else?"."""
        known = languages_of(sentence)
        if not is_question(sentence):
            bare = set(words_in(sentence)) <= english().words("answers")  # "is it open?" "No."
            return not bare and any(self._unable(sentence, one) for one in known)
        names = self.wish.home.words | listed("or", "any") | {"the", "in", "one"}
        only_names = set(words_in(sentence)) <= names  # "the floor lamp or the desk lamp?"
        return only_names or any(self._asks_back(sentence, one, done=done) for one in known)

    def _asks_back(self, sentence: str, language: Language, *, done: bool) -> bool:
        clauses = language.clauses(sentence, asked=True)
        asked = [one for one in clauses if not self._is_unable(one, language)]
        if not asked or any(clause[0] not in listed("or", "any") for clause in asked[1:]):
            return False
        plain = " ".join(asked[0])
        if done and language.asks.match(plain):
            return not language.states & set(asked[0][SHORT:])
        rest = language.asks_back.sub("", plain).split()
        told = language.states & set(asked[0][SHORT:]) or language.words("me") & set(rest)
        granted = self._granted(language) & set(words_in(sentence)) or not language.asks_back.search(plain)
        return not told and not granted and self._in_its_words(rest, language)

    def _unable(self, sentence: str, language: Language) -> bool:
        clauses = language.clauses(sentence)
        return bool(clauses) and all(
            self._is_unable(clause, language) or (place and self._goes_on(clause, language))
            for place, clause in enumerate(clauses)
        )

    def _is_unable(self, words: Sequence[str], language: Language) -> bool:
        whether = language.words("whether")
        stated = list(takewhile(lambda word: word not in whether, words))
        told = language.states & set(stated[2:]) or self._granted(language) & set(words)
        known = {language, *languages_of(" ".join(words))}
        seen = sensed(stated) or any(one.is_state(word) for one in known for word in stated)
        that = set(data()["that"].get(language.code, "").split())  # first it is a pronoun: "dat kan ik niet"
        form = language.unable.fullmatch(" ".join(words))
        news = bool(told or seen or that & set(words[1:]))
        return bool(form) and not news and self._in_its_words(words, language)

    def _goes_on(self, words: Sequence[str], language: Language) -> bool:
        """Behind "I could dim it": "lock the door", "if you like". Behind "I can't": "there is no lamp". In
        other languages only what wonders: "which door you mean"."""
        if language is not english():
            return bool(language.words("whether") & set(words[:BEGINNING]))
        told = (language.words("me") | self._granted(language)) & set(words) or states_in(words)
        stated = language.states & set(words) and not {"no", "not", "if"} & set(words)
        return not (told or stated) and self._in_its_words(words, language)

    def _granted(self, language: Language) -> frozenset[str]:
        return language.granted - self.wish.words

    def _in_its_words(self, words: Sequence[str], language: Language) -> bool:
        """Common words, the user's own, and what is done to things of a home: no room for news."""
        if "says" not in language.own:
            return True
        verbs = tool_verbs() if {"not", "nothing"} & set(words[:SHORT]) else listed("verbs", "base")
        names = self.wish.home.words | listed("rooms", "en") | self.wish.words
        allowed = (language.function | language.words("says") | verbs | names) - self._granted(language)
        return all(
            {word, singular(word), word.removesuffix("ing")} & allowed or is_kind(word) for word in words
        )

    # --- in talk: nothing of this home as a fact, no deed of ours

    def in_talk(self, sentence: str, *, begun: bool = False) -> Claim:
        """Of a tale that has `begun` few words may follow: "both dead"."""
        if self.none(sentence):
            return Claim.NONE
        deeds = not self._foreign(sentence)
        found = [
            self._of_clause(words, advice=advice, deeds=deeds) for words, advice in self._stated(sentence)
        ]
        if not self.is_courtesy(sentence):
            sure = not self._small_talk and self._answers(sentence, begun=begun)
            found += [Claim.NONE if sure else Claim.UNSURE, self._foreign_home(sentence, begun=begun)]
        return max(found, default=Claim.NONE)

    def begins(self, sentence: str) -> bool:
        """Whether a tale was asked for, and this is more than a report."""
        return self.wish.tale and (is_question(sentence) or len(words_in(sentence)) >= _OPENING)

    def _answers(self, sentence: str, *, begun: bool) -> bool:
        """It is in a language that we have, or has but names and the user's own words and hardly another, or
        the few that end a joke; and of nobody here and now."""
        if self._foreign_tale and (not (begun or self.begins(sentence)) or self._turns_english(sentence)):
            return False
        letters = "".join(words_in(sentence))
        plain = [word for word in re.findall(r"[^\W\d_]+", sentence) if word.islower()]
        echoes = any(map(self._is_users, words_in(sentence)))
        fresh = sum(not self._is_users(word) for word in plain)
        short = (letters.isascii() or echoes) and fresh <= echoes
        ends = self.wish.tale and (begun or not self._foreign_tale)
        short = short or (ends and len(plain) < SHORT and letters != letters.upper())
        told = self.tells_of_us(sentence, "did", "here") or self._strays(sentence)
        return (bool(self._known(sentence)) or short) and not told

    @cached_property
    def _foreign_tale(self) -> bool:
        known = languages_of(self.wish.said)
        ours = english() in known if known else listed("tales", "en") & self.wish.words  # "joke"
        return self.wish.tale and not ours

    def _turns_english(self, sentence: str) -> bool:
        """It is in English, or reports in a word of it: "done"."""
        return english() in self._known(sentence) or bool(
            english().words("settled") & set(words_in(sentence))
        )

    def _is_users(self, word: str) -> bool:
        """One of the user's words, or of its family: "napsal", "napsala"."""
        stem = word[: max(LEAST_STEM + 1, len(word) - 2)]
        return any(one.startswith(stem) for one in self.wish.words)

    def harmless(self, sentence: str) -> bool:
        """Where we cannot tell whether it was a wish: also no state and no deed, of whomever; and what has no
        common word only if the user's had none."""
        if not languages_of(sentence) and languages_of(self.wish.said):
            return False
        words = set(spelled_out(sentence).split())
        done = any(word.endswith(("ed", "ing")) for word in words & tool_verbs())
        states = words & listed("subjects", "states") - english().words("particles")
        return not done and not states and self.in_talk(sentence) is not Claim.MADE

    def deed(self, sentence: str) -> bool:
        """Whether it tells that we did something."""
        return bool(self._foreign_home(sentence)) or any(
            deed_in(words) is Claim.MADE for words in clauses_of(sentence)
        )

    def _known(self, sentence: str) -> tuple[Language, ...]:
        """The languages that it may be in, first of all those of the user's words."""
        return languages_of(sentence, languages_of(self.wish.said))

    def _foreign(self, sentence: str) -> list[Language]:
        """Those, where English is none of them."""
        return [] if english() in self._known(sentence) else [*self._known(sentence)]

    def tells_of_us(self, sentence: str, *lists: str) -> bool:
        """In other languages: words or endings of "I did", or of what is here and now."""
        others = [one for one in self._known(sentence) or languages().values() if one is not english()]
        return any(  # "qué" and the user's "gramos" have no such endings
            matches(word, told) and (word not in one.function | self.wish.words or word in told.split())
            for one in others
            for told in (data()[key][one.code] for key in lists)
            for word in words_in(sentence)
        )

    def _strays(self, sentence: str) -> bool:
        """In other languages: a part answers nothing of what was asked, without a name or a number."""
        known = self._foreign(sentence)
        if not known or self._narrates(sentence):
            return False
        common = {word for one in known for word in one.function}
        joins = "|".join(data()["and"][one.code] for one in known)
        parts = re.split(rf"[,;–—] (?=(?:{joins})\b)", sentence)
        return not all(
            has_names(part, german=languages()["de"] in known)
            or any(map(self._is_users, set(words_in(part)) - common))
            for part in parts
        )

    def _narrates(self, sentence: str) -> bool:
        """A tale, or of him or her, that tells nothing that is."""
        words, known = words_in(sentence), self._foreign(sentence)
        third = any(set(words[:1]) & one.words("third") for one in known)
        now = any(one.words("present") & set(words) for one in known)
        bare = any(set(words) <= one.function | one.words("plain") | one.states for one in known)
        return (self.wish.tale or third) and not now and not bare  # "es brennt" is of nobody

    def _foreign_home(self, sentence: str, *, begun: bool = True) -> Claim:
        """In other languages any word of a home: there the person may be in the verb itself."""
        others, words = self._foreign(sentence), words_in(sentence)
        named = any(one.names_home(words) for one in others)
        spoken_of = named or any(one.speaks_of_home(words) for one in others)
        tale = self.wish.tale and self._narrates(sentence)
        if spoken_of and (self.tells_of_us(sentence, "did") or (named and not tale)):
            return Claim.MADE
        users = () if self._known(sentence) else languages_of(self.wish.said)
        if any(self._reports(sentence, one, begun=begun) for one in others or users if one is not english()):
            return Claim.MADE
        return Claim.UNSURE if spoken_of else Claim.NONE

    def _reports(self, sentence: str, language: Language, *, begun: bool) -> bool:
        """In another language, without a thing of a home: a deed or what is here, that answers nothing; and
        where nothing was asked for, or a tale that begins otherwise, any word that people say to a home."""
        words, me = set(words_in(sentence)), language.words("me")
        answers = self._known(sentence) and not self._small_talk and not self._strays(sentence)
        deed, present = deeds_in(words, language), language.words("present") & words
        if deed and (not answers or me & words):
            return True
        here = any(matches(word, stems_of("here", language)) for word in words - language.function)
        if present and here and not answers and not self.wish.tale:
            return True
        brief = self.wish.tale and not (begun or self.begins(sentence))
        plain = language.words("plain")
        told = plain & words and (present or words <= plain | language.function)  # "hay alguien"
        home = told or language.speaks_of_home([*words])
        news = self._small_talk or (brief and (present or len(words) < SHORT))
        return bool(news and home and not me & words)

    @cached_property
    def _small_talk(self) -> bool:
        """Nothing was asked for, and what is told then is of here and now."""
        known, words = languages_of(self.wish.said), spelled_out(self.wish.said).split()
        asked = any(one.asks.match(" ".join(words_in(self.wish.said))) for one in known)
        if english() not in known:
            return not asked and not self.wish.tale
        return set(words) <= english().function | english().words("greeting") and (
            not asked or words[0] == "how"
        )

    def is_courtesy(self, sentence: str) -> bool:
        words, states = set(spelled_out(sentence).split()), listed("subjects", "states")
        settled = english().words("settled")
        if words & settled and words <= settled | english().words("pointing"):
            return False
        users = languages_of(self.wish.said) or languages().values()
        ends = {word for clause in BREAK.split(sentence) for word in words_in(clause)[-1:]}
        return any(
            words <= (one.polite | self.wish.words) - states - (ends & one.toggled)
            and (not (did := deeds_in(words, one, *users)) or words & one.words("courtesy") - did)
            for one in languages().values()
        )

    def _stated(self, sentence: str) -> Iterator[tuple[list[str], bool]]:
        """The clauses that are no questions, and whether they are advice, which tells nothing of a home."""
        advised = False
        asking = english().asks.match(spelled_out(self.wish.said))
        reasons = english().words("relative") | {"now", "as"}
        for words in clauses_of(sentence):
            plain = " ".join(words)
            if self._is_unable(words, english()):
                continue
            found = english().pattern("advice").match(plain)
            found = found or (asking and english().pattern("instructions").match(plain))
            present = english().words("present") & set(plain.partition(" if ")[0].split())
            verbs = listed("verbs", "base") | listed("verbs", "words")
            goes_on = advised and bool(set(words[:BEGINNING]) & verbs)
            advised = goes_on or (bool(found) and not present)
            if not (is_question(sentence) and any(one.asks.match(plain) for one in languages_of(plain))):
                head = list(takewhile(lambda word: word not in reasons, words)) if advised else words
                if head:
                    yield head, advised
                if tail := words[len(head) :]:  # "you can relax" is advice, "now that it is warm" is none
                    yield tail, False

    def _of_clause(self, words: Sequence[str], *, advice: bool, deeds: bool) -> Claim:
        known = self.wish.home.all | listed("subjects", "facts")
        things = [at for at, word in enumerate(words) if (deeds and is_kind(word)) or singular(word) in known]
        tale = self.wish.tale
        deed = deed_in(words) if deeds else Claim.NONE
        report = len(words) < SHORT  # "done" and "all set" are no jokes
        made_up = deed is Claim.UNSURE or not (things or english().words("pronouns") & set(words))
        if tale and made_up and not report:
            deed = Claim.NONE
        named = any(" " in name for name in self.wish.home.named_in(" ".join(words)))
        told = english().words("present") | english().words("here_and_now")
        settled = tale and report and english().words("settled") & set(words)
        if advice or (tale and not named and not told & set(words)):
            return max(deed, Claim.UNSURE if settled else Claim.NONE)
        of_states = listed("subjects", "states") & self.wish.words  # "when is the museum open"
        clock = english().words("clock") & set(words) or any(":" in word for word in words)
        return max(
            deed,
            Claim.MADE if named else Claim.NONE,
            Claim.UNSURE if clock else Claim.NONE,
            Claim.NONE if of_states else points(words),
            Claim.UNSURE if self._of_this_house(words) else Claim.NONE,
            *(self._of_thing(words, place) for place in things),
        )

    def _of_this_house(self, words: Sequence[str]) -> bool:
        """ "The house is empty", "your mother called", "there is smoke": nothing of it the user spoke of."""
        asked = any(one == "you" and two in english().words("asked") for one, two in pairwise(words))
        fresh = [word for word in words if not {word, singular(word)} & self.wish.words]
        behind = (english().words("definite") | {"your", "at"}) - {"any"}
        house = any(
            singular(word) in english().words("household") and behind & set(words[max(0, at - 2) : at])
            for at, word in enumerate(words)
            if word in fresh and words[0] not in {"i", "my"}  # "I was made to help at home"
        )
        exists = words[0] == "there" and set(words[1:2]) & english().words("existing")
        ours = words[0] == "we" and set(words[1:2]) & english().words("being")  # "we are out of milk"
        yours = words[0] == "your" and set(words[1:2]) <= set(fresh)
        new = set(words) - english().function <= set(fresh)
        return bool(asked or house or yours or ((exists or ours) and new))

    def _of_thing(self, words: Sequence[str], place: int) -> Claim:
        """A fact, unless it is one in general; in doubt if the user spoke of one in general."""
        if in_general(words, place):
            return Claim.NONE
        asked = singular(words[place]) in self.wish.words and not states_in(words)
        return Claim.UNSURE if asked and not self.wish.home.named_in(words[place]) else Claim.MADE
