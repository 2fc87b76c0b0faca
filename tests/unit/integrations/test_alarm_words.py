"""Which words say that an alarm was heard, in every language that has some."""

import pytest

from voice_gateway.integrations.alarms import means_heard


@pytest.mark.parametrize(
    "said",
    [
        "Okay, I heard it.", "silence the smoke alarm please", "turn the alarm off", "I've heard the alarm",
        "acknowledge the alarm", "yes I know", "I'm on it", "stop", "quiet", "we hear you",
        "stop the alarm", "Ok, stop.", "Ich habe es gehört.", "Ja, verstanden, danke!",
        "Alarm aus bitte",
        "J'ai entendu", "Arrête l'alarme s'il te plaît", "¡Ya lo sé!", "Apaga la alarma, por favor",
        "Ho capito, grazie",
        "Spegni l’allarme", "Ik heb het gehoord", "Zet het alarm uit", "Já ouvi", "Desliga o alarme",
        "Jag hörde det",
        "Stäng av larmet", "Jeg hørte det", "Sluk alarmen", "Slå av alarmen", "Słyszę",
        "Wyłącz alarm, proszę",
        "Slyšel jsem to", "Vypni alarm", "Kuulin sen", "Sammuta hälytys", "Hallottam",
        "Kapcsold ki a riasztást", "Duydum",
        "Alarmı kapat", "Я услышал", "Выключи тревогу, пожалуйста", "понятно",
    ],
)  # fmt: skip
def test_it_was_heard(said: str) -> None:
    assert means_heard(said)


@pytest.mark.parametrize(
    "said",
    [
        "yes", "stop the siren", "stop the music", "okay turn on the light", "set an alarm", "i heard a song",
        "", "nein", "non", "no", "was ist los", "Ich habe nichts gehört", "ich habe Rauch gehört", "ja",
        "да", "danke",
        "Mach das Licht aus", "où est le feu", "dove", "wo brennt es", "não",
        "Stell den Alarm auf sieben", "не слышу",
        "para el ventilador",
    ],
)  # fmt: skip
def test_anything_else_is_no_such_word(said: str) -> None:
    assert not means_heard(said)
