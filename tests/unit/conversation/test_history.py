"""A store that fails costs the memory, says so, and tells when it is back."""

from voice_gateway.brain.history import History
from voice_gateway.conversation.history import Histories
from voice_gateway.conversation.store import MemoryStore
from voice_gateway.watch import State, Watch


class Failing(MemoryStore):
    failing = True

    async def get(self, key):
        if self.failing:
            raise ConnectionError("gone")
        return await super().get(key)

    async def put(self, key, text, *, expiry_seconds):
        if self.failing:
            raise ConnectionError("gone")
        await super().put(key, text, expiry_seconds=expiry_seconds)


async def test_a_failing_store_is_told_of_and_so_is_its_return(caplog):
    store, watch = Failing(), Watch()
    histories = Histories(store, 60.0, watch)

    assert (await histories.load("c")).messages == []
    assert watch.state("memory") is State.DEGRADED
    history = History()
    history.add_user("hello")
    await histories.save("c", history)
    assert [record.getMessage() for record in caplog.records] == [
        "conversation could not be read, starting a new one",
        "conversation could not be kept",
    ]
    assert watch.part("memory").advice == "check brain.store: gone"

    store.failing = False
    await histories.save("c", history)

    assert watch.state("memory") is State.OK
    assert [message.text for message in (await histories.load("c")).messages] == ["hello"]
