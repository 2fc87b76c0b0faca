"""The words for an alarm that was heard: what stops it while it sounds, and means nothing else then."""

import re
from functools import lru_cache
from typing import Final

from home_names.names import plain

_BEFORE: Final = r"(?:(?:ok|okay|yes|yeah|yep|alright|all right|please|hey|thanks|thank you|fine)[\s,.!]*)*"
_WHICH: Final = r"(?:smoke|fire|water|leak|flood|gas|heat|carbon monoxide|home|house)"
_ALARM: Final = rf"(?:(?:the|that|this|all|all the|my) )?(?:{_WHICH} )?(?:alarms?|alerts?|warnings?|noise|ringing|beeping)"
HEARD: Final = re.compile(
    rf"{_BEFORE}(?:"
    r"(?:i|we)(?: have|'ve| did)? (?:heard|hear|know|noticed|understand|understood|got)(?: (?:it|you|that|about it|about that))?|"
    rf"(?:i|we)(?: have|'ve)? (?:heard|hear|noticed) {_ALARM}|"
    rf"(?:stop|silence|mute|acknowledge|turn off|switch off|cancel|dismiss|confirm|quiet|end|shut off|clear) {_ALARM}|"
    rf"turn {_ALARM} off|"
    r"(?:stop|silence|quiet|acknowledge|acknowledged|enough|dismiss|understood|got it|shut up|ok|okay|thanks|thank you|alright)|"
    r"(?:stop|silence|dismiss|acknowledge) (?:it|that|this)|stop (?:telling|warning|shouting|ringing|beeping)(?: me| us)?|"
    r"(?:be|keep) quiet|that is enough|that's enough|(?:i am|i'm|we are|we're) (?:on it|coming|there|here|looking)|message received"
    r")(?:[\s,]*(?:please|now|thanks|thank you|jarvis|already|then))*[\s.!]*",
    re.IGNORECASE,
)


