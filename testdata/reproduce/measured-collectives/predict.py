#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predicts the calls of measured.csv by several models, and writes a row for each call and model to predicted.csv.

    predict.py [QUICK]    # with an argument, two machines only

The models:
- machine: fitted to the machine's sets, with a table of every second size; the other sizes are predicted, both ways
- formulas: the same constants without a table
- preset: a machine that comes with etkit, for sets that were not used to fit it
- nccl: the constants of NCCL's tuner (2.30, src/graph/tuning.cc), for NVLink machines
- astra: rings on the network that ASTRA-sim's authors validated for eight H100: 370.67 GB/s and 936.25 ns a link;
  50 GB/s and 1 us between nodes
"""
import collections
import csv
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
MEASURED = str(HERE / "measured.csv")
OTHERS = "collective=all_gather+reduce_scatter+all_to_all"
# machine: its sets, as operands of et-calibrate. Sets of XLA contain host time, which is fitted too.
FITTED = {
    "dgx-h100": ["set=S2+P1+N1+N2", f"set=X0,overhead=fit,{OTHERS}", f"set=X1,overhead=fit,{OTHERS}",
                 "set=X1,overhead=fit,collective=all_reduce,ranks=2+4"],
    "aws-p5": ["set=S3+S2"],
    "gcp-a3mega": ["set=N8+S2"],
    "dgx-a100": ["set=S1+P2"],
    "dgx-b200": ["set=N12", f"set=X2,overhead=fit,{OTHERS}", "set=X2,overhead=fit,collective=all_reduce,ranks=2+4"],
    "gb200-nvl72": ["set=X3+N14+N17"],
    "mi300x-node": ["set=N20+N23", "set=X5,overhead=fit"],
    "mi355x-node": ["set=N24", "set=X6,overhead=fit"],
}
# Sets that were not used to fit the preset: title, preset, operand.
TRANSFERRED = [
    ("8 H100, vLLM", "dgx-h100", "machine=h100-vllm"),
    ("8 H100, Triton-distributed", "dgx-h100", "machine=h100-triton"),
    ("8 H100, an older run of XLA, all_reduce", "dgx-h100", "set=X0,collective=all_reduce"),
    ("2 x 8 H200, RoCE", "dgx-h100", "set=N10"),
    ("2 nodes of GCP A3 Ultra or A4, all_gather", "dgx-h100", "set=N11"),
    ("2 AWS p5, older software", "aws-p5", "set=N9"),
    ("8 B200, XLA without NVLS, all_reduce", "dgx-b200", "set=X2,collective=all_reduce,ranks=8"),
    ("4 GB200, ring forced", "gb200-nvl72", "set=P3"),
    ("8 GB200, NCCL 2.30", "gb200-nvl72", "machine=gb200-nccl"),
    ("4 nodes of A100, SHARP job", "dgx-a100", "set=N18"),
]
PORTS = {"dgx-h100": 450, "aws-p5": 450, "gcp-a3mega": 450, "dgx-a100": 300, "dgx-b200": 900, "gb200-nvl72": 900}
NODES = {"dgx-h100": (8, 400), "aws-p5": (8, 400), "gcp-a3mega": (8, 200), "dgx-a100": (8, 200), "dgx-b200": (8, 400),
         "gb200-nvl72": (72, 3600)}  # GPUs, GB/s of the adapters


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def calls(text):
    return list(csv.DictReader(text.splitlines()))


def test(machine, *operands):
    """The calls of the operands, with predictions of a machine."""
    return calls(run("et-calibrate", "-q", "-m", machine, "--test", "--format", "csv", *operands))


def halves(machine, rows):
    """Predictions of every second size of each curve from a table of the others, both ways."""
    curves = collections.defaultdict(list)
    for row in rows:
        curves[row["set"], row["collective"], row["ranks"], row["nodes"], row["run"]].append(row)
    for odd in (0, 1):
        kept, tested = [], []
        for curve in curves.values():
            for i, row in enumerate(curve):
                end = i in (0, len(curve) - 1)
                (kept if end or i % 2 == odd else tested).append(row)
        for name, some in (("kept.csv", kept), ("tested.csv", tested)):
            with open(name, "w", encoding="utf-8") as file:
                file.write("set,collective,ranks,nodes,bytes,us\n")
                for row in some:
                    file.write(",".join(row[key] for key in ("set", "collective", "ranks", "nodes", "bytes", "us")) + "\n")
        run("et-calibrate", "-q", "--force", "--tables-only", "-m", machine, "-o", "half.yml", "kept.csv")
        yield from test("half.yml", "tested.csv")


def nccl_us(machine, collective, ranks, nodes, size):
    """NCCL's tuner: the least of base latency + hops + size / bandwidth over algorithms and protocols."""
    if machine not in PORTS or collective not in ("all_reduce", "all_gather", "reduce_scatter"):
        return None
    port, (gpus, adapters) = PORTS[machine], NODES[machine]
    per_node = ranks / nodes
    bus = port * 0.82 if nodes == 1 else min(port * 0.82, adapters * min(1, per_node / gpus))
    ll_most = {300: (87.7, 22.5, 19), 450: (141, 45, 35), 900: (282, 90, 70)}[port][min(nodes, 3) - 1]
    laps = 2 if collective == "all_reduce" else 1
    moved = laps * (ranks - 1) / ranks * size / 1e3
    across = laps * (nodes - 1)
    base = {"LL": (6.8, 6.6), "LL128": (14, 14), "Simple": (8.4, 8.4)}   # us: tree, ring
    hop = {"LL": (0.6, 0.6), "LL128": (1.25, 1.9), "Simple": (4, 3.4)}
    network = {"LL": (5, 2.7), "LL128": (8.5, 4), "Simple": (14, 14)}
    ring = {"LL": min(ll_most, bus / 2), "LL128": bus * 0.92, "Simple": bus}
    tree = {"LL": min(bus * 0.92 / 3.8, ll_most), "LL128": bus * 0.92 * (7 / 9 if nodes == 1 else 0.9375),
            "Simple": bus * 0.92}
    times = []
    for p in base:
        start = 0 if nodes == 1 else 3 if p == "Simple" else 1
        latency = base[p][1] + (laps * (ranks - 1) - across) * max(hop[p][1], start) + across * network[p][1]
        times.append(latency * (1.4 if p == "Simple" and nodes > 1 else 1) + moved / ring[p])
        if collective == "all_reduce":
            hops = (per_node - 1) * hop[p][0] + math.log2(nodes) * network[p][0]
            times.append(base[p][0] + 2 * hops + size / 1e3 / (tree[p] / 2))
    if collective == "all_reduce" and port > 300 and per_node >= 3:  # NVLS
        share = port * 0.82 * {450: 0.85, 900: 0.74}[port] * 15 / 16
        if nodes > 1:
            share = min(share, adapters / (1 if nodes == 2 else 2))
        times.append(25 + (2 * math.log2(nodes) * 20.9 if nodes > 1 else 0) + size / 1e3 / share)
    return min(times)


