"""English of lists: what they are called, and how one adds to them, removes, ticks off, reads and clears."""

import re
from typing import Final

from home_words.lazy_pattern import LazyPattern

SHOPPING: Final = "shopping"
_NAMES: Final = {
    **dict.fromkeys(
        ("", "shopping", "grocery", "groceries", "shop", "supermarket", "buying", "food"), SHOPPING
    ),
    **dict.fromkeys(("to do", "todo", "to-do", "task", "tasks", "to dos", "todos", "things to do"), "to-do"),
    **dict.fromkeys(("all", "every", "any"), "all"),
}


def list_name(said: str) -> str:
    """One name for one list: "my grocery list" is the shopping list."""
    plain = re.sub(r"^(?:(?:the|my|our|a) )+| ?\b(?:lists?)$", "", " ".join(said.casefold().split())).strip()
    return _NAMES.get(plain, plain)


def spoken_list(name: str) -> str:
    return f"the {name} list"


# What is bought by one word. Speech has no commas: "milk eggs and bread" are three things.
_STAPLES: Final = frozenset(
    """milk eggs bread butter cheese flour sugar salt pepper rice pasta coffee tea water juice beer wine apples bananas
    oranges lemons grapes tomatoes potatoes onions carrots garlic lettuce cucumbers mushrooms spinach chicken beef ham
    bacon fish salmon yogurt yoghurt cream cereal oats honey jam oil vinegar ketchup mustard chips cookies soap
    shampoo toothpaste napkins tissues batteries""".split()
)


def staples_apart(text: str) -> list[str]:
    """Only where every word of it is one: "olive oil" stays what it is."""
    words = text.split()
    apart = len(words) > 1 and all(word.casefold() in _STAPLES for word in words)
    return words if apart else [text]


# Without any of these nothing is said of a list.
SPEAKS_OF: Final = (
    "list",
    "groceries",
    "to do",
    "todo",
    "to buy",
    "tick off",
    "check off",
    "cross off",
    "mark ",
    "add ",
)
_MY: Final = r"(?:(?:the|my|our|a) )*"
_LIST: Final = (
    rf"{_MY}(?:(?P<list>(?!list\b)[a-z]+(?: [a-z]+){{0,2}}) )?lists?|{_MY}(?P<list2>groceries|to dos?|todos?)"
)
_ON: Final = r"(?:to|on|onto|in|into)"
_OFF: Final = r"(?:from|off|off of|out of|on)"
_WE_NEED: Final = r"(?:(?:we|i) (?:also )?(?:need|want|are out of|am out of|ran out of|have run out of|have no|are running low on)|(?:we are |i am )?(?:out of|low on))"
ADD: Final = tuple(
    LazyPattern(rf"^{pattern}$")
    for pattern in (
        rf"{_WE_NEED}(?: more| any| some| new)* (?P<items>.+?)(?: so| and| can you| could you| please)* (?:add|put|write) (?:it|them|that|some|those) {_ON} (?:{_LIST})",
        rf"(?:add|put|write|include|stick|throw|jot|note|append|place)(?: down)? (?P<items>.+?) {_ON} (?:{_LIST})",
        rf"(?:add|put|write|append) {_ON} (?:{_LIST}) (?P<items>.+)",
        rf"{_ON} (?:{_LIST}) (?:add|put|write) (?P<items>.+)",
    )
)
# What points at something that was said before.
POINTS: Final = frozenset("it that this them these those some something one".split())
# A thing that has any of these in it was no thing: it is asked, told, or meant for later.
NO_THING: Final = LazyPattern(
    r"^(?:if|what|whether|how|which|that)\b|\b(?:if|when|whenever|unless|until|once|later|tomorrow|tonight|yesterday|next week|every|"
    r"said|before|after|is|was|not|at \d+|in \d+ minutes?|for an? hour|on monday)\b"
)
ADD_SOMEWHERE: Final = LazyPattern(r"^add (?P<items>(?!to\b|on\b)[a-z]+(?: (?!to\b|and turn\b)[a-z]+){0,4})$")
REMOVE: Final = tuple(
    LazyPattern(rf"^{pattern}$")
    for pattern in (
        rf"(?:remove|delete|take|scratch|strike|erase|drop)(?: off)? (?P<items>.+?) {_OFF} (?:{_LIST})",
        rf"(?:i|we) (?:do not|no longer) need (?P<items>.+?) {_OFF} (?:{_LIST})(?: any ?more)?",
    )
)
COMPLETE: Final = tuple(
    LazyPattern(rf"^{pattern}$")
    for pattern in (
        rf"(?:tick|check|cross|mark) (?:off )?(?P<items>.+?)(?: off)?(?: as (?:done|bought|completed?|finished))? {_OFF} (?:{_LIST})",
        rf"(?:mark|set) (?P<items>.+?) (?:on|from) (?:{_LIST}) as (?:done|bought|completed?|finished)",
        r"(?:tick|check|cross) off (?P<items>(?!list).+)",
        r"mark (?P<items>.+?) as (?:done|bought|completed?|finished)",
    )
)
CLEAR: Final = tuple(
    LazyPattern(rf"^{pattern}$")
    for pattern in (
        rf"(?:clear|empty|erase|wipe|reset|delete|clean)(?: out| up)? (?:all of |everything (?:on|from|off) )?(?:{_LIST})",
        rf"(?:remove|delete|take|clear) (?:everything|all(?: items| things)?) {_OFF} (?:{_LIST})",
    )
)
READ: Final = tuple(
    LazyPattern(rf"^{pattern}$")
    for pattern in (
        rf"(?:what is|what are|whats|what do (?:i|we) have|what have (?:i|we) got|what else is|what did i put)(?: there)?(?: (?:still|left|things))* (?:on|in) (?:{_LIST})",
        rf"(?:read|show|tell|give|open|check|say)(?: (?:me|us|out|back|aloud))*(?: what is on)? (?:{_LIST})",
        rf"(?:how many (?:things|items)|is (?:there )?anything|do i have anything|are there any (?:things|items)|how many)(?: (?:are|is|do i have|there))* (?:on|in) (?:{_LIST})",
        rf"(?:what is|what are) (?:{_LIST})",
        r"what (?:do|should|must) (?:i|we) (?:need to|have to|need|must|should)? ?(?P<buy>buy|get from the (?:shop|store|supermarket))",
        r"(?:my|the|our) (?P<list>shopping|grocery|to do|todo) list",
        r"(?P<all>what|which|how many) lists (?:do i have|are there|have i got)|(?:show|read|tell)(?: me)? (?:all )?my lists",
        rf"(?:is|are|do (?:i|we) have|did (?:i|we) (?:already )?(?:put|add|write)|have (?:i|we) (?:already )?(?:put|added|got)) (?:there )?(?P<asked>.+?) "
        rf"(?:still |already )?(?:on|to) (?:{_LIST})(?: already| yet)?",
        rf"(?:check|see|look) (?:if|whether|what) .+ on (?:{_LIST})",
    )
)
