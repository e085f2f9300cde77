# SPDX-License-Identifier: MIT
"""The page of one run: its numbers are those in the run file, for all window sizes and colours, mouse, keyboard and paper."""
import decimal
import json
import re
import subprocess

import harness

PARTS = ("compute", "overlap", "exposed", "waiting", "memory", "cpu", "idle")
SAMPLES = ("train16", "tracked", "ring8", "deadlock", "hostile", "empty", "no_time", "one_npu", "stopped", "many_calls",
           "npus48", "npus1024", "classes1024")


class ReportTest(harness.PageTest):
    def sample(self, name, **how):
        path = self.folder / f"{name}.html"
        if not path.exists():
            subprocess.run([harness.options.samples, name, path], check=True)
        return self.open(path, **how)

    def total(self, page):
        return int(page.data(".kpi[data-id=total]", "value")[0])

    def window(self, page):
        return [float(t) for t in page.data("#timeline .note[data-window]", "window")[0].split()]


class Facts(ReportTest):
    def test_bars_add_up_to_the_total(self):
        for name in ("train16", "ring8", "one_npu", "npus48", "deadlock", "stopped", "classes1024"):
            page = self.sample(name)
            columns = [page.data("#breakdown .row", f"{part}Ps") for part in PARTS]
            self.assertTrue(columns[0], name)
            for row in zip(*columns):
                self.assertEqual(sum(int(ps) for ps in row), self.total(page), name)

    def test_bars_are_as_wide_as_their_numbers(self):
        page = self.sample("train16")
        widths = page.js("""return [...document.querySelectorAll('#breakdown .row')].map(row => {
            const all = row.querySelector('.t').getBoundingClientRect().width;
            return [...row.querySelectorAll('.t i')].map(i => i.getBoundingClientRect().width / all)})""")
        shares = list(zip(*[[int(ps) / self.total(page) for ps in page.data("#breakdown .row", f"{p}Ps")] for p in PARTS]))
        for drawn, meant in zip(widths, shares):
            for a, b in zip(drawn, [s for s in meant if s > 0]):
                self.assertAlmostEqual(a, b, delta=0.01)

    def test_path_adds_up_to_the_total(self):
        for name in ("train16", "ring8", "one_npu", "npus48"):
            page = self.sample(name)
            self.assertEqual(sum(int(ps) for ps in page.data("#path td[data-time-ps]", "timePs")), self.total(page), name)

    def test_numbers_are_those_of_the_data(self):
        page = self.sample("train16")
        head, columns = harness.page_data(page.path)
        total = head["end_ps"]
        self.assertEqual(self.total(page), total)
        mean = {p: sum(columns["part." + p]) / 16 for p in PARTS}
        values = dict(zip(page.data(".kpi", "id"), map(float, page.data(".kpi", "value"))))
        self.assertEqual(values["computing"], mean["compute"] + mean["overlap"])
        self.assertEqual(values["exposed"], mean["exposed"])
        self.assertEqual(values["waiting"], mean["waiting"])
        self.assertEqual(values["hidden"], mean["overlap"] / (mean["overlap"] + mean["exposed"]))
        self.assertEqual(values["link"], max(columns["link.busy"]))
        self.assertEqual(page.text(".kpi[data-id=total] b"), "22.14 ms")
        self.assertEqual(page.data("#collectives tbody tr", "endPs")[0], str(int(max(columns["call.end"]))))
        busbw = [64 * 2**20 / (e - b) * 1000 * 15 / 16 for b, e in zip(columns["call.begin"], columns["call.end"])]
        self.assertEqual(sorted(map(float, page.data("#collectives tbody tr", "busbw"))), sorted(busbw))
        self.assertEqual(float(page.data("#matrix .beside", "bytes")[0]), sum(columns["matrix.bytes"]))

    def test_activity_is_the_same_time_as_the_bars(self):
        page = self.sample("train16")
        head, columns = harness.page_data(page.path)
        bins = head["activity_bins"]
        for i, part in enumerate(PARTS):
            area = sum(columns["activity"][i * bins:(i + 1) * bins]) / bins
            self.assertAlmostEqual(area, sum(columns["part." + part]) / head["end_ps"], places=6)

    def test_what_if_is_sorted_by_gain(self):
        page = self.sample("train16")
        self.assertIn("15.3 %", page.text("#whatif tbody tr"))
        totals = [int(t) for t in page.data("#whatif tbody tr", "totalPs")]
        self.assertEqual(totals, sorted(totals))
        self.assertIn("−2.0 %", page.texts("#whatif tbody tr")[-1])

    def test_many_collectives_are_grouped(self):
        page = self.sample("many_calls")
        self.assertEqual(sum(map(int, page.data("#collectives tbody tr", "calls"))), 40)
        page.click("#collectives tbody tr")
        self.assertEqual(len(page.data("#collectives tbody tr[data-busbw]", "busbw")), 7)
        page.click("#collectives .head button")
        self.assertEqual(len(page.texts("#collectives tbody tr")), 6)

    def test_of_many_npus_the_ends_and_a_histogram(self):
        page = self.sample("npus1024")
        self.assertEqual(len(page.texts("#breakdown .row")), 24)
        self.assertIn("12 most and 12 least exposed of 1,024 NPUs", page.text("#breakdown .note"))
        self.assertEqual(sum(map(int, page.data("#breakdown rect", "npus"))), 1024)
        self.assertIn("2 NPUs represent 1,024", page.text("#timeline .note"))
        self.assertIn("16 NPUs a cell", page.text("#matrix .note"))
        page = self.sample("classes1024")
        self.assertIn("represent 1,024", page.text("#timeline .note"))

    def test_many_slices_are_drawn_as_fewer_and_that_is_said(self):
        subprocess.run([harness.options.samples, "slices2m", self.folder / "slices2m.html"], check=True)
        page = self.open(self.folder / "slices2m.html")
        self.assertIn("1 NPU represents 1,024", page.text("#timeline .note"))

    def test_two_million_calls(self):
        page = self.sample("calls2m")
        self.assertEqual(sum(map(int, page.data("#collectives tbody tr", "calls"))), 2_000_000)
        self.assertEqual(len(page.data("#collectives tbody tr", "calls")), 24)
        self.assertEqual(page.text(".kpi[data-id=busbw] small"), "of 2,000,000 collectives")
        self.assertIn("4,000,000 steps on 8 NPUs; they add up to the total", page.text("#path .note"))
        self.assertEqual(sum(int(ps) for ps in page.data("#path td[data-time-ps]", "timePs")), self.total(page))
        self.assertGreater(page.colors("#timeline canvas")[0], 2)
        calls = int(page.data("#collectives tbody tr", "calls")[0])
        page.click("#collectives tbody tr")
        self.assertEqual(len(page.data("#collectives tbody tr[data-busbw]", "endPs")), 500)
        self.assertEqual(page.text("#collectives tr.more"), f"{calls - 500:,} more")


