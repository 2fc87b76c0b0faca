"""What was said, without punctuation, politeness and fillers, with numbers as digits."""

import re
import unicodedata
from dataclasses import dataclass

from home_names.phrases import is_question
from home_words.numbers import NUMBER_WORDS, to_digits
from home_words.wish_words import POLITE, infinitive

MOST_FILLERS = 8  # in front of a wish and behind it; what has more is no wish, and costs time
LONGEST_WORDS = 60  # nobody gives a command in more; longer speech is a story, a radio or a paste

_COLON = "\ue000"  # stands in for the colon of a clock time while other colons go

_CONTRACTIONS = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not",
    "ain't": "is not", "let's": "let us", "y'all": "you", "gonna": "going to", "wanna": "want to",
    "gotta": "have to", "dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not",
    "whats": "what is", "nevermind": "never mind", "goodnight": "good night", "gimme": "give me",
    "lemme": "let me", "o'clock": "oclock",
}  # fmt: skip
_IS = frozenset(
    """what that it there here who where how when he she this everything something nobody everybody
    everyone somebody someone""".split()
)
_SOUNDS = frozenset(
    """um umm uh uhm uhh er erm hmm hm mm mhm ah ahh eh
    damn damned darn bloody goddamn freaking fucking""".split()
)

# Signs of sums and of money, as words: what stands between figures means something.
_SIGNS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"²", " squared "),
        (r"³", " cubed "),
        (r"√", " square root of "),
        (r"(?<=[\d)])\s*[xX×*·]\s*(?=[\d(])", " times "),
        (r"(?<=[\d)])\s*\+\s*(?=[\d(])", " plus "),
        (r"(?<=[\d)])\s*(?:÷|/)\s*(?=[\d(])", " divided by "),
        (r"(?<=[\d)])\s+[-−–]\s+(?=[\d(])|(?<=\))-(?=\d)", " minus "),
        (r"(?:^|(?<=\s))[-−](?=\d)", " minus "),
        (r"(?<=[\d)])\s*\^\s*(?=[\d(])", " to the power of "),
        (r"\((?=[\d(])", " open bracket "),
        (r"(?<=\d)\)", " close bracket "),
        (r"\$\s*(\d[\d,]*(?:\.\d+)?)", r"\1 dollars "),
        (r"€\s*(\d[\d,]*(?:\.\d+)?)|(?<=\d)\s*€", r"\1 euros "),
        (r"£\s*(\d[\d,]*(?:\.\d+)?)", r"\1 pounds "),
    )
)

# Names people wake an assistant with, be it another one: who comes from there says them by habit. "Hey
# Travis" is somebody else, and "google" alone is a verb.
_WAKE = re.compile(
    r"^[\s,|]*(?:(?:(?:hey|hi|hello|okay|ok|yo)[\s,|]+)?"
    r"(?:jarvis|nabu|computer|assistant|gateway|alexa|siri|cortana|bixby)|"
    r"(?:hey|hi|hello|okay|ok|yo)[\s,|]+google)\b[\s,|]+(?=\w)"
)
_LEADING = re.compile(
    r"^(?:hey there|hi there|hello there|hey|hi|hello|okay|ok|well|so|alright|all right|right|now|"
    r"oh|yo|please|kindly|first(?! thing)|just|maybe|perhaps|possibly|actually|quickly|and|then|also|"
    r"go ahead and|"
    r"if you (?:please|would|could|can|do not mind)|(?:excuse|pardon) me) (?=\S)"
)
_TRAILING = re.compile(
    r"(?<=\S) (?:please|(?:please )?and (?:thank you|thanks)|thanks|thank you|thank you very much|"
    r"for me|for us|right now|right away|immediately|"
    r"(?<!from )now|kindly|would you|will you|could you|can you|okay|ok|alright|my friend|mate|"
    r"jarvis|computer|alexa|siri|cortana|bixby|"
    r"if you (?:please|would|could|can|do not mind)|if possible|as well|too|again|though)$"
)
# "… at 20 percent and the other one at 50": the unit is said once, and the second is no time of day.
_N = rf"(?:\d{{1,3}}|(?:{'|'.join(NUMBER_WORDS)})(?:[ -](?:{'|'.join(NUMBER_WORDS)}))?)"
_SAME_UNIT = re.compile(
    rf"\bat {_N} +percent[ ,]+and (?:the|my|our|all)\b(?:(?! and | percent)[^|])*? at {_N}(?=[ |]*$)"
)
_TAG = re.compile(r" (?:would|will|could|can) you$")


