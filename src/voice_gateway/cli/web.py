"""`voice-gateway web`: the token with which other machines may use the console and the API."""

import argparse
import sys

from voice_gateway.channels.terminal import print_json
from voice_gateway.channels.web.tokens import TokenFile
from voice_gateway.cli.command import wants_json
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
        return _revoke(tokens, options) if options.action == "revoke" else _make(tokens, options)
    except OSError as error:
        raise GatewayError(f"the token cannot be kept: {error}") from error


def _make(tokens: TokenFile, options: argparse.Namespace) -> int:
    token = tokens.make()
    if wants_json(options):
        print_json({"token": token})
        return 0
    print(token)
    print("Keep it: it is not shown again. The one before it, if there was one, is void.", file=sys.stderr)
    return 0


def _revoke(tokens: TokenFile, options: argparse.Namespace) -> int:
    revoked = tokens.revoke()
    if wants_json(options):
        print_json({"revoked": revoked})
    else:
        print("The token is void." if revoked else "There is no token.")
    return 0
