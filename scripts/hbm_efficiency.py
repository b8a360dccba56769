#!/usr/bin/env python3
"""Measures every HBM device of the project on the channel model and writes configs/generated/hbm_efficiency.json, which the
bandwidth model reads. `--check` measures again and fails where the file says otherwise.

usage: scripts/hbm_efficiency.py [--check] [path of trnsim]
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "configs" / "generated" / "hbm_efficiency.json"
DEVICES = [("--machine", f.stem) for f in sorted((ROOT / "configs").glob("*.json"))]
DEVICES += [("--device", f.stem) for f in sorted((ROOT / "configs" / "hbm").glob("*.json"))]

arguments = [a for a in sys.argv[1:] if a != "--check"]
trnsim = arguments[0] if arguments else str(ROOT / "build" / "release" / "trnsim")
table = {}
if "--check" not in sys.argv:
    FILE.write_text("{}\n")  # whatever it was, the program can read this
for option, name in DEVICES:
    command = [trnsim, "memory", option, name, "--efficiency", "--json"]
    measured = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    entry = table.setdefault(measured["device"], {"devices": [], "rows": measured["rows"], "turning": measured["turning"]})
    entry["devices"].append(name)

lines = ",\n".join(f"{json.dumps(device)}: {json.dumps(entry)}" for device, entry in table.items())
text = "{\n" + lines + "\n}\n"
if "--check" in sys.argv:
    if FILE.read_text() != text:
        sys.exit(f"{FILE} is out of date; run scripts/hbm_efficiency.py")
    print("HBM efficiency table: ok")
else:
    FILE.write_text(text)
