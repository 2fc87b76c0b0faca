"""Fixed phrases that claim something without naming it: "done", "on it", "I checked"."""

import re

from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind, Thing

ACK = (
    r"(?:okay|ok|sure|sure thing|certainly|absolutely|yes|yeah|yep|alright|all right|right|great|perfect|"
    r"of course|no problem|got it|understood|very well|well|excellent|good|good news|and|so|oh|ah|hey|sir|"
    r"please|now|then)"
)
_TAIL = (
    r"(?: now| already| for you| as requested| as you asked| as you requested| as you wished| successfully|"
    r" sir| then| again| here| right away| immediately| shortly| at once| enjoy)*"
)
_WORK = r"(?:request|command|task|action|operation|change|instruction|job|order|setting|adjustment|wish)s?"
_I = r"(?:i|we)(?: have| had| just| already| now| am| are| will| shall| be| went ahead| right| be right)*"

_DONE = re.compile(
    rf"(?:{ACK} )*(?:(?:it|that|this|everything|all|both) (?:is|are|was|has been|have been) |{_I} |you are |"
    rf"consider it |(?:your|the|that|this) {_WORK} (?:is|are|was|were|has been|have been) |all |{_WORK} )?"
    rf"(?:now |all |already |just |been )*(?:successfully )?"
    rf"(?:done|all set|completed?|finished|accomplished|taken care of|sorted|handled|executed|fulfilled|"
    rf"carried out|processed|performed|applied|successful|success|in effect|dealt with)"
    rf"(?: (?:it|that|this|so|your {_WORK}|the {_WORK}))?{_TAIL}"
)
_DID = re.compile(
    rf"(?:{ACK} )*{_I} (?:(?:did|done|made|completed|finished) (?:it|that|this|so|what you|as you)|"
    rf"(?:took|taken) care of)\b.*"
)
_OTHERS = re.compile(
    rf"(?:{ACK} )*(?:mission accomplished|there you go|there we go|you are all set|we are all set|"
    rf"you got it done|all systems go|it worked|"
    rf"that worked|wish granted|voila|ta da|all good now){_TAIL}"
)
_SET = re.compile(rf"(?:{ACK} )*(?:all )?set{_TAIL}")
_PROMISE = re.compile(
    rf"(?:{ACK} )*(?:(?:{_I} )?on it|will do|right away|at once|coming right up|as you wish|consider it done|"
    rf"{_I} (?:do|take care of|handle|see to|get on|get) (?:it|that|this|so|your {_WORK})|"
    rf"(?:{_I} )?(?:doing|working on|handling|processing|executing) (?:it|that|this|so|(?:your|the) {_WORK})|"
    rf"it will be done|happening now|let me (?:do|take care of|handle) (?:it|that|this)|"
    rf"{_I} (?:make|making) (?:the|that|this|those|your) {_WORK}){_TAIL}"
)
_LISTED = re.compile(r".+ (?:is|are) (?:now )?on (?:the|your)(?: \w+)? list(?: now)?")
_MOVED = re.compile(rf"(?:{ACK} )*(up|down) (?:to|by) \d[\d.]*(?: percent| degrees| celsius| now)*")
_SENT = re.compile(
    rf"(?:{ACK} )*(?:{_I} )?(?:successfully )?(?:sent|issued|forwarded|sending|transmitted|passed|submitted)"
    rf"(?: on)? (?:the|a|your|that) {_WORK}\b.*|(?:the|your|a) {_WORK} (?:was|has been|is) "
    rf"(?:sent|queued|submitted|accepted|on its way|received|issued)\b.*"
)
_LOOKED = re.compile(
    rf"(?:{ACK} )*(?:i|we)(?: have| just| already| now)* (?:checked|looked|searched|verified|confirmed|"
    rf"queried|double checked)\b.*"
)


def phrase(text: str) -> Claim | None:
    """`text` is one clause in lower case, without signs."""
    if _LISTED.fullmatch(text):
        return Claim(Kind.ACT, Aspect.DONE, things=[Thing(frozenset({"list"}))])
    if moved := _MOVED.fullmatch(text):
        return Claim(Kind.ACT, Aspect.DONE, moved[1], every=True)
    if _LOOKED.fullmatch(text):
        return Claim(Kind.LOOKED)
    aspect = next((aspect for build, aspect in _BUILDS if build.fullmatch(text)), None)
    return None if aspect is None else Claim(Kind.ACT, aspect, every=True)


_BUILDS = (
    *((build, Aspect.DONE) for build in (_DONE, _DID, _OTHERS, _SET)),
    (_PROMISE, Aspect.FUTURE),
    (_SENT, Aspect.SENT),
)
_TELL = re.compile(
    rf"(?:{ACK} )*(?:i|we) will (?:let you know|tell you|notify you|alert you|call you|wake you|ring)\b"
)
_AMOUNT = re.compile(r"\b\d+ (?:(?:percent|degrees|minutes?|hours?|seconds?|from now) )*")
_ACKS_ONLY = re.compile(
    rf"(?:{ACK} |i can do that |no worries |you got it |will do |my pleasure |you are welcome |"
    rf"with pleasure )+"
)


def only_agrees(text: str) -> bool:
    """ "Okay.", "Sure, 30 percent.": as an answer to a command it says that it was done."""
    return bool(_ACKS_ONLY.fullmatch(_AMOUNT.sub("", text + " ")))


def promise(text: str) -> Claim | None:
    """ "I will tell you when the ten minutes are over": only a timer could."""
    return Claim(Kind.ACT, Aspect.FUTURE, things=[Thing(frozenset({"timer"}))]) if _TELL.match(text) else None


_AFFIRMS = re.compile(
    rf"(?:{ACK} )*(?:yes|no|yeah|yep|nope|correct|indeed|it is|they are)"
    rf"(?: (?:it|they|that) (?:is|are|does|do|did|was|were)(?: not)?| it is not| they are not)?"
)


def only_affirms(text: str) -> bool:
    """ "Yes.", "No, it is not." """
    return bool(_AFFIRMS.fullmatch(text))
