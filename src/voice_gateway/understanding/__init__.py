"""Understanding without a model: text → tokens → readings of the whole utterance → plan → calls → reply.

    lexer.py      text → tokens; one function for templates, names and speech
    grammar.py    templates → readings: a chart over tokens with values and costs
    templates.py  languages/<code>/*.yaml, and Home Assistant's templates, compiled and cached
    leaves.py     {number} {name} {room} {scene} {unknown} {talk}, lists and free text
    nodes.py      what a reading is made of
    reader.py     passes: exact names → part of a name or misheard → unknown things; explain
    resolver.py   Which → devices, a doubt, or an unknown thing
    home_assistant.py  the templates of home-assistant-intents, under a policy, as the node `Intent`
    plan/         one file per subject: a node → a Step, a Question, or Refused
    dialogue.py   the memory of a conversation: last command, devices, open question
    stage.py      the stage in the conversation

How to write a template (languages/en/*.yaml, `rules`)
------------------------------------------------------
    Command:                                  # a node class of nodes.py: the rule builds one
      - "<wanting> <stated>"                  # a rule in lower case adds its values to this node
    order:
      - "<turn> [back] on [with] <Which>": {do: "on"}  # values of the template
      - "(dim|darken) <Which> [<Amount.small>]": {do: change, way: -1, cost: 0.2}
    Amount.small: ["(a bit|a notch)": {small: true}]  # a second rule of the class Amount

`[optional]`, `(one|of|these)`, `(any;order)`. `<Which>` binds a node to the field `which`,
`<Which:without>` to `without`; `<moment:at>` binds the words of a lower-case rule; `{number}`,
`{number:degrees}` bind a leaf. A field whose type is a tuple collects. A rule may stand in several files:
its templates are added up, so a new subject adds `step: ["<MyNode:step>"]` in its own file and touches no
other. Words are written as tokens: lower case, contractions written out ("what is"), numbers as words or
by {number}, "," and "." where a pause may be. Words of `noise` ("please", "just") never arrive. Lists
(`lists: {kind: {light: light lamp}}`, "_" joins words) become leaves, as do kinds of free text (`free:
{query: {never: later, most: 14}}`; `never` names word `groups`). A template with an unknown rule, leaf or
field stops the language with file, line and template. A remark or talk beside an order is {remark}
(between pauses) or {talk}; a new start ("no wait, …") and misheard verbs are handled by the reader. Never
write a template that begins with free text or is a bare name or number. Costs: 0 for what is said
plainly; 0.2 to 0.5 where another reading should win; 1 and more for guesses. Readings within 0.45 of the
best are planned, too: if they would do different things, the gateway asks.

How a planner consumes a node (plan/<subject>.py)
-------------------------------------------------
    @plans(Look)
    def look(node: Look, context: Context) -> Plan: ...

The planner gets the node `opened`: every field it reads is counted, and a field that was said and not
read makes the reading refuse (`Unread`). So a planner that cannot handle `node.when` simply does not read
it. Use `altered` in place of `dataclasses.replace`, `bare(node)` for what is kept, and `closed(node)`
(all is read) only where nothing is done. Fields marked `harmless` in nodes.py may be ignored. Return
`Step(node, requests, devices, …)` for calls, `Question(say, node, …)` to ask; raise `Refused(reason,
say)` where nothing can be done. Texts are `Say(key, facts)` of languages/<code>/replies.yaml; no planner
words a sentence. A sentence of Home Assistant becomes one of our nodes by a function registered with
`@means("HassTurnOn", …)` of plan/intents.py beside the planner of its subject; it must take every slot.
`Context` has home, here (the speaker's room), last (devices of the last turn), command, tools, now.

How to measure
--------------
    python -m tests.eval.run --missed        # utterances
    python -m tests.eval.wish_eval --missed  # wishes and no-wishes
    python -m tests.eval.sampled --missed    # every template, drawn; and words around it that forbid an act
"""
