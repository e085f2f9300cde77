#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the case study says of wafer-scale systems with case1.csv of the working folder."""
from claims import Claims, rows

RATE = {"W-1D-350": 350, "W-1D-500": 500, "W-1D-600": 600, "W-2D": 500, "Conv-3D": 350, "Conv-4D": 600}

table = rows("case1.csv")
ms = {(r["workload"], r["network"].removesuffix(".yml")): float(r["total_ns"]) / 1e6 for r in table}
exposed = {(r["workload"], r["network"].removesuffix(".yml")): float(r["exposed_mean_ns"]) / 1e6 for r in table}
workloads = list(dict.fromkeys(w for w, _ in ms))
print(f"{'ms (exposed communication)':28}" + "".join(f"{w:>22}" for w in workloads))
for network, rate in RATE.items():
    cells = (f"{ms[w, network]:.2f} ({exposed[w, network]:.2f})" for w in workloads)
    print(f"{network + ', ' + str(rate) + ' GB/s':28}" + "".join(f"{c:>22}" for c in cells))

claims = Claims()
pairs = [("W-1D-350", "Conv-3D"), ("W-1D-600", "Conv-4D")]
ratio = {(w, b): ms[w, b] / ms[w, a] for w in workloads for a, b in pairs}
claims.check("(a) Of systems with the same bandwidth per NPU, the wafer is faster than the conventional one.",
             all(r > 1 for r in ratio.values()),
             "times the time of W-1D: " + ", ".join(f"{w} {b} {r:.2f}" for (w, b), r in ratio.items()) + ".")
wafers = [n for n in RATE if n.startswith("W")]
others = [n for n in RATE if not n.startswith("W")]
behind = [(w, a, b) for w in workloads for a in wafers for b in others if ms[w, a] > ms[w, b]]
claims.check("(b) Every wafer is faster than every conventional system.", not behind,
             f"{len(behind)} of {len(workloads) * len(wafers) * len(others)} pairs the other way round" +
             "".join(f"; {w}: {a} {ms[w, a] / ms[w, b]:.2f} times {b}" for w, a, b in behind) + ".",
             "31/32 of what a hierarchical collective sends on W-2D go over its first 250 GB/s, which is what case 2 is "
             "about, and W-1D-350 has 350 GB/s where Conv-4D has 600.")
claims.end()
