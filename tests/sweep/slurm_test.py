#!/usr/bin/env python3
"""A job array of a one-node Slurm on loopback gives the same bytes as this machine alone.

Starts munged, slurmctld and slurmd itself, and stops them. Needs root.
"""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from sweep_study import POINTS, collected, expect, plan, run, without_command

trnsim = sys.argv[1]
SHARDS = 4


def configuration(root, host):
    return f"""ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={root}/munge.socket
CredType=cred/munge
SlurmctldPort=17817
SlurmdPort=17818
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def start_munge(root):
    """munged refuses to run as root with files of others, so it gets its own user's."""
    user = pwd.getpwnam("munge")
    key = root / "munge.key"
    key.write_bytes(os.urandom(1024))
    for path in (root, key):
        os.chown(path, user.pw_uid, user.pw_gid)
    os.chmod(key, 0o400)
    return subprocess.Popen(
        ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={root}/munge.socket",
         f"--pid-file={root}/munged.pid", f"--log-file={root}/munged.log", f"--seed-file={root}/munged.seed"],
        user=user.pw_uid, group=user.pw_gid, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until(what, condition, logs, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return
        time.sleep(0.2)
    tails = "\n".join(f"--- {log}\n" + (log.read_text()[-2000:] if log.exists() else "") for log in logs)
    raise SystemExit(f"FAILED: {what} did not happen within {seconds} s\n{tails}")


for program in ("munged", "slurmctld", "slurmd", "sbatch"):
    expect(shutil.which(program) is not None, f"{program} is not installed; scripts/install.sh does it")
if os.geteuid() != 0:
    print("skipped: Slurm's daemons need root here")
    sys.exit(77)

with tempfile.TemporaryDirectory() as top:
    os.chmod(top, 0o755)
    root = pathlib.Path(top) / "slurm"
    root.mkdir(mode=0o755)
    host = socket.gethostname().split(".")[0]
    conf = root / "slurm.conf"
    conf.write_text(configuration(root, host))
    os.environ["SLURM_CONF"] = str(conf)
    logs = [root / "munged.log", root / "slurmctld.log", root / "slurmd.log"]
    daemons = [start_munge(root)]
    for name in ("state", "spool"):
        (root / name).mkdir()
    try:
        wait_until("munged's socket", (root / "munge.socket").exists, logs)
        for daemon in ("slurmctld", "slurmd"):
            daemons.append(subprocess.Popen([shutil.which(daemon), "-D", "-f", str(conf)],
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_until("an idle node", lambda: "idle" in subprocess.run(
            ["sinfo", "-h", "-o", "%T"], capture_output=True, text=True).stdout, logs)
        alone, array = top + "/alone", top + "/array"
        for folder in (alone, array):
            plan(trnsim, folder)
        run(trnsim, "sweep", "submit", alone)
        run(trnsim, "sweep", "submit", array, "--engine", "slurm", "--shards", SHARDS, "--jobs", 1, "--wait")
        results = collected(trnsim, array)
        expect(results["study.csv"].count(b",done,") == POINTS, "the array left points out")
        expect(without_command(collected(trnsim, alone)) == without_command(results), "Slurm's results differ")
        print(f"ok: a Slurm array of {SHARDS} tasks gives the same bytes")
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            daemon.wait(timeout=20)
