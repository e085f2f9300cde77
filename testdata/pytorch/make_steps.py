#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes host.json and kineto.json: a training program of which the observer recorded other steps than the profiler.

    make_steps.py HOST_STEPS PROFILE_STEPS [pid=N] [rank=N] [numbers=no] [time=TEXT] [from=US] [to=US] [other=N]

Steps as 3, 3-5 or 3-5,7. A step lasts 1 ms and has 40 sequence numbers: 440-479 are those of step 11. `pid` and `rank` are
those of the profile. The last kernel of a step runs after the next step began. The profile holds what the CPU began at `from` or
later, and before `to`. The first `other` calls of aten::empty of each step are of something else there.
"""
import json
import sys

THREAD = "[pytorch|profiler|execution_trace|thread]"


def steps(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def operators(step):
    """(thread, name, sequence number, backward)"""
    first = step * 40
    for i in range(40):
        yield 1, "aten::linear" if i % 4 == 0 else "aten::mul", first + i, False
        yield 1, "aten::empty", -1, False
    for i in reversed(range(40)):
        yield 2, "MulBackward0", first + i, True
    for _ in range(5):
        yield 1, "aten::add_", -1, False


def node(number, name, caller, tid, sequence=-1, forward_tid=0):
    values = {"rf_id": 0, "fw_parent": 0, "seq_id": sequence, "scope": 0, "tid": tid, "fw_tid": forward_tid}
    attrs = [{"name": k, "type": "int64" if k == "seq_id" else "uint64", "value": v} for k, v in values.items()]
    none = {"values": [], "shapes": [], "types": []}
    return {"id": number, "name": name, "ctrl_deps": caller, "inputs": none, "outputs": none,
            "attrs": [*attrs, {"name": "op_schema", "type": "string", "value": ""}]}


def main(host_steps, profile_steps, *settings):
    settings = dict(s.split("=", 1) for s in settings)
    host_steps, profile_steps = [*steps(host_steps)], [*steps(profile_steps)]
    numbers = settings.get("numbers") != "no"
    other = int(settings.get("other", 0))
    pid = int(settings.get("pid", 4100))
    first, last = int(settings.get("from", 0)), int(settings.get("to", 1 << 40))
    nodes = [node(1, THREAD.replace("thread", "process"), 1, 0), node(2, THREAD, 1, 1), node(3, THREAD, 1, 2)]
    events = []
    for step in range(max(host_steps + profile_steps) + 1):
        for i, (tid, name, sequence, backward) in enumerate(operators(step)):
            ts = step * 1000 + i * 5
            if step in host_steps:
                nodes.append(node(len(nodes) + 1, name, tid + 1, tid, sequence if numbers else -1, int(backward)))
            if step not in profile_steps or not first <= ts < last:
                continue
            if name == "aten::empty" and i < 2 * other:
                name = "aten::detach"
            args = {"External id": len(events) + 1}
            if numbers and sequence >= 0:
                args |= {"Sequence number": sequence, "Fwd thread id": int(backward)}
            run = {"ph": "X", "pid": pid, "tid": pid + tid}
            events.append({**run, "cat": "cpu_op", "name": name, "ts": ts, "dur": 4, "args": args})
            if name == "aten::add_":
                launch = {"correlation": len(events), "External id": args["External id"]}
                events.append({**run, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": ts + 1, "dur": 2,
                               "args": launch})
                events.append({"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": f"add of step {step}",
                               "ts": ts + 990, "dur": 2, "args": {**launch, "stream": 7, "device": 0}})
    host = {"schema": "1.1.0-chakra.0.0.4", "pid": 4100, "time": settings.get("time", "2026-01-01 00:00:00"),
            "start_ts": 1, "finish_ts": 2, "nodes": nodes}
    kineto = {"baseTimeNanoseconds": 1767225600000000000, "traceEvents": events}
    if "rank" in settings:
        kineto["distributedInfo"] = {"rank": int(settings["rank"]), "world_size": 8}
    for name, value in (("host.json", host), ("kineto.json", kineto)):
        with open(name, "w", encoding="utf-8") as file:
            json.dump(value, file, separators=(",", ":"))


main(*sys.argv[1:])
