# SPDX-License-Identifier: MIT
"""The graph page."""
import json
import re

import harness

KIB = 1024


class Graph(harness.PageTest):
    def graph(self, name, *options):
        """Writes the graph page of a trace set."""
        return self.tool("et-graph", *options, name, "-o", f"{name}.html")

    def ring(self, npus):
        self.shell(f"et-generate -q all_reduce --algorithm ring --npus {npus} --size {npus}MiB -o ring{npus}")
        return self.graph(f"ring{npus}")

    def write(self, name, nodes):
        """Writes nodes as JSON lines, and their graph page."""
        lines = [{"rank": r, "metadata": {"version": "0.0.4"}} for r in sorted({n["rank"] for n in nodes})]
        lines += nodes
        lines.sort(key=lambda line: line["rank"])
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        return self.tool("et-graph", f"{name}.jsonl", "-o", f"{name}.html")

    def main(self, page, name):
        return page.data("main", name)[0]

    def search(self, page, query):
        page.js("const f = document.querySelector('input[type=search]'); f.value = arguments[0];"
                "f.dispatchEvent(new Event('input'))", query)
        page.settle()
        return self.main(page, "found")

    def choose(self, page, selector, value):
        page.js("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                "s.dispatchEvent(new Event('change'))", selector, value)
        page.settle()

    def canvas(self, page):
        page.focus(".stage canvas")
        return page.box(".stage canvas")

    def click(self, page, x, y, clicks=1):
        """Clicks the canvas at a position in pixels."""
        left, top, _, _ = page.box(".stage canvas")
        for n in range(1, clicks + 1):
            page.mouse("mousePressed", left + x, top + y, button="left", clickCount=n)
            page.mouse("mouseReleased", left + x, top + y, button="left", clickCount=n)
        page.settle()

    def nodes(self, name):
        """Returns the nodes of a trace set as written by et-convert."""
        lines = self.shell(f"et-convert -t jsonl {name}").decode().splitlines()
        return [{"id": 0, "rank": 0, **n} for n in map(json.loads, lines) if "type" in n]


def call(rank, number, caller, tid, begin, takes, name="aten::mm", **more):
    """Returns a node of a PyTorch host trace."""
    return {"rank": rank, "id": number, "name": name, "type": "COMP_NODE", "ctrl_deps": [caller] if caller is not None else [],
            "attr": [{"name": "tid", "int64_val": tid}, {"name": "is_cpu_op", "bool_val": True},
                     {"name": "start_nanos", "uint64_val": begin}, {"name": "duration_nanos", "uint64_val": takes}], **more}


def calls():
    """Returns two threads with calls nested three levels deep, and a stream."""
    out, number = [], 1
    for tid in (1, 2):
        for step in range(10):
            begin = 10_000_000 + 1000 * step + 500 * (tid - 1)
            outer = number
            out.append(call(0, outer, None, tid, begin, 400, "step"))
            for k in range(3):
                out.append(call(0, outer + 1 + 2 * k, outer, tid, begin + 100 * k, 90, ["aten::mm", "aten::add", "aten::mm"][k]))
                out.append(call(0, outer + 2 + 2 * k, outer + 1 + 2 * k, tid, begin + 100 * k, 50, "aten::empty"))
            number += 7
    return out


class Data(Graph):
    def test_counts_are_those_of_the_set(self):
        page = self.open(self.ring(8))
        nodes = self.nodes("ring8")
        edges = sum(len(n.get("data_deps", [])) + len(n.get("ctrl_deps", [])) for n in nodes)
        sends = sum(n["type"] == "COMM_SEND_NODE" for n in nodes)
        head, columns = harness.page_data(page.path)
        self.assertEqual(len(columns["id"]), len(nodes))
        self.assertEqual(sorted(columns["id"]), sorted(n["id"] for n in nodes))
        self.assertEqual(self.main(page, "nodes"), str(len(nodes)))
        self.assertEqual(self.main(page, "messages"), str(sends))
        self.assertEqual(self.main(page, "edges"), str(edges + sends))
        self.assertEqual(self.main(page, "depth"), str(2 * 7 * 2 + 7))
        self.assertEqual(head["ranks"], [[r, len(nodes) // 8] for r in range(8)])
        page.js("document.querySelector('details.rows').open = true")
        page.settle()
        rows = page.texts("details.rows tbody tr:first-child td")
        self.assertEqual(rows, ["NPU 0, tb 0", "35", "14", "14", "0", "14 MiB"])

    def test_a_node_tells_all_its_attributes(self):
        page = self.open(self.ring(8))
        node = next(n for n in self.nodes("ring8") if n["rank"] == 5 and n["id"] == 3)
        self.search(page, "rank:5 id:3")
        page.focus("input[type=search]")
        page.keys("Enter")
        page.js("document.querySelector('aside details').open = true")
        shown = dict(zip(page.texts("aside details dt"), page.texts("aside details dd")))
        for a in node["attr"]:
            value = next(v for k, v in a.items() if k != "name")
            self.assertEqual(shown[a["name"]], json.dumps(value).strip('"'), a["name"])
        self.assertEqual(len(shown), len(node["attr"]))

    def test_search_finds_what_the_set_has(self):
        page = self.open(self.ring(8))
        nodes = self.nodes("ring8")
        page.keys("/", *"rank:3 recv")
        wanted = sum(n["rank"] == 3 and "RECV" in n["type"] for n in nodes)
        self.assertEqual(self.main(page, "found"), str(wanted))
        self.assertEqual(page.text(".found"), f"{wanted} found")
        page.keys("Enter")
        self.assertEqual(page.data("aside.details", "rank"), ["3"])
        first = min(n["id"] for n in nodes if n["rank"] == 3 and "RECV" in n["type"])
        self.assertEqual(page.data("aside.details", "node"), [str(first)])
        for query, is_found in [
                ("type:send", lambda n: n["type"] == "COMM_SEND_NODE"), ("17", lambda n: n["id"] == 17 or "17" in n["name"]),
                ("id:17", lambda n: n["id"] == 17), ("step1 rank:0", lambda n: "step1" in n["name"] and n["rank"] == 0),
                ("size>=1MiB", lambda n: "COMM" in n["type"]), ("size>1MiB", lambda n: False),
                ("size<1.5MB", lambda n: "COMM" in n["type"]), ("size>=much", lambda n: False),
                ("peer:2 type:send", lambda n: n["type"] == "COMM_SEND_NODE" and n["rank"] == 1),
                ("lane:tb0", lambda n: True), ("cycle:", lambda n: False),
                ("class:compute", lambda n: n["type"] == "COMP_NODE"), ("no::such", lambda n: False)]:
            self.assertEqual(self.search(page, query), str(sum(map(is_found, nodes))), query)
        self.assertEqual(self.search(page, ""), "")
        page.click(".graph-legend [data-class=send]")
        self.assertEqual(self.main(page, "found"), str(sum(n["type"] == "COMM_SEND_NODE" for n in nodes)))

    def test_data_of_10k_nodes_is_small(self):
        path = self.ring(50)
        self.assertEqual(len(harness.page_data(path)[1]["id"]), 12250)
        data = re.search(r'id="data"[^>]*>([^<]*)<', path.read_text(encoding="utf-8"))[1]
        self.assertLess(len(data), 300 * KIB)
        self.assertLess(path.stat().st_size - len(data), 150 * KIB, "the shell")


class Behaviour(Graph):
    def test_rows_collapse_and_expand(self):
        self.shell("et-generate -q all_reduce --algorithm hierarchical --dims 2x4 --size 1MiB -o hier")
        page = self.open(self.graph("hier"))
        lanes = int(self.main(page, "rows"))
        self.assertGreater(lanes, 8)
        self.choose(page, ".row-choice", "npu")
        self.assertEqual(self.main(page, "rows"), "8")
        self.click(page, 20, 32)  # the name of the first NPU
        self.assertEqual(int(self.main(page, "rows")), 7 + lanes // 8)
        self.click(page, 20, 32)
        self.assertEqual(self.main(page, "rows"), "8")
        page.js("document.querySelector('details.rows').open = true")
        page.settle()
        page.js("document.querySelector('details.rows tbody tr:nth-child(8)').focus()")
        page.keys("Enter")
        self.assertEqual(page.texts("details.rows tbody td:first-child")[-2:], ["NPU 7, tb 0", "NPU 7, tb 1"])
        self.choose(page, ".row-choice", "prefix")
        self.assertEqual(self.main(page, "rows"), "3")
        page.hover(".stage canvas", 0.01, 0.04)
        self.assertRegex(page.text("#tip"), r"COMM_(SEND|RECV)_NODE: \d+ nodes; click to expand")

    def test_keys_and_wheel_zoom_and_move(self):
        page = self.open(self.ring(50))
        self.canvas(page)
        boxes = lambda: int(page.data(".stage canvas", "boxes")[0])  # noqa: E731
        self.assertEqual(boxes(), 12250)
        page.keys("w", "w", "w", "w")
        near = boxes()
        self.assertLess(near, 12250 / 2)
        self.assertTrue(page.js("return !document.querySelector('.minimap').hidden"))
        page.keys("s")
        self.assertGreater(boxes(), near)
        page.keys("0")
        self.assertEqual(boxes(), 12250)
        self.assertTrue(page.js("return document.querySelector('.minimap').hidden"))
        left, top, width, height = page.box(".stage canvas")
        page.mouse("mouseWheel", left + width / 2, top + height / 2, deltaX=0, deltaY=-400)
        page.settle()
        self.assertLess(boxes(), 12250)
        self.assertEqual(page.js("return scrollY"), 0)

    def test_two_fingers_zoom(self):
        page = self.open(self.ring(50))
        left, top, width, height = page.box(".stage canvas")
        touch = lambda kind, *points: page.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=[  # noqa: E731
            {"x": left + x * width, "y": top + y * height, "id": i} for i, (x, y) in enumerate(points)])
        touch("touchStart", (0.45, 0.5), (0.55, 0.5))
        touch("touchMove", (0.3, 0.5), (0.7, 0.5))
        touch("touchEnd")
        page.settle()
        self.assertLess(int(page.data(".stage canvas", "boxes")[0]), 12250 / 2)
        self.assertFalse(self.main(page, "selected"))

    def test_click_selects_and_neighbours_lead_on(self):
        page = self.open(self.ring(8))
        page.hover(".stage canvas", 70 / 1280, 30 / page.box(".stage canvas")[3])
        self.assertIn("NPU 0 · node 0 · send · tb 0", page.text("#tip"))
        self.click(page, 70, 30)
        self.assertEqual(page.data("aside.details", "node"), ["0"])
        self.assertEqual(page.texts("aside .command code"), ["et-graph --around 0:0,2 ring8 -o node0.svg"])
        self.assertIn("nodes omitted", self.shell(page.text("aside .command code") + " -v -t dot 2>&1 >/dev/null").decode())
        page.click("aside .copy")
        page.settle()
        self.assertIn(page.text("aside .copy"), ("Copied", "Selected"))
        self.assertEqual(page.data("aside .neighbours", "count"), ["0", "2"])
        page.click("aside .neighbours button.link")
        self.assertEqual(page.data("aside.details", "node"), ["1"])
        page.keys("Escape")
        self.assertEqual(self.main(page, "selected"), "")
        self.assertTrue(page.js("return document.querySelector('aside.details').hidden"))

    def test_a_box_of_several_nodes_lists_them(self):
        fan = [{"rank": 0, "id": i, "name": f"n{i}", "type": "COMP_NODE", "data_deps": [0] if i else []} for i in range(12)]
        page = self.open(self.write("fan", fan))
        self.assertEqual(self.main(page, "boxes"), "9")  # the root, seven others, and one box for the rest
        self.choose(page, ".row-choice", "npu")
        self.assertEqual(self.main(page, "boxes"), "2")
        self.click(page, 270, 30)
        self.assertIn("one of 11 nodes in this box", page.text("aside"))
        self.assertEqual(len(page.texts("aside details:first-of-type li")), 11)

    def test_around_draws_what_is_near(self):
        page = self.open(self.ring(8))
        self.click(page, 70, 30, clicks=2)
        near = int(page.data("aside.details", "near")[0])
        dot = self.shell("et-graph --around 0:0,2 ring8").decode()
        self.assertEqual(near, len(re.findall(r"^  r\d+n\d+ \[", dot, re.MULTILINE)))
        self.assertEqual(len(page.texts("aside svg g.near")), near)
        self.choose(page, "aside select", "12")
        self.assertGreater(int(page.data("aside.details", "near")[0]), near)
        self.assertIn("--around 0:0,12 ring8", page.text("aside .command code"))
        page.js("document.querySelector('aside svg g.near:last-of-type').dispatchEvent(new Event('click'))")
        self.assertFalse(page.exists("aside svg"))
        page.keys("Enter")
        self.assertTrue(page.exists("aside svg"))

    def test_around_ends_at_300_nodes_and_says_so(self):
        page = self.open(self.ring(50))
        self.click(page, 70, 25, clicks=2)
        self.choose(page, "aside select", "12")
        self.assertLessEqual(int(page.data("aside.details", "near")[0]), 300)
        self.write("wide", [{"rank": 0, "id": i, "name": "n", "type": "COMP_NODE", "data_deps": [0] if i else []} for i in range(500)])
        page = self.open(self.folder / "wide.html")
        self.search(page, "id:0")
        page.focus("input[type=search]")
        page.keys("Enter")
        self.canvas(page)
        page.keys("Enter")
        self.assertEqual(page.data("aside.details", "near"), ["300"])
        self.assertIn("exceeds the limit of 300 nodes", page.text("aside .sub"))

    def test_nested_calls_in_order_by_time_and_left_heavy(self):
        page = self.open(self.write("calls", calls()))
        self.assertEqual((self.main(page, "mode"), self.main(page, "axis")), ("nested", "time"))
        self.assertEqual(self.main(page, "boxes"), "140")
        self.assertEqual(self.main(page, "rows"), "6")  # two threads, three levels deep
        self.choose(page, ".axis-choice", "order")
        self.assertEqual((self.main(page, "axis"), self.main(page, "boxes")), ("order", "140"))
        self.choose(page, ".axis-choice", "heavy")
        # per thread: step, mm, add, and the operators called by mm and add
        self.assertEqual(self.main(page, "boxes"), "10")
        page.hover(".stage canvas", 0.3, 0.06)
        self.assertIn("20 nodesfirst: aten::mm", page.text("#tip"))
        self.choose(page, ".row-choice", "lane")
        self.choose(page, ".axis-choice", "time")
        self.assertEqual((self.main(page, "axis"), self.main(page, "boxes")), ("time", "140"))
        page.hover(".stage canvas", 0.01, 0.06)
        self.assertIn("thread 1", page.text("#tip"))

    def test_nodes_without_a_begin_are_counted(self):
        nodes = [call(0, 0, None, 1, 1000, 50), call(0, 1, None, 1, 1100, 50), {"rank": 0, "id": 2, "name": "n", "type": "COMP_NODE"}]
        page = self.open(self.write("begins", nodes))
        self.assertEqual((self.main(page, "axis"), self.main(page, "hidden")), ("time", "1"))
        self.assertIn("1 node without a begin not drawn", page.text(".graph-legend"))
        self.search(page, "id:2")
        page.focus("input[type=search]")
        page.keys("Enter")
        self.assertEqual(page.data("aside.details", "node"), ["2"])

    def test_long_thin_graphs_are_folded(self):
        chain = [{"rank": 0, "id": i, "name": f"op{i}", "type": "COMP_NODE", "data_deps": [i - 1] if i else []} for i in range(2000)]
        page = self.open(self.write("chain", chain))
        self.assertEqual(self.main(page, "axis"), "wrapped")
        self.assertGreater(int(self.main(page, "rows")), 10)
        self.assertEqual(self.main(page, "boxes"), "2000")

    def test_theme_and_help(self):
        page = self.open(self.ring(8), dark=True)
        light = page.colors(".canvas canvas")
        page.keys("t")
        page.settle()
        self.assertGreaterEqual(min(light + page.colors(".canvas canvas")), 3)
        page.keys("?")
        self.assertIn("rank:3", page.text("dialog"))

    def test_print_and_svg_are_vectors(self):
        page = self.open(self.ring(4))
        pdf = self.check_print(page, "graph-print")
        self.assertGreater(len(pdf), 5000)
        svg = page.js("""let text = ''; const made = URL.createObjectURL;
            URL.createObjectURL = blob => { text = blob; return made.call(URL, blob); };
            HTMLAnchorElement.prototype.click = () => {};
            document.querySelector('button.save').click(); return text.text()""")
        self.assertEqual(svg.count(">→ 1"), 6)
        self.assertNotIn("<image", svg)


class Hostile(Graph):
    NAMES = ["</script><script>window.bad = 1</script>", "\"'`${bad}&amp;<img src=x onerror=bad()>", "\u202eabc\u05d0", "a\x00b\x1b[31m",
             "x" * 65536, "", "\U0001f600", "__proto__", "constructor"]

    def test_names_are_text(self):
        nodes = []
        for i, name in enumerate(self.NAMES):
            nodes.append({"rank": 0, "id": i, "name": name, "type": "COMP_NODE", "data_deps": [i - 1] if i else [],
                          "attr": [{"name": name or "empty", "string_val": name}, {"name": "pg_name", "string_val": name}]})
        for mode in ("lane", "npu", "prefix", "group"):
            page = self.open(self.write("hostile", nodes))
            self.choose(page, ".row-choice", mode)
            for i in range(len(nodes)):
                self.search(page, f"id:{i}")
                page.focus("input[type=search]")
                page.keys("Enter")
                self.assertEqual(page.data("aside.details", "node"), [str(i)])
            self.canvas(page)
            page.keys("Enter")
            self.assertIsNone(page.js("return window.bad"))
            self.assertEqual(page.js("return document.querySelectorAll('script').length"), 1)
            self.assertEqual(page.js("return document.querySelectorAll('img').length"), 0)
            self.check_layout(page)
            self.check_quiet(page)
        self.assertEqual(self.search(page, "</script>"), "1")
        self.assertEqual(self.search(page, "x" * 1000), "1")
        self.assertEqual(self.search(page, '"<img src=x" &amp;'), "1")
        self.assertEqual(self.search(page, '"src <img"'), "0")
        self.assertEqual(self.search(page, '"'), "1")
        for word in ("constructor", "__proto__", "type:constructor", "size>=1constructor", "hasOwnProperty"):
            self.assertIn(self.search(page, word), ("0", "1"), word)
        self.assertEqual(self.search(page, "constructor"), "1")
        self.check_quiet(page)

    def test_names_of_sets_are_words_of_the_shell(self):
        self.shell("et-generate -q all_reduce --algorithm ring --npus 2 --size 1MiB -o \"it's a \\$(set)\"")
        page = self.open(self.tool("env", "et-graph", "-o", "s.html", "--", "it'\\''s a $(set)").parent / "s.html")
        self.click(page, 70, 30)
        self.assertEqual(page.text("aside .command code"), "et-graph --around 0:0,2 'it'\\''s a $(set)' -o node0.svg")

    def test_no_nodes(self):
        page = self.open(self.empty())
        self.assertEqual(self.main(page, "nodes"), "0")
        page.keys("w", "0", "/", "x", "Enter")
        self.check_layout(page)
        self.check_quiet(page)

    def empty(self):
        (self.folder / "none.jsonl").write_text('{"rank":0,"metadata":{"version":"0.0.4"}}\n')
        return self.tool("et-graph", "none.jsonl", "-o", "none.html")

    def test_cycles_and_missing_nodes(self):
        message = lambda kind, peer: {"type": f"COMM_{kind}_NODE", "name": kind, "attr": [  # noqa: E731
            {"name": "comm_dst" if kind == "SEND" else "comm_src", "int32_val": peer}, {"name": "comm_tag", "int32_val": 0}]}
        nodes = []
        for rank in (0, 1):  # each receives before it sends
            nodes.append({"rank": rank, "id": 0, **message("RECV", 1 - rank)})
            nodes.append({"rank": rank, "id": 1, "data_deps": [0], **message("SEND", 1 - rank)})
        nodes.append({"rank": 1, "id": 2, "name": "after", "type": "COMP_NODE", "data_deps": [1, 77]})
        page = self.open(self.write("deadlock", nodes))
        self.assertEqual(self.main(page, "circular"), "5")
        self.assertEqual(self.search(page, "cycle:"), "5")
        self.assertEqual(self.main(page, "cycle"), "4")
        self.assertEqual(page.text(".graph-legend .bad"), "a cycle of 4 nodes; 5 never start")
        page.click(".graph-legend .bad")
        self.assertIn("never becomes free", page.text("aside"))
        self.assertIn("1 dependency on nodes that do not exist", page.text(".sub"))
        self.search(page, "after")
        page.focus("input[type=search]")
        page.keys("Enter")
        self.assertIn("77, which does not exist", page.text("aside"))
        self.assertIn("never becomes free", page.text("aside"))

    def test_large_ids_are_exact(self):
        page = self.open(self.write("large", [{"rank": 0, "id": 2**64 - 1, "name": "n", "type": "COMP_NODE"},
                                              {"rank": 0, "id": 2**64 - 2, "name": "m", "type": "COMP_NODE"}]))
        self.assertEqual(self.search(page, str(2**64 - 1)), "1")
        page.focus("input[type=search]")
        page.keys("Enter")
        self.assertIn(f"node {2**64 - 1} ", page.text("aside .sub"))


class Layout(Graph):
    def test_no_text_overflows(self):
        self.shell("et-generate -q all_reduce --algorithm hierarchical --dims 2x4 --size 1MiB -o hier")
        path = self.graph("hier")
        for width in (1280, 480):
            for dark in (False, True):
                page = self.open(path, width=width, dark=dark)
                self.check_layout(page)
                self.assertGreaterEqual(min(page.colors(".canvas canvas")), 3)
                self.search(page, "rank:1 send")
                page.focus("input[type=search]")
                page.keys("Enter")
                self.check_layout(page)
                self.canvas(page)
                page.keys("Enter")
                self.check_layout(page)
                page.screenshot(f"graph-hier-{width}-{'dark' if dark else 'light'}")


if __name__ == "__main__":
    harness.main()
