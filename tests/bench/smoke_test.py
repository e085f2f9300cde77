#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that each benchmark runs on small inputs, and the messages for a bad input or command line."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import bench

BUILD = None


def run(program, *arguments):
    return subprocess.run([BUILD / "tests" / f"bench_{program}", *arguments], capture_output=True, text=True)


class Smoke(unittest.TestCase):
    def test_all_run(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "all.json")
            done = subprocess.run([sys.executable, bench.__file__, "--build", BUILD, "--smoke", "--work", folder, "--json",
                                   out], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            results = json.loads(out.read_text(encoding="utf-8"))
            self.assertEqual(list(results), ["commit", "changed", "date", "machine", "slow", "rows"])
            self.assertEqual({r["bench"] for r in results["rows"]},
                             {f"bench_{p}" for p in bench.PROGRAMS} | {"jobs", "pages"})
            names = [(r["bench"], r["name"]) for r in results["rows"]]
            self.assertEqual(len(names), len(set(names)))
            for r in results["rows"]:
                keys = ["bench", "name", "unit", "figure", "floor", "ratio", "limit", "limit_of", "spread", "verdict"]
                self.assertEqual(list(r)[:len(keys)], keys)
                self.assertIn(r["verdict"], ("-", "skipped"))

    def test_bad_inputs(self):
        flexflow = bench.SOURCE / "testdata/flexflow"
        pytorch = bench.SOURCE / "testdata/pytorch"
        host, device = (pytorch / n for n in ("link-host.0.json", "link-kineto.0.json"))
        for program, files, error in (
                ("flexflow", [flexflow / "okay-stock.dot"],
                 f"{flexflow}/okay-stock.dot: error: the task graph has no devices of its tasks"),
                ("flexflow", [flexflow / "bad-cycle.dot"], f"{flexflow}/bad-cycle.dot:3:3: error: a cycle of 2 tasks"),
                ("msccl", [host], f"{host}:1:1: error: "), ("json", [host], f"{host}"),
                ("pytorch", [device, device], f"{device}"), ("pytorch", [host, host], f"{host}"),
                ("flexflow", ["/none"], "/none: error: No such file"), ("msccl", ["/none"], "/none: error: No such file"),
                ("json", ["/none"], "/none: error: No such file"), ("pytorch", [host, "/none"], "/none: error: No such file")):
            with self.subTest(program=program, files=files):
                done = run(program, "--smoke", *files)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertTrue(done.stderr.startswith(f"bench_{program}: {error}"), done.stderr)

    def test_bad_command_lines(self):
        for program in bench.PROGRAMS:
            for arguments, error in ((["--none"], "unknown option '--none'"), (["--only"], "option '--only' needs a value")):
                done = run(program, *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(f"bench_{program}: error: {error}\nusage: bench_{program} ["))
        self.assertEqual(run("chakra", "x").returncode, 2)
        self.assertEqual(run("flexflow").returncode, 2)
        self.assertEqual(run("pytorch", "x").returncode, 2)

    def test_a_missed_limit(self):
        graph = bench.SOURCE / "testdata/flexflow/okay-chakra.dot"  # few nodes, with much memory for each
        done = run("flexflow", "--only", "memory", graph)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        head, line = done.stdout.splitlines()
        self.assertEqual(head.split(), ["name", "figure", "unit", "floor", "ratio", "limit", "verdict"])
        self.assertEqual((line.split()[-2:], line.split()[6]), (["400", "MISSED"], "B/node"))
        self.assertEqual(run("flexflow", "--only", "nothing is called so", graph).returncode, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    BUILD = parser.parse_known_args()[0].build
    unittest.main(argv=sys.argv[:1])
