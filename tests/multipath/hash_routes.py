#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares et-replay --multipath hash with a simulation of its own: an all-to-all on a leaf-spine fabric.

Each message takes one route, drawn by the hash that et-networks(5) describes. The simulation here shares no code with
et-replay: links are first-in-first-out queues of whole messages, and switches forward a message when its head has come.
Prints mean, 5th and 95th percentile of the times of all seeds, and fails if one differs by more than the tolerance.
"""
import argparse
import collections
import csv
import heapq
import io
import json
import pathlib
import subprocess
import sys
import tempfile

MASK = (1 << 64) - 1


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def draw(seed, *numbers):
    """SplitMix64 of a seed and numbers."""
    state = mix(seed)
    for n in numbers:
        state = mix(state + n & MASK)
    return mix(state + 0x9E3779B97F4A7C15 & MASK)


class Fabric:
    """Hosts at leaves, each leaf joined with each spine. Devices: hosts, leaves, spines."""

    def __init__(self, hosts, leaves, spines, host_rate, spine_rate, latency):
        self.hosts, self.leaves, self.spines = hosts, leaves, spines
        self.host_rate, self.spine_rate, self.latency = host_rate, spine_rate, latency

    def leaf(self, host):
        return self.hosts + host * self.leaves // self.hosts

    def text(self):
        lines = [f"npus: {self.hosts}", "switches: [" + ", ".join(f"s{i}" for i in range(self.leaves + self.spines)) + "]",
                 f"defaults: {{latency: {self.latency}ns}}", "links:"]
        for h in range(self.hosts):
            lines.append(f"  - {{between: [{h}, s{self.leaf(h) - self.hosts}], bandwidth: {self.host_rate}GB/s}}")
        for l in range(self.leaves):
            for s in range(self.spines):
                lines.append(f"  - {{between: [s{l}, s{self.leaves + s}], bandwidth: {self.spine_rate}GB/s}}")
        return "\n".join(lines) + "\n"

    def route(self, src, dst, flow):
        """The links of a message, each (from, to)."""
        a, b = self.leaf(src), self.leaf(dst)
        if a == b:
            return [(src, a), (a, dst)]
        unit = (draw(flow, a, 0) >> 11) / (1 << 53)
        spine = self.hosts + self.leaves + int(unit * self.spines)
        return [(src, a), (a, spine), (spine, b), (b, dst)]

    def rate(self, link):
        return self.host_rate if min(link) < self.hosts else self.spine_rate


def simulate(fabric, messages, seed):
    """Returns the time in ns at which the last message (src, dst, bytes, tag) has come; all start at 0."""
    routes = [fabric.route(s, d, draw(seed, s, d, t) & 0xFFFFFFFF) for s, d, _, t in messages]
    free = collections.defaultdict(float)  # by link: when it is free
    queue = [(0.0, number, 0, 0.0) for number in range(len(messages))]  # head comes, message, hop, tail comes
    heapq.heapify(queue)
    end = 0.0
    while queue:
        head, number, hop, tail = heapq.heappop(queue)
        link = routes[number][hop]
        begin = max(head, free[link])
        alone = messages[number][2] / fabric.rate(link)
        sent = max(begin + alone, tail)
        # A message that comes more slowly than the link could send takes its share of the link alone.
        free[link] = begin + alone
        if hop + 1 == len(routes[number]):
            end = max(end, sent + fabric.latency)
        else:
            heapq.heappush(queue, (begin + fabric.latency, number, hop + 1, sent + fabric.latency))
    return end


def messages_of(traces):
    """Reads the sends of traces as JSON lines: (source, destination, bytes, tag) of each."""
    messages = []
    for line in traces.splitlines():
        node = json.loads(line)
        if node.get("type") == "COMM_SEND_NODE":
            values = {a["name"]: next(v for k, v in a.items() if k != "name") for a in node["attr"]}
            messages.append((int(values["comm_src"]), int(values["comm_dst"]), int(values["comm_size"]),
                             int(values.get("comm_tag", 0))))
    return messages


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def summary(values):
    return {"mean": sum(values) / len(values), "5th": percentile(values, 0.05), "95th": percentile(values, 0.95)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path, help="folder of et-generate and et-replay")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--tolerance", type=float, default=0.1)
    parser.add_argument("--size", type=int, default=1 << 28, help="bytes of the all-to-all")
    args = parser.parse_args()
    fabric = Fabric(hosts=16, leaves=2, spines=4, host_rate=12.5, spine_rate=25, latency=1000)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "net.yml").write_text(fabric.text())

        def run(tool, *arguments):
            return subprocess.run([args.bin.resolve() / tool, *arguments], cwd=folder, check=True, capture_output=True,
                                  text=True).stdout

        run("et-generate", "all_to_all", "--algorithm", "direct", "--npus", str(fabric.hosts), "--size", str(args.size),
            "-o", "a2a")
        values = ", ".join(f'"hash,seed={seed}"' for seed in range(args.seeds))
        (folder / "sweep.yml").write_text(f"sweep: {{multipath: [{values}]}}\n")
        table = run("et-replay", "-n", "net.yml", "--sweep", "sweep.yml", "a2a")
        times = [float(row["total_ns"]) for row in csv.DictReader(io.StringIO(table))]
        sends = run("et-convert", "a2a", "-t", "jsonl")
    messages = messages_of(sends)
    own = [simulate(fabric, messages, seed) for seed in range(args.seeds)]
    here, there = summary(own), summary(times)
    wrong = len(times) != args.seeds or not messages
    for name in here:
        off = there[name] / here[name] - 1
        wrong = wrong or abs(off) > args.tolerance
        print(f"{name}: et-replay {there[name] / 1e6:.3f} ms, simulation {here[name] / 1e6:.3f} ms ({100 * off:+.1f} %)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
