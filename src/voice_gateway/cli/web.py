"""`voice-gateway web`: the token with which other machines may use the console and the API."""

import argparse
import sys

from voice_gateway.channels.terminal import print_json
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.cli.parser import Parser
from voice_gateway.config import web_token_file
from voice_gateway.errors import GatewayError


def arguments(command: Parser) -> None:
    add = command.actions(required=True)
    add("token", "make one and show it, this once; the old one is void")
    add("revoke", "make the token void, at once")


def web(options: argparse.Namespace) -> int:
    tokens = TokenFile(web_token_file())
    try:
        facts = {"revoked": tokens.revoke()} if options.action == "revoke" else {"token": tokens.make()}
    except OSError as error:
        raise GatewayError(f"the token cannot be kept: {error}") from error
    if options.json:
        print_json(facts)
    elif options.action == "revoke":
        print("The token is void." if facts["revoked"] else "There is no token.")
    else:
        print(facts["token"])
        text = "Keep it: it is not shown again. The one before it, if there was one, is void."
        print(text, file=sys.stderr)
    return 0
