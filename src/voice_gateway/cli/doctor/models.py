"""What the doctor tries of the language models: that they answer, and call tools."""

from voice_gateway.cli.doctor.finding import CheckResult, CheckResults, Grade, bad, by_error, ok
from voice_gateway.config import Settings
from voice_gateway.errors import BrainError
from voice_gateway.llm.ollama.health import parameter_size, trouble
from voice_gateway.llm.trust import trust
from voice_gateway.problems.models import NO_CALL, NO_KEY, OLLAMA
from voice_gateway.problems.sentences import (
    MODEL_BUSY,
    MODEL_KEY_ODD,
    MODEL_KEY_REFUSED,
    MODEL_NO_KEY,
    MODEL_ONLY_TALKS,
    MODEL_SILENT,
    MODEL_UNKNOWN,
    MODEL_UNREACHABLE,
)
from voice_gateway.reports import autonomy_report
from voice_gateway.tools.masking import hide_secrets

NO_SUCH_ANSWER = (ValueError, KeyError, TypeError, AttributeError)  # JSON of another shape, or none
_REFUSALS = {
    401: MODEL_KEY_REFUSED,
    403: MODEL_KEY_REFUSED,
    404: MODEL_UNKNOWN,
}  # anything else passes


async def model_server(settings: Settings) -> CheckResults:
    """Reachable, model there, and able to call a tool: it is asked to."""
    if settings.brain.provider != "ollama":
        yield ok("ollama", "not used (brain.provider is not ollama)")
        return
    import httpx

    base = hide_secrets(settings.ollama.base_url)
    try:
        async with httpx.AsyncClient(base_url=settings.ollama.base_url, timeout=5.0) as http:
            version = (await http.get("/api/version")).json()["version"]
    except (httpx.HTTPError, *NO_SUCH_ANSWER) as error:
        yield bad("ollama", OLLAMA, MODEL_SILENT, f"{base} ({type(error).__name__})")
        return
    yield ok("ollama", f"Ollama {version} answers at {base}")
    if (wrong := await trouble(settings.ollama)) is not None:
        yield by_error("model", wrong)
    else:
        yield await _asked_to_call(settings)


async def autonomy(settings: Settings) -> CheckResults:
    """What the model may do on words that are no plain wish."""
    if (provider := settings.brain.provider) == "local":
        return
    size = await parameter_size(settings.ollama) if provider == "ollama" else None
    trusted = trust(settings.brain.autonomy, provider=provider, parameter_size=size)
    yield ok("autonomy", autonomy_report(trusted))


async def _asked_to_call(settings: Settings) -> CheckResult:
    """Only a model that is asked shows whether it really calls."""
    import httpx

    parameters = {"type": "object", "properties": {}}
    function = {"name": "get_current_datetime", "description": "Tells the time.", "parameters": parameters}
    body = {
        "model": settings.ollama.model,
        "messages": [{"role": "user", "content": "What time is it? Call get_current_datetime."}],
        "tools": [{"type": "function", "function": function}],
        "stream": False,
        "options": {"num_ctx": settings.ollama.num_ctx, "temperature": 0, "num_predict": 100},
    }
    try:
        async with httpx.AsyncClient(base_url=settings.ollama.base_url, timeout=120.0) as http:
            calls = (await http.post("/api/chat", json=body)).json()["message"].get("tool_calls")
    except (httpx.HTTPError, *NO_SUCH_ANSWER) as error:
        reason = f"{settings.ollama.model} ({type(error).__name__})"
        return bad("model", OLLAMA, MODEL_SILENT, reason)
    if calls:
        return ok("model", f"{settings.ollama.model} calls tools")
    return bad("model", NO_CALL, MODEL_ONLY_TALKS, settings.ollama.model, Grade.WARNING)


async def cloud(settings: Settings, *, online: bool) -> CheckResults:
    """The key by its form, and by a request only when asked: a check must not cost money by itself."""
    key = settings.anthropic.api_key.get_secret_value() if settings.anthropic.api_key else ""
    if settings.brain.provider != "anthropic":
        yield ok("anthropic", "not used (brain.provider is not anthropic)")
    elif not key:
        yield bad("anthropic", NO_KEY, MODEL_NO_KEY)
    elif not key.startswith("sk-ant-"):
        yield bad("anthropic", NO_KEY, MODEL_KEY_ODD, grade=Grade.WARNING)
    elif online:
        yield await _asked_cloud(settings, key)
    else:
        yield ok("anthropic", "the key looks right (--online tries it)")


async def _asked_cloud(settings: Settings, key: str) -> CheckResult:
    import httpx

    base = settings.anthropic.base_url or "https://api.anthropic.com"
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    try:
        async with httpx.AsyncClient(base_url=base, timeout=settings.anthropic.timeout_seconds) as http:
            answer = await http.get(f"/v1/models/{settings.anthropic.model}", headers=headers)
    except httpx.HTTPError as error:
        return by_error("anthropic", BrainError(type(error).__name__, spoken=MODEL_UNREACHABLE))
    if answer.status_code == httpx.codes.OK:
        return ok("anthropic", f"the key works, and {settings.anthropic.model} is there")
    sentence = _REFUSALS.get(answer.status_code, MODEL_BUSY)
    return by_error("anthropic", BrainError(f"the API answered {answer.status_code}", spoken=sentence))
