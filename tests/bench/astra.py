# SPDX-License-Identifier: MIT
"""et-replay compared with ASTRA-sim's analytical backends on the same inputs, with times from the corpus."""
import gzip
import json
import shutil
import statistics
import subprocess
import sys

import jobs
import report

BENCH = "astra"


def make_case(tools, corpus, work, case):
    folder = work / "astra" / case
    if not (folder / "made").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(exist_ok=True)
        subprocess.run([sys.executable, corpus / "make_speed_case.py", folder, case], check=True, stdout=subprocess.DEVNULL)
        if "custom" in case:
            with gzip.open(corpus / "xml" / "ar_ring_64.xml.gz") as packed:
                (folder / "algorithm.xml").write_bytes(packed.read())
            subprocess.run([tools / "et-convert", "-q", "-f", "msccl,size=1MiB", "algorithm.xml", "-o", "algo"],
                           cwd=folder, check=True)
        (folder / "made").touch()
    return folder


def replay(tools, folder, backend, rounds, *options):
    """Returns (CPU seconds, peak bytes, (first, last) finish), with None as finish if a run failed."""
    result = folder / "result.json"
    command = [tools / "et-replay", "--workload-configuration", folder / "workload", "--system-configuration",
               folder / "system.json", "--network-configuration", folder / "network.yml", "--remote-memory-configuration",
               folder / "memory.json", "--model", backend, "--format", "json", "-o", result, *options]
    runs = [jobs.run(command, folder) for _ in range(rounds)]
    seconds, memory = min(r[0] for r in runs), max(r[1] for r in runs)
    if any(r[2] != 0 for r in runs):
        return seconds, memory, None
    finish = [npu["finish_ns"] for npu in json.loads(result.read_text(encoding="utf-8"))["npus"]]
    return seconds, memory, (min(finish), max(finish))


def measure(tools, corpus, work, add, only=""):
    """Adds rows over all cases: share of ASTRA-sim's time (maximum; median with symmetry) and memory, unequal finish times."""
    name = "replay / ASTRA-sim, "
    if only not in name:
        return
    cases = json.loads((corpus / "perf.json").read_text(encoding="utf-8"))
    alone, symmetric, memories, different = [], [], [], []
    for key, reference in sorted(cases.items()):
        case, backend = key.split("|")
        folder = make_case(tools, corpus, work, case)
        wall, ended = reference["wall_s"], reference["status"] == "ok"
        rounds = 1 if wall > 20 else 3
        seconds, memory, finish = replay(tools, folder, backend, rounds, "--no-symmetry")
        seconds_of_one, _, finish_of_one = replay(tools, folder, backend, rounds)
        expected = (reference["finish_min"], reference["finish_max"])
        if finish is None or finish != finish_of_one or ended and finish != expected:
            different.append(key)
        if ended and wall >= 1:
            alone.append((seconds / wall, key))
            symmetric.append(seconds_of_one / wall)
        if (reference["maxrss_kb"] or 0) >= 100 * 1024:
            memories.append((memory / 1024 / reference["maxrss_kb"], key))
    for what, (share, key), limit in (("most of its time, every NPU simulated", max(alone), 1 / 10),
                                      ("most of its memory", max(memories), 1 / 5)):
        add(report.row(BENCH, name + what, "share", share, limit=limit, note=key))
    add(report.row(BENCH, name + "of its time with symmetry, median", "share", statistics.median(symmetric), limit=1 / 30))
    add(report.row(BENCH, name + "other finish times", "cases", len(different), limit=0, note=", ".join(different)))
