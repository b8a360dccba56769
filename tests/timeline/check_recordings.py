#!/usr/bin/env python3
"""Runs commands with --timeline and --tables and compares what they write with what the run says of itself.

check_recordings.py TRNSIM. The trace is read by check_pftrace.py, which knows the wire format and nothing of
trnsim; the tables by Python's sqlite3 and csv.
"""
import collections
import csv
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import check_pftrace

TRNSIM = sys.argv[1]
KERNEL = ["kernel", "run", "gemm", "--m", "512", "--k", "1024", "--n", "1024", "--lnc", "2"]
SAMPLE = ["run", "traces/samples/mm_db.tasm", "--machine", "trn2"]
STEP = ["train", "--model", "Qwen3-8B", "--machine", "trn2:instance", "--layout", "tp=4,fsdp=16", "--seq", "512",
        "--global-batch", "16", "--recompute", "full", "--no-interval"]
ENGINES = {"Tensor": "PE", "Vector": "DVE", "Scalar": "ACT", "GpSimd": "POOL", "Sync": "SP"}


def run(arguments, folder, *more, code=0):
    done = subprocess.run([TRNSIM, *arguments, *more], capture_output=True, text=True, cwd=pathlib.Path.cwd())
    assert done.returncode == code, (arguments, more, done.returncode, done.stderr)
    left = list(pathlib.Path(folder).rglob("*.partial"))
    assert not left, left
    return done.stdout if code == 0 else done.stderr


def statistics(arguments, folder):
    return json.loads(run(arguments, folder, "--json"))["statistics"]


def by_track(trace, slices):
    out = collections.defaultdict(list)
    for s in slices:
        out[trace.tracks[s[0]][0].split(" lane ")[0]].append(s)
    return out


def check_engines(arguments, folder, channel=()):
    """Time on an engine's track is its busy time, to the picosecond; every transfer is there, with its bytes."""
    path = f"{folder}/a.pftrace"
    run(arguments, folder, "--timeline", path, *channel)
    stats = {k: v["value"] for k, v in statistics([*arguments, *channel], folder).items()}
    trace = check_pftrace.Trace(open(path, "rb").read())
    slices, begun, ended = check_pftrace.check(trace)
    tracks = by_track(trace, slices)
    transfers = [s for name, on in tracks.items() if " DMA q" in name or " DMA load" in name or
                 " DMA store" in name for s in on]
    cores = {name.split(".")[0] for name in stats if name.startswith("core")}
    instructions = 0
    for core in cores:
        for engine, short in ENGINES.items():
            on = tracks.get(f"core {core[4:]} {short}", [])
            busy = sum(s[4]["duration_ps"] for s in on)
            assert busy == stats[f"{core}.{engine}.busy"], (core, engine, busy)
            weights = tracks.get(f"core {core[4:]} {short} weights", [])
            instructions += len(on) + len(weights)
            assert len(on) + len(weights) == stats[f"{core}.{engine}.instructions"], (core, engine)
            waited = sum(s[4].get("waited_ps", 0) for s in on + weights)
            assert waited == stats[f"{core}.{engine}.semaphore_wait"], (core, engine, waited)
            limited = sum(s[4].get("limited_ps", 0) for s in on)
            assert limited == stats[f"{core}.{engine}.limiter_stall"], (core, engine)
    assert len(transfers) == stats["run.transfers"] > 0
    assert sum(s[4]["bytes"] for s in transfers) == stats["run.dma_bytes"]
    assert sum(s[4].get("hbm_read_bytes", 0) for s in transfers) == stats["run.hbm_read_bytes"]
    assert max(s[4]["start_ps"] + s[4]["duration_ps"] for s in slices) <= stats["run.time"]
    # Every transfer has a trigger; every arrow ends at an instruction that waited.
    triggers = [f for f, on in begun.items() if any("PE" in trace.tracks[s[0]][0] or s[1] == "DMA" for s in on)]
    assert len(triggers) == len(transfers) and all(len(begun[f]) == 2 for f in triggers)
    assert ended and all(s[4]["waited_ps"] > 0 for s in ended.values())
    for flow, s in ended.items():  # what ended the wait came at its end: 300 ns completion, a clock's edge
        arrival = max(b[4]["start_ps"] + b[4]["duration_ps"] for b in begun[flow])
        begin = s[4]["start_ps"]
        assert arrival + 300_000 <= begin <= arrival + 300_000 + 1100, (s[1], arrival, begin)
    check_counters(trace, stats)
    return trace


