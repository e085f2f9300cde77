#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares et-validate, et-replay and et-merge: two ranks call each pair of collectives, which differ in kind, size,
comm_bytes_out, root, group, involved_dim or splits. Sets that et-validate accepts are replayed to their end in each
model, and accepted by et-merge; both reject the sets that it rejects by rule collectives.

    verdicts.py BIN
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

KINDS = ["all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter",
         "reduce_scatter_block", "barrier"]
ROOT_OF = {"reduce": "comm_dst", "gather": "comm_dst", "scatter": "comm_src", "broadcast": "comm_src"}
MODELS = ["links", "unaware", "aware"]
NETWORK = "ring:2,bw=50GB/s,lat=1us"


def variants(kind):
    """The calls of a kind to compare with each other, as dicts of attributes."""
    calls = [{"comm_size": 1000}, {"comm_size": 1002}, {"comm_size": 1000, "pg_name": "1"},
             {"comm_size": 1000, "involved_dim": [True]}, {"comm_size": 1000, "involved_dim": [False]}]
    if kind in ROOT_OF:
        calls += [{"comm_size": size, ROOT_OF[kind]: root} for root in (0, 1, 7) for size in (1000, 1002)]
    if kind == "all_gather":
        calls += [{"comm_size": size, "comm_bytes_out": 2002} for size in (1000, 1001, 1002)]
        calls += [{"comm_size": 1000, "comm_bytes_out": 2000}, {"comm_size": 0, "comm_bytes_out": 2002}]
    if kind == "all_to_all":
        calls += [{"comm_size": 1000, "send_splits": [400, 600], "recv_splits": [400, 400]},
                  {"comm_size": 800, "send_splits": [400, 400], "recv_splits": [400, 600]},
                  {"comm_size": 1000, "send_splits": [500, 500], "recv_splits": [500, 500]},
                  {"comm_size": 1000, "send_splits": [400, 600]}, {"comm_size": 1000, "recv_splits": [400, 600]},
                  {"comm_size": 1000, "send_splits": [1000]}]
    if kind == "barrier":
        calls += [{}]
    return [(kind, call) for call in calls]


def pairs():
    for kind in KINDS:
        for a, b in itertools.combinations_with_replacement(variants(kind), 2):
            # Dimensions that all ranks omit are not tested here: the result depends on the network.
            if a[1].get("involved_dim") != [False] or b[1].get("involved_dim") != [False]:
                yield a, b
    for a, b in itertools.combinations(KINDS, 2):
        yield (a, {"comm_size": 1000}), (b, {"comm_size": 1000})


def attribute(name, value):
    if isinstance(value, str):
        return {"name": name, "string_val": value}
    if name == "involved_dim":
        return {"name": name, "bool_list": {"values": value}}
    if isinstance(value, list):
        return {"name": name, "int64_list": {"values": value}}
    return {"name": name, "int32_val" if name in ROOT_OF.values() else "int64_val": value}


def write_set(path, calls):
    lines = []
    for rank, (kind, call) in enumerate(calls):
        attrs = [{"name": "is_cpu_op", "bool_val": False}, attribute("comm_type", KINDS.index(kind))]
        attrs += [attribute(name, value) for name, value in call.items()]
        lines.append({"rank": rank, "metadata": {}})
        lines.append({"rank": rank, "id": 0, "name": "c", "type": "COMM_COLL_NODE", "attr": attrs})
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)


def main():
    tools = os.path.abspath(sys.argv[1])
    failures, count, accepted = [], 0, 0

    def run(*command):
        done = subprocess.run([os.path.join(tools, command[0]), *command[1:]], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        return done.returncode, done.stderr

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("groups.json", "w", encoding="utf-8") as f:
            f.write('{"1": [0, 1]}')
        for calls in pairs():
            write_set("two.jsonl", calls)
            run("et-convert", "-q", "--force", "two.jsonl", "-o", "two")
            os.replace("groups.json", "two.groups.json")
            valid, said = run("et-validate", "two")
            verdicts = {"et-validate": valid}
            if valid != 0 and "[collectives]" not in said:
                failures.append((calls, "et-validate names another rule", said))
            for model in MODELS if valid == 0 else MODELS[:1]:
                verdicts["et-replay --model " + model], _ = run(
                    "et-replay", "-q", "--issue", "workload", "--model", model, "-n", NETWORK, "two")
            verdicts["et-merge"], _ = run("et-merge", "-q", "-a", "all_reduce:size>=1GiB=ring", "two", "-o", "-")
            os.replace("two.groups.json", "groups.json")
            count += 1
            accepted += valid == 0
            if len(set(verdicts.values())) != 1 or valid not in (0, 1):
                failures.append((calls, verdicts, said))
    for failure in failures[:20]:
        print(*failure, sep="\n  ")
    print(f"{count} pairs, {accepted} valid, {len(failures)} failures")
    return 1 if failures or count < 190 or accepted == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
