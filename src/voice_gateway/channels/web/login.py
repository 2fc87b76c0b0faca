"""`/api/login`: a browser gives its token once, and gets a cookie that no script can read."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice_gateway.channels.web.guard import COOKIE
from voice_gateway.channels.web.models import Body, json_response, read
from voice_gateway.channels.web.rates import Rates
from voice_gateway.channels.web.tokens import TokenFile

YEAR_SECONDS = 365 * 24 * 3600


class Login(Body):
    token: str


class LoginPage:
    def __init__(self, tokens: TokenFile) -> None:
        self._tokens = tokens
        self._rates = Rates()

    def routes(self) -> list[BaseRoute]:
        return [Route("/api/login", self.login, methods=["POST"])]

    async def login(self, request: Request) -> Response:
        given = (await read(request, Login)).token
        if not self._tokens.knows(given):
            if not self._rates.may_guess(request.client.host if request.client else ""):
                raise HTTPException(429, "too many wrong tokens", headers={"retry-after": "60"})
            raise HTTPException(401, "this is not the token: `voice-gateway web token` makes a new one")
        response = json_response({"ok": True})
        response.set_cookie(
            COOKIE,
            given,
            max_age=YEAR_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response
