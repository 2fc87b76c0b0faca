"""Understanding without a model: text → tokens → readings of the whole utterance → plan → calls → reply.

    lexer.py        text → tokens; one function for templates, names and speech
    grammar.py      templates → readings: a chart over tokens with values and costs
    templates.py    languages/<code>/*.yaml, and Home Assistant's templates, compiled and cached
    home_assistant.py  the templates of home-assistant-intents, under a policy, as the node `Intent`
    leaves.py       {number} {name} {room} {scene} {unknown} {talk}, lists and free text
    nodes.py        what a reading is made of
    reader.py       passes: exact names → part of a name or misheard → unknown things; explain
    resolver.py     Which → devices, a doubt, or an unknown thing
    plan/           one file per subject: a node → a Step, a Question, or Refused
    dialogue.py, talk.py, situations.py  planners of follow-ups, talk and indirect wishes; the memory
    interpreter.py  the best reading that can be carried out, or a question
    stage.py        the stage in the conversation; calls.py and for_a_while.py make its calls
    wording.py, listing.py  replies from outcomes
    fitting.py      whether a model's call is what the words mean

How to write a template and a planner: CONTRIBUTING.md, "The grammar".
"""
