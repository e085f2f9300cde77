# SPDX-License-Identifier: MIT
"""The graph page of real traces: PyTorch recordings and hierarchical algorithms."""
import os
import pathlib

import harness

SOURCES = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(os.environ.get("ETKIT_CORPUS", SOURCES / "../shared/corpus")).resolve()


class Corpus(harness.PageTest):
    def graph(self, path, *options):
        name = path.name.split(".")[0] + ".html"
        return self.open(self.tool("et-graph", *options, path, "-o", name))

    def main(self, page, name):
        return page.data("main", name)[0]

    def choose(self, page, selector, value):
        page.js("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                "s.dispatchEvent(new Event('change'))", selector, value)
        page.settle()

    def count(self, path, what):
        """Returns the number of a trace's nodes whose line contains a text."""
        return int(self.shell(f"et-convert -q -t jsonl '{path}' | grep -v '^{{\"rank\":[0-9]*,\"metadata\"' | grep -c '{what}'"))

    def test_host_trace_of_gpt2(self):
        path = CORPUS / "pytorch/inputs/host_hf_GPT2_et/host_0.json.gz"
        page = self.graph(path)
        self.assertEqual(self.main(page, "nodes"), str(self.count(path, '"type":')))
        self.assertEqual(self.main(page, "mode"), "nested")
        self.assertLess(page.cpu_ms, 600)
        page.screenshot("graph-gpt2-nested")
        self.choose(page, ".axis-choice", "heavy")
        self.assertLess(int(self.main(page, "boxes")), 2000)
        page.screenshot("graph-gpt2-left-heavy")
        self.choose(page, ".row-choice", "lane")
        self.assertEqual((self.main(page, "axis"), self.main(page, "boxes")), ("wrapped", self.main(page, "nodes")))
        self.assertGreater(int(self.main(page, "rows")), 50)
        self.assertGreaterEqual(page.colors(".canvas canvas")[0], 8)  # families of operators
        page.screenshot("graph-gpt2-folded")
        page.js("const f = document.querySelector('input[type=search]'); f.value = 'aten::addmm';"
                "f.dispatchEvent(new Event('input'))")
        self.assertEqual(self.main(page, "found"), str(self.count(path, '"name":"aten::addmm')))
        self.check_layout(page)

    def test_linked_trace_by_time(self):
        folder = CORPUS / "pytorch/inputs/derived_nccl2rank"
        self.shell(f"et-link -q --host '{folder}/host_0.json.gz' --device '{folder}/kineto_0.json.gz' --rank 0 -o linked.0.et")
        page = self.graph(self.folder / "linked.0.et")
        self.assertEqual((self.main(page, "mode"), self.main(page, "axis")), ("nested", "time"))
        page.js("document.querySelector('details.rows').open = true")
        page.settle()
        rows = page.texts("details.rows tbody td:first-child")
        self.assertEqual(rows, ["NPU 0, thread 0", "NPU 0, thread 1", "NPU 0, thread 2", "NPU 0, stream 7", "NPU 0, stream 40"])
        page.screenshot("graph-linked")

    def test_hierarchical_algorithms(self):
        for path in sorted((CORPUS / "msccl/generated").glob("*hierarchical*.xml")):
            page = self.graph(path, "--view", "graph")
            self.assertEqual(self.main(page, "nodes"), str(self.count(path, '"type":')), path.name)
            self.assertEqual(self.main(page, "messages"), str(self.count(path, '"type":"COMM_SEND_NODE"')), path.name)
            self.assertEqual(self.main(page, "circular"), "0", path.name)
            self.assertGreaterEqual(page.colors(".canvas canvas")[0], 3, path.name)
            self.check_layout(page)


if __name__ == "__main__":
    if CORPUS.is_dir():
        harness.main()
    else:
        print(f"no corpus at {CORPUS}; set ETKIT_CORPUS to its folder")