def check_counters(trace, stats):
    """Rates times time are the bytes; the limiter is armed as often as the run says."""
    armed, read = 0, 0.0
    for track, values in trace.counters.items():
        name = trace.tracks[track][0]
        if name.endswith("current limiter"):
            armed += sum(1 for _, value in values if value == 1)
        if name.endswith("read"):
            read += sum(value * (after[0] - time) for (time, value), after in zip(values, values[1:]))
    assert armed == stats["run.limiter_activations"], armed
    assert abs(read / stats["run.hbm_read_bytes"] - 1) < 0.01, read  # GB/s x ns; times are whole nanoseconds


def check_determinism(folder):
    for n in "12":
        run(STEP, folder, "--timeline", f"{folder}/{n}.pftrace", "--timeline-level", "op", "--brief")
        run(KERNEL, folder, "--timeline", f"{folder}/k{n}.pftrace", "--tables", "sqlite", "-o", f"{folder}/{n}")
    for a, b in (("1.pftrace", "2.pftrace"), ("k1.pftrace", "k2.pftrace"), ("1/tables.sqlite", "2/tables.sqlite")):
        assert pathlib.Path(folder, a).read_bytes() == pathlib.Path(folder, b).read_bytes(), a


def check_nothing_changes(folder):
    """A run that is recorded says what one that is not says."""
    for arguments in (KERNEL, SAMPLE, STEP):
        recorded = json.loads(run(arguments, folder, "--json", "--timeline", f"{folder}/x.pftrace", "--tables", "csv",
                                  "-o", f"{folder}/x", "--timeline-window", "0us:100us"))
        plain = json.loads(run(arguments, folder, "--json"))
        for result in (recorded, plain):
            result.pop("command", None)  # as it was typed
        assert recorded == plain, arguments


def check_window(folder):
    """What a window shows is what overlaps it, and no arrow comes from outside."""
    run(SAMPLE, folder, "--timeline", f"{folder}/all.pftrace")
    run(SAMPLE, folder, "--timeline", f"{folder}/part.pftrace", "--timeline-window", "5us:8us")
    whole = check_pftrace.Trace(open(f"{folder}/all.pftrace", "rb").read())
    part = check_pftrace.Trace(open(f"{folder}/part.pftrace", "rb").read())
    check_pftrace.check(part)

    def keys(trace, window):
        out = set()
        for s in trace.slices():
            begin, end = s[4]["start_ps"], s[4]["start_ps"] + s[4]["duration_ps"]
            if begin < window[1] and (end > window[0] or begin == end >= window[0]):
                out.add((trace.tracks[s[0]][0].split(" lane ")[0], s[1], begin, end))
        return out

    window = (5_000_000, 8_000_000)
    assert keys(whole, window) == keys(part, (0, 10**12)) and keys(part, window)


def check_step(folder):
    """Every region of every layer, and every collective."""
    path = f"{folder}/step.pftrace"
    run(STEP, folder, "--timeline", path, "--timeline-level", "op", "--brief")
    trace = check_pftrace.Trace(open(path, "rb").read())
    slices, _, _ = check_pftrace.check(trace)
    regions = collections.Counter(s[1] for s in slices if trace.tracks[s[0]][0].startswith("core 0 regions"))
    layers = 36
    assert regions["attention"] == 2 * layers, regions  # forward, and again in the backward pass
    assert regions["attention_bwd"] == regions["down"] == regions["down_dx"] == layers, regions
    result = json.loads(run(STEP, folder, "--json"))
    collectives = [s for s in slices if trace.tracks[s[0]][0].startswith("CC-cores")]
    assert len(collectives) == sum(c["count"] for c in result["collectives"]), len(collectives)
    # Both cores of the pair wait for a collective that one of them triggered.
    run(STEP, folder, "--timeline", path, "--timeline-window", "2ms:6ms", "--brief")
    trace = check_pftrace.Trace(open(path, "rb").read())
    _, begun, ended = check_pftrace.check(trace)
    waiting = {trace.tracks[s[0]][0][:6] for flow, s in ended.items()
               if any(trace.tracks[b[0]][0].startswith("CC-cores") for b in begun[flow])}
    assert waiting == {"core 0", "core 1"}, waiting


