# SPDX-License-Identifier: MIT
"""The time-expanded page: location of each chunk over time, for correct and incorrect schedules and algorithms."""
import json
import pathlib
import re

import harness

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
RING = ("et-generate all_reduce --algorithm ring --npus 8 --size 1MiB -o ring8 && et-replay -n ring:8,bw=50GB/s,lat=500ns "
        "--model links --occupancy alpha-beta -t ten,form=csv ring8 -o ring8.csv 2>&1")
RACE = """<algo name="race" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="1" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
"""
DEADLOCK = """<algo name="lock&quot;&lt;/script&gt;" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="1" recv="1" chan="0">
    <step s="0" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    <step s="1" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="0" recv="0" chan="0">
    <step s="0" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    <step s="1" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu>
</algo>
"""


def wide_schedule(side):
    """Returns a schedule for a grid of side × side NPUs: one chunk per second row goes along its row, then down all columns."""
    nodes = side * side
    def wires():
        for n in range(nodes):
            x, y = n % side, n // side
            yield n, (x + 1) % side + side * y
            yield n, x + side * ((y + 1) % side)
    lines = ["#ten-schedule,1", "#time_model,steps", "#collective,custom", f"#npu_count,{nodes}", "#chunk_size_bytes,1024"]
    lines += [f"#link,{a},{b},50,0" for a, b in wires()]
    chunks = range(0, nodes, 2 * side)
    lines += [f"#chunk,{c},{c},all" for c in chunks] + ["id,src,dst,chunk,step,op"]
    count = 0
    for k, c in enumerate(chunks):
        x0, y0 = c % side, c // side
        for i in range(side - 1):
            a, b = (x0 + i) % side, (x0 + i + 1) % side
            lines.append(f"{count},{a + side * y0},{b + side * y0},{c},{k + i},copy")
            count += 1
        for x in range(side):
            for i in range(side - 1):
                a, b = (y0 + i) % side, (y0 + i + 1) % side
                lines.append(f"{count},{x + side * a},{x + side * b},{c},{k + side + i},copy")
                count += 1
    return "\n".join(lines) + "\n"