class Replays(ReportTest):
    """Pages of replays have the numbers that `--format json` prints for the same replay."""
    TRAIN = ("et-generate layers --npus 16 --layers 12 --compute-time 500us --call all_gather:4MiB,reduce_scatter:64MiB -o in",
             "-n torus:4x4,bw=100GB/s,lat=700ns --model links --slow 5=1.2x")
    RING = ("et-generate all_reduce --algorithm ring --npus 8 --size 1MiB -o in",
            "-n ring:8,bw=50GB/s,lat=500ns --model links --occupancy alpha-beta")
    MANY = ("et-generate layers --npus 1024 --layers 2 --compute-time 500us --call all_reduce:4MiB -o in",
            "-n torus:32x32,bw=100GB/s,lat=700ns")

    def replayed(self, case):
        """Returns the page, the JSON result and the JSON path of a replay."""
        make, options = case
        self.shell(f"rm -rf in* && {make} && et-replay {options} -o page.html in && "
                   f"et-replay {options} --show links --format json in > result.json && "
                   f"et-replay {options} --explain end --format json in > path.json")
        read = lambda name: json.loads((self.folder / name).read_text(), parse_float=decimal.Decimal)
        return self.open(self.folder / "page.html"), read("result.json"), read("path.json")

    def check_replay(self, case):
        page, result, path = self.replayed(case)
        total = result["total_ns"] * 1000
        self.assertEqual(self.total(page), total)
        bars = {part: [int(v) for v in page.data("#breakdown .row", f"{part}Ps")] for part in PARTS}
        rows = [int(r) for r in page.data("#breakdown .row", "npu")]
        by_npu = {n["npu"]: n for n in result["npus"]}
        for i, npu in enumerate(rows):
            expected = by_npu[npu]
            self.assertEqual(sum(bars[part][i] for part in PARTS), total)
            self.assertEqual(bars["overlap"][i], expected["overlap_ns"] * 1000)
            self.assertEqual(bars["exposed"][i], expected["exposed_communication_ns"] * 1000)
            self.assertEqual(bars["exposed"][i], (expected["communication_ns"] - expected["overlap_ns"]) * 1000)
            self.assertEqual(bars["waiting"][i], expected["waiting_ns"] * 1000)
            self.assertEqual(bars["compute"][i], (expected["compute_ns"] - expected["overlap_ns"]) * 1000)
        self.assertEqual(sum(int(ps) for ps in page.data("#path td[data-time-ps]", "timePs")), total)
        return page, result, path

    def test_certainty_is_that_of_et_stats(self):
        self.shell("et-generate -q collectives --npus 16 --call all_reduce:64MiB,broadcast:1MiB --count 2 -o calls && "
                   "et-replay -q -n dgx-h100 calls -o x.run > out && et-report x.run -o page.html && "
                   "et-stats --show collectives --format json x.run > result.json")
        page, result = self.open(self.folder / "page.html"), json.loads((self.folder / "result.json").read_text())
        rows = result["collectives"]["sources"]
        self.assertEqual(page.data("#certainty tbody tr[data-source]", "source"), ["measured", "model"])
        for shown, told, scale in (("calls", "calls", 1), ("share", "share", 1), ("errorPct", "error_share", 100)):
            for a, b in zip(page.data("#certainty tbody tr[data-source]", shown), rows):
                self.assertAlmostEqual(float(a), b[told] * scale, delta=1e-9)
        self.shell("et-replay -q -n ring:16,bw=50GB/s,lat=500ns calls -o x.run > out && et-report x.run -o page.html")
        self.assertEqual(self.open(self.folder / "page.html").texts("#certainty"), [])

    def test_operations_groups_and_use_are_those_of_et_stats(self):
        self.shell("et-generate -q llama3-8b --npus 8 --set plan.tensor=2 --set model.layers=2 --set run.sequence=256 --set time.peak=100TFLOPS "
                   "-o llama && et-replay -q -n switch:8,bw=100GB/s,lat=1us llama -o x.run > out && et-report x.run -o page.html && "
                   "et-stats --show operations,mfu,collectives,time --format json x.run > result.json")
        page, result = self.open(self.folder / "page.html"), json.loads((self.folder / "result.json").read_text())
        rows = result["operations"]["operations"]
        names = page.data("#operations tbody tr[data-name]", "name")
        self.assertEqual(names, [r["operation"] for r in rows][:len(names)])
        self.assertGreater(len(names), 5)
        for shown, told in (("count", "count"), ("totalPs", "total_ns"), ("meanPs", "mean_ns"), ("share", "time_share")):
            scale = 1000 if shown.endswith("Ps") else 1
            for a, b in zip(page.data("#operations tbody tr[data-name]", shown), rows):
                self.assertAlmostEqual(float(a), b[told] * scale, delta=1e-9 * float(a))
        self.assertEqual(float(page.data(".kpi[data-id=mfu]", "value")[0]), result["mfu"]["mfu_share"])
        groups = {row["group"] for row in result["collectives"]["kinds"]}
        self.assertIn("tp (4 groups)", groups)
        self.assertEqual({t for t in page.texts("#collectives tbody td:nth-child(2)")}, groups)

    def test_training(self):
        page, result, _ = self.check_replay(self.TRAIN)
        pairs = lambda rates: sorted((round(float(a), 6), round(float(b), 6)) for a, b in rates)
        self.assertEqual(pairs(zip(page.data("#collectives tbody tr", "algbw"), page.data("#collectives tbody tr", "busbw"))),
                         pairs((c["algbw_gb_per_s"], c["busbw_gb_per_s"]) for c in result["collectives"]))
        self.assertEqual(sorted(int(b) for b in page.data("#collectives tbody tr", "boundPs")),
                         sorted(int(c["bound_ns"] * 1000) for c in result["collectives"]))
        busiest = max(result["links"], key=lambda link: link["busy_ns"])
        self.assertEqual(int(page.data("#links div[data-busy-ps]", "busyPs")[0]), busiest["busy_ns"] * 1000)
        self.assertIn("55.3 GB/s", page.text("#numbers"))

    def test_ring(self):
        page, _, path = self.check_replay(self.RING)
        self.assertIn("43.71 µs", page.text("#numbers"))
        self.assertFalse(page.exists("#collectives"))

    def test_a_thousand_npus(self):
        page, _, _ = self.check_replay(self.MANY)
        self.assertIn("of 1,024 NPUs", page.text("#breakdown .note"))
        self.check_layout(page)

    def test_several_paths_as_long_are_told(self):
        for name, several in (("classes1024", ["true"]), ("train16", [None])):
            self.assertEqual(self.sample(name).data("#path .note span", "several"), several, name)
        page, _, _ = self.replayed(self.RING)
        self.assertEqual(page.data("#path .note span", "several"), ["true"])
        page, _, _ = self.replayed(self.TRAIN)
        self.assertEqual(page.data("#path .note span", "several"), [None])


