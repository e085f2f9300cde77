# SPDX-License-Identifier: MIT
"""Mutated files and their readers: samples of every format that etkit reads, and the command lines for each."""
import dataclasses
import gzip
import io
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile


@dataclasses.dataclass
class Sample:
    """Files of a folder; a mutant may replace `targets`."""
    files: dict
    targets: list
    input: str
    npus: int = 2
    inner: str = ""  # of a compressed file: the kind of data mutated before compression


@dataclasses.dataclass
class Format:
    kind: str  # possible mutations, see mutations.BY_KIND; "argument": a word of the sample's input itself
    samples: list
    commands: list  # beginning with the tool; filled() replaces the names in braces


def filled(command, sample):
    """A command line for a sample: its input {in}, and options for its number of NPUs."""
    n = sample.npus
    alone = "--compute recorded --comm recorded"  # no network has one NPU
    if n == 1 and re.search(r"\{(net|ideal)\} --(network|system|compat|set|until|issue|collective)", command):
        command = "et-replay {net} {in}"
    return command.format(**{
        "in": sample.input, "n": n, "w": f"w{n}" if n in WORKLOADS else "w", "node": "1" if n == 1 else "0:1",
        "net": alone if n == 1 else f"--size 1MiB -n ring:{n},bw=50GB/s,lat=500ns",
        "ideal": alone if n == 1 else "--size 1MiB -n ideal",
        "split": "--default-npu 0" if n == 1 else f"--ranks 0-{n - 2}"}).split()


# ---- command lines --------------------------------------------------------------------------------------------------

CONVERT = ["et-convert {in} -o out", "et-convert {in} -o out.tar", "et-convert {in} -o out.tar.zst", "et-convert {in}",
           "et-convert {in} -t json -o out.json", "et-convert {in} -o out.jsonl.gz", "et-convert {in} -t jsonl",
           "et-convert {in} -t dot", "et-convert {in} -o out.graphml"]
ALGORITHM = ["et-convert {in} -t msccl -o out.xml", "et-convert {in} -o out.ten.json", "et-convert {in} -o out.ten.csv",
             "et-validate --dataflow {in}", "et-validate --dataflow --collective all_reduce {in}",
             "et-replay {net} {in}",
             "et-replay {net} -t ten {in} -o run.ten.json",
             "et-merge -w {w} -a all={in} --misfits warn -o merged", "et-merge -w {w} -a all_reduce={in} -o merged",
             "et-replay {net} -a all_reduce={in} {w}"]
TRACE = CONVERT + [
    "et-validate {in}", "et-validate --quick {in}", "et-validate --format json {in}", "et-validate --format jsonl -q {in}",
    "et-validate --fix {in} -o fixed", "et-validate --pass {in}", "et-validate --dataflow {in}",
    "et-merge {in} {in} -o both", "et-merge {in} -a all_reduce=rabenseifner -a all_gather=direct "
    "-a all_to_all=pairwise -a broadcast=chain --misfits warn -o merged", "et-merge {in} -a all_reduce=ring,chunks=2 -o merged",
    "et-split {split} {in} -o part", "et-split {split} --cross drop {in} -o part", "et-split --join {in} -o joined.et",
    "et-split --ranks 0 --cross drop {in} -o part", "et-split --collapse {in} -o folded",
    "et-anonymize {in} -o hidden", "et-anonymize --sizes pow2 --k 2 --merge-chains --jitter 5% --permute-ranks {in} -o hidden --report report.json",
    "et-graph -t dot {in} -o out.dot", "et-graph -t graphml {in} -o out.graphml", "et-graph -t dot --around {node} {in}",
    "et-replay {net} {in}", "et-replay {net} --model unaware --show collectives {in}",
    "et-replay {net} --model aware --format json {in}",
    "et-replay {net} --model links --occupancy alpha-beta --forwarding store --show links {in}",
    "et-replay {net} --compat astra --format astra {in}",
    "et-replay {net} --system system.json {in} --format csv", "et-replay {ideal} --explain end {in}",
    "et-replay {ideal} --timeline run.json {in} -o table.txt", "et-replay {ideal} --until 5us --no-symmetry {in}",
    "et-replay --compute recorded --comm recorded {in}",
    "et-replay {ideal} --issue unlimited --slow 0=1.5x {in}",
    "et-replay {net} --sweep latency=1us,2us {in}"]