# In other languages the whole sentence, with or without a courtesy around it.
_ELSEWHERE: Final = {
    "de": "gehört|ich habe es gehört|ich hab es gehört|ich habs gehört|habe ich gehört|hab ich gehört|wir haben es gehört|"
    "ich weiß|ich weiß es|weiß ich|verstanden|ist angekommen|stopp|stop|aufhören|hör auf|ruhe|ruhig|still|sei still|"
    "sei ruhig|genug|es reicht|alarm aus|alarm stopp|alarm stoppen|alarm beenden|alarm bestätigen|stopp den alarm|"
    "stoppe den alarm|beende den alarm|schalte den alarm aus|schalt den alarm aus|mach den alarm aus|bestätigt|alles klar",
    "fr": "compris|j'ai compris|entendu|j'ai entendu|je sais|on a entendu|c'est bon|d'accord|arrête|arrêtez|stop|silence|"
    "tais-toi|ça suffit|assez|arrête l'alarme|coupe l'alarme|éteins l'alarme|désactive l'alarme|confirme l'alarme",
    "es": "oído|lo oí|lo he oído|lo escuché|entendido|ya lo sé|lo sé|de acuerdo|vale|para|párate|basta|silencio|cállate|"
    "ya está|detente|detén la alarma|para la alarma|apaga la alarma|silencia la alarma|confirma la alarma",
    "it": "sentito|ho sentito|l'ho sentito|ho capito|capito|lo so|va bene|basta|ferma|fermati|silenzio|zitto|stop|"
    "ferma l'allarme|spegni l'allarme|disattiva l'allarme|conferma l'allarme",
    "nl": "gehoord|ik heb het gehoord|begrepen|ik weet het|stop|stil|stilte|wees stil|genoeg|hou op|het is goed|"
    "stop het alarm|zet het alarm uit|alarm uit|bevestig het alarm",
    "pt": "ouvi|já ouvi|eu ouvi|entendi|já entendi|entendido|percebi|já percebi|eu sei|já sei|está bem|tá bom|para|pare|"
    "chega|basta|silêncio|cala-te|cala a boca|para o alarme|pare o alarme|desliga o alarme|desligue o alarme",
    "sv": "jag hörde|jag har hört|jag hörde det|uppfattat|förstått|jag förstår|jag vet|okej|sluta|stopp|stoppa|tyst|"
    "var tyst|det räcker|stäng av larmet|stoppa larmet|tysta larmet|kvittera larmet|larm av",
    "da": "jeg hørte det|jeg har hørt det|forstået|jeg ved det|okay|stop|hold op|stille|vær stille|det er nok|"
    "stop alarmen|sluk alarmen|slå alarmen fra|bekræft alarmen",
    "nb": "jeg hørte det|jeg har hørt det|forstått|oppfattet|jeg vet det|greit|stopp|slutt|stille|vær stille|ti stille|"
    "det er nok|stopp alarmen|slå av alarmen|skru av alarmen|bekreft alarmen",
    "pl": "słyszę|słyszałem|słyszałam|usłyszałem|usłyszałam|rozumiem|zrozumiałem|zrozumiałam|wiem|dobrze|stop|przestań|"
    "cisza|ucisz się|wystarczy|dość|wyłącz alarm|zatrzymaj alarm|wycisz alarm|potwierdź alarm",
    "cs": "slyším|slyšel jsem|slyšela jsem|slyšel jsem to|slyšela jsem to|rozumím|vím|vím o tom|dobře|stop|přestaň|ticho|"
    "dost|to stačí|stačí|vypni alarm|zastav alarm|ztlum alarm|potvrď alarm",
    "fi": "kuulin|kuulin sen|kuultu|ymmärrän|ymmärretty|selvä|tiedän|lopeta|seis|hiljaa|ole hiljaa|riittää|jo riittää|"
    "lopeta hälytys|sammuta hälytys|pysäytä hälytys|hiljennä hälytys|kuittaa hälytys|kuittaan",
    "hu": "hallottam|hallom|értem|értettem|tudom|rendben|állj|állj le|elég|elég volt|csend|csendet|hallgass|"
    "állítsd le a riasztást|kapcsold ki a riasztást|némítsd a riasztást|riasztás ki|nyugtázom",
    "tr": "duydum|anladım|anlaşıldı|biliyorum|tamam|dur|durdur|sus|sessiz|sessiz ol|yeter|alarmı durdur|alarmı kapat|"
    "alarmı sustur|alarmı onayla",
    "ru": "слышу|я слышу|услышал|услышала|я услышал|я услышала|понял|поняла|понятно|я понял|я поняла|знаю|я знаю|хорошо|"
    "ясно|стоп|хватит|тихо|тишина|замолчи|достаточно|перестань|останови тревогу|выключи тревогу|отключи тревогу|"
    "выключи сигнализацию|отбой",
}
_COURTESY: Final = (
    "ok|okay|okej|ja|oui|sí|sì|sim|si|joo|igen|evet|да|tak|ano|danke|bitte|merci|s'il te plaît|s'il vous plaît|gracias|por favor|"
    "grazie|per favore|dank je|bedankt|alsjeblieft|obrigado|obrigada|tack|takk|dziękuję|proszę|díky|děkuji|prosím|"
    "kiitos|köszönöm|kérlek|teşekkürler|lütfen|спасибо|пожалуйста|jarvis"
)


@lru_cache(maxsize=2)
def _plain_of(said: str) -> frozenset[str]:
    """Made when it is first needed."""
    return frozenset(map(plain, said.split("|")))


def _is_elsewhere(text: str) -> bool:
    heard, courtesy = _plain_of("|".join(_ELSEWHERE.values())), _plain_of(_COURTESY)
    words = plain(text).split()
    ends = range(len(words), 0, -1)
    spans = ((start, end) for start in range(len(words)) for end in ends if end > start)
    return any(
        " ".join(words[start:end]) in heard
        and _is_all(words[:start], courtesy)
        and _is_all(words[end:], courtesy)
        for start, end in spans
    )


def _is_all(words: list[str], courtesy: frozenset[str]) -> bool:
    """Nothing but these, one behind the other."""
    return not words or any(
        " ".join(words[:end]) in courtesy and _is_all(words[end:], courtesy)
        for end in range(1, min(len(words), 4) + 1)
    )


def means_heard(text: str) -> bool:
    return len(text) <= 80 and (HEARD.fullmatch(text.strip()) is not None or _is_elsewhere(text))
