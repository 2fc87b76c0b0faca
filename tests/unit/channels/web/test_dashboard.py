"""The dashboard asks for nothing that the gateway does not tell, and the page names every metric."""

import json
import re
from pathlib import Path

from prometheus_client.core import Metric

from voice_gateway.channels.web.metrics import Metrics
from voice_gateway.channels.web.stats import Figures

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
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


def test_the_dashboard_parts_by_labels_that_are_told():
    dashboard = json.loads((ROOT / "packaging" / "grafana-dashboard.json").read_text(encoding="utf-8"))
    known = told()
    for text in [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]:
        (name,) = set(re.findall(r"\b(?:voice_gateway|process)_\w+", text))
        one = known.get(next((name.removesuffix(end) for end in ADDED if name.endswith(end)), name))
        row = re.search(rf"`{one.name}[^|]*\|([^|\n]*)", PAGE) if one else None
        labels = {"job", "le", *re.findall(r"\w+", row[1] if row else "")}
        asked = {word for group in re.findall(r"by \(([^)]*)\)", text) for word in re.findall(r"\w+", group)}
        asked |= set(re.findall(r"(\w+)(?:=~|!~|=|!=)\"", text))
        assert asked <= labels, text


def test_the_page_names_every_metric():
    assert [name for name in told() if f"`{name}`" not in PAGE] == []
