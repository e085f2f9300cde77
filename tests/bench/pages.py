# SPDX-License-Identifier: MIT
"""Pages in Debian's chromium: seconds from opening a file to the first paint."""
import pathlib
import statistics
import subprocess
import sys

import report

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "browser"))
import chromium  # noqa: E402
import harness  # noqa: E402

BENCH = "pages"


def opening_s(browser, path):
    """Returns the seconds until a page has painted; None if it cannot show its data."""
    page = harness.Page(browser, path)
    page.look(1280, 900, False)
    page.go(path.resolve().as_uri())
    painted = page.js(harness.PAINTED, 1000 * harness.PAINT_TIMEOUT_S)
    return None if painted in (None, "failed") else float(painted) / 1000


def measure(tools, work, add, *, smoke=False, only=""):
    """Adds a row for the page of a run with two million collective calls, written by et-report."""
    name = "open the page of two million calls"
    if only not in name:
        return
    if not chromium.is_installed():
        add(report.unmeasured(BENCH, name, report.SKIPPED, "no chromium here"))
        return
    calls, page = 1000 if smoke else 2_000_000, work / "calls.html"
    for command in (["et-generate", "collectives", "--npus", "2", "--call", "all_reduce:1MiB", "--count", calls, "--force",
                     "-o", work / "calls"],
                    ["et-replay", "-n", "ring:2,bw=50GB/s,lat=500ns", "-o", work / "calls.run", work / "calls"],
                    ["et-report", work / "calls.run", "-o", page]):
        done = subprocess.run([tools / command[0], "-q", *map(str, command[1:])], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if "built without pages" in done.stderr:
            add(report.unmeasured(BENCH, name, report.SKIPPED, "no pages in this build"))
            return
        if done.returncode != 0:
            add(report.unmeasured(BENCH, name, report.FAILED, done.stderr.strip()))
            return
    browser = chromium.Chromium()
    try:
        times = [opening_s(browser, page) for _ in range(1 if smoke else 3)]
    finally:
        browser.close()
    for path in work.glob("calls.*"):
        path.unlink()
    if None in times:
        add(report.unmeasured(BENCH, name, report.FAILED, "the page shows no data"))
        return
    best = min(times)
    add(report.row(BENCH, name, "s", best, limit=3, spread=statistics.median(times) / best - 1))
