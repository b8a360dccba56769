#!/usr/bin/env python3
"""Holds the layer rule over #include lines: a file may include its own layer or lower ones only.

docs/architecture.md#layers has the picture. SystemC headers may appear in base/systemc and *_module.* only.
"""
import pathlib
import re
import sys

# First match wins; a higher number may include a lower one.
LAYERS = [
    (r"sim/cli/", 60),
    (r"sim/study/", 55),
    (r"sim/report/page/", 13),  # reads result files, no models
    (r"sim/", 50),
    (r"base/systemc/|.*_module\.(h|cpp)$", 40),
    (r"workloads/", 34),
    (r"kernels/", 32),
    (r"models/", 30),
    (r"traces/", 21),
    (r"isa/", 20),
    (r"base/(config|stats)/", 12),
    (r"base/", 10),
]
INCLUDE = re.compile(r'^\s*#include\s+([<"])([^>"]+)[>"]')
SYSTEMC = re.compile(r"^(systemc|sysc/|tlm)")


def layer(path):
    for pattern, number in LAYERS:
        if re.match(pattern, path):
            return number
    return None


def problems(root):
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.suffix not in (".h", ".cpp") or layer(path) is None:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            place = f"{path}:{number}"
            if SYSTEMC.match(target) and layer(path) != 40:
                yield f"{place}: <{target}> outside base/systemc and *_module.*"
            if quote == '"' and layer(target) is not None and layer(target) > layer(path):
                yield f"{place}: includes {target}, a higher layer"


found = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
print("\n".join(found) or "layers: ok")
sys.exit(1 if found else 0)