class Odd(ReportTest):
    def test_what_a_run_does_not_tell_is_not_shown(self):
        page = self.sample("ring8")
        self.assertEqual(page.js("return [...document.querySelectorAll('section')].map(e => e.id)"),
                         ["breakdown", "activity", "timeline", "path", "operations", "links", "matrix"])
        page = self.sample("empty")
        self.assertEqual(page.js("return [...document.querySelectorAll('section')].map(e => e.id)"), [])
        page = self.sample("no_time")
        self.assertEqual(page.text(".kpi[data-id=total] b"), "0")
        self.assertFalse(page.exists("#activity"))
        self.assertNotIn("NaN", page.text("main"))

    def test_no_number_is_missing(self):
        for name in SAMPLES:
            text = self.sample(name).js("return document.body.innerText")
            for bad in ("NaN", "Infinity", "undefined", "null"):
                self.assertNotIn(bad, text, name)

    def test_deadlock_is_the_diagnosis(self):
        page = self.sample("deadlock")
        self.assertIn("Reached", page.text(".kpi[data-id=total]"))
        self.assertEqual(page.data("#waits tbody tr", "npu"), ["0", "1"])
        self.assertIn("which never sends it", page.text("#waits"))
        self.assertIn("let one send first", page.text("#findings"))
        self.assertIn("never ends", page.text("#timeline .legend"))

    def test_stopped_run_ends_there(self):
        page = self.sample("stopped")
        self.assertIn("stopped at this time", page.text(".kpi[data-id=total]"))

    def test_names_are_text(self):
        page = self.sample("hostile")
        self.assertNotEqual(page.js("return document.title"), "owned")
        self.assertTrue("</script><script>" in page.js("return document.title"))
        self.assertFalse(page.exists("img"))
        self.assertEqual(page.js("return document.scripts.length"), 1)
        self.assertIn("<img src=x onerror=alert(1)>", page.text("#whatif"))
        page.hover("#timeline canvas", 0.12, 0.2)
        self.assertIn("nnnn", page.text("#tip"))
        page.hover("#timeline canvas", 0.25, 0.2)
        self.assertIn("\u2068", page.text("#tip"), "directions stay apart")
        self.check_quiet(page)

    def test_ids_are_whole(self):
        page = self.sample("hostile")
        page.hover("#timeline canvas", 0.4, 0.2)
        self.assertIn("node 18446744073709551615", page.text("#tip"))


