#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""et-link under mpirun: any number of processes writes the same bytes; if a rank fails, no output remains.
Without mpirun no tool loads MPI or a cryptography library: each takes longer to load than everything else together.

    link.py BIN MPIRUN
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BIN, MPIRUN = sys.argv[1:3]
ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMIX_", "PMI_"))}
ENVIRONMENT |= {"PATH": f"{BIN}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
RANKS = 5


def run(processes, command, folder, status=0):
    mpirun = [MPIRUN, *ROOT, "--oversubscribe", "-n", str(processes)] if processes else []
    done = subprocess.run(mpirun + command, env=ENVIRONMENT, capture_output=True, timeout=300, check=False,
                          stdin=subprocess.DEVNULL, cwd=folder, text=True)
    assert done.returncode == status, f"{command}: exit {done.returncode}\n{done.stderr}"
    return done.stderr


def write_pair(folder, rank, elements=1024):
    """Writes the traces of one all-reduce operator and its kernel."""
    def attrs(rf, extra=()):
        values = [("rf_id", "uint64", rf), ("fw_parent", "uint64", 0), ("seq_id", "int64", -1), ("scope", "uint64", 0),
                  ("tid", "uint64", 1), ("fw_tid", "uint64", 0), ("op_schema", "string", "")]
        return [{"name": n, "type": t, "value": v} for n, t, v in [*values, *extra]]

    io = {"values": [], "shapes": [], "types": []}
    comm = [("collective_name", "string", "allreduce"), ("dtype", "string", "Float"),
            ("in_msg_nelems", "uint64", elements), ("out_msg_nelems", "uint64", elements),
            ("pg_name", "string", "1"), ("pg_size", "uint64", RANKS)]
    nodes = [
        {"id": 2, "name": "[pytorch|profiler|execution_trace|thread]", "ctrl_deps": 1, "inputs": io, "outputs": io,
         "attrs": attrs(0)},
        {"id": 3, "name": "record_param_comms", "ctrl_deps": 2, "inputs": io, "outputs": io, "attrs": attrs(1, comm)},
        {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "inputs": io, "outputs": io,
         "attrs": attrs(0)}]
    host = {"schema": "1.1.1-chakra.0.0.4", "pid": rank, "time": "2025-01-01 00:00:00", "start_ts": 0, "nodes": nodes,
            "finish_ts": 1}
    event = {"ph": "X", "pid": 1}
    events = [
        event | {"cat": "cpu_op", "name": "record_param_comms", "tid": 1, "ts": 100 + rank, "dur": 10.5,
                 "args": {"External id": 1, "Record function id": 1}},
        event | {"cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "tid": 1, "ts": 103 + rank, "dur": 2,
                 "args": {"External id": 1, "correlation": 7}},
        event | {"cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", "tid": 20, "ts": 108.25 + rank,
                 "dur": 30, "args": {"External id": 1, "correlation": 7, "stream": 20, "device": 0}}]
    (folder / f"host.{rank}.json").write_text(json.dumps(host), encoding="utf-8")
    (folder / f"kineto.{rank}.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}),
                                                encoding="utf-8")


def check_loading(folder):
    for tool in sorted(pathlib.Path(BIN).glob("et-*")):
        loaded = subprocess.run([tool], env=ENVIRONMENT | {"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True,
                                check=True, text=True).stdout
        assert "libstdc++" in loaded, f"{tool.name}: not a list of libraries: {loaded}"
        assert not any(name in loaded for name in ("libmpi", "libopen-pal", "libcrypto")), f"{tool.name} loads {loaded}"
    # A job of several processes requires MPI; a single process does not.
    (folder / "etkit-mpi.so").write_text("no module", encoding="utf-8")
    link = ["et-link", "--host", "host.0.json", "--device", "kineto.0.json", "-o", "alone.0.et"]
    for processes, status, message in (("1", 0, ""), ("3", 2, "started by mpirun as one of 3 processes, but MPI cannot "
                                                              "be loaded (was etkit built with ETKIT_MPI?): ")):
        done = subprocess.run(link, env=ENVIRONMENT | {"LD_LIBRARY_PATH": folder, "OMPI_COMM_WORLD_SIZE": processes},
                              capture_output=True, check=False, cwd=folder, text=True)
        assert done.returncode == status and message in done.stderr, done.stderr
        assert (folder / "alone.0.et").exists() == (status == 0)
        (folder / "alone.0.et").unlink(missing_ok=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for rank in range(RANKS):
            write_pair(folder, rank)
        check_loading(folder)
        link = ["et-link", "--host", "host.%r.json", "--device", "kineto.%r.json", "-o", "out/set", "--report",
                "report.json"]
        results = {}
        for processes in (0, 1, 3, RANKS + 2):
            run(processes, link, folder)
            files = sorted((folder / "out").iterdir())
            results[processes] = [(f.name, f.read_bytes()) for f in files] + [(folder / "report.json").read_bytes()]
            assert len(files) == RANKS + 1, files
            for f in files:
                f.unlink()
            (folder / "report.json").unlink()
        assert all(r == results[0] for r in results.values()), "the bytes depend on the number of processes"

        # Processes with different inputs, options or outputs.
        other = folder / "other"
        other.mkdir()
        for rank in range(RANKS):
            write_pair(other, rank)
        write_pair(other, 4, elements=512)
        absolute = [*link[:-4], "-o", str(folder / "out/set")]
        for where, first, second, message in ((other, link, link, "the output"),
                                              (folder, link, [*link, "--gaps", "drop"], "the command"),
                                              (other, absolute, absolute, "host.4.json with ")):
            parts = [MPIRUN, *ROOT, "--oversubscribe", "-n", "2", "--wdir", str(folder), *first, ":", "-n", "1",
                     "--wdir", str(where), *second]
            done = subprocess.run(parts, env=ENVIRONMENT, capture_output=True, timeout=300, check=False,
                                  stdin=subprocess.DEVNULL, text=True)
            assert done.returncode == 2 and message in done.stderr, done.stderr
            assert "start all processes with the same options and inputs" in done.stderr, done.stderr
            assert not list((folder / "out").iterdir()) and not (other / "out").exists()

        # A rank that cannot be read, and a rank that does not match the others.
        whole = (folder / "host.3.json").read_text(encoding="utf-8")
        (folder / "host.3.json").write_text(whole[:300], encoding="utf-8")
        assert "host.3.json:1:" in run(3, link, folder, status=1)
        assert not list((folder / "out").iterdir())
        write_pair(folder, 3, elements=512)
        assert "[collectives]" in run(3, link, folder, status=1)
        assert not list((folder / "out").iterdir())
        assert not (folder / "report.json").exists(), "the report remains without its set"


if __name__ == "__main__":
    main()
