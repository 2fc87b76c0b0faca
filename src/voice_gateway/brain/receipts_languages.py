"""Claims in a few other languages: only that something was done or is so, not of which thing and value."""

import re
import unicodedata

from voice_gateway.brain.receipts_claim import Aspect, Claim, Kind

_LONGEST = 1000  # characters of one sentence

# For each language: what claims, and what takes it back. Accents are left out, as speech recognisers do.
_LANGUAGES = (
    (  # German
        r"(?:habe|hab|wurden?|ist|sind|wird|werden)\b.*\b(?:(?:ein|aus|an|ab|um|zu)ge(?:schaltet|macht|"
        r"stellt|dreht|schlossen|sperrt)|geoffnet|geschlossen|verriegelt|entriegelt|gesperrt|entsperrt|"
        r"gedimmt|gestellt|gesetzt|aktiviert|deaktiviert|gestartet|gestoppt|erledigt|hinzugefugt|geloscht)|"
        r"^(?:ok(?:ay)?|gut|klar|ja|so)?\W*(?:erledigt|fertig|gemacht)\b|(?:ist|sind) (?:jetzt|nun) (?:an|"
        r"aus|auf|zu|offen)\b|^(?:ok(?:ay)?\W+)?ich (?:schalte|mache|offne|schliesse|stelle|dimme|sperre|"
        r"verriegele)\b",
        r"\b(?:nicht|kein\w*|nichts|leider|konnte|kann|nie)\b",
    ),
    (  # French
        r"\bj ai (?:bien )?(?:allume|eteint|ouvert|ferme|verrouille|deverrouille|regle|active|desactive|"
        r"programme|ajoute|baisse|augmente|mis)|\bc est fait\b|\b(?:est|sont) (?:maintenant|desormais) "
        r"(?:allume|eteint|ouvert|ferme|verrouille)|\b(?:a|ont) ete (?:allume|eteint|ouvert|ferme|verrouille|"
        r"regle|active)|^j (?:allume|eteins|ouvre|ferme)\b",
        r"\b(?:pas|aucune?|jamais|impossible|rien)\b",
    ),
    (  # Spanish
        r"\bhe (?:encendido|apagado|abierto|cerrado|bloqueado|desbloqueado|configurado|ajustado|activado|"
        r"desactivado|puesto|programado|anadido|bajado|subido)|^(?:\W*)(?:listo|hecho)\b|\b(?:esta|estan) "
        r"(?:ahora )?(?:encendid|apagad|cerrad|abiert|bloquead)[oa]s? ahora|\b(?:se ha|ha sido|han sido) "
        r"(?:encendid|apagad|abiert|cerrad|bloquead|activad)|^(?:enciendo|apago|encendiendo|apagando|"
        r"abriendo|cerrando)\b",
        r"\b(?:no|nunca|nada|ningun\w*)\b",
    ),
    (  # Italian
        r"\bho (?:acceso|spento|aperto|chiuso|bloccato|sbloccato|impostato|regolato|attivato|disattivato|"
        r"aggiunto)|^\W*fatto\b|\b(?:e|sono) (?:ora|adesso) (?:acces|spent|apert|chius|bloccat)|\b(?:e "
        r"stat[oa]|sono stat[ie]) (?:acces|spent|apert|chius|bloccat|impostat)",
        r"\b(?:non|mai|niente|nessun\w*)\b",
    ),
    (  # Dutch
        r"\b(?:heb|is|zijn|werd|wordt)\b.*\b(?:(?:aan|uit|in)(?:gezet|geschakeld|gedaan|gesteld)|geopend|"
        r"gesloten|vergrendeld|ontgrendeld|gedimd|gestart|gestopt|toegevoegd)|^\W*(?:klaar|gedaan)\b|(?:is|"
        r"zijn) nu (?:aan|uit|open|dicht)\b",
        r"\b(?:niet|geen|nooit|niets)\b",
    ),
    (  # Portuguese
        r"\b(?:liguei|desliguei|acendi|apaguei|abri|fechei|tranquei|destranquei|ajustei|ativei|desativei|"
        r"configurei)\b|^\W*(?:pronto|feito)\b|\b(?:foi|foram) (?:ligad|desligad|apagad|abert|fechad|"
        r"trancad)",
        r"\b(?:nao|nunca|nada|nenhum\w*)\b",
    ),
)
# A thing of the home that is in some state, in any of them.
_HOME = (
    r"lichte?r?|lampen?|tur|heizung|rollladen|rollo|fenster|garage|lumieres?|lampes?|porte|volets?|chauffage|"
    r"fenetres?|luz|luces|lamparas?|puerta|persianas?|calefaccion|ventanas?|luci|luce|lampad[ae]|porta|"
    r"tapparell[ae]|riscaldamento|finestr[ae]|deur|verwarming|gordijn|raam|janela|aquecimento"
)
_STATES = re.compile(
    rf"\b(?:{_HOME})\b.*\b(?:ist|sind|est|sont|esta|estan|estao|e|sono|is|zijn)\b(?: \w+)?? (?:an|aus|auf|zu|"
    r"offen|geschlossen|verriegelt|allume|eteint|ouvert|ferme|verrouille|encendid|apagad|abiert|cerrad|"
    r"bloquead|acces|spent|apert|chius|bloccat|aan|uit|dicht|gesloten|acend|ligad|desligad|fechad|abert|"
    r"trancad)[a-z]{0,2}\b"
)
# Whoever says "now" of a thing of the home says how it is.
_ROOMS = (
    r"wohnzimmer|kuche|schlafzimmer|badezimmer|bad|flur|buro|cuisine|salon|chambre|cocina|dormitorio|cucina|"
    r"soggiorno|keuken|woonkamer|slaapkamer|cozinha|quarto|sala"
)
_NOW = re.compile(
    rf"(?=.*\b(?:{_HOME}|{_ROOMS})\b).*\b(?:jetzt|nun|maintenant|desormais|ahora|ora|adesso|nu|agora)\b"
)
# "I have done", whatever it was that was done; understanding and trying are no deeds.
_I_DID = re.compile(
    r"\bj ai (?:bien |deja |donc )?(?!compris|entendu|essaye|trouve|vu|cherche|besoin)[a-z]{2,}(?:e|ee|es|i|"
    r"u|is|it|ert)\b(?! pas)|\bhe (?:ya )?(?!entendido|comprendido|intentado|encontrado|visto|"
    r"oido)[a-z]{3,}(?:ado|ido|uesto|echo|ito)\b|\bho (?:gia )?(?!capito|sentito|provato|trovato|"
    r"visto)[a-z]{3,}(?:ato|uto|ito|eso|iuso|esso|atto)\b|\bich habe?\b(?!.*\b(?:verstanden|gehort|gefunden|"
    r"versucht|gesehen|gelernt)\b).*\b(?:\w*ge\w{3,}(?:t|en)|\w{3,}iert)\b|\bik heb\b(?!.*\b(?:begrepen|"
    r"gehoord|gevonden|geprobeerd|gezien)\b).*\b\w*ge\w{3,}(?:d|t|en)\b"
)
_COMPILED = [(re.compile(claims), re.compile(denies)) for claims, denies in _LANGUAGES]
_IS = re.compile(r"\b(?:ist|sind|est|sont|esta|estan|is|zijn|e ora|sono ora|e adesso)\b")
_WAS_DONE = re.compile(r"\b(?:wurden?|habe?|werden|worden|ete|stat[oaie]|erledigt|fait)\b")


_INDEED_ENGLISH = re.compile(r"\b(?:the|an|of|and|you|it)\b")


def foreign_claim(sentence: str) -> Claim | None:
    if sentence.rstrip().endswith("?"):
        return None
    text = unicodedata.normalize("NFD", sentence[:_LONGEST].lower().replace("ß", "ss"))
    text = re.sub(r"['’]", " ", "".join(c for c in text if unicodedata.category(c) != "Mn"))
    denied = any(denies.search(text) for _, denies in _COMPILED)
    built = any(rule.search(text) for rule in (_STATES, _NOW, _I_DID))
    stated = built and not denied and not _INDEED_ENGLISH.search(text)
    if not stated and not any(
        claims.search(text) and not denies.search(text) for claims, denies in _COMPILED
    ):
        return None
    state = bool(_IS.search(text)) and not _WAS_DONE.search(text)
    return Claim(Kind.STATE if state else Kind.ACT, Aspect.DONE, every=True)
