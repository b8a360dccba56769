#!/usr/bin/env python3
"""Workers killed with SIGKILL at random moments lose at most what was in flight; the results are the same bytes."""
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from sweep_study import POINTS, collected, expect, plan, run, without_command

trnsim = sys.argv[1]
JOBS = 2


def whole_results(folder):
    return len(list(pathlib.Path(folder, "results").glob("*.json")))


with tempfile.TemporaryDirectory() as root:
    calm, stormy = root + "/calm", root + "/stormy"
    plan(trnsim, calm)
    begin = time.time()
    run(trnsim, "sweep", "submit", calm, "--jobs", JOBS)
    duration = time.time() - begin
    random.seed(11)
    plan(trnsim, stormy)
    kills = 0
    while kills < 40 and whole_results(stormy) < POINTS:
        before = whole_results(stormy)
        worker = subprocess.Popen([trnsim, "sweep", "submit", stormy, "--jobs", str(JOBS)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, duration / 6))
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        kills += 1
        time.sleep(0.05)  # its children are told by the kernel
        expect(whole_results(stormy) >= before, "a result vanished")
    there = whole_results(stormy)
    last = run(trnsim, "sweep", "submit", stormy, "--jobs", JOBS)
    expect(f"{there} were there" in last.stdout, f"{there} results were whole, but: {last.stdout}")
    expect(f"{POINTS - there} points computed, 0 failed" in last.stdout, "what was lost is not what was missing: " + last.stdout)
    expect(without_command(collected(trnsim, calm)) == without_command(collected(trnsim, stormy)),
           "killed workers changed the results")
    print(f"ok: {kills} kills, {there} of {POINTS} points survived them")
