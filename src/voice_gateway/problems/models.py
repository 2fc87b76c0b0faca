"""What can be wrong with the language model."""

from voice_gateway.problems.problem import Problem
from voice_gateway.problems.sentences import (
    MODEL_BROKE_OFF,
    MODEL_BUSY,
    MODEL_KEY_ODD,
    MODEL_KEY_REFUSED,
    MODEL_NO_ANSWER,
    MODEL_NO_KEY,
    MODEL_NOT_INSTALLED,
    MODEL_ONLY_TALKS,
    MODEL_REFUSED,
    MODEL_SILENT,
    MODEL_TOO_LONG,
    MODEL_TOO_MUCH,
    MODEL_TOO_SLOW,
    MODEL_UNKNOWN,
    MODEL_UNREACHABLE,
    MODEL_WITHOUT_TOOLS,
)

OLLAMA = Problem(
    "`brain ollama`",
    (MODEL_SILENT + " Without it I can …",),
    "Ollama is down, or cannot be reached; the local brain still does what it can",
    "start it with `ollama serve` and look at its log, or set `OLLAMA_BASE_URL`",
    "by itself, within seconds",
)
NO_KEY = Problem(
    "`brain anthropic` (no key)",
    (MODEL_NO_KEY, MODEL_KEY_ODD),
    "the cloud was chosen and no key was given, or something else in its place",
    "`ANTHROPIC_API_KEY`",
    "set it and restart: a key is read once",
)
NO_CALL = Problem(
    "a reply (claim)",
    ("I have not changed or checked anything.", MODEL_ONLY_TALKS),
    "a model answered a wish or a question about the home without calling a tool, so its words were not"
    " passed on",
    "`--explain` shows what was called; small models call less ([models](models.md))",
    "ask again, in other words",
)

LANGUAGE_MODEL = (
    OLLAMA,
    Problem(
        "`brain ollama` (model)",
        (MODEL_NOT_INSTALLED, MODEL_WITHOUT_TOOLS),
        "Ollama is there, the model is not, or it is the wrong one",
        "`ollama pull MODEL`, `OLLAMA_MODEL`",
        "by itself after the pull; another model's name needs a restart",
    ),
    Problem(
        "`brain anthropic`",
        (MODEL_KEY_REFUSED + " Without it I can …", MODEL_UNREACHABLE),
        "the provider refused the key, or the internet is away",
        "the key's page at the provider, the connection",
        "with the next question; nothing is sent only to see whether it works",
    ),
    NO_KEY,
    Problem(
        "`brain anthropic` (model)",
        (MODEL_UNKNOWN,),
        "the provider has no model of this name",
        "`ANTHROPIC_MODEL`",
        "set it and restart",
    ),
    Problem(
        "`brain anthropic` (busy)",
        (MODEL_BUSY,),
        "the provider is overloaded, or you ask more often than it allows; it was tried again already",
        "the provider's status page, your limits there",
        "with the next question",
    ),
    Problem(
        "`brain ollama`, `brain anthropic` (answer)",
        (MODEL_TOO_SLOW, MODEL_BROKE_OFF, MODEL_NO_ANSWER),
        "the model was there and gave no whole answer; half an answer is not passed on",
        "the advice in `voice-gateway status`; a smaller model, `timeout_seconds` of the provider",
        "with the next question",
    ),
    Problem(
        "a reply (length)",
        (MODEL_TOO_MUCH, MODEL_TOO_LONG, MODEL_REFUSED),
        "prompt, tools and history do not fit the model's context, the answer reached its limit, or the"
        " model declined",
        "`ollama.num_ctx`, `ollama.tool_token_budget`; `ollama.num_predict` or `anthropic.max_tokens`",
        "ask something else, or restart with other settings",
    ),
    NO_CALL,
)
