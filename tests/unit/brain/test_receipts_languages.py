"""Claims in other languages: that something was done is noticed, and small talk is left alone."""

import pytest
from tests.eval.receipts_eval import read_outcomes

from voice_gateway.brain.receipts import Receipts

KNOWN = read_outcomes()

CLAIMS = """
Ich habe das Licht eingeschaltet.|Das Licht wurde ausgeschaltet.|Okay, erledigt.|Die Lampe ist jetzt an.
Die Tür ist verriegelt.|Ich schalte die Lampe ein.|Die Lampe wurde auf zehn Prozent gestellt.
J'ai allumé la lumière.|C'est fait !|La porte est maintenant fermée.|Les lumières ont été éteintes.
He encendido la luz.|Listo.|La luz está encendida ahora.|Ho acceso la luce.|Fatto!|La porta è stata chiusa.
Ik heb het licht aangezet.|De lamp is nu uit.|Liguei a luz.|Pronto!
""".strip().replace("\n", "|")
OTHERS = """
Hallo, wie geht es dir?|Ich kann das Licht nicht einschalten.|Soll ich das Licht einschalten?
Ich habe das nicht verstanden.|Die Hauptstadt von Frankreich ist Paris.|Ich habe nichts eingeschaltet.
Bonjour, comment puis-je vous aider ?|Je n'ai pas allumé la lumière.|Paris est la capitale de la France.
Hola, ¿en qué puedo ayudarte?|No he encendido nada.|Ciao, come stai?|Non ho acceso la luce.
Hallo, hoe gaat het?|Ik heb niets aangezet.|Olá, tudo bem?|Das ist eine gute Frage.
""".strip().replace("\n", "|")


@pytest.mark.parametrize("text", CLAIMS.split("|"))
def test_a_claim_needs_its_receipt(text: str) -> None:
    assert Receipts().why_not(text, []) is not None
    assert Receipts().why_not(text, [KNOWN["lamp_failed"]]) is not None
    assert Receipts().why_not(text, [KNOWN["lamp_on"]]) is None


@pytest.mark.parametrize("text", OTHERS.split("|"))
def test_what_claims_nothing_passes(text: str) -> None:
    assert Receipts().why_not(text, []) is None


def test_a_state_may_be_told_after_a_look_but_an_action_may_not() -> None:
    looked = [KNOWN["sees_door_locked"]]

    assert Receipts().why_not("Die Haustür ist verriegelt.", looked) is None
    assert Receipts().why_not("Ich habe die Haustür verriegelt.", looked) == "claim"
