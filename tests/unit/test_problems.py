"""The catalogue of problems explains every part and sentence that the code can produce, and nothing else."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from voice_gateway.config.tree import Provider
from voice_gateway.errors import BrainError, ErrorKind
from voice_gateway.events import Acted, EventBus, State
from voice_gateway.problems import sentences
from voice_gateway.problems.catalogue import CATALOGUE, problem_of
from voice_gateway.problems.models import NO_CALL
from voice_gateway.problems.sentences import CANNOT_HEAR
from voice_gateway.problems.servers import VOLUME
from voice_gateway.reports import OUTSIDE_TOOLS, outside_parts
from voice_gateway.turn import ToolOutcome, Utterance

ROOT = Path(__file__).parents[2]
# Where sentences about problems can stand: the other files are not taken apart.
TELLS = re.compile(r"\breport\(|DEGRADED|BrainError\(|LinkError\(|CheckResult")
ROWS = [problem for rows in CATALOGUE.values() for problem in rows]
CONSTANTS = {name: text for name, text in vars(sentences).items() if name.isupper() and isinstance(text, str)}

# The test that shows each row; its name stands somewhere below tests/.
PROOFS = {
    "`server NAME`": "test_server",
    "`server NAME` (its entry)": "test_a_bad_entry_is_told_by_status_and_doctor",
    "`server NAME` (its input)": "test_an_input_that_was_never_said_is_told_with_the_command_that_asks",
    "`mcp.json`": "test_a_file_that_is_no_json_costs_its_servers_and_nothing_else",
    "`server NAME` (slow start)": "test_a_slow_first_start_gets_its_time_and_the_others_start_meanwhile",
    "`server NAME` (Home Assistant starts)": "test_a_home_assistant_that_starts_is_told_so_and_then_linked",
    "`server NAME` (Home Assistant)": "test_a_home_assistant_without_its_mcp_server_is_told_so",
    "`server NAME` (no devices)": "test_a_home_assistant_that_shows_nothing_is_told_so",
    "`server NAME` (token)": "test_a_token_that_is_refused_is_told_so",
    "`server NAME` (login)": "test_without_a_login_the_command_is_named_and_with_one_it_works",
    "a failed start": "test_the_final_message_says_what_failed_why_what_to_check_and_what_remains",
    "a Z-Wave tool": "test_without_a_broker_a_call_says_so_at_once",
    "a tool": "test_a_timeout_says_that_a_side_effect_may_still_happen",
    "`search`": "test_internet",
    "`volume`": "test_the_volume_control_is_judged_by_how_calls_end",
    "a list": "test_a_disk_that_takes_nothing_is_told",
    "`tools`": "test_a_file_with_a_mistake_is_named_with_its_line_and_everything_else_works",
    "`timers`": "test_data_folder",
    "`routines`": "test_a_disk_that_takes_nothing_is_said",
    "`recorder`": "test_a_file_that_cannot_be_written_costs_the_record_and_nothing_else",
    "`mqtt`": "test_without_a_broker_the_gateway_answers_and_says_what_is_missing",
    "`mqtt` (login)": "test_broker_login",
    "`mqtt` (TLS)": "test_a_certificate_that_nobody_vouches_for_is_called_so",
    "`brain ollama`": "test_model_server",
    "`brain ollama` (model)": "test_model_that_was_never_there",
    "`brain anthropic`": "test_cloud_key",
    "`brain anthropic` (no key)": "test_no_cloud_key",
    "`brain anthropic` (model)": "test_an_unknown_model_is_named",
    "`brain anthropic` (busy)": "test_every_trouble_is_one_clear_error",
    "`brain ollama`, `brain anthropic` (answer)": "test_silence_has_a_limit",
    "a reply (length)": "test_an_answer_that_is_not_whole_is_an_error",
    "a reply (claim)": "test_after_a_wish_without_a_call_our_own_sentence_is_said",
    "data folder": "test_a_data_folder_that_cannot_be_written_is_named",
    "data folder (others)": "test_a_data_folder_that_others_may_enter_is_told_of",
    "settings": "test_every_command_tells_it_in_the_same_words",
    "settings (current folder)": "test_a_file_that_nobody_has_allowed_is_ignored_and_one_line_says_how",
    "settings (others)": "test_a_token_in_a_file_that_others_can_read_is_told_of",
    "installation": "test_a_package_that_is_missing_is_named",
    "clock": "test_a_clock_that_was_never_set_is_noticed",
    "`memory`": "test_memory",
    "`memory` and others (damaged)": "test_a_damaged_file_is_told_of_and_what_can_be_read_is_kept",
    "`pin`": "test_a_lock_is_told_in_the_status_until_it_is_over",
    "commands": "test_a_second_gateway_says_so_and_takes_over_when_the_first_ends",
    "commands (another user)": "test_root_does_not_speak_to_somebody_who_could_make_that_folder",
    "`web`": "test_a_console_whose_port_is_taken_is_told_of_and_opened_when_it_is_free",
    "`voice`": "test_engines_that_cannot_be_loaded_are_told_of",
    "`microphone`": "test_a_microphone_that_fails_is_opened_again",
    "`transcriber`": "test_an_engine_that_raises_costs_one_turn",
    "`speech`, `speaker`": "test_what_cannot_be_spoken_is_shown",
    "`wyoming`": "test_a_port_that_is_taken_is_told_and_tried_again",
}
# A part's name that is a variable where it is reported, and what it can be.
VARIABLE = {
    ("reports.py", "part"): [part for part, _, _ in OUTSIDE_TOOLS.values()],
    ("speech_output.py", "part"): ["speech", "speaker"],
    ("model.py", "part"): ["brain …"],
    ("servers.py", "part"): ["server …", "mcp.json"],
}
BRAINS = [f"brain {name}" for name in get_args(Provider) if name != "local"]


@cache
def sources() -> dict[Path, str]:
    files = sorted((ROOT / "src").rglob("*.py"))
    return {path: path.read_text(encoding="utf-8") for path in files if path.parent.name != "problems"}


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(text) for path, text in sources().items() if TELLS.search(text)}


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


def reported_parts() -> set[str]:
    found: set[str] = set()
    for path, tree in trees().items():
        for name, call in calls(tree):
            if name != "report" or len(call.args) < 2:
                continue
            part = call.args[0]
            written = texts(part, tree)
            if isinstance(part, ast.Name) and (path.name, part.id) in VARIABLE:
                written = VARIABLE[path.name, part.id]
            assert written, f"{path.name}:{call.lineno}: add this part's possible names to VARIABLE"
            found.update(written)
    return found


def texts(value: ast.expr, tree: ast.Module) -> list[str]:
    """What an expression can say, with … for what is put in; nothing when it is made elsewhere."""
    if isinstance(value, ast.Constant):
        return [value.value] if isinstance(value.value, str) else []
    if isinstance(value, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in value.values)]
    if isinstance(value, ast.Name):
        given = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and _sets(node, value.id)
        ]
        return [text for inner in given if not isinstance(inner, ast.Name) for text in texts(inner, tree)]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        made = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == value.func.id]
        returned = [n.value for one in made for n in ast.walk(one) if isinstance(n, ast.Return) and n.value]
        return [text for inner in returned for text in texts(inner, tree)]
    return []


def _sets(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _is_degraded(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "DEGRADED"


def written_sentences(sources: Iterable[ast.Module]) -> set[str]:
    """Those of degraded parts that are not taken from the catalogue."""
    found = {BrainError.default_spoken}
    for tree in sources:
        for name, call in calls(tree):
            if name == "report" and len(call.args) > 2 and _is_degraded(call.args[1]):
                found.update(texts(call.args[2], tree))
            if name in ("BrainError", "LinkError"):  # what is spoken of them becomes the part's sentence
                spoken = [keyword.value for keyword in call.keywords if keyword.arg == "spoken"]
                found.update(text for value in spoken for text in texts(value, tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple) and node.elts and _is_degraded(node.elts[0]):
                found.update(texts(node.elts[1], tree))
    return found


def pieces(sentence: str) -> list[str]:
    """The words of a sentence between what is put into it."""
    return [piece.strip() for piece in re.split(r"{.*?}|…|Without it", sentence) if len(piece.strip()) > 2]


def test_each_row_has_a_test_and_each_test_a_row():
    assert [row.part for row in ROWS] == list(PROOFS)


def test_the_proofs_are_there():
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))

    assert [name for name in PROOFS.values() if not re.search(rf"def {name}\(", tests)] == []


def test_no_row_has_an_empty_cell_or_one_that_breaks_the_table():
    cells = [cell for row in ROWS for cell in (row.part, *row.says, row.means, row.check, row.returns)]

    assert all(cell and "|" not in cell and "\n" not in cell for cell in cells)


def test_every_part_that_can_be_degraded_has_a_row():
    explained = {part for row in ROWS for part in re.findall(r"`([^`]+)`", row.part)}
    parts = reported_parts()
    assert {"mqtt", "volume", "wyoming", "speaker", "server …", "brain …"} <= parts, "they are found at all"

    wanted = {part.replace("server …", "server NAME") for part in parts} - {"brain …"} | set(BRAINS)

    assert explained == wanted


def test_every_sentence_of_a_degraded_part_is_explained():
    shown = "\n".join(sentence for row in ROWS for sentence in row.says)

    missing = [
        sentence
        for sentence in sorted(written_sentences(trees().values()))
        if any(piece not in shown for piece in pieces(sentence))
    ]

    assert missing == []


def test_a_sentence_that_is_written_beside_the_catalogue_would_be_found():
    source = """