def astra_us(rows):
    """Times of the rows' calls on ASTRA-sim's validated network, by their curve."""
    found = {}
    curves = collections.defaultdict(set)
    for row in rows:
        if row["collective"] != "all_to_all":
            curves[row["collective"], int(row["ranks"]), int(row["nodes"])].add(row["bytes"])
    for (collective, ranks, nodes), sizes in curves.items():
        with open("astra.yml", "w", encoding="utf-8") as file:
            dims = [(ranks // nodes, 370.67, 936.25)] + ([(nodes, 50, 1000)] if nodes > 1 else [])
            file.write(f"topology: {['Switch'] * len(dims)}\nnpus_count: {[d[0] for d in dims]}\n"
                       f"bandwidth: {[d[1] for d in dims]}\nlatency: {[d[2] for d in dims]}\n".replace("'", ""))
        text = run("et-bench", "-q", collective, "-n", "astra.yml", "-a", "astra:ring", "--format", "csv", "--size", ",".join(sorted(sizes)))
        for line in calls(text):
            found[collective, str(ranks), str(nodes), line["bytes"]] = float(line["us"])
    return found


def main():
    quick = len(sys.argv) > 1
    out = csv.writer(open("predicted.csv", "w", newline="", encoding="utf-8"), lineterminator="\n")
    out.writerow(("what", "machine", "model", "set", "collective", "ranks", "nodes", "bytes", "us", "predicted_us"))

    def write(what, machine, model, rows, predicted=None):
        for row in rows:
            us = row["predicted_us"] if predicted is None else predicted(row)
            if us is not None:
                out.writerow((what, machine, model, *(row[k] for k in ("set", "collective", "ranks", "nodes", "bytes", "us")),
                              us))

    alpha_beta = {}
    for machine in list(FITTED)[:2] if quick else FITTED:
        operands = [f"{MEASURED},{keys}" for keys in FITTED[machine]]
        report = json.loads(run("et-calibrate", "-q", "--format", "json", "-m", machine, "-o", "fitted.yml", *operands))
        alpha_beta[machine] = report["methods"][-1]
        rows = test("fitted.yml,tables=no", *operands)
        for i, row in enumerate(rows):  # sizes rise within a curve
            new = i == 0 or int(row["bytes"]) < int(rows[i - 1]["bytes"])
            row["run"] = i if new else rows[i - 1]["run"]
        write("fitted", machine, "formulas", rows)
        write("fitted", machine, "machine", halves("fitted.yml", rows))
        write("fitted", machine, "nccl", rows, lambda row, m=machine: nccl_us(
            m, row["collective"], int(row["ranks"]), int(row["nodes"]), int(row["bytes"])))
        if PORTS.get(machine) == 450:
            astra = astra_us(rows)
            write("fitted", machine, "astra", rows, lambda row, a=astra: a.get(
                (row["collective"], row["ranks"], row["nodes"], row["bytes"])))
    with open("alpha_beta.json", "w", encoding="utf-8") as file:
        json.dump(alpha_beta, file)
    for title, preset, keys in TRANSFERRED:
        write(title, preset, "preset", test(f"machine:{preset}", f"{MEASURED},{keys}"))


main()
