# SPDX-License-Identifier: MIT
"""Rows of metrics with floors and limits: from the benchmark programs, as a table, and as one JSON file.

A row has bench, name, unit, figure, floor, ratio (of figure to floor), limit, limit_of ("figure" or "ratio"), spread
(relative slowdown of the median round over the best), verdict and optionally note. Verdicts: kept, MISSED, skipped,
FAILED (for a program that ended with an error), "-" without a limit.
"""
import datetime
import json
import os
import platform
import re
import subprocess

KEPT, MISSED, SKIPPED, FAILED, UNJUDGED = "kept", "MISSED", "skipped", "FAILED", "-"


def verdict(figure, limit, ratio=None, limit_of="figure"):
    """Returns the verdict for a limit. A missing metric and NaN are MISSED."""
    if limit is None:
        return UNJUDGED
    judged = ratio if limit_of == "ratio" else figure
    return KEPT if judged is not None and judged <= limit else MISSED


def row(bench, name, unit, figure, *, floor=None, limit=None, limit_of="figure", spread=0.0, note=None):
    ratio = figure / floor if figure is not None and floor else None
    made = {"bench": bench, "name": name, "unit": unit, "figure": figure, "floor": floor, "ratio": ratio, "limit": limit,
            "limit_of": limit_of, "spread": spread, "verdict": verdict(figure, limit, ratio, limit_of)}
    return made | ({"note": note} if note else {})


def unmeasured(bench, name, what, note):
    """Returns a row that is skipped or FAILED."""
    return row(bench, name, "", None, note=note) | {"verdict": what}


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else \
        f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def table_line(r):
    limit = number(r["limit"]) + (" x" if r["limit"] is not None and r["limit_of"] == "ratio" else "")
    note = f" ({r['note']})" if r.get("note") else ""
    return (f"{r['name']:<76} {number(r['figure']):>9} {r['unit']:<12} {number(r['floor']):>9} {number(r['ratio']):>7} "
            f"{limit:>8}  {r['verdict']}{note}")


TABLE_HEAD = f"{'name':<76} {'figure':>9} {'unit':<12} {'floor':>9} {'ratio':>7} {'limit':>8}  verdict"


def git(source, *arguments):
    done = subprocess.run(["git", "-C", source, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def machine(build):
    def first(path, pattern):
        try:
            found = re.search(pattern, open(path, encoding="utf-8").read(), re.MULTILINE)
        except OSError:
            return None
        return found[1].strip() if found else None

    compiler = first(build / "CMakeCache.txt", r"^CMAKE_CXX_COMPILER:\w+=(.*)$")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout if compiler else ""
    memory = first("/proc/meminfo", r"^MemTotal: *(\d+) kB")
    return {"cpu": first("/proc/cpuinfo", r"^model name\s*: (.*)$") or platform.machine(), "cores": os.cpu_count(),
            "memory_mib": int(memory) // 1024 if memory else None, "kernel": platform.release(),
            "compiler": version.partition("\n")[0] or None,
            "build_type": first(build / "CMakeCache.txt", r"^CMAKE_BUILD_TYPE:\w+=(.*)$"),
            "load": round(os.getloadavg()[0], 2)}


def head(source, build, slow):
    """Returns the header before the rows in the file."""
    return {"commit": git(source, "rev-parse", "HEAD"), "changed": bool(git(source, "status", "--porcelain", "-uno")),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "machine": machine(build), "slow": slow}


def write(path, results):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(results, out, indent=1)
        out.write("\n")


def read(path):
    """Returns the results of a file. Raises ValueError with the location if it is invalid."""
    try:
        with open(path, encoding="utf-8") as text:
            results = json.load(text)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as e:
        raise ValueError(f"{path}: {e.strerror if isinstance(e, OSError) else e}") from e
    rows = results.get("rows") if isinstance(results, dict) else None
    if not isinstance(rows, list):
        raise ValueError(f"{path}: has no rows: not a file of benchmarks")
    for i, r in enumerate(rows):
        for key, kind in (("bench", str), ("name", str), ("unit", str), ("verdict", str),
                          ("figure", (int, float, type(None)))):
            if not isinstance(r, dict) or key not in r or not isinstance(r[key], kind):
                raise ValueError(f"{path}: rows[{i}] has no {key} of the right type")
    return results