def check_ranks(folder):
    job = ["run", f"{folder}/job.tasm", "--mesh", "tp=8", "--machine", "trn2:chip"]
    pathlib.Path(f"{folder}/job.tasm").write_text(
        ".target trn2\n.kernel k\n.coll r op=all_reduce axis=tp bytes=1048576 dtype=bf16\n.sem s\n"
        ".engine POOL\nCOLL r ! s+=1\nWAIT s>=1\n.end\n")
    path = f"{folder}/ranks.pftrace"
    told = run(job, folder, "--timeline", path, "--timeline-ranks", "0,3", code=2)
    assert "--detail full" in told and not pathlib.Path(path).exists(), told
    told = run(job, folder, "--detail", "full", "--timeline", path, "--timeline-ranks", "0,8", code=2)
    assert "rank 8" in told, told
    run(job, folder, "--detail", "full", "--timeline", path, "--timeline-ranks", "0,3", "--tables", "csv", "-o", folder)
    trace = check_pftrace.Trace(open(path, "rb").read())
    slices, begun, ended = check_pftrace.check(trace)
    assert [name for name, _, process, _ in trace.tracks.values() if process] == ["rank 0", "rank 3"]
    assert len(ended) == 2 and all(s[1] == "WAIT" for s in ended.values())
    rows = list(csv.DictReader(open(f"{folder}/tables/CcOp.csv")))
    assert [r["trnsim_rank"] for r in rows] == ["0", "3"] and rows[0]["replica_group"] == "[[0,1,2,3,4,5,6,7]]", rows


def check_tables(folder):
    """Rows sum to the run's statistics, in both formats."""
    stats = {k: v["value"] for k, v in statistics(KERNEL, folder).items()}
    run(KERNEL, folder, "--tables", "sqlite", "-o", folder)
    run(KERNEL, folder, "--tables", "csv", "-o", folder)
    base = sqlite3.connect(f"{folder}/tables.sqlite")

    def one(sql):
        return base.execute(sql).fetchone()[0]

    for (core,), (engine, name) in ((c, e) for c in [(0,), (1,)] for e in (("tensor", "Tensor"), ("vector", "Vector"),
                                                                        ("scalar", "Scalar"), ("gpsimd", "GpSimd"),
                                                                        ("sync", "Sync"))):
        where = f"WHERE engine = '{engine}' AND pcore_idx = {core}"
        of = f"core{core}.{name}"
        assert one(f"SELECT count(*) FROM Instruction {where}") == stats[f"{of}.instructions"]
        assert one(f"SELECT coalesce(sum(trnsim_wait_ps), 0) FROM Instruction {where}") == stats[f"{of}.semaphore_wait"]
        assert one(f"SELECT {engine}_engine_instruction_count FROM Summary WHERE trnsim_pcore_idx = {core}") == stats[
            f"{of}.instructions"]
    assert one("SELECT sum(raw_flops) FROM Instruction") == stats["run.array_flops"]
    assert one("SELECT sum(hardware_flops) FROM Summary") == stats["run.array_flops"]
    assert one("SELECT sum(model_flops) FROM Summary") == stats["run.model_flops"]
    for table, read, write in (("Instruction", "hbm_read_bytes", "hbm_write_bytes"),
                               ("DmaPacketAggregated", "trnsim_hbm_read_bytes", "trnsim_hbm_write_bytes"),
                               ("Summary", "hbm_read_bytes", "hbm_write_bytes")):
        assert one(f"SELECT sum({read}) FROM {table}") == stats["run.hbm_read_bytes"], table
        assert one(f"SELECT sum({write}) FROM {table}") == stats["run.hbm_write_bytes"], table
    assert one("SELECT count(*) FROM DmaPacketAggregated") == stats["run.transfers"]
    assert one("SELECT sum(transfer_bytes) FROM DmaPacketAggregated") == stats["run.dma_bytes"]
    assert one("SELECT max(trnsim_time_ps) FROM Summary") == stats["run.time"]
    assert one("SELECT is_simulation FROM Metadata") == 1
    # Every transfer belongs to the instruction that triggered it.
    assert one("SELECT count(*) FROM DmaPacketAggregated d JOIN Instruction i ON i.trnsim_dma_id = d.id WHERE "
               "i.dma_trigger_start_ts = d.start_ts AND i.start_ts = d.trigger") == stats["run.transfers"]
    for table in ("Instruction", "DmaPacketAggregated", "CcOp", "Summary", "Metadata", "SchemaFields"):
        names = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
        rows = list(csv.reader(open(f"{folder}/tables/{table}.csv")))
        assert rows[0] == names
        assert len(rows) - 1 == one(f"SELECT count(*) FROM {table}")
        first = base.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
        for text, value in zip(rows[1] if first else [], first or []):
            assert (text == "" and value is None) or type(value)(text) == value, (table, text, value)
        if table != "SchemaFields":
            described = {r[0] for r in base.execute("SELECT field_name FROM SchemaFields WHERE table_name = ?", [table])}
            assert described == set(names)


