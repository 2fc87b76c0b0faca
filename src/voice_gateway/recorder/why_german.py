"""The words of German questions about our own doings; which question they are is read in `why_words.py`."""

import re

_BEFORE = r"(?:(?:und|aber|also|hey|moment|okay|ok|na|bitte|jetzt|nun|sag mal) ){0,4}"
_WHY = r"(?:warum|wieso|weshalb|wozu|aus welchem grund|(?:sag|erkläre?) mir warum)"
_IT = r"(?:das|dies|es|so was|sowas|etwas)"
_JUST = r"(?:(?:gerade|eben|jetzt|nun|denn|plötzlich|wieder|noch|immer noch|schon|auf einmal) ){0,3}"
# What was made of a thing, as the word at the end of the sentence says it.
GERMAN_STATES = {
    "an": "on", "ein": "on", "aus": "off", "auf": "open", "offen": "open", "zu": "closed",
    "hoch": "open", "rauf": "open", "runter": "closed", "herunter": "closed",
    "geöffnet": "open", "geschlossen": "closed", "hell": "on", "dunkel": "off",
    "verriegelt": "locked", "abgeschlossen": "locked", "abgesperrt": "locked", "zugesperrt": "locked",
    "entriegelt": "unlocked", "aufgeschlossen": "unlocked", "aufgesperrt": "unlocked",
    "unverschlossen": "unlocked",
}  # fmt: skip
_LOCKED = r"geöffnet|geschlossen|(?:ver|ent)riegelt|(?:ab|auf)geschlossen|(?:ab|auf|zu)gesperrt"
_DONE = (
    r"(?:(?P<state>an|ein|aus|auf|zu|hoch|rauf|runter|herunter)"
    r"ge(?:macht|schaltet|stellt|knipst|dreht|fahren|lassen|tan)"
    rf"|(?P<verb>{_LOCKED}|gedimmt|gestartet|gestoppt|geändert|verändert|bewegt|gestellt|gesetzt|umgeschaltet"
    r"|geschaltet|gestrichen|gelöscht))"
)


def _question(pattern: str) -> "re.Pattern[str]":
    return re.compile(rf"{_BEFORE}{pattern}", re.IGNORECASE)


GERMAN_LAST = _question(
    rf"(?:{_WHY} hast du {_JUST}(?:mich )?(?:{_IT} )?{_JUST}"
    r"(?:gemacht|getan|gesagt|gefragt|geantwortet|ausgeführt)"
    rf"|{_WHY} (?:machst|tust|sagst|fragst) du (?:mich )?{_IT}"
    rf"|{_WHY} du {_IT} (?:gemacht|getan|gesagt|gefragt) hast"
    rf"|{_WHY} (?:ist|war) {_IT} {_JUST}(?:passiert|geschehen|so)"
    rf"|was hast du {_JUST}(?:gemacht|getan)|was sollte das|wer hat (?:dir )?{_IT} (?:gesagt|erlaubt)"
    r"|erkläre? (?:dich|mir was du (?:gerade |eben )?(?:gemacht|getan) hast))"
)
GERMAN_BARE = _question(rf"(?:{_WHY}(?: (?:denn )?nicht)?|erkläre?(?: mir)? {_IT})")
GERMAN_NOT_DONE = _question(rf"{_WHY} hast du {_JUST}(?:(?P<what>.{{1,200}}?) )?nicht(?: .{{1,60}})?")
# "warum hast du die Lampe angemacht", "warum hast du die Tür aufgeschlossen"
GERMAN_DID = _question(rf"{_WHY} (?P<ours>hast) du {_JUST}(?P<thing>.{{1,200}}?) {_JUST}{_DONE}")
# "warum ist die Lampe an", "warum ging das Licht aus", "warum ist das Licht angegangen"
GERMAN_IS = _question(
    rf"{_WHY} (?:ist|sind|war|waren|geht|ging|gingen|gehen|steht|brennt) {_JUST}(?P<thing>.{{1,200}}?) "
    rf"{_JUST}(?P<state>an|aus|auf|zu|offen|hell|dunkel|hoch|runter|unverschlossen|{_LOCKED})"
    r"(?:gegangen|gefahren|geschaltet|gemacht)?"
)
# "wer hat die Lampe angemacht", "was hat die Rollläden geschlossen"
GERMAN_WHO = _question(rf"(?:wer|was) hat {_JUST}(?P<thing>.{{1,200}}?) {_JUST}{_DONE}")
GERMAN_ARTICLE = re.compile(
    r"^(?:der|die|das|den|dem|des|mein\w{0,2}|unser\w{0,2}|ein\w{0,2}|alle|diese[rsnm]?) ", re.IGNORECASE
)
GERMAN_PRONOUNS = frozenset({"das", "es", "sie", "ihn", "dies", "die", "den"})
