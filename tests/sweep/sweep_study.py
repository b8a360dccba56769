"""What the sweep tests share: a study of small kernels, and how trnsim is called."""
import json
import pathlib
import subprocess

# 48 points of a few milliseconds to a second each, so that something is always in flight.
STUDY = {
    "name": "gemms",
    "base": {"kernel": {"name": "gemm", "machine": "trn2", "arguments": {"m": 1024, "n": 1024}}},
    "axes": [
        {"name": "machine", "values": ["trn2", "trn3"]},
        {"name": "hbm_bandwidth", "values": ["1x", "2x", "4x"]},
        {"name": "depth", "values": [{"label": str(k), "arguments": {"k": k}} for k in (512, 1024, 2048, 4096)]},
        {"name": "lnc", "values": [1, 2]},
    ],
}
POINTS = 48


def run(trnsim, *arguments, check=True, **options):
    done = subprocess.run([trnsim, *map(str, arguments)], capture_output=True, text=True, **options)
    if check and done.returncode != 0:
        raise SystemExit(f"trnsim {' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def plan(trnsim, folder, study=None):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "study_file.json"
    file.write_text(json.dumps(study or STUDY))
    run(trnsim, "sweep", "plan", file, "-o", folder)


def collected(trnsim, folder):
    """The bytes of what collect writes."""
    run(trnsim, "sweep", "collect", folder)
    return {name: (pathlib.Path(folder) / name).read_bytes() for name in ("study.csv", "study.sqlite", "study.json")}


def without_command(files):
    """study.json names the command that wrote it, and with it the folder."""
    study = json.loads(files["study.json"])
    del study["command"]
    return {**files, "study.json": json.dumps(study)}


def expect(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
