"""Verbs and states of a home, and which of them say the same, the opposite, or something else."""

from typing import NamedTuple

# An effect is one word: what is the case afterwards. For each claimed effect those that bear it out; an
# outcome whose effect is known and not among them says something else.
BORNE_OUT_BY: dict[str, frozenset[str]] = {
    effect: frozenset({effect, *others.split()})
    for effect, others in {
        "on": "start level up set resume activate unmute armed",
        "off": "stop cancel disarmed",
        "open": "up level unlocked",
        "closed": "down level",
        "locked": "",
        "unlocked": "",
        "muted": "off",
        "unmuted": "on",
        "up": "open level set on",
        "down": "closed level set on dim",
        "dim": "level down set on",
        "level": "set up down on dim open closed off heat cool auto",
        "set": "level up down on off dim open closed start heat cool auto",
        "start": "on set resume",
        "stop": "off cancel paused",
        "cancel": "stop off",
        "paused": "stop off",
        "resume": "start on",
        "armed": "on",
        "disarmed": "off",
        "heat": "",
        "cool": "",
        "auto": "",
        "low": "",
        "finished": "",
        "fine": "",
    }.items()
}

STATES: dict[str, str] = {
    "on": "on", "off": "off", "open": "open", "opened": "open", "closed": "closed", "shut": "closed",
    "locked": "locked", "unlocked": "unlocked", "muted": "muted", "unmuted": "unmuted", "active": "on",
    "inactive": "off", "running": "on", "stopped": "stop", "paused": "paused", "playing": "on",
    "armed": "armed", "disarmed": "disarmed", "lit": "on", "dark": "off", "dimmed": "dim", "lowered": "down",
    "raised": "up", "activated": "on", "deactivated": "off", "enabled": "on", "disabled": "off",
    "cancelled": "cancel", "canceled": "cancel", "started": "start", "unlatched": "unlocked",
    "secured": "locked", "secure": "locked", "brighter": "up", "louder": "up", "quieter": "down",
    "darker": "down", "warmer": "up", "cooler": "down", "colder": "down", "silent": "muted",
    "bright": "on", "shining": "on", "glowing": "on", "burning": "on", "bolted": "locked",
    "latched": "locked", "ajar": "open", "sealed": "closed", "illuminated": "on", "low": "low",
    "fine": "fine", "okay": "fine", "empty": "low", "clean": "finished",
}  # fmt: skip
OPPOSITE = {
    "on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
    "muted": "unmuted", "unmuted": "muted", "armed": "disarmed", "disarmed": "armed", "start": "stop",
    "stop": "start", "paused": "on", "cancel": "start", "up": "down", "down": "up",
    "low": "fine", "fine": "low",
}  # fmt: skip
MODES = frozenset({"heat", "cool", "auto"})
PARTICLES = {"on": "on", "off": "off", "up": "up", "down": "down", "out": "off", "back": ""}


class Form(NamedTuple):
    base: str
    tense: str  # "base", "past", "ing"
    effect: str  # "" where the verb alone does not tell


# base, past, ing, effect; "went" and "came" stand for things that go up, on or out.
_VERBS = """
turn turned turning -|switch switched switching -|power powered powering -|flip flipped flipping -
toggle toggled toggling -|put put putting -|bring brought bringing -|crank cranked cranking -
dim dimmed dimming dim|brighten brightened brightening up|lower lowered lowering down
raise raised raising up|increase increased increasing up|decrease decreased decreasing down
reduce reduced reducing down|set set setting set|adjust adjusted adjusting set|change changed changing -
update updated updating -|open opened opening open|close closed closing closed|shut shut shutting closed
lock locked locking locked|unlock unlocked unlocking unlocked|secure secured securing locked
start started starting start|begin began beginning start|stop stopped stopping stop
pause paused pausing paused|resume resumed resuming resume|mute muted muting muted
unmute unmuted unmuting unmuted|silence silenced silencing muted|activate activated activating on
deactivate deactivated deactivating off|enable enabled enabling on|disable disabled disabling off
cancel cancelled cancelling cancel|cancel canceled canceling cancel|delete deleted deleting cancel
remove removed removing cancel|clear cleared clearing cancel|add added adding set
create created creating set|schedule scheduled scheduling set|arm armed arming armed
disarm disarmed disarming disarmed|send sent sending -|restart restarted restarting start
reboot rebooted rebooting start|reset reset resetting set|run ran running on|execute executed executing -
trigger triggered triggering on|launch launched launching start|apply applied applying set
control controlled controlling -|configure configured configuring set|play played playing on
record recorded recording set|save saved saving set|book booked booking set|order ordered ordering set
warm warmed warming up|heat heated heating up|cool cooled cooling down|light lit lighting on
illuminate illuminated illuminating on|extinguish extinguished extinguishing off|kill killed killing off
move moved moving -|remind reminded reminding set|wake woke waking set|complete completed completing -
perform performed performing -|process processed processing -|fulfill fulfilled fulfilling -
carry carried carrying -|handle handled handling -|implement implemented implementing -|make made making -
clean cleaned cleaning -|vacuum vacuumed vacuuming -|brew brewed brewing on|water watered watering -
charge charged charging on|wash washed washing -|dock docked docking -|feed fed feeding -
ring rang ringing on|rise went rising -|rise came rising -|buy bought buying set
queue queued queuing -|forward forwarded forwarding -|submit submitted submitting -
relay relayed relaying -|issue issued issuing -|transmit transmitted transmitting -
roll rolled rolling -|draw drew drawing -|pull pulled pulling -|notify notified notifying set
"""
SENDING = frozenset("send queue forward submit relay issue transmit".split())  # it is on its way, not more
FORMS: dict[str, list[Form]] = {}
for _line in _VERBS.strip().replace("\n", "|").split("|"):
    _base, _past, _ing, _effect = _line.split()
    _effect = "" if _effect == "-" else _effect
    for _word, _tense in ((_base, "base"), (_past, "past"), (_ing, "ing")):
        _forms = FORMS.setdefault(_word, [])
        if not any(form.tense == _tense for form in _forms):
            _forms.append(Form(_base, _tense, _effect))
FORMS["shut"].reverse()
