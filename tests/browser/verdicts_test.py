# SPDX-License-Identifier: MIT
"""The verdict on an algorithm's page equals the verdict of `et-validate --dataflow`, for built-in, synthesized, broken and
modified algorithms, in steps and replayed on networks. Every tenth case is tested, or all with ETKIT_ALL_VERDICTS=1."""
import json
import os
import pathlib
import random
import re
import subprocess

import harness

SOURCES = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(os.environ.get("ETKIT_CORPUS", SOURCES / "../shared/corpus")).resolve()
ALL = os.environ.get("ETKIT_ALL_VERDICTS") == "1"
STRIDE = 1 if ALL else 10
RATE = "bw=50GB/s,lat=500ns"
NETWORKS = ("ring", "switch", "torus", "three")
CONSISTENT = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter")


def three_switches(npus):
    """Returns a network of NPUs at three switches that form a chain."""
    link = "  - {{between: [{}, {}], bandwidth: 50GB/s, latency: 500ns}}\n".format
    return f"npus: {npus}\nswitches: 3\nlinks:\n" + "".join(
        link(n, f"switch{n * 3 // npus}") for n in range(npus)) + link("switch0", "switch1") + link("switch1", "switch2")


def changed(text, seed):
    """Returns a program with one change, such as a person could make by mistake."""
    rng = random.Random(seed)
    steps = list(re.finditer(r"<step [^>]*/>", text))
    step = rng.choice(steps)
    kind = rng.randrange(6)
    if kind == 0:  # a step is lost
        return text[:step.start()] + text[step.end():]
    if kind == 1:  # a reduction becomes a copy, or a copy becomes a reduction
        swap = {"rrc": "r", "r": "rrc", "rrcs": "rcs", "rcs": "rrcs", "s": "nop", "cpy": "re", "re": "cpy"}
        kind_of = re.search(r'type="(\w+)"', step[0])[1]
        new = step[0].replace(f'type="{kind_of}"', f'type="{swap.get(kind_of, "nop")}"')
    elif kind in (2, 3):  # a wrong offset
        name = ("srcoff", "dstoff")[kind - 2]
        old = int(re.search(rf'{name}="(-?\d+)"', step[0])[1])
        new = step[0].replace(f'{name}="{old}"', f'{name}="{max(0, old + rng.choice((-1, 1)))}"')
    elif kind == 4:  # a dependency is lost
        new = re.sub(r'depid="-?\d+" deps="-?\d+"', 'depid="-1" deps="-1"', step[0])
    else:  # two steps are swapped
        other = rng.choice(steps)
        if other.start() < step.start():
            step, other = other, step
        body = lambda s: re.sub(r'^<step s="\d+"', "", s[0])
        head = lambda s: re.match(r'<step s="\d+"', s[0])[0]
        if other.start() == step.start():
            return text
        return (text[:step.start()] + head(step) + body(other) + text[step.end():other.start()] + head(other) + body(step) +
                text[other.end():])
    return text[:step.start()] + new + text[step.end():]


