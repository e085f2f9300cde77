# SPDX-License-Identifier: MIT
"""The page of two runs: it shows the same differences as et-diff, largest contribution first."""
import decimal
import json
import subprocess

import harness

PARTS = ("compute", "overlap", "exposed", "waiting", "memory", "cpu", "idle")
PAIRS = ("train16_even+train16", "train16+train16", "train16+npus48", "train16+no_slices", "no_slices+no_slices", "train16+deadlock",
         "deadlock+deadlock", "hostile+train16", "hostile+hostile", "empty+empty", "empty+train16", "no_time+one_npu", "train16+stopped", "ring8+train16",
         "many_calls+train16", "npus1024+classes1024", "tracked+train16")


class CompareTest(harness.PageTest):
    def sample(self, pair, **how):
        path = self.folder / f"{pair}.html"
        if not path.exists():
            subprocess.run([harness.options.samples, pair, path], check=True)
        return self.open(path, **how)

    def sections(self, page):
        return page.js("return [...document.querySelectorAll('section')].map(e => e.id)")

    def changes(self, page, rows):
        """Returns B − A for each row of a table."""
        return [float(b) - float(a) for a, b in zip(page.data(rows, "aPs"), page.data(rows, "bPs"))]

    def check_sorted(self, page, rows):
        sizes = [abs(change) for change in self.changes(page, rows)]
        self.assertEqual(sizes, sorted(sizes, reverse=True), rows)
        self.assertTrue(sizes, rows)


