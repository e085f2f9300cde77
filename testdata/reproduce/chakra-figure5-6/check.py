#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins the tables of the working folder into figure5.csv, draws both figures, and checks what the paper says of them."""
from bars import bars
from claims import Claims, rows

SYSTEMS = [(network, npus) for network in ("torus", "dgx2") for npus in (4, 16, 64)]

total, compute, exposed = {}, {}, {}
for npus in (4, 16, 64):
    for r in rows(f"npus{npus}.csv"):
        at = r["workload"].rpartition("-")[0], "torus" if r["network"].startswith("torus") else "dgx2", npus
        total[at], compute[at], exposed[at] = (float(r[c]) / 1e3
                                               for c in ("total_ns", "compute_mean_ns", "exposed_mean_ns"))
names = list(dict.fromkeys(w for w, _, _ in total))
perf = {(w, *s): total[w, "torus", 4] / total[(w, *s)] for w in names for s in SYSTEMS}

with open("figure5.csv", "w", encoding="utf-8") as out:
    out.write("workload,network,npus,total_us,compute_us,exposed_us,performance\n")
    for at in perf:
        out.write(",".join(map(str, at)) + f",{total[at]:.3f},{compute[at]:.3f},{exposed[at]:.3f},{perf[at]:.4f}\n")
bars("figure5.svg", "Performance relative to the torus of 4 NPUs", ["performance"],
     {w: {f"{n} {i}": [perf[w, n, i]] for n, i in SYSTEMS} for w in names})
bars("figure6.svg", "Time relative to the torus of 4 NPUs", ["compute", "exposed communication"],
     {w: {f"{n} {i}": [t[w, n, i] / total[w, "torus", 4] for t in (compute, exposed)] for n, i in SYSTEMS}
      for w in names})

print(f"{'performance (exposed : compute)':32}" + "".join(f"{f'{n} {i}':>14}" for n, i in SYSTEMS))
for w in names:
    cells = (f"{perf[(w, *s)]:.2f} ({exposed[(w, *s)] / compute[(w, *s)]:.1f})" for s in SYSTEMS)
    print(f"{w:32}" + "".join(f"{c:>14}" for c in cells))

claims = Claims()
grows = [f"{w} on {n}" for w in names for n in ("torus", "dgx2") if perf[w, n, 4] < perf[w, n, 16] < perf[w, n, 64]]
claims.check("(a) Only the transformer on the torus gets faster with every step from 4 to 64 NPUs.",
             grows == ["transformer on torus"],
             f"of {2 * len(names)}: {', '.join(grows) or 'none'}.")
ratio = compute["transformer", "torus", 4] / exposed["transformer", "torus", 4]
claims.check("(b) On the torus of 4 NPUs the transformer computes 25 times as long as it communicates.",
             20 < ratio < 30, f"{ratio:.2f} times as long as communication is exposed.",
             "at 312 TFLOPS a token of a layer computes 21 M operations, 67 ns, and sends 6,144 bytes in four "
             "all-reduces, 99 ns at 62 GB/s.")
measured = rows("measured.csv")[0]
ratio = float(measured["compute_mean_ns"]) / float(measured["exposed_mean_ns"])
claims.check("(b) The same with the times that ASTRA-sim's example of a transformer states.", 20 < ratio < 30,
             f"{ratio:.1f} times as long: {float(measured['compute_mean_ns']) / 1e6:.1f} ms against "
             f"{float(measured['exposed_mean_ns']) / 1e6:.1f} ms exposed.")
ratios = {s: exposed[("mlp-mp", *s)] / compute[("mlp-mp", *s)] for s in SYSTEMS}
claims.check("(c) Exposed communication of MLP-MP dominates and in the end makes more NPUs slower.",
             ratios["torus", 64] > 10 and ratios["dgx2", 64] > 10 and
             all(total["mlp-mp", n, 64] > total["mlp-mp", n, 16] for n in ("torus", "dgx2")),
             ", ".join(f"{n} {i} {r:.1f} times compute" for (n, i), r in ratios.items()) +
             f"; 64 NPUs take {total['mlp-mp', 'torus', 64] / total['mlp-mp', 'torus', 16]:.2f} (torus) and "
             f"{total['mlp-mp', 'dgx2', 64] / total['mlp-mp', 'dgx2', 16]:.2f} (dgx2) times as long as 16.")
claims.end()