ONE_RANK = ["et-convert {in} -t linked -o out.json", "et-convert {in} -f pytorch,compat=chakra -o out.et"]
RUN = ["et-report {in}", "et-report {in} -o out.html", "et-stats {in}", "et-timeline {in} -o out.pftrace", "et-timeline {in} -o out.json", "et-convert {in} -o out.run",
       "et-timeline -t perfetto,min=1us,counters=none {in}", "et-timeline -t chrome,window=1us..5us,ranks=0 {in}"]
LINK = ["et-link {in} -o linked", "et-link {in} -t jsonl", "et-link {in} -o linked --report report.json --list-unmatched",
        "et-link {in} --relax --reduce --data-deps -o linked", "et-link {in} --gaps drop --metadata-nodes keep -t json",
        "et-link {in} --compat chakra -o linked", "et-link {in} --mismatched --check off --unmatched keep -o linked",
        "et-link {in} --mismatched --check warn --ranks 0 -o linked"]
CONFIGURED = "et-replay -q -n ring:4,bw=50GB/s,lat=500ns "
WORKLOADS = (2, 3, 8)  # NPUs of w2, w3 and w8; w has 4
FILE_TIME_NS = 10**18  # time of every file before a run; journals distinguish files by time
MAX_SAMPLE = 40_000  # bytes; larger files take long to mutate and to read


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue().rstrip(b"\0") + b"\0" * (512 + 1024 + 512 - len(out.getvalue().rstrip(b"\0")) % 512)