class Replays(CompareTest):
    """The page of two replays agrees with the output of et-diff."""
    MAKE = ("et-generate layers --npus 16 --layers 12 --compute-time 500us --call all_gather:4MiB,reduce_scatter:64MiB -o in && "
            "et-replay -q -n torus:4x4,bw=100GB/s,lat=700ns --model links --slow 5=1.2x -o a.run in > a.txt && "
            "et-replay -q -n torus:4x4,bw=200GB/s,lat=700ns --model links -o b.run in > b.txt")

    def setUp(self):
        if not (self.folder / "b.run").exists():
            self.shell(self.MAKE)
            self.shell("et-report a.run b.run -o both.html; et-diff --format json --top 0 a.run b.run > diff.json || [ $? = 1 ]")
        self.diff = json.loads((self.folder / "diff.json").read_text(), parse_float=decimal.Decimal)
        self.page = self.open(self.folder / "both.html")

    def test_headline_is_the_sentence_of_et_diff(self):
        self.assertEqual(self.page.text("#difference p"), self.diff["summary"] + ".")
        self.assertEqual(self.page.data("#difference", "same"), ["false"])

    def test_runs_of_one_title_are_named_by_their_files(self):
        self.assertEqual(self.page.text("h1"), "in: a.run and b.run")
        self.assertEqual(self.page.text("header .sub"), "A: a.run · B: b.run")
        self.assertEqual([self.page.text(f"#findings{side} h2") for side in "AB"], ["A: a.run", "B: b.run"])
        self.assertIn("in · 16 NPUs", self.page.text("#findingsA .note"))
        self.shell("mkdir -p x y && cp a.run x/r.run && cp b.run y/r.run && et-report x/r.run y/r.run -o same.html")
        self.assertEqual(self.open(self.folder / "same.html").text("header .sub"), "A: x/r.run · B: y/r.run")

    def test_findings_are_those_of_each(self):
        for side in "AB":
            found = json.loads(self.shell(f"et-report --format json {side.lower()}.run"))
            self.assertEqual(self.page.text(f"#findings{side} p"), found[0]["text"])
            self.assertEqual(self.page.texts(f"#findings{side} li"), [f["text"] for f in found[1:]])

    def test_totals(self):
        for side in "ab":
            self.assertEqual(int(self.page.data("#numbers tr[data-id=total]", side)[0]),
                             self.diff["difference"][f"total_{side}_ns"] * 1000)

    def test_path_is_that_of_et_diff_and_adds_up(self):
        expected = [(r["part"], int(r["a_ns"] * 1000), int(r["b_ns"] * 1000)) for r in self.diff["difference"]["path"]]
        rows = "#path tbody tr"
        shown = list(zip(self.page.data(rows, "part"), map(int, self.page.data(rows, "aPs")), map(int, self.page.data(rows, "bPs"))))
        self.assertEqual(sorted(shown), sorted(expected))
        self.check_sorted(self.page, rows)
        self.assertEqual(sum(self.changes(self.page, rows)), sum(b - a for a, b in [
            [int(self.page.data("#numbers tr[data-id=total]", side)[0]) for side in "ab"]]))

    def test_times_are_those_of_et_diff(self):
        rows = "#times tbody tr"
        shown = {name: values for name, *values in zip(*[self.page.data(rows, key) for key in (
            "name", "countA", "countB", "aPs", "bPs", "pathPs", "clear")])}
        expected = {r["name"]: [str(r["count_a"]), str(r["count_b"]), str(int(r["sum_a_ns"] * 1000)), str(int(r["sum_b_ns"] * 1000)),
                                str(int(r["path_difference_ns"] * 1000)), r["clear"]] for r in self.diff["difference"]["times"]}
        self.assertEqual(shown, expected)
        on_path = [abs(int(ps)) for ps in self.page.data(rows, "pathPs")]
        self.assertEqual(on_path, sorted(on_path, reverse=True))

    def test_fidelity_is_that_of_et_diff(self):
        expected = json.loads(self.shell("et-diff --statistics --format json a.run b.run || [ $? = 1 ]"))["fidelity"]
        shown = dict(zip(self.page.data("#fidelity tbody tr", "id"), self.page.data("#fidelity tbody tr", "differs")))
        for key in ("classes", "durations", "sizes", "calls"):
            self.assertAlmostEqual(float(shown[key]), expected[key], delta=0.005 * expected[key], msg=key)
        self.assertEqual(shown["span"], f"\u2212{-100 * expected['span_change']:.1f} %")
        lanes = dict(zip(self.page.data("#lanes tbody tr", "lane"), self.page.data("#lanes tbody tr", "distance")))
        for row in expected["durations_by_lane"]:
            self.assertAlmostEqual(float(lanes[row["lane"]]), row["distance"], delta=1e-9, msg=row["lane"])
        self.assertEqual(len(lanes), len(expected["durations_by_lane"]))

    def test_bars_add_up_and_have_one_scale(self):
        totals = {}
        for side in "AB":
            row = f"#breakdown .row[data-side={side}]"
            total = int(self.page.data("#numbers tr[data-id=total]", side.lower())[0])
            self.assertAlmostEqual(sum(float(self.page.data(row, f"{part}Ps")[0]) for part in PARTS), total, delta=16)
            totals[side] = total
        widths = self.page.js("""return ['A', 'B'].map(side => [...document.querySelectorAll(`#breakdown .row[data-side=${side}] .t i`)]
            .reduce((sum, i) => sum + i.getBoundingClientRect().width, 0))""")
        self.assertAlmostEqual(widths[1] / widths[0], totals["B"] / totals["A"], delta=0.01)

    def test_what_changes_most_is_first(self):
        self.check_sorted(self.page, "#breakdown .by-npu tbody tr")
        self.check_sorted(self.page, "#collectives tbody tr")
        changes = [abs(float(b) - float(a)) for a, b in zip(self.page.data("#links tbody tr", "a"), self.page.data("#links tbody tr", "b"))]
        self.assertEqual(changes, sorted(changes, reverse=True))
        first = [self.page.data("#breakdown .by-npu tbody tr", key)[0] for key in ("npu", "part")]
        self.assertEqual(first, ["8", "exposed"], "4505.4 µs of A, 570.431 µs of B")

    def test_timelines_share_a_window(self):
        total = max(int(self.page.data("#numbers tr[data-id=total]", side)[0]) for side in "ab")
        self.page.focus("#timelineB canvas")
        self.page.keys("w")
        windows = [self.page.data(f"#timeline{side} .note[data-window]", "window")[0] for side in "AB"]
        self.assertEqual(windows[0], windows[1])
        begin, end = map(float, windows[0].split())
        self.assertAlmostEqual(end - begin, 0.7 * total, delta=2)
        self.page.keys("0")
        self.assertEqual(self.page.data("#timelineA .note[data-window]", "window")[0], f"0 {total}")
        self.check_quiet(self.page)

    def test_swapped_the_sign_turns(self):
        self.shell("et-report b.run a.run -o swapped.html")
        page = self.open(self.folder / "swapped.html")
        self.assertIn("slower", page.text("#difference p"))
        self.assertEqual([-c for c in self.changes(page, "#path tbody tr")], self.changes(self.page_again(), "#path tbody tr"))

    def page_again(self):
        return self.open(self.folder / "both.html")

    def test_a_run_beside_itself(self):
        self.shell("et-report a.run a.run -o same.html")
        page = self.open(self.folder / "same.html")
        self.assertIn("A and B are the same", page.text("#difference p"))
        self.assertEqual(page.data("#difference", "same"), ["true"])
        self.assertIn("no difference", page.text("#numbers .note"))
        self.assertEqual(set(self.sections(page)) & {"path", "times", "collectives", "links", "fidelity", "lanes"}, set())

    def test_deadlock_beside_a_run(self):
        page = self.sample("train16+deadlock")
        self.assertIn("B does not end (deadlock at ", page.text("#difference p"))
        self.assertNotIn("faster", page.text("#difference p"))
        self.assertEqual(page.data("#waitsB tbody tr", "npu"), ["0", "1"])
        self.assertFalse(page.exists("#waitsA"))