class Verdicts(harness.PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for npus in range(2, 17):
            (cls.folder / f"three{npus}.yml").write_text(three_switches(npus))

    def network(self, kind, npus=8):
        """Returns the value of option -n for a network with this number of NPUs."""
        if kind == "three":
            return f"three{npus}.yml"
        shape = f"{npus // 2}x2" if kind == "torus" and npus % 2 == 0 and npus > 2 else npus
        return f"{'ring' if kind == 'torus' and shape == npus else kind}:{shape},{RATE}"

    def run_tool(self, *command):
        return subprocess.run([harness.options.bin + "/" + command[0], *map(str, command[1:])], cwd=self.folder,
                              capture_output=True, text=True, errors="replace", timeout=300)

    def validated(self, path):
        """Returns the outcome of et-validate, and the rule and message of its first error."""
        done = self.run_tool("et-validate", "--dataflow", "--format", "jsonl", "--max-errors", "0", path)
        errors = [f for f in map(json.loads, done.stdout.splitlines()) if f["severity"] == "error"]
        self.assertEqual(bool(errors), done.returncode == 1, f"{path}: {done.stderr}")
        if not errors:
            return ("not proved" if "is unknown" in done.stderr else "proved"), None, None
        if errors[0]["rule"] == "provenance" and "requires chunk provenance" in errors[0]["message"]:
            return "not proved", None, None
        return "refuted", errors[0]["rule"], errors[0]["message"]

    def check(self, path, network=None):
        """Compares the page of a file with the verdict of et-validate; returns the page's path, or None if there is no page."""
        page = self.folder / "page.html"
        page.unlink(missing_ok=True)
        options = ["-n", network, "--size", "1680KiB"] if network else []
        made = self.run_tool("et-graph", "-q", "--view", "ten", *options, path, "-o", page)
        outcome, rule, message = self.validated(path)
        what = f"{path} on {network}: {made.stderr.strip()}"
        if made.returncode != 0:  # the file cannot be read, or its replay never ends
            self.assertEqual((made.returncode, outcome), (1, "refuted"), what)
            return None
        shown = harness.page_head(page)["verdict"]
        self.assertEqual((shown["outcome"], shown.get("rule")), (outcome, rule), what)
        if outcome == "refuted":
            self.assertEqual(shown["text"], message, what)
        return page

    def check_everywhere(self, paths):
        pages = 0
        for i, path in enumerate(paths):
            npus = re.search(r'ngpus="(\d+)"', path.read_text(errors="replace")) if path.suffix == ".xml" else None
            npus = min(16, max(2, int(npus[1]))) if npus else 8
            for k, network in enumerate([None, *(self.network(kind, npus) for kind in NETWORKS)]):
                if (5 * i + k) % STRIDE == 0:
                    pages += self.check(path, network) is not None
        return pages

    def built(self):
        """Returns the programs of all built-in algorithms, for eight ranks."""
        paths = []
        for line in self.run_tool("et-generate", "--list").stdout.splitlines():
            collective, _, names = line.strip().partition(" ")
            if collective not in CONSISTENT:
                continue
            for name in re.findall(r"[a-z_]+", names):
                path = self.folder / f"{collective}-{name}.xml"
                options = ["--dims", "4x2"] if name == "hierarchical" else ["--npus", "8"]
                made = self.run_tool("et-generate", "-q", collective, "--algorithm", name, *options, "-t", "msccl", "-o", path)
                if made.returncode == 0:
                    paths.append(path)
        return paths

    def test_built_algorithms(self):
        paths = self.built()
        self.assertGreater(len(paths), 20)
        self.assertGreater(self.check_everywhere(paths), len(paths) * 5 / STRIDE * 0.9)
        for path in paths[::STRIDE]:
            self.assertEqual(self.validated(path)[0], "proved", path)

    def test_sets_of_traces(self):
        for path in self.built()[::3 * STRIDE]:
            self.shell(f"rm -f set.*; et-convert -q -f msccl,size=1680KiB {path} -o set")
            for network in (None, *map(self.network, NETWORKS)):
                self.check("set", network)

    def test_synthesized_algorithms(self):
        paths = []
        for k in range(0, 30, 1 if ALL else 5):
            collective, network = CONSISTENT[k % 8], self.network(NETWORKS[k // 8 % 4])
            group = ["--group", "0,2,5"] if k >= 24 else []
            path = self.folder / f"made{k}"
            kind = ("xml", "ten.json", "0.et")[k % 3]
            self.run_tool("et-generate", "-q", collective, "--algorithm", "synthesized", "-n", network, *group, "--size",
                          "1680KiB", "--effort", "fast", "-o", path if kind == "0.et" else f"{path}.{kind}")
            paths.append(path if kind == "0.et" else pathlib.Path(f"{path}.{kind}"))
        present = [p for p in paths if p.exists() or pathlib.Path(f"{p}.0.et").exists()]
        self.assertGreater(len(present), len(paths) // 2)
        for path in present:
            self.assertIsNotNone(self.check(path))
            for network in map(self.network, NETWORKS):
                self.check(path, network)

    def test_changed_algorithms(self):
        paths = []
        programs = [p for p in self.built() if p.stat().st_size < 200_000]
        for k in range(100):
            path = self.folder / f"changed{k}.xml"
            path.write_text(changed(programs[k * 7 % len(programs)].read_text(), k))
            paths.append(path)
        self.assertGreater(self.check_everywhere(paths), 20 / STRIDE)

    def test_broken_algorithms(self):
        paths = [*sorted((SOURCES / "testdata/msccl").glob("*.xml")), *sorted((CORPUS / "msccl/broken").glob("*.xml"))]
        self.check_everywhere(paths)

    def test_what_the_page_says(self):
        ring = SOURCES / "testdata/msccl/okay-ring8.xml"
        page = self.open(self.check(ring, self.network("switch")))
        self.assertEqual(page.data("#findings", "verdict"), ["proved"])
        self.assertEqual(page.text("#findings p"), "Proved: every NPU ends with the result of the all-reduce.")
        self.assertIn("1 switch", page.text("header .sub"))
        self.assertIn("squares: switches", page.text("#map .note"))
        page = self.open(self.check(SOURCES / "testdata/msccl/bad-wrong-chunk.xml"))
        self.assertEqual((page.data("#findings", "verdict"), page.data("#findings", "rule")), (["refuted"], ["postcondition"]))
        self.assertRegex(page.text("#findings p"), r"^Refuted \[postcondition\]: bad-wrong-chunk.xml:\d+")
        text = ring.read_text().replace('coll="allreduce"', 'coll="custom"')
        (self.folder / "own.xml").write_text(text)
        page = self.open(self.check(self.folder / "own.xml"))
        self.assertEqual(page.text("#findings p"),
                         "Not proved: the required result of a collective of type custom is unknown.")


if __name__ == "__main__":
    harness.main()
