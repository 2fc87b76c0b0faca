"""Claims in a few other languages: only that something was done or is so, not of which thing and value."""

import re
import unicodedata

from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind

# For each language: what claims, and what takes it back. Accents are left out, as speech recognisers do.
_LANGUAGES = (
    (  # German
        r"(?:habe|hab|wurden?|ist|sind|wird|werden)\b.*\b(?:(?:ein|aus|an|ab|um|zu)ge(?:schaltet|macht|stellt|"
        r"dreht|schlossen|sperrt)|geoffnet|geschlossen|verriegelt|entriegelt|gesperrt|entsperrt|gedimmt|"
        r"gestellt|gesetzt|aktiviert|deaktiviert|gestartet|gestoppt|erledigt|hinzugefugt|geloscht)|"
        r"^(?:ok(?:ay)?|gut|klar|ja|so)?\W*(?:erledigt|fertig|gemacht)\b|"
        r"(?:ist|sind) (?:jetzt|nun) (?:an|aus|auf|zu|offen)\b|"
        r"^(?:ok(?:ay)?\W+)?ich (?:schalte|mache|offne|schliesse|stelle|dimme|sperre|verriegele)\b",
        r"\b(?:nicht|kein\w*|nichts|leider|konnte|kann|nie)\b",
    ),
    (  # French
        r"\bj ai (?:bien )?(?:allume|eteint|ouvert|ferme|verrouille|deverrouille|regle|active|desactive|"
        r"programme|ajoute|baisse|augmente|mis)|\bc est fait\b|"
        r"\b(?:est|sont) (?:maintenant|desormais) (?:allume|eteint|ouvert|ferme|verrouille)|"
        r"\b(?:a|ont) ete (?:allume|eteint|ouvert|ferme|verrouille|regle|active)|"
        r"^j (?:allume|eteins|ouvre|ferme)\b",
        r"\b(?:pas|aucune?|jamais|impossible|rien)\b",
    ),
    (  # Spanish
        r"\bhe (?:encendido|apagado|abierto|cerrado|bloqueado|desbloqueado|configurado|ajustado|activado|"
        r"desactivado|puesto|programado|anadido|bajado|subido)|^(?:\W*)(?:listo|hecho)\b|"
        r"\b(?:esta|estan) (?:ahora )?(?:encendid|apagad|cerrad|abiert|bloquead)[oa]s? ahora|"
        r"\b(?:se ha|ha sido|han sido) (?:encendid|apagad|abiert|cerrad|bloquead|activad)|"
        r"^(?:enciendo|apago|encendiendo|apagando|abriendo|cerrando)\b",
        r"\b(?:no|nunca|nada|ningun\w*)\b",
    ),
    (  # Italian
        r"\bho (?:acceso|spento|aperto|chiuso|bloccato|sbloccato|impostato|regolato|attivato|disattivato|"
        r"aggiunto)|^\W*fatto\b|\b(?:e|sono) (?:ora|adesso) (?:acces|spent|apert|chius|bloccat)|"
        r"\b(?:e stat[oa]|sono stat[ie]) (?:acces|spent|apert|chius|bloccat|impostat)",
        r"\b(?:non|mai|niente|nessun\w*)\b",
    ),
    (  # Dutch
        r"\b(?:heb|is|zijn|werd|wordt)\b.*\b(?:(?:aan|uit|in)(?:gezet|geschakeld|gedaan|gesteld)|geopend|"
        r"gesloten|vergrendeld|ontgrendeld|gedimd|gestart|gestopt|toegevoegd)|^\W*(?:klaar|gedaan)\b|"
        r"(?:is|zijn) nu (?:aan|uit|open|dicht)\b",
        r"\b(?:niet|geen|nooit|niets)\b",
    ),
    (  # Portuguese
        r"\b(?:liguei|desliguei|acendi|apaguei|abri|fechei|tranquei|destranquei|ajustei|ativei|desativei|"
        r"configurei)\b|^\W*(?:pronto|feito)\b|"
        r"\b(?:foi|foram) (?:ligad|desligad|apagad|abert|fechad|trancad)",
        r"\b(?:nao|nunca|nada|nenhum\w*)\b",
    ),
)
_COMPILED = [(re.compile(claims), re.compile(denies)) for claims, denies in _LANGUAGES]
_IS = re.compile(r"\b(?:ist|sind|est|sont|esta|estan|is|zijn|e ora|sono ora|e adesso)\b")
_WAS_DONE = re.compile(r"\b(?:wurden?|habe?|werden|worden|ete|stat[oaie]|erledigt|fait)\b")


def foreign_claim(sentence: str) -> Claim | None:
    if sentence.rstrip().endswith("?"):
        return None
    text = unicodedata.normalize("NFD", sentence.lower().replace("ß", "ss"))
    text = re.sub(r"['’]", " ", "".join(c for c in text if unicodedata.category(c) != "Mn"))
    if not any(claims.search(text) and not denies.search(text) for claims, denies in _COMPILED):
        return None
    state = bool(_IS.search(text)) and not _WAS_DONE.search(text)
    return Claim(Kind.STATE if state else Kind.ACT, Aspect.DONE, every=True)