class Ten(harness.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "race.xml").write_text(RACE)
        (cls.folder / "deadlock.xml").write_text(DEADLOCK)

    def ring(self, **how):
        if not (self.folder / "ring8.html").exists():
            self.shell(RING + " && et-graph ring8.csv -o ring8.html")
        return self.open(self.folder / "ring8.html", **how)

    def seek(self, page, share):
        page.js("const s = document.querySelector('#transport input'); s.value = arguments[0];"
                "s.dispatchEvent(new Event('input'))", share)
        page.settle()

    def time(self, page):
        return float(page.data("#clock", "t")[0])

    def kpi(self, page, name):
        return float(page.data(f"[data-kpi={name}]", "value")[0])

    # --- numbers

    def test_numbers_are_those_of_the_replay(self):
        page = self.ring()
        replay = json.loads(self.shell("et-replay -n ring:8,bw=50GB/s,lat=500ns --model links --occupancy alpha-beta "
                                       "--format json ring8"))
        self.assertAlmostEqual(self.kpi(page, "total") / 1e3, replay["total_ns"], delta=0.002)
        self.assertEqual(page.data("#findings", "verdict"), ["proved"])
        self.assertEqual(harness.ending(page.path), (64, 0))
        self.assertEqual(self.kpi(page, "reductions"), 56)
        self.assertEqual(self.kpi(page, "starts"), 14)
        head, columns = harness.page_data(self.folder / "ring8.html")
        rows = [line.split(",") for line in (self.folder / "ring8.csv").read_text().splitlines() if line[:1].isdigit()]
        self.assertEqual(columns["src"], [int(r[1]) for r in rows])
        self.assertEqual(columns["begin"], [round(float(r[4]) * 1e6) for r in rows])
        self.assertEqual(head["unit"], "time")

    def test_half_way_the_diagonal_has_seven_of_eight(self):
        page = self.ring()
        self.seek(page, 0.452)
        page.hover("#matrix canvas", 0.23, 0.1)
        self.assertIn("7 of 8 contributions", page.text("#tip"))

    # --- keys and pointer

    def test_keys_step_play_and_follow(self):
        page = self.ring()
        page.keys("Home")
        self.assertEqual(self.time(page), 0)
        page.keys("ArrowRight")
        first = self.time(page)
        self.assertGreater(first, 0)
        page.keys("ArrowRight", "ArrowLeft")
        self.assertEqual(self.time(page), first)
        page.keys("]")
        self.assertEqual(page.js("return document.querySelector('#follow').value"), "0")
        self.assertIn("chunk 0: 14 transfers, first complete on NPU", page.text("#journey-line"))
        self.assertEqual(len(page.data("#journey tbody tr td[data-begin]", "begin")), 14)
        page.keys("[")
        self.assertEqual(page.js("return document.querySelector('#follow').value"), "7")
        page.keys("Escape")
        self.assertEqual(page.js("return document.querySelector('#follow').value"), "-1")
        page.keys(" ")
        self.assertEqual(page.data("#play", "playing"), ["true"])
        page.settle()
        page.settle()
        page.keys(" ")
        self.assertEqual(page.data("#play", "playing"), ["false"])
        self.assertGreater(self.time(page), first)
        background = page.js("return getComputedStyle(document.body).backgroundColor")
        page.keys("t")
        self.assertNotEqual(page.js("return getComputedStyle(document.body).backgroundColor"), background)
        page.keys("?")
        self.assertIn("follow the previous or next chunk", page.text("dialog"))

    def test_buttons_do_what_keys_do(self):
        page = self.ring()
        page.keys("Home")
        page.click("#on")
        first = self.time(page)
        page.click("#on")
        page.click("#back")
        self.assertEqual(self.time(page), first)
        page.click("#play")
        self.assertEqual(page.data("#play", "playing"), ["true"])

    def test_pointer_tells_follows_and_scrubs(self):
        page = self.ring()
        page.hover("#map canvas", 0.5, 34 / 400)
        self.assertIn("NPU 0", page.text("#tip"))
        # The first arrow of NPU 0 goes to NPU 1.
        page.hover("#time .front canvas")
        left, top, width, height = page.box("#time .front canvas")
        x, y = left + 52 + (width - 66) / 28, top + 54 + 34
        page.mouse("mouseMoved", x, y)
        page.settle()
        self.assertIn("NPU 0 → 1", page.text("#tip"))
        self.assertIn("2 of 8 contributions", page.text("#tip"))
        page.mouse("mousePressed", x, y, button="left", clickCount=1)
        page.mouse("mouseReleased", x, y, button="left", clickCount=1)
        page.settle()
        self.assertNotEqual(page.js("return document.querySelector('#follow').value"), "-1")
        x, y = left + 0.5 * width, top + 20
        page.mouse("mousePressed", x, y, button="left", clickCount=1)
        page.mouse("mouseMoved", x + 60, y, button="left", buttons=1)
        page.mouse("mouseReleased", x + 60, y, button="left", clickCount=1)
        page.settle()
        self.assertGreater(self.time(page), 0.5 * self.kpi(page, "total"))
        page.click("#journey tbody tr:nth-child(2)")
        self.assertEqual(self.time(page), float(page.data("#journey tbody td[data-begin]", "begin")[1]))

    # --- inputs

    def test_algorithms_are_in_steps(self):
        self.shell("et-generate all_reduce --algorithm direct --npus 4 --size 1MiB -o one && "
                   "et-convert one -o one.xml && et-graph one.xml -o one.html")
        page = self.open(self.folder / "one.html")
        self.assertIn("steps, not time", page.text("header"))
        self.assertEqual(page.text("#time h2"), "In steps, not time")
        self.assertEqual((page.data("#findings", "verdict"), harness.ending(page.path)[1]), (["proved"], 0))
        self.assertTrue(page.exists("#threadblocks"))
        page.hover("#threadblocks canvas", 0.16, 0.15)
        self.assertRegex(page.text("#tip"), r"gpu 0 threadblock \d+ step \d+: .*line \d+ of one.xml")
        # A trace set shows the algorithm from which it was made.
        self.shell("et-graph --view ten one -o traces.html")
        traces = self.open(self.folder / "traces.html")
        self.assertEqual(self.kpi(traces, "total"), self.kpi(page, "total"))
        # The view in time is complete too, although a schedule cannot record that ranks keep the chunks they send to be added.
        self.shell("et-graph --view ten -n fully_connected:4,bw=50GB/s,lat=500ns one -o time.html")
        in_time = self.open(self.folder / "time.html")
        self.assertEqual(in_time.data("#findings", "verdict"), ["proved"])
        self.assertEqual(harness.ending(in_time.path)[1], 0)
        self.assertEqual(in_time.text("#time h2"), "In time")

    def test_a_pipe_and_a_network(self):
        self.ring()
        self.shell("et-replay -n ring:8,bw=50GB/s,lat=500ns --model links -t ten ring8 2>/dev/null | "
                   "et-graph -t html > pipe.html && "
                   "et-graph --view ten -n ring:8,bw=50GB/s,lat=500ns ring8 -o network.html")
        pipe, network = (harness.page_data(self.folder / f) for f in ("pipe.html", "network.html"))
        program = {name: network[1].pop(name) for name in network[1].keys() - pipe[1].keys()}
        for columns in (pipe[1], network[1]):  # on the network, a chunk changes owner when its receiver has accepted it
            for name in ("change_time", "change_npu", "change_chunk", "change_held"):
                columns.pop(name)
        self.assertEqual(pipe[1], network[1])
        self.assertIn("step_done", program)

    def test_threadblocks_in_time(self):
        self.ring()
        self.shell("et-graph --view ten -n ring:8,bw=50GB/s,lat=500ns ring8 -o tb.html && "
                   "et-replay -q -n ring:8,bw=50GB/s,lat=500ns --model links --format json ring8 > tb.json && "
                   "et-replay -q -n ring:8,bw=50GB/s,lat=500ns --model links --timeline tl.json ring8 > /dev/null && "
                   "et-convert -q -t jsonl ring8 > ring8.jsonl")
        total = round(json.loads((self.folder / "tb.json").read_text())["total_ns"] * 1000)
        _, columns = harness.page_data(self.folder / "tb.html")
        begin, done, steps = columns["step_begin"], columns["step_done"], columns["tb_steps"]
        self.assertEqual((max(done), min(begin)), (total, 0))
        first = 0
        for n in steps:  # the steps of a threadblock follow each other
            for s in range(first, first + n):
                self.assertLessEqual(begin[s], done[s])
                if s > first:
                    self.assertGreaterEqual(begin[s], done[s - 1])
            first += n
        # A step ends with the last of its nodes, as in the timeline.
        ends, of = {}, {}
        for line in (self.folder / "ring8.jsonl").read_text().splitlines():
            node = json.loads(line)
            attr = {a["name"]: next(v for k, v in a.items() if k != "name") for a in node.get("attr", [])}
            if "type" in node and "local_time_step" in attr:
                of[node["rank"], node.get("id", 0)] = (node["rank"], attr["tb_id"], attr["local_time_step"])
        for e in json.loads((self.folder / "tl.json").read_text())["traceEvents"]:
            key = of.get((e.get("pid"), e.get("args", {}).get("node")))
            if e["ph"] == "X" and key:
                ends[key] = max(ends.get(key, 0), round((e["ts"] + e["dur"]) * 1e6))
        shown = {(npu, tb, k): done[sum(steps[:i]) + k] for i, (npu, tb, n) in
                 enumerate(zip(columns["tb_npu"], columns["tb_id"], steps)) for k in range(n)}
        self.assertEqual(shown, ends)
        page = self.open(self.folder / "tb.html")
        self.seek(page, 1)
        page.hover("#threadblocks canvas", 0.16, 0.3)
        self.assertRegex(page.text("#tip"), r"gpu \d threadblock 0 step \d+: .*done at [0-9.]+ .s")
        page.js("scrollTo(0, 0)")
        self.check_layout(page)
        page.screenshot("ten-threadblocks-in-time")

    def test_switches_hold_nothing_and_links_are_busy_while_they_send(self):
        ring = TESTDATA / "msccl/okay-ring8.xml"
        network = "switch:8,bw=50GB/s,lat=500ns"
        self.shell(f"et-graph --view ten -n {network} --size 1MiB {ring} -o switch.html && "
                   f"et-convert -q -f msccl,size=1MiB {ring} | et-replay -q -n {network} --show links --format json > switch.json")
        page = self.open(self.folder / "switch.html")
        self.assertEqual(page.data("#findings", "verdict"), ["proved"])
        self.assertEqual(harness.ending(page.path)[1], 0)
        replay = json.loads((self.folder / "switch.json").read_text())
        self.assertAlmostEqual(self.kpi(page, "total") / 1e3, replay["total_ns"], places=6)
        busy = sum(link["busy_ns"] for link in replay["links"]) / len(replay["links"]) / replay["total_ns"]
        self.assertAlmostEqual(self.kpi(page, "busy"), busy, places=4)
        self.assertLess(busy, 1)
        self.assertIn("Links busy", page.text("[data-kpi=busy]"))
        self.assertIn("1 switch · cut-through at switches", page.text("header .sub"))
        self.assertEqual(self.kpi(page, "reductions"), 56)
        _, columns = harness.page_data(page.path)
        self.assertLess(max(columns["change_npu"]), 8)
        self.assertIn(8, columns["dst"])
        # The rows of NPUs fill the matrix: the last one is NPU 7's.
        page.hover("#matrix canvas", 0.5, 0.98)
        self.assertIn("NPU 7", page.text("#tip"))

    def test_latency_keeps_no_link_busy(self):
        self.shell("et-generate all_reduce --algorithm ring --npus 4 --size 4KiB --chunks 16 -o slow && "
                   "et-graph --view ten -n ring:4,bw=50GB/s,lat=50us slow -o slow.html")
        page = self.open(self.folder / "slow.html")
        self.assertLess(self.kpi(page, "busy"), 0.01)

    def test_schedules_that_need_stored_messages_say_so(self):
        self.shell("et-generate -q all_gather --algorithm synthesized -n switch:4,bw=50GB/s,lat=500ns --size 1MiB --effort fast "
                   "-o stored.ten.json && et-graph stored.ten.json -o stored.html 2> stored.txt")
        self.assertIn("requires store-and-forward switches", (self.folder / "stored.txt").read_text())
        page = self.open(self.folder / "stored.html")
        self.assertIn("requires store-and-forward", page.text("#findings"))
        self.assertEqual((page.data("#findings", "verdict"), harness.ending(page.path)[1]), (["proved"], 0))

    def test_sets_of_chunks(self):
        self.shell("et-generate all_reduce --algorithm hierarchical --npus 8 --dims 2x4 --size 1MiB -o hier && et-graph "
                   "--view ten -n fully_connected:8,bw=50GB/s,lat=500ns hier -o hier.html")
        page = self.open(self.folder / "hier.html")
        self.assertEqual((page.data("#findings", "verdict"), harness.ending(page.path)[1]), (["proved"], 0))
        page.keys("]")
        self.assertTrue(any("–" in t for t in page.texts("#journey tbody td:last-child")))
        page.screenshot("ten-hier8")

    def test_races_are_red(self):
        self.shell("et-graph race.xml -o race.html")
        page = self.open(self.folder / "race.html")
        self.assertGreater(int(page.data("#findings", "errors")[0]), 0)
        self.assertIn("[races]", page.text("#findings"))
        self.check_layout(page)
        page.hover("#threadblocks canvas", 0.12, 0.6)
        self.assertIn("races:", page.text("#tip"))
        page.js("scrollTo(0, 0)")
        page.screenshot("ten-race")

    def test_deadlocks_are_red(self):
        self.shell("et-graph deadlock.xml -o deadlock.html")
        page = self.open(self.folder / "deadlock.html")
        self.assertIn("[deadlock]", page.text("#findings"))
        self.assertEqual((page.data("#findings", "verdict"), harness.ending(page.path)[1]), (["refuted"], 2))
        page.hover("#threadblocks canvas", 0.12, 0.6)
        self.assertIn("never runs", page.text("#tip"))
        self.assertEqual(page.text("h1"), "deadlock")
        page.js("scrollTo(0, 0)")
        page.screenshot("ten-deadlock")

    def test_full_connections_are_red(self):
        self.shell(f"et-graph '{TESTDATA}/msccl/bad-fifo.xml' -o fifo.html")
        page = self.open(self.folder / "fifo.html")
        self.assertIn("[fifo]", page.text("#findings"))
        self.assertIn("red frame: finding", page.text("#threadblocks .legend"))
        self.assertEqual(harness.ending(page.path)[1], 0)
        self.assertEqual(page.data("#findings", "rule"), ["fifo"])

    def test_wrong_schedules_are_told(self):
        self.ring()
        text = (self.folder / "ring8.csv").read_text().splitlines()
        broken = [line for line in text if not line.startswith("60,")]
        (self.folder / "broken.csv").write_text("\n".join(broken) + "\n")
        self.shell("et-graph broken.csv -o broken.html 2>&1")
        page = self.open(self.folder / "broken.html")
        self.assertEqual(page.data("#findings", "verdict"), ["refuted"])
        self.assertGreater(harness.ending(page.path)[1], 0)
        self.assertIn("[R", page.text("#findings"))
        twice = [line if not line.startswith("60,") else line.replace("copy", "reduce") for line in text]
        (self.folder / "twice.csv").write_text("\n".join(twice) + "\n")
        self.shell("et-graph twice.csv -o twice.html 2>&1")
        self.assertEqual(self.open(self.folder / "twice.html").data("#findings", "verdict"), ["refuted"])
        self.assertGreater(harness.ending(self.folder / "twice.html")[1], 0)

    def test_hostile_names(self):
        csv = ("#ten-schedule,1\n#name,</script><script>alert(1)</script>\u202e\"\n#collective,custom\n#npu_count,1\n"
               "#chunk_size_bytes,1\n#chunk,9007199254740993,0,0\nid,src,dst,chunk,start_us,end_us,op\n")
        (self.folder / "odd.csv").write_text(csv)
        self.shell("et-graph odd.csv -o odd.html")
        page = self.open(self.folder / "odd.html")
        self.assertEqual(self.kpi(page, "total"), 0)
        page.keys("ArrowRight", "]", " ", "End")
        self.check_layout(page)
        (self.folder / "none.csv").write_text("#ten-schedule,1\n#collective,custom\n#npu_count,2\n#chunk,0,0,\n"
                                              "id,src,dst,chunk,start_us,end_us,op\n")
        self.shell("et-graph none.csv -o none.html")
        page = self.open(self.folder / "none.html")
        page.keys("]", "[", " ", "ArrowLeft")
        self.assertIn("Not proved: the required result of a collective of type custom", page.text("#findings"))

    def test_without_a_chunk_to_follow_there_is_no_journey(self):
        page = self.ring()
        shown = "return document.querySelector('#journey').offsetHeight > 0"
        self.assertFalse(page.js(shown))
        page.keys("]")
        self.assertTrue(page.js(shown))
        # Each transfer carries one chunk here, so there is no column for other chunks.
        self.assertEqual(page.texts("#journey th"), ["begin", "end", "from", "to", "operation", "then has"])

    def test_paper_says_when(self):
        page = self.ring()
        self.seek(page, 0.452)
        page.keys("]")
        page.cdp("Emulation.setEmulatedMedia", media="print")
        visible = "return document.querySelector(arguments[0]).offsetHeight > 0"
        for panel in ("map", "matrix"):
            self.assertTrue(page.js(visible, f"#{panel} .print-only"))
            self.assertEqual(page.text(f"#{panel} .print-only"), "at 19.76 µs, chunk 0 · ")
        self.assertFalse(page.js(visible, "#transport"))
        self.assertEqual(page.box("#map")[1], page.box("#matrix")[1], "side by side")
        page.cdp("Emulation.setEmulatedMedia", media="")

    # --- appearance

    def test_looks(self):
        for dark in (False, True):
            page = self.ring(dark=dark)
            self.seek(page, 0.452)
            self.check_layout(page)
            self.assertTrue(all(n >= 3 for n in page.colors()), page.colors())
            page.screenshot(f"ten-ring8-{'dark' if dark else 'light'}")
        page = self.ring(width=480)
        self.check_layout(page)
        page.screenshot("ten-ring8-narrow")
        page = self.ring()
        self.seek(page, 0.452)
        page.keys("]")
        self.check_print(page, "ten-ring8")

    def test_program_looks(self):
        self.shell("et-generate all_reduce --algorithm ring --npus 8 --size 1MiB -o r8 && et-convert r8 -o r8.xml && "
                   "et-graph r8.xml -o r8.html")
        for name, how in (("light", {}), ("dark", {"dark": True}), ("narrow", {"width": 480})):
            page = self.open(self.folder / "r8.html", **how)
            self.seek(page, 0.5)
            self.check_layout(page)
            page.screenshot(f"ten-program-{name}")
        self.check_print(page)

    # --- limits, and reduced motion

    def test_the_shell_is_small(self):
        self.ring()
        text = (self.folder / "ring8.html").read_text(encoding="utf-8")
        data = re.search(r'id="data"[^>]*>([^<]*)<', text)[1]
        self.assertLess(len(text.encode()) - len(data), 150_000)

    def test_play_steps_where_motion_is_reduced(self):
        page = self.ring()
        page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        _, columns = harness.page_data(self.folder / "ring8.html")
        begins = {*columns["begin"], max(columns["end"])}
        page.keys("Home", " ")
        for _ in range(100):
            page.settle()
            self.assertIn(self.time(page), begins)
            if self.time(page) > 0:
                break
        self.assertGreater(self.time(page), 0)

    # --- large schedules

    def test_many_npus_are_grouped(self):
        (self.folder / "wide.csv").write_text(wide_schedule(32))
        self.shell("et-graph wide.csv -o wide.html 2>&1")
        page = self.open(self.folder / "wide.html")
        self.assertEqual((page.data("#findings", "verdict"), harness.ending(page.path)[1]), (["not proved"], 0))
        self.assertIn("32 × 32 grid", page.text("#map .note"))
        self.assertIn("32 NPUs each, by the highest dimensions of 32 × 32", page.text("#time .note"))
        self.assertLess(page.cpu_ms, 1500)
        self.seek(page, 0.5)
        self.check_layout(page)
        page.screenshot("ten-wide1024")
        self.shell("et-graph --show-chunks 64,128 wide.csv -o few.html 2>&1")
        head, columns = harness.page_data(self.folder / "few.html")
        self.assertEqual(columns["chunk_id"], [64, 128])
        self.assertEqual(head["left_out"], 14 * (31 + 32 * 31))


if __name__ == "__main__":
    harness.main()
