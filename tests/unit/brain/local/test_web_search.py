"""Words go to a search engine when somebody asks about the world, or for a search; never by mistake."""

import pytest

from voice_gateway.brain.local.web_search import speaks_of_search

NAMES = ("Floor Lamp", "Front Door", "Kitchen", "Living Room")


@pytest.mark.parametrize(
    "said",
    [
        "who won the world cup in 2018",
        "what's the weather like in Oslo tomorrow?",
        "how do I boil an egg",
        "when does the next train to Bergen leave",
        "is it going to rain in Paris today",
        "tell me about black holes",
        "do you know who painted the Mona Lisa?",
        "I wonder how tall the Eiffel Tower is",
        "what is the population of Norway",
        "search the web for pancake recipes",
        "can you look up the opening hours of the museum",
        "look up when the next train leaves",
        "please google who won yesterday",
        "google pancake recipes",
        "find out what a quasar is",
        "search for cheap flights to Rome",
        "find me a recipe online",
        "the latest news about Mars",
        "weather in Berlin",
        "wer hat die Glühbirne erfunden?",
    ],
)
def test_a_question_about_the_world_or_a_search_that_was_asked_for(said):
    assert speaks_of_search(said, NAMES)


@pytest.mark.parametrize(
    "said",
    [
        "google is evil",
        "google maps was wrong again",
        "google knows everything about me",
        "look up when I talk to you",
        "look up at the sky",
        "I always look up to my father",
        "look up from your phone please",
        "the search took all day",
        "they searched the whole forest",
        "my sister works in search and rescue",
        "I was googling all night",
        "the weather is lovely today",
        "what a day",
        "who cares",
        "why do you hate me?",
        "are you evil?",
        "did I lock the front door?",
        "is the floor lamp on?",
        "where is my phone",
        "I love the news on the radio",
        "turn the lights off",
        "don't turn on the lamp",
        "suppose I turn it off, does the radio stay on",
        "good night",
    ],
)
def test_everything_else_sends_nothing(said):
    assert not speaks_of_search(said, NAMES)
