"""In which order requests were sent, whichever gateway the broker has dealt them out to."""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence

REMEMBERED_SECONDS = 2.0  # longer than a request is on its way to another gateway
MOST_EACH = 100  # of one conversation


class Succession:
    """Every gateway sees all requests go by, in the same order, beside those it gets for itself."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._passing: OrderedDict[str, tuple[float, deque[str]]] = OrderedDict()  # by conversation

    def passes(self, conversation_id: str, request_id: str) -> None:
        now = self._now()
        while self._passing and next(iter(self._passing.values()))[0] < now - REMEMBERED_SECONDS:
            self._passing.popitem(last=False)
        _, ids = self._passing.pop(conversation_id, (now, deque(maxlen=MOST_EACH)))
        ids.append(request_id)
        self._passing[conversation_id] = (now, ids)

    def before(self, conversation_id: str, request_id: str) -> Sequence[str]:
        """Those that went by before this one and were not asked for yet."""
        _, ids = self._passing.get(conversation_id, (0.0, deque[str]()))
        earlier: list[str] = []
        while ids and (first := ids.popleft()) != request_id:
            earlier.append(first)
        return earlier
