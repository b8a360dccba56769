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
    if isinstance(node, dict) and "value" in node:
        yield path, node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from figures(value, f"{path}.{key}" if path else key)


def table():
    lines = []
    for file in [*sorted((ROOT / "configs").glob("*.json")), *sorted((ROOT / "configs" / "hbm").glob("*.json"))]:
        config = json.loads(file.read_text())
        lines += [f"\n### {config['name']}\n", "| key | value | confidence | source |", "|---|---|---|---|"]
        for key, figure in figures(config):
            note = f"; {figure['note']}" if "note" in figure else ""
            lines.append(f"| {key} | {json.dumps(figure['value'])} | {figure['confidence']} | {figure['source']}{note} |")
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