class Odd(CompareTest):
    def test_other_npus_are_told(self):
        page = self.sample("train16+npus48")
        self.assertIn("A has 16 NPUs, B has 48 NPUs; slices are compared for 16 NPUs", page.text("#difference"))

    def test_without_slices(self):
        page = self.sample("train16+no_slices")
        self.assertIn("run B has no slices", page.text("#difference"))
        self.assertTrue(page.exists("#timelineA"))
        self.assertFalse(page.exists("#timelineB"))
        self.assertFalse(page.exists("#activityB"))

    def test_of_nothing(self):
        page = self.sample("empty+empty")
        self.assertEqual(self.sections(page), ["findingsA", "findingsB"])

    def test_no_number_is_missing(self):
        for pair in PAIRS:
            text = self.sample(pair).js("return document.body.innerText")
            for bad in ("NaN", "Infinity", "undefined", "null"):
                self.assertNotIn(bad, text, pair)

    def test_names_are_text(self):
        page = self.sample("hostile+train16")
        self.assertNotEqual(page.js("return document.title"), "owned")
        self.assertFalse(page.exists("img"))
        self.assertEqual(page.js("return document.scripts.length"), 1)
        self.check_quiet(page)


class Looks(CompareTest):
    def test_every_pair_fits_in_every_width(self):
        for pair in PAIRS:
            for width in (1280, 480):
                page = self.sample(pair, width=width, dark=width == 480)
                self.check_layout(page)

    def test_canvases_are_drawn(self):
        for dark in (False, True):
            self.assertGreaterEqual(min(self.sample("train16_even+train16", dark=dark).colors()), 3)

    def test_pictures(self):
        for pair in ("train16_even+train16", "train16+train16", "train16+npus48", "train16+deadlock", "npus1024+classes1024"):
            self.sample(pair).screenshot(f"compare-{pair}-light")
        self.sample("train16_even+train16", dark=True).screenshot("compare-train16-dark")
        self.sample("train16_even+train16", width=480).screenshot("compare-train16-narrow")

    def test_print_is_vectors(self):
        for pair in ("train16_even+train16", "train16+npus48"):
            page = self.sample(pair, dark=True)
            self.check_print(page, f"compare-{pair}-print")
            self.assertGreaterEqual(min(page.colors()), 3, "the screen is as it was")

    def test_paper_hides_nothing(self):
        page = self.sample("train16_even+train16")
        page.js("dispatchEvent(new Event('beforeprint'))")
        page.cdp("Emulation.setEmulatedMedia", media="print")
        page.resize(717)
        self.assertEqual(page.hidden_parts(), [])
        self.assertEqual(page.box("#findingsA")[1], page.box("#findingsB")[1])
        page.cdp("Emulation.setEmulatedMedia", media="")
        page.js("dispatchEvent(new Event('afterprint'))")

    def test_every_control_is_reached_by_tab(self):
        page = self.sample("train16_even+train16")
        seen = set()
        for _ in range(120):
            page.keys("Tab")
            seen.add(page.js("const e = document.activeElement; return e.closest('section')?.id ?? e.tagName"))
        self.assertLessEqual({"BUTTON", "timelineA", "timelineB", "path", "times", "activityA"}, seen)

    def test_shell_is_small(self):
        self.sample("empty+empty")
        size = (self.folder / "empty+empty.html").stat().st_size
        print(f"shell: {size / 1000:.0f} kB of 150")
        self.assertLessEqual(size, 150_000)


if __name__ == "__main__":
    harness.main()