class Acts(ReportTest):
    def test_keys_zoom_and_move_the_timeline(self):
        page = self.sample("train16")
        total = self.total(page)
        page.focus("#timeline canvas")
        page.keys("w")
        begin, end = self.window(page)
        self.assertAlmostEqual(end - begin, 0.7 * total, delta=2)
        self.assertIn("–", page.text("#timeline .note[data-window]"))
        page.keys("d")
        self.assertAlmostEqual(self.window(page)[0], begin + 0.14 * total, delta=2)
        page.keys("a", "ArrowRight", "ArrowLeft", "s", "0")
        self.assertEqual(self.window(page), [0, total])

    def test_keys_of_the_activity(self):
        page = self.sample("train16")
        total = self.total(page)
        page.focus("#activity .plot")
        page.keys("ArrowRight")  # the cursor appears at the beginning
        self.assertIn("computing alone 16 NPUs", page.text("#tip"))
        page.keys("End")
        self.assertNotIn("computing alone", page.text("#tip"))
        page.keys("Home", "PageDown")
        page.cdp("Input.dispatchKeyEvent", type="keyDown", key="PageDown", modifiers=8)
        page.settle()
        self.assertEqual(self.window(page), [15 / 360 * total, 31 / 360 * total])
        page.keys("Escape")
        self.assertEqual(self.window(page), [0, total])

    def test_path_can_be_hidden(self):
        page = self.sample("train16")
        page.focus("#timeline canvas")
        page.keys("p")
        self.assertEqual(page.js("return document.querySelector('#timeline button[aria-pressed]').ariaPressed"), "false")

    def test_slack_colours_the_timeline(self):
        page = self.sample("tracked")
        before = page.colors("#timeline canvas")
        page.click("#timeline button[aria-pressed=false]")
        self.assertNotEqual(page.colors("#timeline canvas"), before)

    def test_hover_tells_of_a_slice(self):
        page = self.sample("train16")
        page.hover("#timeline canvas", 0.9, 0.05)
        page.hover("#timeline canvas", 0.5, 0.05)
        tip = page.text("#tip")
        self.assertIn("backward layer", tip)
        self.assertIn("NPU 0 · compute · node", tip)

    def test_dragging_across_the_activity_chooses_the_window(self):
        page = self.sample("train16")
        page.js("document.querySelector('#activity').scrollIntoView({block: 'center'})")
        left, top, width, height = page.box("#activity .plot")
        page.mouse("mousePressed", left + width * 0.5, top + 40, button="left", clickCount=1)
        page.mouse("mouseMoved", left + width * 0.7, top + 40, button="left", buttons=1)
        page.mouse("mouseReleased", left + width * 0.7, top + 40, button="left", clickCount=1)
        page.settle()
        begin, end = self.window(page)
        plot = width - 40 - 22
        self.assertAlmostEqual(begin / self.total(page), (width * 0.5 - 40) / plot, delta=0.01)
        self.assertAlmostEqual(end / self.total(page), (width * 0.7 - 40) / plot, delta=0.01)
        self.assertIn("window", page.text("#links .note"))

    def test_headings_sort(self):
        page = self.sample("train16")
        times = lambda: [int(e) - int(b) for b, e in zip(page.data("#collectives tbody tr", "beginPs"),
                                                         page.data("#collectives tbody tr", "endPs"))]
        self.assertEqual(times(), sorted(times(), reverse=True))
        page.click("#collectives th:nth-child(5)")
        self.assertEqual(times(), sorted(times()))
        page.focus("#collectives th:nth-child(3)")
        page.keys("Enter")
        begins = [int(b) for b in page.data("#collectives tbody tr", "beginPs")]
        self.assertEqual(begins, sorted(begins, reverse=True))

    def test_a_collective_is_shown_in_the_timeline(self):
        page = self.sample("train16")
        page.click("#collectives tbody tr")
        begin, end = self.window(page)
        self.assertLessEqual(begin, int(page.data("#collectives tbody tr", "beginPs")[0]))
        self.assertGreaterEqual(end, int(page.data("#collectives tbody tr", "endPs")[0]))

    def test_links_tell_their_load(self):
        page = self.sample("train16")
        self.assertEqual(page.data("#links div[data-busiest]", "busiest"), ["0 → 1"])
        for x in range(20, 50):
            page.hover("#links canvas", x / 100, 0.165)
            if page.js("return document.querySelector('#tip')?.hidden === false"):
                break
        self.assertIn("occupied", page.text("#tip"))

    def test_the_table_of_npus_has_all(self):
        page = self.sample("train16")
        page.js("document.querySelector('#breakdown details').open = true")
        page.settle()
        page.settle()
        self.assertEqual(len(page.texts("#breakdown tbody tr")), 16)
        names = [n.get("name", {}).get("value", "") for n in page.cdp("Accessibility.getFullAXTree")["nodes"]
                 if n.get("role", {}).get("value") in ("cell", "gridcell")]
        self.assertIn("1.406 GiB", names)

    def test_maps_are_tables_too(self):
        page = self.sample("train16")
        page.js("for (const d of document.querySelectorAll('details')) d.open = true")
        page.settle()
        page.settle()
        self.assertEqual(max(map(int, page.data("#links tbody tr", "busyPs"))), int(page.data("#links div[data-busy-ps]", "busyPs")[0]))
        self.assertEqual(len(page.texts("#links tbody tr")), 64)
        self.assertEqual(sum(map(int, filter(None, page.data("#matrix tbody tr", "bytes")))),
                         int(page.data("#matrix .beside", "bytes")[0]))
        self.check_layout(page)
        page = self.sample("tracked")
        page.js("document.querySelector('#timeline details').open = true")
        page.settle()
        page.settle()
        self.assertEqual(page.data("#timeline tbody tr", "leastPs")[0], "0")

    def test_copied_times_are_exact(self):
        page = self.sample("train16")
        copied = page.js("""
            const row = document.querySelector('#path tbody tr'), range = document.createRange();
            range.selectNode(row);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            const event = new ClipboardEvent('copy', {clipboardData: new DataTransfer(), bubbles: true, cancelable: true});
            document.dispatchEvent(event);
            return event.clipboardData.getData('text/plain')""")
        self.assertIn("computing on NPU 5\t24\t21.6000 ms", copied)

    def test_every_control_is_reached_by_tab(self):
        page = self.sample("train16")
        seen = set()
        for _ in range(60):
            page.keys("Tab")
            seen.add(page.js("const e = document.activeElement; return e.closest('section')?.id ?? e.tagName"))
        self.assertLessEqual({"BUTTON", "timeline", "collectives", "whatif", "path", "links"}, seen)

    def test_a_panel_is_saved_as_vectors(self):
        page = self.sample("train16")
        page.js("""window.saved = [];
            URL.createObjectURL = blob => { blob.text().then(t => saved.push(t)); return 'data:,'; };
            HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };""")
        for panel in ("timeline", "activity", "links", "matrix"):
            page.click(f"#{panel} button.save")
        page.settle()
        saved = page.js("return saved")
        self.assertEqual([s for s in saved if s.endswith(".svg")], ["timeline.svg", "activity.svg", "links.svg", "matrix.svg"])
        drawings = [s for s in saved if s.startswith("<svg")]
        self.assertEqual(len(drawings), 4)
        self.assertIn("bwd 11", drawings[0])
        self.assertNotIn("<image", "".join(drawings))
        self.assertNotIn("NaN", "".join(drawings))


