#!/usr/bin/env python3
"""Writes sample study, sensitivity, comparison and search files for the browser tests: plausible, not simulated.

Every text carries something to escape, and the numbers come from a formula, so the files are the same each time.
"""
import json
import pathlib
import sys

NASTY = "<b>&\"'</script>"
LAYOUTS = [(4, 16, 1), (4, 16, 2), (8, 8, 1), (2, 32, 1)]
MACHINES = [("trn2:instance", 16, 1.0), ("trn2:ultraserver", 64, 0.93), ("trn3:server", 16, 1.72), ("trn3:gen2", 144, 1.51)]


def study():
    points, impossible = [], []
    for machine, chips, speed in MACHINES:
        for tp, fsdp, lnc in LAYOUTS:
            for recompute in ("none", "selective", "full"):
                at = {"machine": machine, "tp": tp, "lnc": lnc, "recompute": recompute}
                if tp == 8 and lnc == 1 and machine == "trn3:gen2":
                    impossible.append({"coordinates": at, "reason": f"tp=8 does not divide 6 ranks a chip {NASTY}"})
                    continue
                hbm = {"none": 23.1e9, "selective": 17.4e9, "full": 11.9e9}[recompute] * 4 / tp
                if hbm > 24e9:
                    impossible.append({"coordinates": at, "reason": f"does not fit: {hbm / 1e9:.1f} of 24.0 GB a rank"})
                    continue
                share = speed * {1: 0.94, 2: 1.0}[lnc] * {2: 0.97, 4: 1.0, 8: 0.86}[tp] * {"none": 1.0, "selective": 0.965, "full": 0.81}[recompute]
                per_chip = 1640 * share
                index = len(points)
                state = "failed" if index == 7 else "missing" if index == 19 else "done"
                point = {"index": index, "hash": f"{index:08x}", "coordinates": at, "state": state}
                if state == "done":
                    point["metrics"] = {"tokens_per_s": per_chip * chips, "tokens_per_s_per_chip": per_chip, "step_us": 65536e6 / (per_chip * chips), "mfu": 0.307 * share / speed, "hfu": 0.372 * share / speed, "exposed_comm": 0.021 * tp / 4, "hbm_bytes": hbm, "chips": chips}
                    point["limiter"] = "DMA and HBM stall" if tp < 8 else "TP collectives exposed"
                else:
                    point["reason"] = "stopped by signal 9" if state == "failed" else "not simulated yet"
                points.append(point)
    axes = [{"name": "machine", "values": [m[0] for m in MACHINES]}, {"name": "tp", "values": [2, 4, 8]}, {"name": "lnc", "values": [1, 2]}, {"name": "recompute", "values": ["none", "selective", "full"]}]
    return {"kind": "study", "schema": 1, "name": f"Qwen3-32B layouts {NASTY}", "command": "trnsim sweep collect studies/qwen3-32b -o report", "trnsim": {"version": "0.1.0", "build": "6139732"}, "axes": axes, "points": points, "impossible": impossible}


KNOBS = [("hbm.stack_mb_per_s", "HBM bandwidth", "HBM", -0.041, 0.033, 0.142, "helps"), ("neuron_core.tensor.clock_mhz", "Tensor clock", "Tensor", -0.062, 0.057, 0.391, "helps"), ("neuron_core.dma.engine_mb_per_s", "DMA engine rate", "DMA", -0.036, 0.027, 0.108, "saturates"), ("neuron_core.dma.descriptor_ns", "descriptor making", "DMA", 0.029, -0.031, -0.246, "helps"), ("neuron_core.vector.clock_mhz", "Vector clock", "Vector", -0.024, 0.019, 0.083, "saturates"), ("link_presets.trn2.mb_per_s", "link bandwidth", "links", -0.0021, 0.0013, 0.0044, "saturates"), ("collectives.step_latency_ns", "step latency of collectives", "links", 0.0008, -0.0009, -0.0081, "no effect"), ("neuron_core.semaphores.hop_ns", "semaphore hop", "core", 0.0011, -0.0012, -0.0137, "no effect"), ("efa.mb_per_s", "EFA bandwidth", "links", 0, 0, 0, "no effect")]


