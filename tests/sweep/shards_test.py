#!/usr/bin/env python3
"""One shard, seven, and GNU parallel give the same bytes."""
import shutil
import sys
import tempfile

from sweep_study import POINTS, collected, expect, plan, run, without_command

trnsim = sys.argv[1]
with tempfile.TemporaryDirectory() as root:
    results = {}
    for name in ("one", "seven", "parallel"):
        folder = f"{root}/{name}"
        plan(trnsim, folder)
        if name == "one":
            run(trnsim, "sweep", "worker", folder)
        elif name == "seven":
            for shard in range(7):
                run(trnsim, "sweep", "worker", folder, "--shard", f"{shard}/7")
        else:
            expect(shutil.which("parallel") is not None, "GNU parallel is not installed; scripts/install.sh does it")
            run(trnsim, "sweep", "submit", folder, "--engine", "parallel", "--shards", 3, "--jobs", 1)
        results[name] = without_command(collected(trnsim, folder))
        expect(results[name]["study.csv"].count(b",done,") == POINTS, f"{name}: not every point is done")
    expect(results["one"] == results["seven"], "seven shards differ from one")
    expect(results["one"] == results["parallel"], "GNU parallel differs from one shard")
    print("ok: 1 shard, 7 shards and GNU parallel agree to the byte")
