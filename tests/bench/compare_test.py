#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests verdicts, the comparison of two files, and compare.py with an invalid file."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import compare
import report


def row(name, figure, **more):
    return report.row("b", name, "ns/node", figure, **more)


class Verdicts(unittest.TestCase):
    def test_a_limit_of_the_figure(self):
        self.assertEqual([row("a", f, limit=250)["verdict"] for f in (249.9, 250, 250.1, 0)],
                         ["kept", "kept", "MISSED", "kept"])

    def test_a_limit_of_the_ratio(self):
        limited = {"floor": 100, "limit": 2.5, "limit_of": "ratio"}
        self.assertEqual([row("a", f, **limited)["verdict"] for f in (250, 251)], ["kept", "MISSED"])
        self.assertEqual(row("a", 250, **limited)["ratio"], 2.5)

    def test_what_cannot_be_judged_is_not_kept(self):
        self.assertEqual(row("a", 1)["verdict"], "-")
        self.assertEqual(row("a", None, limit=1)["verdict"], "MISSED")
        self.assertEqual(row("a", float("nan"), limit=1)["verdict"], "MISSED")
        self.assertEqual(row("a", 1, limit=1, limit_of="ratio")["verdict"], "MISSED")  # it has no floor
        self.assertEqual(row("a", 1, floor=0, limit=1, limit_of="ratio")["verdict"], "MISSED")

    def test_a_line_of_the_table(self):
        line = report.table_line(row("a", 271.9, floor=100, limit=2.5, limit_of="ratio", note="why"))
        self.assertEqual(line.split(), ["a", "272", "ns/node", "100", "2.72", "2.50", "x", "MISSED", "(why)"])
        self.assertEqual(report.table_line(report.unmeasured("b", "a", report.SKIPPED, "no corpus")).split(),
                         ["a", "-", "-", "-", "-", "skipped", "(no", "corpus)"])


class Changes(unittest.TestCase):
    def judge(self, before, after, noise=0.1):
        return compare.judge(before, after, noise)[0]

    def test_beyond_noise(self):
        self.assertEqual([self.judge(row("a", 100), row("a", f)) for f in (109, 111, 92, 90)],
                         ["same", "worse", "same", "better"])
        self.assertEqual(self.judge(row("a", 100), row("a", 120), noise=0.25), "same")
        self.assertEqual(compare.judge(row("a", 100), row("a", 150), 0.1)[1], 1.5)

    def test_rounds_that_were_apart_are_noise(self):
        self.assertEqual(self.judge(row("a", 100, spread=0.3), row("a", 120)), "same")
        self.assertEqual(self.judge(row("a", 100), row("a", 120, spread=0.3)), "same")

    def test_a_slower_machine_is_no_change(self):
        self.assertEqual(self.judge(row("a", 100, floor=50), row("a", 200, floor=100)), "same")
        self.assertEqual(self.judge(row("a", 100, floor=50), row("a", 100, floor=25)), "same")
        self.assertEqual(self.judge(row("a", 100, floor=50), row("a", 200, floor=60)), "worse")
        self.assertEqual(self.judge(row("a", 200, floor=50), row("a", 100, floor=50)), "better")

    def test_a_busy_machine(self):
        def of_load(load):
            return {"machine": {"cores": 2, "load": load}}
        self.assertEqual([compare.noise_of(of_load(a), of_load(b)) for a, b in ((0.2, 1), (0.2, 1.1), (4, 0))],
                         [0.1, 0.4, 0.4])
        self.assertEqual(compare.noise_of({}, {"machine": None}), 0.1)

    def test_verdicts(self):
        self.assertEqual(self.judge(row("a", 99, limit=100), row("a", 101, limit=100)), "missed")
        self.assertEqual(self.judge(row("a", 101, limit=100), row("a", 99, limit=100)), "mended")
        self.assertEqual(self.judge(row("a", 101, limit=100), row("a", 150, limit=100)), "worse")

    def test_rows_without_a_figure(self):
        skipped, failed = (report.unmeasured("b", "a", v, "why") for v in (report.SKIPPED, report.FAILED))
        self.assertEqual(self.judge(skipped, skipped), "same")
        self.assertEqual(self.judge(skipped, row("a", 1)), "changed")
        self.assertEqual(self.judge(row("a", 1), failed), "changed")
        self.assertEqual(self.judge(None, row("a", 1)), "new")
        self.assertEqual(self.judge(row("a", 1), None), "gone")
        self.assertEqual(self.judge(row("a", 0), row("a", 0)), "same")
        self.assertEqual(self.judge(row("a", 0), row("a", 2)), "changed")


class Files(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        sys.argv = ["compare.py", *map(str, arguments)]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = compare.main()
        return status, out.getvalue(), err.getvalue()

    def test_two_commits(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("old.json", "new.json")]
            for path, commit, figures in ((paths[0], "a" * 40, {"x": 100, "y": 10, "z": 1}),
                                          (paths[1], "b" * 40, {"x": 130, "y": 10, "w": 1})):
                report.write(path, {"commit": commit, "rows": [row(n, f) for n, f in figures.items()]})
            status, out, err = self.run_main(*paths)
            self.assertEqual((status, err), (1, ""))
            self.assertEqual([line.split() for line in out.splitlines()[4:]],
                             [["x", "100", "130", "ns/node", "1.30", "worse"], ["w", "-", "1.00", "ns/node", "-", "new"],
                              ["z", "1.00", "-", "ns/node", "-", "gone"], ["1", "gone,", "1", "new,", "1", "same,", "1",
                                                                           "worse"]])
            self.assertEqual(self.run_main(paths[0], paths[0])[0], 0)

    def test_files_that_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.json")
            self.assertEqual(self.run_main(path, path)[::2], (2, f"compare.py: {path}: No such file or directory\n"))
            for text, what in (("[]", "has no rows: not a file of benchmarks"), ("{", "Expecting property name"),
                               ('{"rows": [3]}', "rows[0] has no bench of the right type"),
                               (json.dumps({"rows": [row("a", 1) | {"figure": "1"}]}),
                                "rows[0] has no figure of the right type")):
                path.write_text(text, encoding="utf-8")
                status, _, err = self.run_main(path, path)
                self.assertEqual(status, 2)
                self.assertIn(f"compare.py: {path}: {what}", err)


if __name__ == "__main__":
    unittest.main()