@dataclass(frozen=True, slots=True)
class NormalisedText:
    """One utterance, ready to be matched."""

    text: str  # plain words, numbers as digits, politeness gone
    whole: str  # the same with politeness kept: what the guard reads
    parts: tuple[str, ...]  # between full stops and commas, without fillers but with polite openings
    question: bool  # a question mark, and no polite request ("can you …?")
    polite: bool = False  # put as a polite question


def normalise(raw: str) -> NormalisedText:
    marked = re.sub(r"\bwhile you(?:'re| are) at it\b", " ", _WAKE.sub("", _marked(raw)))
    marked = _SAME_UNIT.sub(r"\g<0> percent", marked)
    whole = " ".join(_words(marked))
    text, polite = strip_politeness(whole)
    between = (" ".join(_words(part)) for part in re.split(r"[,|]", marked))
    parts = tuple(_without_fillers(part) for part in between if part)
    return NormalisedText(text, whole, parts, is_question(raw) and not polite, polite)


def too_long(raw: str) -> bool:
    return len(raw) > 12 * LONGEST_WORDS or len(raw.split()) > LONGEST_WORDS


def _marked(raw: str) -> str:
    """Lower case, "|" at sentence ends, "," at commas, symbols gone."""
    text = raw.replace(_COLON, " ")
    if not text.isalpha():
        for sign, words in _SIGNS:
            text = sign.sub(words, text)
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"[’‘`]", "'", text)
    text = re.sub(r"(\d)\s*%", r"\1 percent ", text)
    text = re.sub(r"(?<!\s)\s*°\s*f\b", " degrees fahrenheit ", text)
    text = re.sub(r"(?<!\s)\s*°(?:\s*c?\b)?", " degrees ", text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"(?<=\d):(?=\d\d\b)", _COLON, text)  # a clock time stays one word
    text = re.sub(r"\b([ap])\.\s?m\.?(?=\W|$)", r"\1m", text)
    text = re.sub(r"(?<!\d)[.](?!\d)|[.](?!\d)|[!?;:…]", " | ", text)
    text = text.replace(",", " , ")
    return "".join(c if c.isalnum() or c in f" |,'.{_COLON}" else " " for c in text).replace(_COLON, ":")


def _words(marked: str) -> list[str]:
    words: list[str] = []
    for word in re.sub(r"[|,]", " ", marked).split():
        bare = word.strip("'")
        if bare and bare not in _SOUNDS:
            words += _expanded(bare).split()
    return to_digits(words)


def _expanded(word: str) -> str:
    if word in _CONTRACTIONS:
        return _CONTRACTIONS[word]
    stem, apostrophe, ending = word.partition("'")
    if not apostrophe:
        return word
    if ending == "t" and stem.endswith("n"):
        return f"{stem[:-1]} not"
    if ending == "s" and stem in _IS:
        return f"{stem} is"
    endings = {"re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}
    return f"{stem} {endings[ending]}" if ending in endings else word.replace("'", "")


def _without_fillers(text: str) -> str:
    for _ in range(MOST_FILLERS):
        before, text = text, _TRAILING.sub("", _LEADING.sub("", text))
        if text == before:
            break
    return text


def strip_politeness(text: str) -> tuple[str, bool]:
    """The request itself, and whether it was put as a polite question."""
    polite = False
    for _ in range(MOST_FILLERS):
        before, polite = text, polite or bool(_TAG.search(text))
        text = _without_fillers(text)
        if asked := POLITE.match(text):
            first, _, rest = text[asked.end() :].partition(" ")
            text, polite = f"{infinitive(first)} {rest}".strip(), True
        if text == before:
            break
    return text, polite
