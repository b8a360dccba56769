#!/usr/bin/env python3
"""Prints every figure of configs/*.json and configs/hbm/*.json as a Markdown table; docs/calibration.md ends with its output.

`--check` compares instead, and fails when the document is out of date.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = "<!-- scripts/calibration_table.py -->\n"


def figures(node, path=""):
    """Figures, and in documents that build on others: factors of the base's, changes of overlays, ranges."""
    if isinstance(node, dict) and "value" in node:
        yield path, node, json.dumps(node["value"])
    elif isinstance(node, dict) and "factor" in node:
        yield path, node, f"{node['factor']:g}x"
    elif isinstance(node, dict) and "low" in node:
        yield path, {**node, "note": node["why"]}, f"{json.dumps(node['low'])} to {json.dumps(node['high'])}"
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from figures(value, f"{path}.{key}" if path and path not in ("changes", "added") else key)


def table():
    lines = []
    for file in [*sorted((ROOT / "configs").glob("*.json")), *sorted((ROOT / "configs" / "hbm").glob("*.json"))]:
        config = json.loads(file.read_text())
        lines += [f"\n### {config['name']}\n", "| key | value | confidence | source |", "|---|---|---|---|"]
        for key, figure, value in figures(config):
            note = f"; {figure['note']}" if "note" in figure else ""
            lines.append(f"| {key} | {value} | {figure['confidence']} | {figure['source']}{note} |")
    return "\n".join(lines) + "\n"


document = ROOT / "docs" / "calibration.md"
text = document.read_text()
updated = text[: text.index(MARK) + len(MARK)] + table()
if "--check" in sys.argv:
    if updated != text:
        sys.exit("docs/calibration.md is out of date; run scripts/calibration_table.py")
    print("calibration table: ok")
else:
    document.write_text(updated)