class Looks(ReportTest):
    def test_every_sample_fits_in_every_width(self):
        for name in SAMPLES:
            for width in (1280, 900, 480):
                page = self.sample(name, width=width, dark=width == 900)
                self.check_layout(page)

    def test_canvases_are_drawn(self):
        for name in ("train16", "npus1024", "hostile", "tracked"):
            for dark in (False, True):
                page = self.sample(name, dark=dark)
                self.assertGreaterEqual(min(page.colors()), 3, name)

    def test_pictures(self):
        for name in ("train16", "tracked", "ring8", "deadlock", "npus1024", "many_calls", "hostile"):
            self.sample(name).screenshot(f"report-{name}-light")
        self.sample("train16", dark=True).screenshot("report-train16-dark")
        self.sample("train16", width=480).screenshot("report-train16-narrow")
        self.sample("npus1024", width=480).screenshot("report-npus1024-narrow")

    def test_print_is_vectors_and_whole(self):
        for name in ("train16", "tracked", "npus1024", "slices12k"):
            page = self.sample(name, dark=name == "tracked")
            self.check_print(page, f"report-{name}-print")
            self.assertGreaterEqual(min(page.colors()), 3, "the screen is as it was")

    def test_paper_keeps_panels_side_by_side(self):
        page = self.sample("train16")
        page.js("dispatchEvent(new Event('beforeprint'))")
        page.cdp("Emulation.setEmulatedMedia", media="print")
        page.resize(717)
        for a, b in (("breakdown", "activity"), ("path", "whatif"), ("links", "matrix")):
            self.assertEqual(page.box("#" + a)[1], page.box("#" + b)[1], f"{a} beside {b}")
        self.assertTrue(page.js("return document.querySelector('#made details').open"))
        self.assertEqual(page.overlaps(), [])
        self.assertEqual(page.hidden_parts(), [])
        # A drawing for half a page is drawn at that width, so that its texts keep their size.
        for panel in ("links", "matrix"):
            width = page.js("return document.querySelector(arguments[0]).viewBox.baseVal.width", f"#{panel} .canvas svg")
            self.assertLess(width, 330)
        page.cdp("Emulation.setEmulatedMedia", media="")
        page.js("dispatchEvent(new Event('afterprint'))")
        self.assertFalse(page.js("return document.querySelector('#made details').open"))

    def test_one_column_has_a_low_chart(self):
        page = self.sample("train16", width=480)
        self.assertLess(page.box("#activity svg")[3], 260)

    def test_npus_of_the_path_are_named(self):
        page = self.sample("npus1024")
        page.js("dispatchEvent(new Event('beforeprint'))")
        ranks = page.js("return [...document.querySelectorAll('#timeline .canvas text')].map(e => e.textContent)")
        page.js("dispatchEvent(new Event('afterprint'))")
        head, columns = harness.page_data(page.path)
        longest = {}
        for npu, time in zip(columns["path.npu"], columns["path.time"]):
            longest[npu] = longest.get(npu, 0) + time
        self.assertIn(f"NPU {max(longest, key=longest.get)}", ranks)

    def test_memory_is_labelled_in_powers_of_two(self):
        page = self.sample("tracked")
        labels = [t for t in page.texts("#memory text") if t.endswith("B")]
        self.assertEqual(labels[:3], ["0 B", "4 GiB", "8 GiB"])
        self.assertTrue(all(re.fullmatch(r"\d+ (B|KiB|MiB|GiB)", t) for t in labels), labels)

    def test_slack_has_its_legend(self):
        page = self.sample("tracked")
        shown = "return document.querySelector('#slack-legend').offsetHeight > 0"
        self.assertFalse(page.js(shown))
        page.click("#timeline button[aria-pressed=false]")
        self.assertTrue(page.js(shown))
        self.assertIn("log scale", page.text("#slack-legend"))
        page.click("#timeline button[aria-pressed=true]")
        self.assertFalse(page.js(shown))

    def test_charts_have_tables(self):
        page = self.sample("tracked")
        head, columns = harness.page_data(page.path)
        for panel in ("activity", "memory"):
            page.js("document.querySelector(arguments[0]).open = true", f"#{panel} details")
            page.settle()
            self.assertEqual(len(page.texts(f"#{panel} details tbody tr")), 24)
        most = max(columns["memory.max"])
        shown = page.texts("#memory details tbody td:last-child")
        self.assertIn(page.js("return document.querySelector('#memory .note').textContent.split('peak ')[1]"), shown)
        self.assertEqual(float(page.data("#memory [data-peak]", "peak")[0]), most)

    def test_hints_are_said_once(self):
        page = self.sample("deadlock")
        head, _ = harness.page_data(page.path)
        self.assertTrue(head["hints"])
        for hint in head["hints"]:
            self.assertEqual(page.text("#findings").count(hint), 1)

    def test_text_has_contrast(self):
        for dark in (False, True):
            page = self.sample("train16", dark=dark)
            low = page.js("""
                const value = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map(v => (v /= 255) <= 0.04045 ? v / 12.92
                  : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
                const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
                  if (!c.includes('rgba(0, 0, 0, 0)')) return c; } return 'rgb(255, 255, 255)'; };
                const out = new Set();
                for (const e of document.querySelectorAll('main *, header *')) {
                  if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest('svg')) continue;
                  const [a, b] = [value(getComputedStyle(e).color), value(ground(e))].sort((x, y) => y - x);
                  if ((a + 0.05) / (b + 0.05) < 4.5) out.add(e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 20));
                }
                return [...out]""")
            self.assertEqual(low, [], "dark" if dark else "light")


if __name__ == "__main__":
    harness.main()
