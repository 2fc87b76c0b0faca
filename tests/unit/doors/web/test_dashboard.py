"""The dashboard asks for nothing that the gateway does not tell, and the page names every metric."""

import json
import re
from pathlib import Path

from prometheus_client.core import Metric

from voice_gateway.doors.web.figures import Figures
from voice_gateway.doors.web.metrics import Metrics

ROOT = Path(__file__).parents[4]
ADDED = ("_bucket", "_count", "_sum")


def told() -> dict[str, Metric]:
    found = Metrics(Figures(lambda name: name), list, list, "1").collect()
    names = {"counter": "{}_total", "info": "{}_info"}
    return {names.get(one.type, "{}").format(one.name): one for one in found}


def test_the_dashboard_asks_for_what_is_told():
    dashboard = json.loads((ROOT / "packaging" / "grafana-dashboard.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    names = {name for text in asked for name in re.findall(r"\bvoice_gateway_\w+", text)}
    plain = {next((name.removesuffix(end) for end in ADDED if name.endswith(end)), name) for name in names}
    assert len(names) >= 8
    assert plain <= set(told())


def test_the_page_names_every_metric():
    page = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    assert [name for name in told() if f"`{name}`" not in page] == []
