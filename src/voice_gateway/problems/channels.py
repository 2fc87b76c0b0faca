"""What can be wrong with the doors: the MQTT broker, the web console, the voice."""

from voice_gateway.problems.problem import Problem
from voice_gateway.problems.sentences import (
    BROKER_AUTHORITY,
    BROKER_LOGIN,
    BROKER_MUTE,
    BROKER_NO_TLS,
    BROKER_UNREACHABLE,
    BROKER_UNTRUSTED,
    CANNOT_HEAR,
    CANNOT_SPEAK,
    CANNOT_UNDERSTAND,
    HEARING_FAILED,
    VOICE_PACKAGE,
    WEB_CERTIFICATE,
    WEB_NO_TLS,
    WEB_NO_TOKEN,
    WEB_PORT,
    WYOMING_PORT,
)

WEB = Problem(
    "`web`",
    (WEB_PORT, WEB_CERTIFICATE, WEB_NO_TOKEN, WEB_NO_TLS),
    "the port of `web.port` is taken (by another gateway, for example), the address is none of this machine,"
    " or what it needs for other machines is missing; every other door works",
    "what else listens there (`ss -ltnp`), `web.port` (`VOICE_GATEWAY_WEB_PORT`), `web.tls_cert`;"
    " `voice-gateway web token` makes a token",
    "by itself when the port is free, the certificate is right, or the token is made",
)
VOICE = Problem(
    "`voice`",
    (VOICE_PACKAGE, CANNOT_HEAR, HEARING_FAILED),
    "a speech package, model or wake word is missing, or an engine fails; every other door works",
    "`voice.wake` and `voice.wake_words` choose, [voice](voice.md) tells what each engine needs,"
    " `voice-gateway doctor` tries them",
    "a server that was away is tried again within half a minute; a new package or setting needs a restart",
)
MICROPHONE = Problem(
    "`microphone`",
    (CANNOT_HEAR,),
    "no microphone, or it was unplugged; MQTT and terminal work",
    "`voice-gateway audio list` shows what there is, `voice.input_device` chooses; only the voice needs it",
    "by itself when it is plugged in again",
)
TRANSCRIBER = Problem(
    "`transcriber`",
    (CANNOT_UNDERSTAND,),
    "the speech engine failed on something that was said; that sentence is lost",
    "`voice.stt` chooses the engine, [voice](voice.md) tells what it needs, `voice-gateway doctor` tries it",
    "with the next sentence",
)
SPEECH = Problem(
    "`speech`, `speaker`",
    (CANNOT_SPEAK,),
    "the voice or the loudspeaker failed; the reply is shown as text",
    "`voice-gateway audio test`, `voice.output_device`; `voice.tts` chooses the voice, and [voice](voice.md)"
    " tells what it needs; only the voice needs it",
    "with the next reply",
)
WYOMING = Problem(
    "`wyoming`",
    (WYOMING_PORT,),
    "the port of `voice.wyoming_url` is taken, or the address is none of this machine; other doors work",
    "what else listens there (`ss -ltnp`), `voice.wyoming_url`",
    "by itself when the port is free",
)

MQTT_BROKER = (
    Problem(
        "`mqtt`",
        (BROKER_UNREACHABLE,),
        "no broker there, or it was stopped; voice and terminal work, up to 500 messages are kept for it,"
        " and answers to requests beyond that",
        "is the broker running, is `mqtt.broker_url` right",
        "by itself, within 30 seconds",
    ),
    Problem(
        "`mqtt` (login)",
        (BROKER_LOGIN, BROKER_MUTE),
        "the broker is there and refuses name or password, or what this name sends or reads",
        "`mqtt.username`, `MQTT_PASSWORD`, the broker's list of users and what they may read and write",
        "by itself when the broker accepts the login; a new password in the settings needs a restart",
    ),
    Problem(
        "`mqtt` (TLS)",
        (BROKER_UNTRUSTED, BROKER_NO_TLS, BROKER_AUTHORITY),
        "the connection cannot be made safely, so nothing is sent: the certificate is out of date, for"
        " another name or signed by somebody unknown; the port is not one for TLS; the file is missing or"
        " holds no certificate",
        "`mqtt.ca_file`; the name and the date in the broker's certificate; with `mqtts://` in"
        " `mqtt.broker_url` the port for TLS, usually 8883",
        "by itself when certificate, port or file are right; a new setting needs a restart",
    ),
)
WEB_CONSOLE = (WEB,)
THE_VOICE = (
    VOICE,
    MICROPHONE,
    TRANSCRIBER,
    SPEECH,
    WYOMING,
)
