"""Announces the Wyoming port in the local network (mDNS), so that Home Assistant finds it by itself."""

import contextlib
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator

log = logging.getLogger(__name__)

SERVICE = "_wyoming._tcp.local."
ANYWHERE = frozenset({"0.0.0.0", "::", ""})
OUTSIDE = ("224.0.0.251", 5353)  # nothing is sent: it tells by which address others reach us


@contextlib.asynccontextmanager
async def announced(name: str, host: str, port: int) -> AsyncIterator[None]:
    """While this lasts. Where only this machine can reach the port, nobody is told of it; a network that
    takes no announcement costs a line in the log."""
    address = reachable_address(host)
    if address is None:
        yield
        return
    from zeroconf import Error
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    try:
        network = AsyncZeroconf(interfaces=[address])
    except OSError as error:
        log.warning("the Wyoming port cannot be announced", extra={"reason": str(error)})
        yield
        return
    info = AsyncServiceInfo(SERVICE, f"{name}.{SERVICE}", parsed_addresses=[address], port=port)
    try:
        try:
            await network.async_register_service(info, allow_name_change=True)
            log.info("the Wyoming port is announced", extra={"service": info.name, "address": address})
        except (OSError, Error) as error:
            log.warning("the Wyoming port cannot be announced", extra={"reason": repr(error)})
        yield
    finally:
        await network.async_close()  # takes the announcement back


def reachable_address(host: str) -> str | None:
    """By which others reach this machine; None where nobody can."""
    try:
        found = _own_address() if host in ANYWHERE else socket.gethostbyname(host)
    except OSError:
        return None
    return None if ipaddress.ip_address(found).is_loopback else found


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect(OUTSIDE)
        return str(asking.getsockname()[0])
