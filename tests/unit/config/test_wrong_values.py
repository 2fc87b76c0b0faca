"""Values that could only fail later are found when settings are read, in a line that tells what to write."""

from pathlib import Path

import pytest
import yaml
from tests.fakes.gateway_process import Commands

from voice_gateway.config import load
from voice_gateway.errors import ConfigError

PORT = "the port must be a number from 1 to 65535"

VALUES = yaml.safe_load(Path(__file__).with_name("values.yaml").read_text())


def test_a_wrong_value_is_one_line_with_variable_setting_and_what_is_expected(written):
    written("[brain]\nroom = 'Kitchen'\n")
    failures = []
    for variable, value, says in ((name, *each) for name, wrong in VALUES["wrong"].items() for each in wrong):
        with pytest.raises(ConfigError) as caught:
            load(environ={variable: value})
        text = str(caught.value)
        if not text.startswith(f"{variable}: ") or says not in text or "\n" in text or "word@" in text:
            failures.append((variable, value, text))
    assert failures == []


def test_a_wrong_value_in_a_file_names_the_file(written):
    file = written("[permission]\npin = 1234\n")

    with pytest.raises(ConfigError, match=r"permission\.pin: must be digits in quotes") as caught:
        load(environ={})

    assert str(file) in str(caught.value)


def test_a_good_value_is_taken():
    wrong = [each for each in VALUES["good"] if each[0] not in load(environ=dict([each])).origins.values()]
    assert wrong == []


def test_a_host_is_known_by_its_name_alone():
    written = "Home.Example, home.example.:8443, 192.0.2.7:80, fd00::7, [FD00::7]:8443"
    hosts = load(environ={"VOICE_GATEWAY_WEB_HOSTS": written}).settings.web.hosts

    assert hosts == ("home.example", "home.example", "192.0.2.7", "fd00::7", "fd00::7")


@pytest.mark.slow
@pytest.mark.parametrize("command", [("run",), ("doctor",), ("config", "check")], ids=" ".join)
async def test_every_command_tells_it_in_the_same_words(tmp_path, command):
    done = await Commands(tmp_path).run(*command, MQTT_BROKER_URL="mqtt://host:abc")

    told = " ".join((done.out if command == ("doctor",) else done.err).split())
    assert f"MQTT_BROKER_URL: mqtt.broker_url: {PORT}, as in mqtt://host:1883" in told
    assert done.code == (1 if command == ("doctor",) else 2), "the doctor's own code says that a check failed"