def sensitivity():
    base = 25356.1
    knobs = [{"key": key, "label": label, "subsystem": part, "changes": [{"change": "-10%", "metric": base * (1 + less)}, {"change": "+10%", "metric": base * (1 + more)}, {"change": "2x", "metric": base * (1 + twice)}], "verdict": verdict, "limited_by": "DMA and HBM stall"} for key, label, part, less, more, twice, verdict in KNOBS]
    return {"kind": "sensitivity", "schema": 1, "command": "trnsim sensitivity --model Qwen3-32B.json --machine trn2:instance --layout tp=4,fsdp=16 --global-batch 16 -o report", "machine": "trn2:instance", "metric": "tokens_per_s", "base": base, "limiter": "DMA and HBM stall", "knobs": knobs}


def comparison():
    ledger = {"ideal matmul": (1333e3, 1333e3), "recompute": (232.9e3, 232.9e3), "tile and pad waste": (27.4e3, 27.4e3), "current limiter": (131.4e3, 131.4e3), "waiting on Vector, Scalar, GpSimd": (329.5e3, 281.2e3), "DMA and HBM stall": (389.0e3, 173.9e3), "TP collectives exposed": (48.1e3, 31.0e3), "FSDP collectives exposed": (7.4e3, 4.4e3), "optimizer and rest": (52.5e3, 30.1e3)}
    a, b = (sum(v[i] for v in ledger.values()) for i in (0, 1))
    parts = [{"name": "Tensor", "forward": 0.0, "reverse": 0.0, "interaction": 0.0}, {"name": "Vector, Scalar, GpSimd", "forward": 52.3e3, "reverse": 41.8e3, "interaction": 10.5e3}, {"name": "HBM", "forward": 141.0e3, "reverse": 96.2e3, "interaction": 44.8e3}, {"name": "DMA", "forward": 93.8e3, "reverse": 124.6e3, "interaction": -30.8e3}, {"name": "links and collectives", "forward": 25.1e3, "reverse": 49.1e3, "interaction": -24.0e3}, {"name": "software", "forward": -6.3e3, "reverse": -5.8e3, "interaction": -0.5e3}]
    inputs = [{"key": "hbm.stack_mb_per_s", "a": "716000", "b": "1200000", "ratio": 1.676, "source_a": "aws-neuron-sdk trainium2_arch.rst", "confidence_a": "official", "source_b": f"aws-neuron-sdk trainium3_arch.rst {NASTY}", "confidence_b": "official"}, {"key": "neuron_core.dma.engine_mb_per_s", "a": "23000", "b": "33000", "ratio": 1.435, "source_a": "fit", "confidence_a": "measured", "source_b": "scaled with HBM", "confidence_b": "inferred"}, {"key": "neuron_core.tensor.background_transpose", "a": "false", "b": "true", "ratio": None, "source_a": "arch", "confidence_a": "official", "source_b": "arch", "confidence_b": "official"}]
    side = lambda label, value, i, limiter: {"label": label, "value": value, "ledger_us": {k: v[i] for k, v in ledger.items()}, "limiter": limiter}
    return {"kind": "comparison", "schema": 1, "command": "trnsim compare --model Qwen3-32B.json --layout tp=4,fsdp=16 --global-batch 16 --machine trn2:instance --with trn3:server -o report", "metric": "time_us", "a": side("trn2:instance", a, 0, "DMA and HBM stall"), "b": side("trn3:server", b, 1, "waiting on Vector, Scalar, GpSimd"), "parts": parts, "inputs": inputs, "notes": ["Steady state, no failures.", f"Both run the same program. {NASTY}"]}


def search():
    rows = [{"layout": f"tp={tp},fsdp={64 // tp}", "micro_batch": mb, "recompute": r, "lnc": 2, "tokens_per_s_per_chip": 1640 * {2: 0.97, 4: 1.0, 8: 0.86}[tp] * {1: 1, 2: 1.05}[mb] * {"none": 1.0, "selective": 0.965, "full": 0.81}[r], "hbm_gib": {"none": 18.5, "selective": 14.0, "full": 9.1}[r] * mb * 4 / tp / 1.6, "limiter": "DMA and HBM stall"} for tp in (2, 4, 8) for mb in (1, 2) for r in ("none", "selective", "full")]
    return {"kind": "search", "schema": 1, "command": "trnsim search --model Qwen3-32B.json --machine trn2:instance --global-batch 16 -o report", "rows": rows, "pruned": 12, "impossible": [{"layout": "tp=16,fsdp=4", "reason": "tensor parallelism stays inside a chip of 8 cores"}]}


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for make in (study, sensitivity, comparison, search):
    (folder / f"{make.__name__}.json").write_text(json.dumps(make(), indent=1) + "\n")
