#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the metrics of two commits: which rows got worse, or better, by more than noise.

A row counts as worse if its metric grew by more than the noise, and so did its ratio to the floor, if it has one: a
temporary slowdown of the machine affects both. Noise is a tenth, or two fifths if one of the machines had other load
too, or the spread of a row's rounds if that is more. A row that only crossed its limit is called missed or mended. Exit
status: 0, 1 if a row is worse, 2 for invalid files.
"""
import argparse
import sys

import report


def changes(before, after):
    """Returns the factors (change of the metric, smaller and larger of this and the ratio's change); None if not comparable."""
    if not before["figure"] or after["figure"] is None:
        return None
    factors = [after["figure"] / before["figure"]]
    if before.get("ratio") and after.get("ratio"):
        factors.append(after["ratio"] / before["ratio"])
    return factors[0], min(factors), max(factors)


def judge(before, after, noise):
    """Returns the verdict on a row (worse, better, same, new, gone, missed, mended, changed), and its metric's factor."""
    if before is None or after is None:
        return ("new" if before is None else "gone"), None
    if before["unit"] != after["unit"] or report.FAILED in (before["verdict"], after["verdict"]):
        return ("same" if before["verdict"] == after["verdict"] else "changed"), None
    change = changes(before, after)
    if change is None:
        return ("same" if before["figure"] == after["figure"] else "changed"), None
    noise = max(noise, before.get("spread") or 0, after.get("spread") or 0)
    if change[1] > 1 + noise:
        return "worse", change[0]
    if report.MISSED in (before["verdict"], after["verdict"]) and before["verdict"] != after["verdict"]:
        return ("missed" if after["verdict"] == report.MISSED else "mended"), change[0]
    return ("better" if change[2] < 1 / (1 + noise) else "same"), change[0]


def noise_of(*files):
    """Returns the minimum noise to expect from the load of the machines when the runs began."""
    machines = [results.get("machine") or {} for results in files]
    busy = any((m.get("load") or 0) > (m.get("cores") or 1) / 2 for m in machines)
    return 0.4 if busy else 0.1


def compare(before, after, noise):
    """Returns [(name, row before, row after, verdict, factor)], in the order of the rows after the change."""
    def by_name(results):
        return {(r["bench"], r["name"]): r for r in results["rows"]}

    old, new = by_name(before), by_name(after)
    out = []
    for key in [*new, *(k for k in old if k not in new)]:
        what, factor = judge(old.get(key), new.get(key), noise)
        out.append((key[1], old.get(key), new.get(key), what, factor))
    return out


def title(results):
    machine = results.get("machine") or {}
    return (f"{(results.get('commit') or 'unknown')[:12]}{' (changed)' if results.get('changed') else ''}, "
            f"{results.get('date')}, {machine.get('cpu')}, load {machine.get('load')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--noise", type=float, metavar="SHARE", help="default: 0.1; 0.4 for a busy machine")
    parser.add_argument("--all", action="store_true", help="also list unchanged rows")
    options = parser.parse_args()
    try:
        before, after = report.read(options.before), report.read(options.after)
    except ValueError as e:
        print(f"compare.py: {e}", file=sys.stderr)
        return 2
    noise = noise_of(before, after) if options.noise is None else options.noise
    print(f"before: {title(before)}\nafter:  {title(after)}\nnoise:  {noise:.0%}")
    rows = compare(before, after, noise)
    print(f"{'name':<76} {'before':>9} {'after':>9} {'unit':<12} {'change':>7}")
    for name, old, new, what, factor in rows:
        if what != "same" or options.all:
            print(f"{name:<76} {report.number(old and old['figure']):>9} {report.number(new and new['figure']):>9} "
                  f"{(new or old)['unit']:<12} {report.number(factor):>7}  {what}")
    counts = {}
    for *_, what, _ in rows:
        counts[what] = counts.get(what, 0) + 1
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())) or "no rows")
    return 1 if "worse" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
