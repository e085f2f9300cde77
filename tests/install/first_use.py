# SPDX-License-Identifier: MIT
"""The steps of a first-time user: clones the last commit of this checkout, runs ./bootstrap demo, and opens the page that it
names. Arguments: as in tests/browser, then --source CHECKOUT, --work FOLDER."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "browser"))
import harness  # noqa: E402

SOURCE, WORK = (pathlib.Path(sys.argv[sys.argv.index(name) + 1]) for name in ("--source", "--work"))
del sys.argv[-4:]


class FirstUse(harness.PageTest):
    """Each step continues from the preceding step."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shutil.rmtree(WORK, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", SOURCE, WORK], check=True)
        done = subprocess.run(["./bootstrap", "demo"], cwd=WORK, capture_output=True, text=True, timeout=1500)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.printed = done.stdout

    def test_0_progress_grows_to_the_end(self):
        shares = [int(text) for text in re.findall(r"steps, (\d+) % of the work", self.printed)]
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[0] if shares else 0, 90)
        self.assertRegex(self.printed, r"\n\d+ steps in \d+ min \d\d s\n")

    def test_1_the_demo_proves_times_and_reports(self):
        self.assertIn("\nproved\n", self.printed)
        self.assertRegex(self.printed, r"\ntotal [\d.]+ µs, 8 NPUs, ")
        self.assertRegex(self.printed, r"\nThe run takes [\d.]+ ms: ")
        files = re.findall(r"/\S+\.(?:html|svg|json|txt)\b", self.printed.split("\nThe page is")[1])
        self.assertEqual(len(files), 4)
        for file in files:
            self.assertGreater(pathlib.Path(file).stat().st_size, 0, file)

    def test_2_its_page_begins_with_what_the_terminal_said(self):
        path = re.search(r"The page is +(\S+)", self.printed)[1]
        said = re.search(r"\$ et-report step\.run\n((?:.+\n)+)", self.printed)[1].splitlines()
        for width in (1280, 480):
            page = self.open(path, width=width)
            self.check_layout(page)
            shown = page.texts("#findings p, #findings li:not(.hint)")
            self.assertEqual([re.sub(r"^- ", "", line) for line in said], [re.sub(r"\s+", " ", s).strip() for s in shown])
        self.check_print(page)

    def test_3_its_total_is_that_of_the_replay(self):
        demo = WORK / "build/demo"
        tool = WORK / "build/release/bin/et-replay"
        network = re.search(r"\$ et-replay -q -n (\S+) step\.etm", self.printed)[1]
        done = subprocess.run([tool, "-q", "-n", network, "--format", "json", "step.etm"], cwd=demo, check=True,
                              capture_output=True)
        page = self.open(demo / "step.html")
        total_ps = int(page.data(".kpi[data-id=total]", "value")[0])
        self.assertEqual(total_ps, round(json.loads(done.stdout)["total_ns"] * 1000))

    def test_4_the_tour_that_it_names_has_the_jobs(self):
        page = WORK / re.search(r"go on with (\S+)", self.printed)[1]
        self.assertIn("## I have an MSCCL XML", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    harness.main()
