#!/usr/bin/env python3
"""A disk that fills up ends a sweep with one clear line; what is stored stays whole, and the sweep goes on later."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from sweep_study import POINTS, collected, expect, plan, run, without_command

trnsim = sys.argv[1]


def one_line(done, what):
    lines = done.stderr.strip().splitlines()
    expect(done.returncode == 2 and len(lines) == 1, f"{what}: exit {done.returncode}, {done.stderr}")
    expect("cannot write" in lines[0] and "space left" in lines[0], f"{what}: {lines[0]}")
    return lines[0]


def no_partial_files(folder):
    left = list(pathlib.Path(folder).rglob("*.partial"))
    expect(not left, f"left behind: {left}")


def on_a_small_disk(root):
    """A tmpfs of 160 kB, where mounting is allowed: the plan fits, some results do, all do not."""
    folder = root + "/disk"
    os.mkdir(folder)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", folder], capture_output=True).returncode != 0:
        return "no mount allowed here"
    try:
        plan(trnsim, folder)
        line = one_line(run(trnsim, "sweep", "submit", folder, check=False), "full disk")
        no_partial_files(folder)
        subprocess.run(["mount", "-o", "remount,size=4m", folder], check=True)
        run(trnsim, "sweep", "submit", folder)
        expect(collected(trnsim, folder)["study.csv"].count(b",done,") == POINTS, "did not go on after the disk was full")
        return line
    finally:
        subprocess.run(["umount", folder], check=True)


def with_a_limit(root):
    """No file above 3 kB may be written: every result fits, and no collected store does."""
    folder = root + "/limit"
    plan(trnsim, folder)
    run(trnsim, "sweep", "submit", folder)
    before = collected(trnsim, folder)

    def limit():
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    line = one_line(run(trnsim, "sweep", "collect", folder, check=False, preexec_fn=limit), "limited file size")
    no_partial_files(folder)
    after = {name: (pathlib.Path(folder) / name).read_bytes() for name in before}
    expect(before == after, "a failed collect changed the store")
    return line


with tempfile.TemporaryDirectory() as root:
    print("limit:", with_a_limit(root))
    print("disk: ", on_a_small_disk(root))
    print("ok")