LOST = "The radio is gone."
watch.report("radio", State.DEGRADED, LOST)
watch.report("radio", State.DEGRADED, f"The radio in {room} is silent.")
raise LinkError("off", spoken="The radio is off.")
"""

    assert written_sentences([ast.parse(source)]) == {
        BrainError.default_spoken,
        "The radio is gone.",
        "The radio in … is silent.",
        "The radio is off.",
    }


def test_every_sentence_of_the_catalogue_is_said_and_stands_once():
    data = sorted((ROOT / "src").rglob("*.toml"))  # some sentences stand there, by language
    source = "\n".join([*sources().values(), *(path.read_text(encoding="utf-8") for path in data)])
    named = set(re.findall(r"\w+", source))
    shown = {sentence.removesuffix(" Without it I can …") for row in ROWS for sentence in row.says}
    by_row = {row.says[0] for _, _, row in OUTSIDE_TOOLS.values()}
    elsewhere = shown - set(CONSTANTS.values()) - by_row  # the Z-Wave server's own, and the end of others

    assert set(CONSTANTS) - named == set()
    assert set(CONSTANTS.values()) <= shown
    assert [text for text in CONSTANTS.values() if all(piece in source for piece in pieces(text))] == []
    assert [text for text in elsewhere if any(piece not in source for piece in pieces(text))] == []


def test_every_sentence_leads_back_to_its_row():
    shared = {CANNOT_HEAR}  # two parts say it
    for row in ROWS:
        for template in set(row.says) - shared:
            said = re.sub(r"{.*?}", "x-1.y", template).replace(" I can …", " I can tell the time.")
            assert problem_of(said) is row, said
    assert problem_of("Hello.") is None


def test_the_doctor_has_no_words_of_its_own_for_what_is_wrong():
    """It says what the part says, and advises what the page advises."""
    doctor = [tree for path, tree in trees().items() if path.parent.name == "doctor"]
    told = [
        (v, tree) for tree in doctor for name, call in calls(tree) if name == "bad" for v in call.args[1:3]
    ]
    made = [
        (v, tree)
        for tree in doctor
        for name, call in calls(tree)
        if name == "CheckResult"
        for v in call.args[3:]
    ]
    assert len(told) > 20, "they are found at all"

    words = [text for value, tree in [*told, *made] for text in texts(value, tree) if re.search(r"\w", text)]

    assert words == []


def test_a_link_to_a_page_is_its_name_where_nobody_can_click():
    assert NO_CALL.advice.endswith("(docs/models.md)")
    assert [row.part for row in ROWS if "](" in row.advice] == []


def test_the_volume_control_is_judged_by_how_calls_end():
    watch = EventBus()
    watch.subscribe(outside_parts(watch))

    failed = ToolOutcome("1", "control_speaker_volume", "Error: no", False, 0.1, error=ErrorKind.UNAVAILABLE)
    watch.publish(Acted(Utterance("x"), failed))
    (lost,) = watch.parts()
    watch.publish(Acted(Utterance("x"), ToolOutcome("2", "control_speaker_volume", "30", True, 0.1)))

    assert lost.sentence == VOLUME.says[0]
    assert "the sound server" in lost.advice
    assert watch.state("volume") is State.OK
