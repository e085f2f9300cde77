#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sweeps under mpirun: any number of processes writes the same table; an interrupted sweep is resumed.

    sweep.py BIN TESTDATA MPIRUN
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

BIN, TESTDATA, MPIRUN = sys.argv[1:4]
ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMIX_", "PMI_"))}
ENVIRONMENT |= {"PATH": f"{BIN}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
FACTORS = ",".join(f"x{1 + i / 64}" for i in range(60))
SWEEP = ["et-replay", "-n", "ring:8,bw=50GB/s,lat=500ns", "ring8", "--sweep", f"bandwidth={FACTORS}",
         "--sweep", f"latency={FACTORS}", "--sweep", "model=unaware,links"]
RUNS = 60 * 60 * 2


def mpirun(processes, command):
    return [MPIRUN, *ROOT, "--oversubscribe", "-n", str(processes), *command]


def run(command, status=0):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=300, check=False,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == status, f"{command}: exit {done.returncode}\n{done.stderr.decode()}"
    return done


def processes_of(number):
    """Returns the processes that this mpirun has started, by rank."""
    found = {}
    for child in pathlib.Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split():
        variables = pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
        for v in variables:
            if v.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(v.split(b"=")[1])] = int(child)
    return found


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def lose_a_process(rank, output):
    """Kills one process after some runs: mpirun ends the others, and the table keeps complete lines only."""
    with subprocess.Popen(mpirun(3, SWEEP + ["-o", output.name, "-j1"]), env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as job:
        deadline = time.monotonic() + 120
        while lines(output) < 200:
            assert time.monotonic() < deadline and job.poll() is None, "the sweep does not begin, or has ended at once"
            time.sleep(0.002)
        os.kill(processes_of(job.pid)[rank], signal.SIGKILL)
        assert job.wait(timeout=120) != 0
    kept = lines(output)
    assert 200 <= kept <= RUNS + 1, kept
    return kept


def main():
    run(["et-convert", "-f", "msccl,size=1MiB", f"{TESTDATA}/msccl/okay-ring8.xml", "-o", "ring8"])
    run(SWEEP + ["-o", "alone.csv"])
    alone = pathlib.Path("alone.csv").read_bytes()
    assert alone.count(b"\n") == RUNS + 1
    for processes, jobs in ((1, 1), (2, 1), (3, 1), (3, 2)):
        name = f"of{processes}.{jobs}.csv"
        run(mpirun(processes, SWEEP + ["-o", name, "-j", str(jobs)]))
        assert pathlib.Path(name).read_bytes() == alone, f"{processes} processes, {jobs} threads"
    print("1, 2 and 3 processes: the same table")

    for rank, resume in ((1, mpirun(3, SWEEP)), (0, SWEEP)):
        output = pathlib.Path(f"lost{rank}.csv")
        kept = lose_a_process(rank, output)
        done = run(resume + ["-o", output.name, "-v", "-j1"])
        said = [line for line in done.stderr.decode().splitlines() if "to do" in line]
        # The last line may have been cut off while it was written.
        to_do = int(said[0].split(", ")[1].split()[0])
        assert RUNS - kept < to_do + 1 <= RUNS - kept + 3, (said, kept)
        assert output.read_bytes() == alone
        print(f"process {rank} killed: {kept - 1} of {RUNS} lines kept, {to_do} done by the same command")

    # Processes with different traces or options.
    sweep = ["et-replay", "-n", "ring:8,bw=50GB/s", "--sweep", "bandwidth=x1,x2,x3,x4", "ring8", "-o", "mixed.csv"]
    for folder, size in (("a", "1MiB"), ("b", "2MiB")):
        pathlib.Path(folder).mkdir()
        run(["et-convert", "-f", f"msccl,size={size}", f"{TESTDATA}/msccl/okay-ring8.xml", "-o", f"{folder}/ring8"])
    for folder, network, message in (("b", "ring:8,bw=50GB/s", b"ring8 with SHA-256 "),
                                     ("a", "ring:8,bw=25GB/s", b"the command ")):
        second = ["--wdir", os.path.abspath(folder), "et-replay", "-n", network, *sweep[3:]]
        done = run(mpirun(1, ["--wdir", os.path.abspath("a"), *sweep, ":", "-n", "2", *second]), 2)
        assert message in done.stderr and b"start all processes with the same" in done.stderr, done.stderr
        assert not pathlib.Path("a/mixed.csv").exists() and not pathlib.Path("b/mixed.csv").exists()
    run(mpirun(1, ["--wdir", os.path.abspath("a"), *sweep, ":", "-n", "2", "--wdir", os.path.abspath("a"), *sweep]))
    assert lines(pathlib.Path("a/mixed.csv")) == 5
    print("processes with different inputs are rejected")

    # A failed run makes the sweep fail; a usage error is reported once.
    done = run(mpirun(3, ["et-replay", "--sweep", "network=ring:4,bw=1GB/s,ring:8,bw=1GB/s", "ring8"]), 1)
    assert b"the network has 4 NPUs" in done.stderr and done.stdout.count(b"complete") == 1
    done = run(mpirun(3, ["et-replay", "-n", "ideal", "--sweep", "issue=workloads", "ring8"]), 2)
    assert done.stderr.count(b"did you mean workload?") == 1, done.stderr
    done = run(mpirun(3, ["et-replay", "-n", "ideal", "--sweep", "issue=workload", "-"]), 2)
    assert b"cannot share standard input" in done.stderr
    print("failures are reported")


with tempfile.TemporaryDirectory(prefix="etkit-mpi-") as scratch:
    os.chdir(scratch)
    main()
