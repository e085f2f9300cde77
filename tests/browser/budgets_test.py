# SPDX-License-Identifier: MIT
"""Time and memory limits for pages with many thousands of slices and nodes: first paint, redraw, search and heap. Times are
CPU milliseconds of the page's main thread. ctest runs this test alone, because sharing the processor's caches slows it."""
import compare_test
import graph_test
import harness
import report_test

FIRST_PAINT_MS = {"10k": 300, "100k": 1000}
FIRST_PAINT_WALL_MS = {"10k": 1000, "100k": 3000}
REDRAW_MS = 33
SEARCH_MS = 50
HEAP_MB = 100


class Budgets:
    def first_paint(self, name, open_page, size):
        """Returns the page; the fastest of three first paints must be within the limit for its size."""
        pages = [open_page() for _ in range(3)]
        cpu, wall = min(page.cpu_ms for page in pages), min(page.wall_ms for page in pages)
        print(f"{name}: first paint {cpu:.0f} ms of {FIRST_PAINT_MS[size]}, on the clock {wall:.0f} of {FIRST_PAINT_WALL_MS[size]}")
        self.assertLessEqual(cpu, FIRST_PAINT_MS[size], name)
        self.assertLessEqual(wall, FIRST_PAINT_WALL_MS[size], name)
        return pages[-1]

    def redraw(self, name, page, keys):
        """Checks the median redraw time over the keys, minus the time of a key without an effect."""
        def median(pressed):
            times = sorted(page.cpu_of(lambda key=key: page.keys(key)) for key in pressed)
            return times[len(times) // 2]
        redraw = median(keys) - median("zzzzzzzzz")
        print(f"{name}: redraw {redraw:.0f} ms of {REDRAW_MS}")
        self.assertLessEqual(redraw, REDRAW_MS, name)

    def heap(self, name, page):
        held = page.heap_mb()
        print(f"{name}: heap {held:.0f} MB of {HEAP_MB}")
        self.assertLessEqual(held, HEAP_MB, name)


class Report(Budgets, report_test.ReportTest):
    COUNT = """const pen = CanvasRenderingContext2D.prototype; window.calls = {clearRect: 0, fillRect: 0};
        for (const name of Object.keys(calls)) {
          const real = pen[name];
          pen[name] = function (...a) { if (this.canvas.closest('#timeline')) ++calls[name]; real.apply(this, a); };
        }"""

    def test_12k_slices(self):
        self.first_paint("slices12k", lambda: self.sample("slices12k"), "10k")

    def test_124k_slices(self):
        page = self.first_paint("slices124k", lambda: self.sample("slices124k"), "100k")
        self.heap("slices124k", page)
        page.focus("#timeline canvas")
        for _ in range(6):
            page.keys("w")
        self.redraw("slices124k", page, "wswswswswswsadadada")

    def test_timeline_is_drawn_once_and_its_thin_lanes_as_pixels(self):
        added = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=self.COUNT)
        try:
            calls = self.sample("slices124k").js("return window.calls")
        finally:
            self.browser.call("Page.removeScriptToEvaluateOnNewDocument", **added)
        self.assertEqual(calls["clearRect"], 1)
        self.assertLess(calls["fillRect"], 1000, "of 124,000 slices")


class Compare(Budgets, compare_test.CompareTest):
    def test_two_runs(self):
        for name, size in (("slices12k+slices12k", "10k"), ("slices124k+slices124k", "100k")):
            self.first_paint(name, lambda name=name: self.sample(name), size)


class Graph(Budgets, graph_test.Graph):
    def test_12k_nodes(self):
        path = self.ring(50)
        self.first_paint("graph of 12,250", lambda: self.open(path), "10k")

    def test_124k_nodes(self):
        path, name = self.ring(158), "graph of 124,030"
        page = self.first_paint(name, lambda: self.open(path), "100k")
        self.assertEqual(self.main(page, "nodes"), "124030")
        self.heap(name, page)
        self.canvas(page)
        page.keys("w", "0")  # the minimap is drawn
        self.redraw(name, page, "wwwwwwwwdadassssssss")
        for query in ("rank:3 recv", "step12", "size>=1MiB type:send", "17"):
            times = [page.js("""const f = document.querySelector('input[type=search]'); f.value = arguments[0];
                const t = performance.now(); f.dispatchEvent(new Event('input')); return performance.now() - t""", query)
                     for _ in range(3)]
            self.assertLess(min(times), SEARCH_MS, query)
        page.screenshot("graph-100k")
        self.check_print(page)

    def test_1024_npus(self):
        self.shell("et-generate -q all_reduce --algorithm halving_doubling --npus 1024 --size 64MiB -o large")
        path = self.graph("large")
        page = self.first_paint("1,024 NPUs", lambda: self.open(path), "100k")
        self.assertEqual((self.main(page, "mode"), self.main(page, "rows")), ("npu", "1024"))
        self.choose(page, ".row-choice", "lane")
        self.assertEqual(self.main(page, "rows"), "10240")
        self.assertEqual(self.search(page, "rank:1023 type:send"), "134")  # of 2 MiB at most
        self.check_layout(page)


if __name__ == "__main__":
    harness.main()