def check_refusals(folder):
    path = f"{folder}/refused.pftrace"
    for more, code, word in (
            (["--timeline", path, "--timeline-limit", "10KB"], 6, "--timeline-window"),
            (["--timeline", path, "--timeline-limit", "3KB", "--timeline-window", "1us:2s"], 6, "--timeline-window 1us:"),
            (["--timeline", path, "--timeline-level", "packet"], 2, "--hbm channel"),
            (["--timeline", path, "--timeline-level", "all"], 2, "op, instruction or packet"),
            (["--timeline", path, "--timeline-window", "3"], 2, "FROM:TO"),
            (["--timeline", path, "--timeline-ranks", "1"], 2, "rank 1 of 1"),
            (["--timeline", f"{folder}/none/x.pftrace"], 2, "none/x.pftrace"),
            (["--timeline", folder], 2, folder),
            (["--timeline-window", "0us:1us"], 2, "--timeline"),
            (["--tables", "parquet", "-o", folder], 2, "sqlite or csv"),
            (["--tables", "sqlite"], 2, "-o DIR"),
            (["--tables", "csv", "-o", f"{folder}/job.tasm/x"], 2, "job.tasm"),
            (["--tables", "sqlite", "-o", folder, "--timeline-limit", "10KB"], 6, "--timeline-window")):
        told = run(SAMPLE, folder, *more, code=code)
        assert word in told and told.count("\n") == 1, (more, told)
        assert not pathlib.Path(path).exists()
    told = run(["collective", "all_reduce"], folder, "--timeline", path, code=2)
    assert "one size" in told, told
    # What was there stays when the new one cannot be written.
    run(SAMPLE, folder, "--timeline", path)
    before = pathlib.Path(path).read_bytes()
    run(SAMPLE, folder, "--timeline", path, "--timeline-limit", "10KB", code=6)
    assert pathlib.Path(path).read_bytes() == before


def check_collective(folder):
    for more in ([], ["--detail", "full"]):
        path = f"{folder}/coll.pftrace"
        arguments = ["collective", "all_reduce", "--machine", "trn2:instance", "--sizes", "8MiB", *more]
        run(arguments, folder, "--timeline", path, "--tables", "csv", "-o", folder)
        result = json.loads(run(arguments, folder, "--json"))["results"][0]
        trace = check_pftrace.Trace(open(path, "rb").read())
        slices, _, _ = check_pftrace.check(trace)
        tracks = by_track(trace, slices)
        moves = [s for name, on in tracks.items() if "moves" in name for s in on]
        assert len(moves) == result["trnsim"]["moves"], (len(moves), result)
        whole = tracks["CC-cores, stream 0"]
        assert len(whole) == (16 if more else 1)
        assert all(s[4]["duration_ps"] == round(result["time(us)"] * 1e6) for s in whole)
        row = next(csv.DictReader(open(f"{folder}/tables/CcOp.csv")))
        # nccom-test's GB are 2^30 bytes.
        assert abs(float(row["algorithm_bandwidth"]) / 2**30 / result["algbw(GB/s)"] - 1) < 1e-9
        assert abs(float(row["bus_bandwidth"]) / 2**30 / result["busbw(GB/s)"] - 1) < 1e-9


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_engines(SAMPLE, folder)
        check_engines(KERNEL, folder)
        check_engines(SAMPLE, folder, ["--hbm", "channel"])
        check_determinism(folder)
        check_nothing_changes(folder)
        check_window(folder)
        check_step(folder)
        check_ranks(folder)
        check_tables(folder)
        check_refusals(folder)
        check_collective(folder)
    print("recordings: ok")


main()
