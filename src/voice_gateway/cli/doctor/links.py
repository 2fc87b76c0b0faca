"""What the doctor tries of the links: the MQTT broker, and each MCP server."""

from dataclasses import replace

from voice_gateway.cli.doctor.finding import CheckResults, bad, by_error, ok
from voice_gateway.config import Settings
from voice_gateway.errors import LinkError
from voice_gateway.mcp_link.status import what_to_check
from voice_gateway.problems.sentences import SERVER_SILENT
from voice_gateway.problems.servers import SERVER
from voice_gateway.reports import left_out_report


async def broker(settings: Settings) -> CheckResults:
    if settings.mqtt.broker_url is None:
        yield ok("mqtt", "not used (mqtt.broker_url is not set)")
        return
    from voice_gateway.doors.mqtt.link import round_trip, where

    try:
        await round_trip(settings.mqtt)
    except LinkError as error:
        yield by_error("mqtt", error)
    else:
        yield ok("mqtt", f"the broker {where(settings.mqtt)} took and returned a message")


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
