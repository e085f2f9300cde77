# SPDX-License-Identifier: MIT
"""The page of a graph."""
import json

import harness


class Graph(harness.PageTest):
    def graph(self, name, *options):
        """Writes the page of a set."""
        return self.tool("et-graph", *options, name, "-o", f"{name}.html")

    def ring(self, npus):
        self.shell(f"et-generate all_reduce --algorithm ring --npus {npus} --size {npus}MiB -o ring{npus}")
        return self.graph(f"ring{npus}")

    def main(self, page, name):
        return page.data("main", name)[0]

    def search(self, page, query):
        page.focus("input[type=search]")
        page.js("const f = document.querySelector('input[type=search]'); f.value = arguments[0];"
                "f.dispatchEvent(new Event('input'))", query)
        page.settle()
        return self.main(page, "found")

    def choose(self, page, selector, value):
        page.js("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                "s.dispatchEvent(new Event('change'))", selector, value)
        page.settle()

    def nodes(self, name):
        """The nodes of a set, as et-convert writes them."""
        lines = self.shell(f"et-convert -t jsonl {name}").decode().splitlines()
        return [{"id": 0, "rank": 0, **n} for n in map(json.loads, lines) if "type" in n]


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
        self.assertEqual(head["ranks"], [[r, len(nodes) // 8] for r in range(8)])

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
                ("peer:2 type:send", lambda n: n["type"] == "COMM_SEND_NODE" and n["rank"] == 1),
                ("class:compute", lambda n: n["type"] == "COMP_NODE"), ("no::such", lambda n: False)]:
            self.assertEqual(self.search(page, query), str(sum(map(is_found, nodes))), query)
        self.assertEqual(self.search(page, ""), "")


if __name__ == "__main__":
    harness.main()