class Maker:
    """Makes samples from the test data, and from files that the tools write."""

    def __init__(self, binaries, testdata, folder):
        self.binaries, self.testdata, self.folder = binaries, pathlib.Path(testdata), pathlib.Path(folder)
        self.environment = {"PATH": f"{binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "ET_JOBS": "1"}

    def call(self, command):
        return subprocess.run(command.split(), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)

    def run(self, command):
        done = self.call(command)
        if done.returncode:
            raise SystemExit(f"{command}: {done.stderr.decode(errors='replace')}")

    def read(self, name):
        return (self.folder / name).read_bytes()

    def of_testdata(self, pattern, rename="x{suffix}", extra=None, **more):
        """A sample for each file of the test data; its name reveals nothing but the format."""
        samples = []
        for path in sorted(self.testdata.glob(pattern)):
            if not path.is_file() or path.stat().st_size > MAX_SAMPLE:
                continue
            suffix = "".join(s for s in path.suffixes if s != ".0")
            name = rename.format(suffix=suffix)
            samples.append(Sample({name: path.read_bytes()} | (extra or {}), [name], name, **more))
        if not samples:
            raise SystemExit(f"no test data {pattern}")
        return samples

    def measure(self, samples):
        """The readable samples, with their number of NPUs."""
        good = []
        for s in samples:
            for n, d in s.files.items():
                (self.folder / n).write_bytes(d)
            done = self.call(f"et-convert -q -t jsonl {s.input}")
            if done.returncode == 0:
                s.npus = max(1, done.stdout.count(b'"metadata"'))
                good.append(s)
        return good

    def set_of(self, command, name, extra=None):
        """The set that a command has written with that prefix."""
        self.run(command)
        files = {p.name: p.read_bytes() for p in sorted(self.folder.glob(name + ".*.et"))}
        groups = self.folder / (name + ".groups.json")
        more = {groups.name: groups.read_bytes()} if groups.exists() else {}
        return Sample(files | more | (extra or {}), list(files), name, len(files))


SYSTEM = (b'{"scheduling-policy": "LIFO", "collective-optimization": "localBWAware", "endpoint-delay": 10,\n'
          b'"active-chunks-per-dimension": 2, "preferred-dataset-splits": 4, "local-mem-bw": 1600.5, "peak-perf": 100,\n'
          b'"roofline-enabled": 1, "trace-enabled": 0, "all-reduce-implementation": ["ring"],\n'
          b'"all-gather-implementation": ["direct3"], "reduce-scatter-implementation": ["oneDirect12"],\n'
          b'"all-to-all-implementation": ["oneHalvingDoubling"], "boost-mode": 1}\n')
CUSTOM_SYSTEM = (b'{"preferred-dataset-splits": 2, "all-reduce-implementation-custom": ["algo.xml"],\n'
                 b'"all-gather-implementation-custom": ["ag"], "per-node-custom-implementation": "map.yml",\n'
                 b'"inter-dimension-scheduling": "themis", "model-shared-bus": 0, "endpoint-delay": 3}\n')
MEMORY = (b'{"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 50,\n'
          b'"num-nodes": 2, "num-npus-per-node": 2}\n')
ASTRA_NETWORK = b"topology: [ Ring, Switch ]  # two\nnpus_count: [ 2, 2 ]\nbandwidth: [ 50.0, 25 ]\nlatency: [ 500.0, 5e2 ]\n"
LINKS = (b"npus: 4\nswitches: [leaf0..1, root]\ndefaults: {bandwidth: 50GB/s, latency: 500ns}\nlinks:\n"
         b"  - {between: [0..1, leaf0]}\n  - between: [[2, npu3], leaf1]\n    latency: 1.5us\n"
         b"  - {from: [leaf0, leaf1], to: root, bandwidth: 8Gbit/s}\n  - {from: root, to: leaf0..1}\n")
SWEEP = (b"# what-if\nbase:\n  network: ring:4,bw=50GB/s,lat=500ns\n  model: unaware\nsweep:\n"
         b"  latency: [500ns, x0.5]\n  bandwidth: [25GB/s, x2]\n  model: [unaware, links]\n")
SWEEP_JSON = (b'{"base": {"network": "net.yml", "compat": "astra"},\n'
              b'"sweep": {"bandwidth.0": ["1GB/s", "x3"], "system": "s.json"}}\n')
MAP = (b"rules:\n  - collective: all_gather  # c\n    size: ['>=1KiB', <64MiB]\n    algorithm: ag\n"
       b"  - {name: '*1?', builtin: 'ring,chunks=2', chunks: 4}\n  - {node: 0, pg: 0, algorithm: algo.xml}\n")
NODE_MAP = b"0: algo.xml\n'1': ag\n"
GROUPS = b'{"1": [0, 1], "2": [2, 3], "12": [3, 0]}\n'
TENSORS = b"".join(
    b'{"rank":%d,"metadata":{"version":"0.0.4"}}\n'
    b'{"rank":%d,"id":0,"type":"COMP_NODE","duration_micros":10,"attr":[{"name":"inputs","string_list":{"values":[]}},'
    b'{"name":"outputs","string_list":{"values":["a","1048576"]}}]}\n'
    b'{"rank":%d,"id":1,"type":"COMP_NODE","duration_micros":5,"data_deps":[0],"attr":[{"name":"inputs","string_list":'
    b'{"values":["a","1048576","w","64"]}},{"name":"outputs","string_list":{"values":["b","7"]}}]}\n' % (r, r, r)
    for r in (0, 1))
NPU_MAP = b"0,0\n1,1\n2,1\n3,0\n"


def compressed(samples, suffix, compress, kind):
    """The same samples with their targets compressed after the mutation."""
    out = []
    for s in samples:
        files = {n + suffix if n in s.targets else n: d for n, d in s.files.items()}
        of_one = s.input in s.targets
        out.append(Sample(files, [n + suffix for n in s.targets], s.input + suffix if of_one else s.input, s.npus, kind))
    return out


def small_set(maker):
    """Files beside many samples: a workload of four ranks, algorithms for it, a system."""
    maker.run("et-generate collectives --npus 4 --call all_reduce:64KiB,all_gather:16KiB --count 2 -o w")
    for n in WORKLOADS:
        maker.run(f"et-generate collectives --npus {n} --call all_reduce:64KiB,all_gather:16KiB -o w{n}")
    maker.run("et-generate all_reduce --npus 4 -t msccl -o algo.xml")
    maker.run("et-generate all_gather --npus 4 --size 64KiB -o ag")
    maker.run("et-generate layers --npus 2 --layers 2 -o two")
    return {p.name: p.read_bytes() for p in sorted(maker.folder.iterdir())}


def chakra_samples(maker, beside):
    system = {"system.json": SYSTEM} | {n: d for n, d in beside.items() if n[0] == "w"}
    made = [
        maker.set_of("et-generate layers --npus 4 --layers 2 --iterations 2 -o layers", "layers", system),
        maker.set_of("et-generate random --npus 4 --count 24 -o random", "random", system),
        maker.set_of("et-generate send_ring --npus 3 --count 4 -o send", "send", system),
        maker.set_of("et-generate node:metadata --npus 1 -o kinds.0.et", "kinds", system),
        maker.set_of("et-generate node:mem_load --npus 2 -o load", "load", system),
        maker.set_of(f"et-convert {maker.testdata}/jsonl/okay-groups4.jsonl -o groups", "groups", system),
        maker.set_of(f"et-convert {maker.testdata}/jsonl/okay-uneven2.jsonl -o uneven", "uneven", system),
        maker.set_of(f"et-convert {maker.testdata}/jsonl/okay-unusual2.jsonl -o unusual", "unusual", system),
        maker.set_of(f"et-convert {maker.testdata}/jsonl/okay-system2.jsonl -o system.0.et", "system", system),
        maker.set_of(f"et-link --host {maker.testdata}/pytorch/link-host.%r.json "
                     f"--device {maker.testdata}/pytorch/link-kineto.%r.json -o pytorch", "pytorch", system),
        maker.set_of("et-merge two -a all_reduce=ring -o rings", "rings", system),
        maker.set_of("et-split --join two -o whole.0.et", "whole", system)]
    algorithms = [
        maker.set_of("et-generate all_reduce --npus 4 -o ring", "ring", system),
        maker.set_of("et-generate all_reduce --npus 4 --algorithm rabenseifner --size 1MiB -o sized", "sized", system),
        maker.set_of(f"et-convert {maker.testdata}/msccl/okay-alltoall4.xml -o a2a", "a2a", system),
        maker.set_of(f"et-convert {maker.testdata}/ten/okay-star3.ten.csv -o star", "star", system)]
    return made, algorithms


def chrome_samples(maker):
    """A replay as Chrome trace."""
    maker.run("et-replay -q -n ring:4,bw=50GB/s,lat=500ns w --timeline replay.json -o table.txt")
    return [Sample({"x.json": maker.read("replay.json")}, ["x.json"], "x.json", 4)]


def run_samples(maker):
    """Runs of replays: with collectives and links over time, and one that stops forever."""
    maker.run("et-replay -q -n ring:4,bw=50GB/s,lat=500ns --slow 1=2x w -o whole.run")
    maker.run("et-replay -q -n ideal w -o ideal.run")
    return [Sample({"x.run": maker.read(name)}, ["x.run"], "x.run", 4) for name in ("whole.run", "ideal.run")]


def corpus_files(corpus, patterns, limit=MAX_SAMPLE, count=40):
    """Small files of the corpus: at most `count` for each pattern, distributed evenly."""
    found = []
    for pattern in patterns if corpus else []:
        paths = sorted(p for p in pathlib.Path(corpus).glob(pattern) if p.is_file() and 0 < p.stat().st_size < limit)
        found += paths[::max(1, len(paths) // count)][:count]
    return found


def all_formats(binaries, testdata, corpus=None):
    """{name: Format}, the same for the same tools and test data."""
    with tempfile.TemporaryDirectory(prefix="etkit-samples-") as folder:
        return formats_in(Maker(binaries, testdata, folder), corpus)


def formats_in(maker, corpus):
    beside = small_set(maker)
    workload = {n: d for n, d in beside.items() if n[0] == "w"}
    around = {"system.json": SYSTEM} | workload
    traces, algorithms = chakra_samples(maker, beside)
    both = traces + algorithms

    def testdata(pattern, **more):
        return maker.measure(maker.of_testdata(pattern, extra=around, **more))

    def of_corpus(*patterns, **more):
        samples = []
        for path in corpus_files(corpus, patterns):
            name = "x" + "".join(s for s in path.suffixes if s[1:].isalpha())
            samples.append(Sample({name: path.read_bytes()} | around, [name], name, **more))
        return maker.measure(samples)

    def as_files(form, samples, kind=""):
        """Each set as one file in that form."""
        out = []
        for i, s in enumerate(samples):
            for n, d in s.files.items():
                (maker.folder / n).write_bytes(d)
            maker.run(f"et-convert {s.input} -o as{i}{form}")
            out.append(Sample({"x" + form: maker.read(f"as{i}{form}")} | around, ["x" + form], "x" + form, s.npus, kind))
        return out

    tars = [Sample({"x.tar": tar_of({n: d for n, d in s.files.items() if n.startswith(s.input + ".")})} | around,
                   ["x.tar"], "x.tar", s.npus) for s in both]
    link = maker.testdata / "pytorch"
    pair = {n: (link / n).read_bytes() for n in ("link-host.0.json", "link-host.1.json", "link-kineto.0.json",
                                                  "link-kineto.1.json")}
    pairs = [Sample(pair, list(pair), "--host link-host.%r.json --device link-kineto.%r.json"),
             Sample(pair, ["link-host.0.json", "link-kineto.0.json"],
                    "--host link-host.0.json --device link-kineto.0.json", 1),
             Sample(pair, ["link-host.1.json"], "--host link-host.1.json", 1)]
    for path in sorted((maker.testdata / "kineto").glob("okay-*.json")):
        files = pair | {"k.json": path.read_bytes()}
        pairs.append(Sample(files, ["k.json"], "--mismatched --host link-host.0.json --device k.json", 1))
    linked = [Sample({"link-host.0.json": pair["link-host.0.json"]}, ["link-host.0.json"], "link-host.0.json", 1)]
    stock = (maker.testdata / "flexflow/okay-stock.dot").read_bytes()
    maps = [Sample({"x.dot": stock, "d" + s: (maker.testdata / f"flexflow/okay-devices{s}").read_bytes()}, ["d" + s, "x.dot"],
                   f"-f flexflow,devices=d{s} x.dot") for s in (".csv", ".json")]
    feeder = {f"x.{r}.json": (maker.testdata / f"feeder-json/okay-pair.{r}.json").read_bytes() for r in (0, 1)}
    param = {f"{r}.json": (maker.testdata / f"param/okay-step/{r}.json").read_bytes() for r in (0, 1)}
    odd = {"0.json": (maker.testdata / "param/okay-odd/0.json").read_bytes()}
    maker.run("et-convert -t json w.0.et -o one.json")
    run_set = {n: d for n, d in beside.items() if n[:2] in ("w.", "ag") or n == "algo.xml"}
    configured = run_set | {"s.json": SYSTEM, "map.yml": NODE_MAP, "net.yml": ASTRA_NETWORK}
    (maker.folder / "sweep.yml").write_bytes(SWEEP)
    maker.run("et-replay --sweep sweep.yml w -o table.csv")
    journal_name, journal = made_journal(run_set["w.1.et"])

    def config(name, *contents, extra=None):
        return [Sample(configured | (extra or {}) | {name: c}, [name], name, 4) for c in contents]

    msccl = testdata("msccl/*.xml", npus=4)
    for kind, options in (("all_to_all", "--algorithm pairwise"), ("broadcast", "--chunks 2"), ("all_reduce", "--dims 2x2 "
                          "--algorithm hierarchical"), ("reduce", "--algorithm double_binary_tree")):
        maker.run(f"et-generate {kind} {options} --npus 4 -t msccl -o made.xml --force")
        msccl.append(Sample({"x.xml": maker.read("made.xml")} | around, ["x.xml"], "x.xml", 4))
    formats = {
        "chakra": Format("proto", both, TRACE),
        "chakra-algorithm": Format("proto", algorithms, ALGORITHM),
        "chakra.gz": Format("binary", compressed(both, ".gz", gzip.compress, "proto"), TRACE),
        "chakra.zst": Format("binary", as_files(".tar.zst", both), CONVERT[:4] + ["et-validate {in}", "et-replay {net} {in}"]),
        "tar": Format("tar", tars, TRACE),
        "groups": Format("json", [Sample(s.files, [s.input + ".groups.json"], s.input, s.npus) for s in both
                                  if s.input + ".groups.json" in s.files] +
                         [Sample(around | {"w.groups.json": GROUPS}, ["w.groups.json"], "w", 4)], TRACE),
        "json": Format("json", as_files(".json", both), TRACE + ALGORITHM),
        "jsonl": Format("jsonl", as_files(".jsonl", both) + testdata("jsonl/*.jsonl"), TRACE + ALGORITHM),
        "feeder-json": Format("json", [Sample(feeder | around, list(feeder), "x.0.json x.1.json")],
                              [c for c in TRACE if "et-merge {in} {in}" not in c and "--sweep" not in c]),
        "param": Format("json", [Sample(param | around, list(param), "0.json 1.json"), Sample(odd | around, ["0.json"], "0.json", 1)],
                        [c for c in TRACE if "et-merge {in} {in}" not in c and "--sweep" not in c] +
                        ["et-convert -t param {in} -o out", "et-convert -t param,compute=gemm {in} -o out"]),
        "msccl": Format("xml", msccl + of_corpus("msccl/published/**/*.xml", "msccl/generated/*.xml", "msccl/broken/**/*.xml",
                                                 npus=8),
                        TRACE + ALGORITHM + ["et-convert -f msccl,size=1MiB {in} -o out"]),
        "ten.json": Format("json", testdata("ten/*.ten.json", npus=3) + of_corpus("ten/**/*.ten.json", npus=4),
                           TRACE + ALGORITHM + ["et-convert --repair {in} -o out.ten.csv"]),
        "ten.csv": Format("text", testdata("ten/*.ten.csv", npus=3) + of_corpus("ten/**/*.ten.csv", npus=4),
                          TRACE + ALGORITHM + ["et-convert --repair {in} -o out.ten.json",
                                               "et-convert -f ten,elem_bytes=2 {in} -o out"]),
        "tacos.csv": Format("text", testdata("ten/okay-[tb]*.csv", npus=3) + of_corpus("ten/foreign/**/*.csv", npus=4),
                            TRACE + ALGORITHM),
        "teccl.json": Format("json", maker.of_testdata("ten/okay-teccl*.json", extra=around, npus=3) + of_corpus("ten/foreign/teccl*/*.json", npus=4),
                             ALGORITHM + ["et-convert -f ten,chunk_size=1MiB {in} -o out",
                                          "et-validate -f ten,chunk_size=1MiB {in}"]),
        "pytorch": Format("json", testdata("pytorch/okay-*.json", npus=1) + linked,
                          TRACE + ONE_RANK),
        "kineto": Format("json", testdata("kineto/okay-*.json", npus=1), TRACE),
        "chrome": Format("json", maker.of_testdata("chrome/okay-*.json") + chrome_samples(maker), RUN),
        "run": Format("binary", run_samples(maker), RUN),
        "astra-log": Format("text", maker.of_testdata("astra-log/okay-*"), RUN),
        "pytorch+kineto": Format("json", pairs, LINK),
        "flexflow": Format("text", testdata("flexflow/okay-c*.dot") + of_corpus("flexflow/**/*.dot"),
                           TRACE + ["et-convert -f flexflow,single=yes {in} -o out.et",
                                    "et-convert -f flexflow,cross=message {in} -o out"]),
        "flexflow-devices": Format("text", maps, CONVERT[:5] + ["et-validate {in}", "et-split --default-npu 0 {in} -o part"]),
        "astra-text": Format("text", maker.of_testdata("astra-text/okay-*.txt", extra=around),
                             [c.replace("{in}", "-f astra-text,npus=2,passes=2 {in}") for c in TRACE
                              if "et-merge {in} {in}" not in c]),
        "network": Format("text", config("n.yml", ASTRA_NETWORK, LINKS, b"topology: [ FullyConnected ]\nnpus_count: [ 4 ]\n"
                                         b"bandwidth: [ 1 ]\nlatency: [ 0 ]\n",
                                         *(p.read_bytes() for p in sorted((maker.testdata / "networks").glob("*_*.*")))),
                          [f"et-replay -q -n {{in}} --model {m} {o} w" for m in ("unaware", "aware", "links")
                           for o in ("", "--compat astra --system s.json", "--show links") if (m, o[:6]) != ("unaware", "--show")] +
                          ["et-replay -q -n {in} --fail 0-1 w", "et-replay -q -n {in} --print-network"]),
        "machine": Format("text", config("m.yml", *(re.sub(rb"tables: .*\n", b"", p.read_bytes())
                                                    for p in sorted((maker.testdata / "machines").glob("*.yml")))),
                          ["et-replay -q -n {in} w", "et-replay -q -n {in},nodes=2,port=1GB/s --show collectives w",
                           "et-replay -q -n {in},nodes=1 --model links w"]),
        "benchmark": Format("text", maker.of_testdata("benchmarks/okay-*"),
                            ["et-calibrate -q -m dgx-h100 --test {in}", "et-calibrate -q --force -m dgx-h100 -o out.yml {in}",
                             "et-calibrate -q -m dgx-h100 --test {in},collective=all_reduce,ranks=8,overhead=fit",
                             "et-bench -q -n dgx-h100 --against {in}"]),
        "system": Format("json", config("x.json", SYSTEM, CUSTOM_SYSTEM),
                         [CONFIGURED + "--system {in} w", CONFIGURED + "--compat astra --system {in} w",
                          "et-replay -q --workload-configuration w --system-configuration {in} --network-configuration net.yml",
                          "et-replay -q -n net.yml --model aware --compat astra --system {in} w --format json"]),
        "memory": Format("json", config("x.json", MEMORY),
                         [CONFIGURED + "--memory {in} w", CONFIGURED + "--compat astra --system s.json --memory {in} w",
                          "et-replay -q --workload-configuration w --system-configuration s.json --network-configuration net.yml "
                          "--remote-memory-configuration {in}"]),
        "groups-file": Format("json", config("x.json", GROUPS),
                              [CONFIGURED + "--groups {in} w", "et-replay -q --workload-configuration w --system-configuration "
                               "s.json --network-configuration net.yml --comm-group-configuration {in}"]),
        "tensors": Format("jsonl", [Sample({"x.jsonl": TENSORS}, ["x.jsonl"], "x.jsonl")],
                          ["et-replay -n ideal --track-memory {in}", "et-replay {net} --memory-trace mem {in} -o table.txt",
                           "et-replay {net} --compat astra --track-memory {in} --format json"]),
        "sweep": Format("text", config("x.yml", SWEEP, SWEEP_JSON),
                        ["et-replay -q --sweep {in} w", "et-replay -q --sweep {in} w -o out.csv --plot out.svg"]),
        "sweep-table": Format("text", config("x.csv", maker.read("table.csv"), extra={"sweep.yml": SWEEP}),
                              ["et-replay -q --sweep sweep.yml w -o {in}"]),
        "merge-map": Format("text", config("x.yml", MAP, NODE_MAP),
                            ["et-merge w --map {in} -o merged", "et-merge w --map {in} --misfits warn --chunks 2 -o merged",
                             CONFIGURED + "--system custom.json w"]),
        "split-map": Format("text", [Sample({"x.csv": NPU_MAP, "one.json": maker.read("one.json")}, ["x.csv"], "x.csv"),
                                     Sample({"x.json": b'{"0": 1, "*all*": 0}', "one.json": maker.read("one.json")},
                                            ["x.json"], "x.json")],
                            ["et-split --split-by map:{in} one.json -o part", "et-split --split-by map:{in} --default-npu 1 one.json"]),
        "journal": Format("text", [Sample(run_set | {journal_name: journal, ".w.0.et.etkit-AAAAAA": run_set["w.1.et"]},
                                          [journal_name], "w", 4)],
                          ["et-validate {in}", "et-convert {in} -o out", "et-convert -q ag -o {in} --force"]),
    }
    def argument(values, commands):
        return Format("argument", [Sample(run_set, [], v, 4) for v in values], commands)

    formats |= {
        "option: network": argument(("ring:4,bw=50GB/s,lat=500ns", "torus:2x2,bw=1GB/s|2GB/s,lat=1us", "tree:2x2,bw=4GB/s|1GB/s",
                                     "switch:2,bw=600GB/s+ring:2,bw=8Gbit/s,lat=3ps", "hypercube:4,bw=1KiB/s", "ideal"),
                                    ["et-replay -q -n {in} w", "et-replay -q -n {in} --model aware w",
                                     "et-replay -q -n {in} --model unaware --compat astra w"]),
        "option: number": argument(("4", "1MiB", "2x2", "5us", "0-3,8", "1.5GB", "0:1,2"),
                                   ["et-generate all_reduce --npus {in} -o made", "et-generate all_reduce --size {in} -o made",
                                    "et-generate all_to_all --algorithm hierarchical --dims {in} -t msccl -o made.xml",
                                    "et-generate broadcast --npus 4 --root {in}", "et-generate chain --compute-time {in} -o made",
                                    "et-split --ranks {in} w -o part", "et-graph -t dot --around {in} w",
                                    "et-replay -q -n ideal --until {in} w", "et-merge w -a all=direct --chunks {in}"]),
        "option: rule": argument(("all_reduce:size>=1KiB=ring,chunks=2", "all_gather:pg=0:name=A*=direct", "all=chain,root=1",
                                  "all_reduce:node=0=hierarchical,dims=2x2,dim-algorithms=ring+direct"),
                                 ["et-merge w -a {in} -o merged", "et-merge w -a {in} --misfits warn -o merged",
                                  CONFIGURED + "-a {in} w"]),
        "option: format": argument(("chakra,set=tar", "msccl,size=1MiB", "json,compress=gz", "ten,form=csv", "jsonl", "dot"),
                                   ["et-convert -t {in} w", "et-convert -f {in} algo.xml -o out", "et-convert algo.xml -t {in}"]),
    }
    for s in formats["merge-map"].samples:
        s.files["custom.json"] = CUSTOM_SYSTEM.replace(b"map.yml", b"x.yml")
    return formats


def made_journal(new_file):
    """The remains of a process that was killed while it replaced one file of the set w, and removed another."""
    return ".w.etkit-replace", (
        b"etkit-replace 1: files that are being replaced together; any etkit tool that is run on them finishes it\n"
        b"replace AAAAAA %d %d w.0.et\nremove BBBBBB w.3.et\nend\n" % (len(new_file), FILE_TIME_NS))
