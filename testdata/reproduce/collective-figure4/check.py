#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the paper says of figure 4 with figure4.csv of the working folder."""
from claims import Claims, rows

# Links from a rank to the next one, at most.
LINKS = {"ring.yml": 1, "connected.yml": 1, "torus2d.yml": 2, "switch.yml": 2, "ring_connected.yml": 2,
         "torus3d.yml": 3, "connected_switch.yml": 3, "switch_ring.yml": 3, "ring_connected_switch.yml": 4}

table = rows("figure4.csv")
slowdown = {(r["network"], r["workload"]): float(r["slowdown"]) for r in table}
sizes = list(dict.fromkeys(r["workload"] for r in table))
print(f"{'slowdown':28}" + "".join(f"{size.split('.')[0]:>9}" for size in sizes))
for network in LINKS:
    print(f"{network.split('.')[0]:28}" + "".join(f"{slowdown[network, size]:9.3f}" for size in sizes))

claims = Claims()
low, high = min(slowdown.values()), max(slowdown.values())
claims.check("(a) An algorithm for a 1-D ring is slower on other topologies, never faster.", low >= 1 and high > 1,
             f"{low:.2f} to {high:.2f} times the time of the 1-D ring in {len(table)} runs.")
off = max(abs(s - LINKS[network]) for (network, _), s in slowdown.items())
claims.check("(b) How much slower is decided by how many links apart two ranks are that are neighbours in the ring.",
             off < 0.01, f"the slowdown is that number of links, 1 to 4, to within {off:.4f} at every size.")
claims.end()
