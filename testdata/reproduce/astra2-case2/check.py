#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the case study says of Themis with case2.csv of the working folder."""
from claims import Claims, rows

table = rows("case2.csv")
ms = {(r["workload"], r["network"].removesuffix(".yml"), r["balanced"]): float(r["total_ns"]) / 1e6 for r in table}
workloads = list(dict.fromkeys(w for w, _, _ in ms))
networks = list(dict.fromkeys(n for _, n, _ in ms))
gain = {(w, n): ms[w, n, "false"] / ms[w, n, "true"] for w in workloads for n in networks}
print(f"{'ms: baseline, Themis':22}" + "".join(f"{w:>28}" for w in workloads))
for n in networks:
    cells = (f"{ms[w, n, 'false']:.2f}, {ms[w, n, 'true']:.2f}: {gain[w, n]:.2f} x" for w in workloads)
    print(f"{n:22}" + "".join(f"{c:>28}" for c in cells))

claims = Claims()
conventional = [n for n in networks if n.startswith("Conv")]
claims.check("(a) Themis makes the conventional systems faster.",
             all(gain[w, n] > 1 for w in workloads for n in conventional),
             ", ".join(f"{w} {n} {gain[w, n]:.2f} times as fast" for w in workloads for n in conventional) + ".")
claims.check("(b) A system of one dimension stays as it is.",
             all(ms[w, "W-1D-500", "false"] == ms[w, "W-1D-500", "true"] for w in workloads),
             "W-1D-500: " + ", ".join(f"{w} {ms[w, 'W-1D-500', 'true']:.3f} ms both times" for w in workloads) + ".")
rate = {"W-2D": 250 + 250, "Conv-3D": 2 * 200 + 100 + 50, "Conv-4D": 250 + 200 + 2 * 100 + 50}  # rings both ways
least = {n: 2 * 2**30 * 511 / 512 / (r * 2**30 / 1e9) / 1e6 for n, r in rate.items()}
share = {n: [least[n] / ms["all_reduce", n, b] for b in ("false", "true")] for n in rate}
claims.check("(c) Themis uses the bandwidth of all dimensions: the all-reduce of 1 GiB comes nearer to the time that its bytes "
             "take over all links.", all(b > a for a, b in share.values()),
             ", ".join(f"{n} {100 * a:.0f} % of the bandwidth, then {100 * b:.0f} %" for n, (a, b) in share.items()) + ".")
claims.end()
