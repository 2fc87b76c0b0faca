"""What the doctor tries of the links: the MQTT broker, the port of the console, and each MCP server."""

from dataclasses import replace

from voice_gateway.channels.control import greet, request
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.cli.doctor.finding import CheckResults, Grade, bad, by_error, ok
from voice_gateway.config import Settings, control_file, data_folder, web_token_file
from voice_gateway.errors import LinkError
from voice_gateway.mcp_client.status import what_to_check
from voice_gateway.problems.channels import WEB
from voice_gateway.problems.sentences import (
    SERVER_SILENT,
    WEB_CERTIFICATE,
    WEB_NO_TLS,
    WEB_NO_TOKEN,
    WEB_PORT,
)
from voice_gateway.problems.servers import SERVER
from voice_gateway.reports import left_out_report


async def broker(settings: Settings) -> CheckResults:
    if settings.mqtt.broker_url is None:
        yield ok("mqtt", "not used (mqtt.broker_url is not set)")
        return
    from voice_gateway.channels.mqtt.link import round_trip, where

    try:
        await round_trip(settings.mqtt)
    except LinkError as error:
        yield by_error("mqtt", error)
    else:
        yield ok("mqtt", f"the broker {where(settings.mqtt)} took and returned a message")


async def console(settings: Settings) -> CheckResults:
    """Its port is really opened; where a gateway runs already, that one is asked."""
    web = settings.web
    if not web.enabled:
        yield ok("web", "not used (web.enabled is false)")
        return
    opened = await _opened_by_a_gateway()
    if opened is None:
        from voice_gateway.channels.web.server import HttpServer, application

        server = HttpServer(application(web, TokenFile(web_token_file()), ()), web)
        try:
            port = await server.open()
        except LinkError as error:
            yield bad("web", WEB, WEB_CERTIFICATE.format(reason=error))
            return
        except OSError as error:
            reason = error.strerror or str(error)
            yield bad("web", WEB, WEB_PORT.format(host=web.host, port=web.port, reason=reason))
            return
        finally:
            await server.close()
        opened = f"{web.host}:{port} can be opened"
    yield ok("web", opened)
    if web.needs_token and not TokenFile(web_token_file()).exists:
        yield bad("web token", WEB, WEB_NO_TOKEN, grade=Grade.WARNING)
    if web.needs_token and web.tls_cert is None:
        yield bad("web TLS", WEB, WEB_NO_TLS, grade=Grade.WARNING)


async def _opened_by_a_gateway() -> str | None:
    """None: no gateway of this home runs, or its console is not open."""
    try:
        hello = await greet(control_file())
        if hello["data_folder"] != str(data_folder()):
            return None
        parts = await request(control_file(), {"op": "status"})
    except LinkError:
        return None
    web = next((one for one in parts if one["part"] == "web"), None)
    is_open = web is not None and (web["state"] == "ok" or web["sentence"] == WEB_NO_TOKEN)
    return "the running gateway has opened it" if is_open else None


async def servers(settings: Settings) -> CheckResults:
    """Each MCP server is really started and asked for its tools."""
    from voice_gateway.app import opened

    for one in settings.left_out:
        report = left_out_report(one)
        yield replace(bad(report.part, report.problem, report.sentence), advice=report.advice)
    async with opened(settings) as gateway:
        await gateway.linked(installed=True)
        for status in gateway.link.status():
            name = f"server {status.name}"
            if status.state == "connected":
                home = ", a simulated home" if status.simulated else ""
                yield ok(name, f"connected, {len(status.tools)} tools{home}")
                continue
            reason = status.last_error or status.state
            if last := status.stderr_tail.strip().splitlines()[-1:]:
                reason = f"{reason}; its stderr ends: {last[0]}"
            told = bad(name, SERVER, SERVER_SILENT.format(name=status.name), reason)
            yield replace(told, advice=f"check {what_to_check(settings.mcpServers[status.name])}")
