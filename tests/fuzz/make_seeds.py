#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the fuzz targets: small files with every part of each format. Usage: make_seeds.py [DIRECTORY]"""
import gzip
import io
import pathlib
import struct
import sys
import tarfile


def varint(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value & 0xFFFFFFFFFFFFFFFF)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(body):
    return varint(len(body)) + body


def attr(name, kind, value):
    """kind: the field number in AttributeProto's oneof; value: its encoded form."""
    return field(1, name) + (field(kind, value) if isinstance(value, (int, str, bytes)) else value[0])


def fixed(number, fmt, value):
    return (varint(number << 3 | (1 if len(struct.pack(fmt, value)) == 8 else 5)) + struct.pack(fmt, value),)


def chakra_seeds():
    metadata = field(1, "0.0.4") + field(2, attr("schema", 29, "1.0"))
    send = (field(1, 1) + field(2, "send") + field(3, 5) + field(7, 12)
            + b"".join(field(10, a) for a in (attr("is_cpu_op", 27, 0), attr("comm_size", 9, 1 << 20),
                                              attr("comm_dst", 7, -1), attr("pg_name", 29, "0"))))
    kinds = field(1, 2) + field(4, b"\x01") + field(5, b"\x01\x01") + field(8, field(1, "[1]") + field(2, "[[2]]"))
    packed = {4: struct.pack("<d", 0.5), 6: struct.pack("<f", 0.5), 20: b"\1\0\0\0", 22: b"\1" + b"\0" * 7,
              24: b"\xff" * 4, 26: b"\xff" * 8}
    for k in range(3, 33):
        if k in (3, 21, 25):
            a = attr("k", k, fixed(k, "<d" if k == 3 else "<Q", 7))
        elif k in (5, 19, 23):
            a = attr("k", k, fixed(k, "<f" if k == 5 else "<I", 7))
        elif k in (29, 31):
            a = attr("k", k, "text")
        elif k % 2:
            a = attr("k", k, 1)
        elif k in (30, 32):
            a = attr("k", k, field(1, "a") + field(1, ""))
        else:
            a = attr("k", k, field(1, packed.get(k, b"\x00\x01\x7f")))
        kinds += field(10, a)
    odd = (field(10, attr("late", 13, 300) + field(2, "doc") + field(40, "unknown")) + field(5, 3) + field(4, 2) + field(5, 1)
           + field(1, 3) + field(1, 4) + b"\x9b\x06\x08\x01\x9c\x06" + field(10, field(1, "unset")) + field(3, 99))
    file = message(metadata) + message(send) + message(kinds)
    return {"empty-metadata": b"\0", "usual": message(metadata) + message(send), "every-kind": file,
            "not-canonical": b"\0" + message(odd), "cut": file[:-5], "huge-length": b"\0" + varint(20_000_000_000) + b"x",
            "nan": b"\0" + message(field(10, attr("n", 3, fixed(3, "<Q", 0x7FF8000000000001)))),
            "latin1": b"\0" + message(field(2, b"caf\xe9"))}


NODE = ('{"id":2,"name":"a \\"b\\"","type":"COMM_SEND_NODE","ctrl_deps":[1],"data_deps":[1,1],"duration_micros":"7",'
        '"inputs":{"values":"[1]","shapes":"","types":""},"outputs":{},"attr":[{"name":"s","sint32_val":-4},'
        '{"name":"d","double_list":{"values":[0.1,-0,1e300,"NaN","NaN:0xfff8000000000001","-Infinity"]}},'
        '{"name":"b","bytes_val":"//79","doc_string":"d","unknown":"iAIF"},{"string_list":{"values":["\\u00e9","x"]}}]}')


def json_seeds():
    one = '{"rank":1,\n "metadata":{"version":"0.0.4"},\n "nodes":[\n  {"id":1,"type":4},\n  ' + NODE + "\n ]}\n"
    return {"one": one, "two": "[\n" + one + ',{"nodes":[],"metadata":{},"rank":0}]', "empty-array": "[]",
            "cut": one[:-9], "deep": '{"nodes":[{"attr":' + "[" * 200}


def jsonl_seeds():
    head = '{"rank":0,"metadata":{"attr":[{"name":"collective","string_val":"all_reduce"}]}}\n'
    return {"one": head + '{"rank":0,"id":1}\n' + NODE + "\n", "two": head + '\n{"metadata":{},"rank":5}\n{"id":1}',
            "cut": head + NODE[:-20]}


def msccl_seeds():
    step = '<step s="{}" type="{}" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>'
    gpus = "".join(f'<gpu id="{g}" i_chunks="1" o_chunks="1" s_chunks="0">'
                   f'<tb id="0" send="{1 - g}" recv="{1 - g}" chan="0">{step.format(0, "s")}{step.format(1, "r")}</tb></gpu>'
                   for g in range(2))
    algo = ('<algo name="a" proto="Simple" nchannels="1" nchunksperloop="1" ngpus="2" coll="allgather" inplace="0" '
            f'outofplace="1" minBytes="0" maxBytes="0">\n{gpus}\n</algo>\n')
    return {"two": algo, "declared": '<?xml version="1.0"?>\n<!-- c -->\n' + algo, "cut": algo[:-30]}


def tar_seeds():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in (("a.0.et", b"\0"), ("a.1.et", b"\0" + message(field(1, 1)))):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    two = out.getvalue()[:512 * 6]
    return {"two": two, "no-end": two[:512 * 4], "cut": two[:512 * 3 + 2], "two-gz": gzip.compress(two, mtime=0)}


def network_seeds():
    return {"ring": "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n",
            "two": "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50, 25 ]\nlatency: [ 5, 10 ]\n",
            "short": "ring:8,bw=50GB/s,lat=500ns", "bad": "topology: { a: [ }",
            "mesh": "mesh:3x2,bw=1GB/s|2GB/s,lat=1ns+hypercube:4,bw=1GB/s", "tree": "tree:2x3,bw=4GB/s|1GB/s",
            "torus": "torus:3x2x2,bw=50GiB/s,lat=1us|2us|3ns",
            "links": "npus: 4\nswitches: [leaf0..1, root]\ndefaults: {bandwidth: 50GB/s, latency: 500ns}\nlinks:\n"
                     "  - {between: [0..1, leaf0]}\n  - between: [[2, npu3], leaf1]\n    latency: 1.5us\n"
                     "  - {from: [leaf0, leaf1], to: root, bandwidth: 8Gbit/s}\n  - {from: root, to: leaf0..1}\n",
            "links_direct": '{"npus": 3, "switches": 0, "links": [{"from": 0, "to": 1, "bandwidth": "1B/s"},\n'
                            '{"from": 1, "to": 2, "bandwidth": "1GB/s"}, {"from": 2, "to": 0, "bandwidth": "1TB/s"}]}',
            "links_apart": "npus: 3\nlinks: [{between: [0, 1], bandwidth: 1GB/s}]\n",
            "links_weights": "npus: 3\nparticipants: [2, 0]\nlinks: [{between: [0, 1..2], bandwidth: 0.1GB/s, weight: 7}]\n",
            "table": "#npus\t2\n#switches\t1\n#participants\t0,1\nfrom\tto\tbandwidth_MBps\tlatency_ns\n"
                     "0\t2\t5e4\t500.25\n2\t0\t5e4\t0\n1\t2\t1\t1\n2\t1\t1\t1\n",
            "ns3": "3 1 2\n2\n0 2 400Gbps 0.0005ms 0\n2 1 1MBps 1us 0.5\nFirst line\n",
            "simai": "4 2 1 1 4 H100 2\n2 3\n0 2 9Gbps 1ns 0\n1 2 9Gbps 1ns 0\n0 3 9Gbps 1ns 0\n1 3 9Gbps 1ns 0\n",
            "nccl": '<system version="1"><cpu numaid="-1" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">\n'
                    '<pci busid="0000:01:00.0" class="0x060400" link_speed="16 GT/s" link_width="">x<pcilink target="0000:01:00.0"/>\n'
                    '<pci busid="0000:02:00.0" class="0x0302"><gpu dev="1" sm="90" rank="0"><nvlink target="fffffff:ff:ff.0" '
                    'count="18" tclass="0x068000"/><c2c bw="44712" count="5"/></gpu></pci>\n'
                    '<pci busid="0000:03:00.0" class="0x0302"><gpu dev="0" gcn="910" rank="1"><xgmi target="0000:02:00.0" '
                    'count="1" tclass="0x038000"/><nvlink target="a" count="1"/></gpu></pci></pci>\n'
                    '<nic><net dev="0" speed="100000" latency="1.5" rail="3"/><net name="x"/></nic></cpu></system>\n',
            "nccl_graph": '<graphs version="1"><graph id="0" pattern="4" crossnic="2" nchannels="2" speedintra="20">\n<channel>'
                          '<net dev="0"/><gpu dev="0x0" rank="8"/><gpu dev="0x1" rank="9"/><net dev="1"/></channel><channel>'
                          '<gpu dev="0x1" rank="9"/><gpu dev="0x0" rank="8"/></channel></graph><graph id="3" pattern="5" '
                          'nchannels="1"><channel><gpu dev="9"/></channel></graph></graphs>\n',
            "nccl_doctype": '<!DOCTYPE system [<!ENTITY a "b">]><system/>',
            "infragraph": "devices:\n- name: d\n  components: [{name: x, count: 2, choice: xpu}, {name: s, count: 1, choice: switch}]\n"
                          "  links: [{name: l, physical: {bandwidth: {gigabits_per_second: 8}, latency: {us: 1}}}]\n"
                          "  edges: [{ep1: {component: 'x[0:2:1]'}, ep2: {component: s}, scheme: many2many, link: l}]\n- name: o\n"
                          "  components: [{name: d, count: 2, choice: device}]\ninstances: [{name: i, device: o, count: 1}]\n"
                          "links: [{name: l, physical: {bandwidth: {gigatransfers_per_second: 8}}}]\nedges:\n"
                          "- {ep1: {instance: i, component: 'd[0].s'}, ep2: {instance: 'i[0]', component: 'd[1].s[0]'}, scheme: ring, link: l}\n",
            "groups": '{"0": [0, 1, 2, 3], "1": [7, 5], "12": []}\n', "bad_groups": '{"0": [0, 1, 1], "0": [8]}\n'}


def system_seeds():
    """The first byte selects the file: 0 system.json, 1 memory.json, 2 the map of nodes."""
    whole = """{
  "scheduling-policy": "LIFO", "collective-optimization": "localBWAware", "endpoint-delay": 10,
  "active-chunks-per-dimension": 2, "preferred-dataset-splits": 4, "local-mem-bw": 1600.5, "peak-perf": 100,
  "roofline-enabled": 1, "replay-only": false, "trace-enabled": 0, "track-local-mem": 0,
  "local-mem-trace-filename": "mem", "model-shared-bus": true, "L": 10, "o": 5.5, "g": 3, "G": 1e-2,
  "local-reduction-delay": 1, "all-reduce-implementation": ["ring", "direct3"],
  "all-gather-implementation": ["oneHalvingDoubling"], "reduce-scatter-implementation": ["oneDirect12"],
  "all-to-all-implementation": ["doubleBinaryTree"], "all-reduce-implementation-custom": ["algo/\\u0061"],
  "per-node-custom-implementation": "nodes.yml", "boost-mode": 0, "intra-dimension-scheduling": "FIFO",
  "inter-dimension-scheduling": null
}
"""
    node = ('{"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 50,\n'
            ' "num-nodes": 2, "num-npus-per-node": 4}')
    return {"system": "0" + whole, "system-cut": "0" + whole[:300], "system-empty": "0{}",
            "system-deep": '0{"boost-mode": ' + "[" * 200, "memory-node": "1" + node,
            "memory-none": '1{"memory-type": "NO_MEMORY_EXPANSION"}', "memory-bad": "1" + node.replace("50", "5.5"),
            "map": "2# nodes\n12: algo/ring\n'7': \"a b\"\n", "map-flow": "2{1: a, 2: b}",
            "map-bad": "2&a {1: *a, 1: [x]}"}


def workload_seeds():
    whole = ("model: {layers: 4, hidden: 64, heads: 4, kv_heads: 2, ffn: 128, vocab: 256,\n"
             "        moe: {experts: 4, per_token: 2, ffn: 32, shared: 1, dense_layers: 1}}\n"
             "run: {sequence: 16, micro_batches: 4, gradients: bf16, flops: model}\n"
             "plan: {tensor: 2, sequence_parallel: true, context: 2, expert: 2, data: 2, pipeline: 2, shard: zero1, layers: [2, 2]}\n"
             "time: {peak: 1TFLOPS, memory: 1GB/s, efficiency: {gemm: 0.5}}\n")
    latent = ("model: {layers: 2, hidden: 64, heads: 4, ffn: 128, vocab: 256, tied: true, bias: true, norm: layer,\n"
              "        mla: {q_rank: 8, kv_rank: 8, nope_size: 4, rope_size: 4, value_size: 4}}\n"
              "run: {sequence: 16}\nplan: {data: 2, shard: zero3, recompute: full}\n")
    return {"whole": whole, "latent": latent, "cut": whole[:120], "preset": "model: llama3-8b\nplan: {data: 4, pipeline: 2}\n",
            "large": "model: {layers: 1099511627776, hidden: 1, heads: 1, ffn: 1, vocab: 1}\n", "list": "model: [1]\n"}


def sweep_seeds():
    whole = ("# what-if\nbase:\n  network: torus:8x8,bw=50GB/s,lat=500ns\n  size: 1MiB\nsweep:\n"
             "  bandwidth.1: [12.5GB/s, x2]\n  latency: [500ns, x0.5]\n  algorithm: ring+direct\n"
             "  preferred-dataset-splits: [1, 4, 16]\n  model: [unaware, links]\n")
    return {"whole": whole, "cut": whole[:150], "flow": '{"sweep": {"latency": ["1us", "1us"], "bandwidth.x": 1}}',
            "deep": "sweep: {latency: [[[[[[[[1]]]]]]]]}", "line": '0123456789abcdef,"ring:8,bw=1GB/s",say ""x"","",'}


def pytorch_seeds():
    attrs = ('[{"name": "rf_id", "type": "uint64", "value": 3}, {"name": "seq_id", "type": "int64", "value": -1}, '
             '{"name": "op_schema", "type": "string", "value": "a(Tensor \\u0061) -> \\"b\\""}, '
             '{"value": [1, 2], "name": "l", "type": "list", "unit": null}]')
    node = ('{"id": 2, "name": "aten::mm", "ctrl_deps": 1, "inputs": {"values": [[6, 7, 0, 16, 4, "cuda:0"], "<None>", '
            '1e-05, NaN, true, {"a": []}], "shapes": [[4, 4], []], "types": ["Tensor(float)"], "strides": [[4, 1]], '
            f'"layout": []}}, "outputs": {{}}, "attrs": {attrs}, "note": {{"b": [1.5]}}}}')
    flat = ('{"id": 3, "name": "a", "parent": [1, 2], "rf_id": 2, "fw_parent": 0, "seq_id": -1, "scope": 7, "tid": 1, '
            '"fw_tid": 0, "op_schema": "", "inputs": [1], "input_shapes": [[]], "input_types": ["Int"], "outputs": null}')
    linked = ('{"id": 4, "name": "k", "ctrl_deps": 2, "inclusive_dur": 1.5, "exclusive_dur": 1, "ts": 7, "cat": "kernel", '
              '"ph": "X", "stream": 7, "inter_thread_dep": null, "sync_dep": [1], "id2": 18446744073709551615}')
    whole = ('{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "2024-05-06 07:08:09", "start_ts": 5,\n "nodes": [\n'
             f'{node},\n{node.replace("2, ", "5, ", 1)},\n{flat},\n{linked}], "finish_ts": 6}}\n')
    return {"whole": whole, "cut": whole[:400], "mark": b"\xef\xbb\xbf" + whole.replace("\n", "").encode(),
            "deep": '{"nodes": [{"id": 1, "inputs": ' + "[" * 200, "twice": '{"nodes": [], "nodes": []}'}


def kineto_seeds():
    def event(cat, name, args, rest='"ts": 100.125, "dur": 30, "tid": 4242'):
        return f'{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": 1, {rest}, "args": {{{args}}}}}'
    events = ",\n".join((
        event("cpu_op", "aten::\\u006dm", '"External id": 2, "Record function id": 3, "Sequence number": 7, "x": [1]'),
        event("cuda_runtime", "cudaLaunchKernel", '"External id": "2", "correlation": 901.0'),
        event("kernel", "gemm", '"stream": 7, "device": 0, "correlation": 901, "grid": [4, 1, 1], "o": 0.5, "o": null',
              '"ts": "1e3", "dur": -1, "tid": 7'),
        event("gpu_memset", "Memset", '"queue": "x", "p": {"q": ["\\ud83d\\ude00"]}', '"ts": 1, "tid": "stream"'),
        event("cuda_sync", "s", '"cuda_sync_kind": "Event Sync", "wait_on_stream": 7, "stream": -1'),
        '{"ph": "f", "id": 901, "bp": "e"}', "{}"))
    whole = ('{"schemaVersion": 1, "deviceProperties": [{"id": 0}], "baseTimeNanoseconds": 17, "distributedInfo": '
             f'{{"rank": 1}},\n"traceEvents": [\n{events}\n], "traceName": "t"}}\n')
    return {"whole": whole, "array": f"[\n{events}\n]", "cut": whole[:500], "mark": b"\xef\xbb\xbf" + whole.encode(),
            "nan": '[{"ph": "X", "cat": "kernel", "ts": NaN}]', "deep": '[{"args": ' + '{"a":[' * 100}


def link_seeds():
    testdata = pathlib.Path(__file__).parents[2] / "testdata" / "pytorch"
    ranks = {f"rank{r}": b"\0".join((testdata / f"link-{kind}.{r}.json").read_bytes() for kind in ("host", "kineto"))
             for r in range(2)}
    return ranks | {"host": (testdata / "okay-1.1.1.json").read_bytes(),
                    "linked": (testdata / "okay-linked.json").read_bytes()}


def flexflow_seeds():
    comp = 'node{} [label="{{ npu_id={} | f | Forward | COMP_NODE | runtime=1.5e-05 }}",shape="record"];\n'
    comm = 'node{} [label="{{ npu_id={} | x | Comm | COMM_SEND_RECV_NODE | src={} | dst={} | size=8 }}"]\n'
    chakra = ("/* c */\n# c\n// c\n#\nstrict digraph taskgraph {\nrankdir=LR; node [shape=record]\n" + comp.format(0, 0)
              + comp.format(1, 1) + comm.format(2, 0, 0, 1) + comm.format(3, 1, 1, 0) + comm.format(4, 1, 1, 1)
              + 'node0 -> "node2" -> node1 [a="b" + "c", d=e];\nnode2 -> node3;node2->node4\n}\n')
    cross = "digraph taskgraph {\n" + comp.format(0, 0) + comp.format(1, 1) + "node0 -> node1\n}"
    stock = ('digraph taskgraph {\nnode0 [label="{ a\\|b | Forward | { 0 | 0.1 } }"];\nnode1 [label="{ Comm | { 0.1 | 0.2 } }"];\n'
             'node2 [label="{ Update | { 0.2 | 1e1 } }"];\nnode0 -> node1 -> node2;\n}')
    return {"chakra": chakra, "cross": cross, "stock": stock, "cut": chakra[:-90],
            "csv": stock + '\n%%\n# c\nnode,rank\n"a*",0\n1,0,1,4KiB\nUpdat?,1\n',
            "json": stock + '\n%%\n{"node0": 0, "Comm": [0, 1, "1MB"], "*": 1}'}


def astra_text_seeds():
    data = ("DATA\n2\na -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 7\n"
            "b -1 4 ALLGATHER 40 5 ALLTOALL 50 6 REDUCESCATTER 60 7 more\n")
    dlrm = ("HYBRID_DLRM {}\n3\ne\t-1\t1\tALLTOALL\t10\t2\tALLTOALL\t20\t3\tNONE\t0\t4\n"
            "m -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 4\nt -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 4\n \n")
    kinds = {kind.lower(): data.replace("DATA", kind, 1)
             for kind in ("MICRO", "DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER")}
    return kinds | {"dlrm": dlrm.format(1), "dlrm-key": dlrm.format("DLRM_LAST_BOTTOM_LAYER: 1"),
                    "dlrm-last": dlrm.format(2), "crlf": data.replace("\n", "\r\n"), "cr": data.replace("\n", "\r"),
                    "mark": b"\xef\xbb\xbf" + data.encode(), "cut": data[:60], "unknown": data.replace("GATHER", "GATER"),
                    "huge": data.replace("2", "99999999999999999999", 1)}


def ten_seeds():
    head = "#ten-schedule,1\n#collective,{}\n#npu_count,{}\n"
    # Counts without bytes after them, the largest numbers, and sums beyond any memory, as sets.
    far = head.format("custom", 3) + ("#time_model,steps\n#step_us,4599999999999\n#link_occupancy,beta\n#link,0,1,1e-300,1e12\n"
                                      "#link,1,2,1e9,0\n#chunk,9223372036854775807,0,all,9223372036854775807\n"
                                      "id,src,dst,chunk,step,steps\n2147483647,0,1,9223372036854775807,0,2147483647\n"
                                      "0,1,2,9223372036854775807,2147483647,2147483647\n")
    rounds = head.format("broadcast", 2) + ("#time_model,steps\n#link,0,1,1,0,3\n#chunk,0,0,all\n#chunk,1,0,1,5\n#chunk,2,0,1\n"
                                            "id,src,dst,chunk,step\n5,0,1,0,0\n1,0,1,1,0\n3,0,1,2,0\n")
    claims = head.format("all_gather", 1 << 20) + "#chunk_count,2000000000\nid,src,dst,chunk,seq\n"
    star = head.format("reduce", 1 << 20) + "".join(f"#link,{n},0,1,0\n" for n in range(2, 1200, 2))
    star += f"#chunk,0,{';'.join(str(n) for n in range(0, 1200, 2))},0\n#time_model,order\nid,src,dst,chunk,seq,op\n"
    star += "".join(f"{n},{n},0,0,0,reduce\n" for n in range(2, 1200, 2))
    circle = head.format("all_gather", 2) + ("#time_model,order\n#link,0,1,1,0\n#link,1,0,1,0\n#chunk,0,0,all\n#chunk,1,1,all\n"
                                             "id,src,dst,chunk,seq\n0,0,1,1,0\n1,1,0,0,0\n2,0,1,0,1\n3,1,0,1,1\n")
    order = head.format("reduce_scatter", 3) + ("#time_model,order\n#link,0,1,1,0\n#link,2,1,1,0\n#chunk,0,all,1\n"
                                                "id,src,dst,chunk,seq,op\n0,0,1,0,0,reduce\n1,2,1,0,0,reduce\n")
    teccl = ('{"1-Epoch_Duration": 4599999, "6-Demand_Met": {"GPU 1048575": {"GPU 0": {"Chunk 0": 1}}}, "7-Flows": '
             '["Chunk 0 from 0 traveled over 0->1048575 in epoch 1073741823"]}')
    return {"far.csv": far, "rounds.csv": rounds, "claims.csv": claims, "star.csv": star, "circle.csv": circle,
            "order.csv": order, "teccl.json": teccl}


def choices(seed, count=60):
    """Random bytes, for targets that make choices."""
    out = bytearray()
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        out.append(seed >> 16 & 255)
    return bytes(out)


def merge_seeds():
    """Each byte is a choice: ranks, groups, algorithm, then the steps of the workload."""
    return {f"choices{i}": choices(i) for i in range(32)}


def synthesized_seeds():
    """Half are networks by name, half are lists of links."""
    return {f"choices{i}": bytes([i % 2]) + choices(i) for i in range(48)}


def merge_map_seeds():
    whole = ("rules:\n  - collective: all_gather  # c\n    pg: 3\n    size: ['>=1MiB', <64MiB]\n    algorithm: ag4.xml\n"
             "  - {name: '*grad?', builtin: 'ring,chunks=2', chunks: 4}\n  - {node: 17, algorithm: tree8}\n")
    return {"whole": whole, "cut": whole[:90], "nodes": "# c\n12: algo/ring\n'17': tree\n", "json": '{"12": "ring"}',
            "deep": "rules: " + "[" * 200, "keys": "rules:\n  - {pgs: 3, algorithm: x}\n  - {size: 3}\n",
            "rule": "all_reduce:pg=3:size>=1MiB:size<64MiB:node=17:name=*grad*=ring8.xml", "short": "all=x",
            "wrong": "all:group=3=x", "star": "all:name=a*b*?c=x"}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "seeds")
    for name, seeds in (("chakra", chakra_seeds()), ("json", json_seeds()), ("jsonl", jsonl_seeds()),
                        ("msccl", msccl_seeds()), ("tar", tar_seeds()), ("network", network_seeds()),
                        ("system", system_seeds()), ("sweep", sweep_seeds()),
                        ("workload", workload_seeds()), ("pytorch", pytorch_seeds()),
                        ("kineto", kineto_seeds()), ("link", link_seeds()), ("flexflow", flexflow_seeds()),
                        ("astra_text", astra_text_seeds()), ("ten", ten_seeds()), ("merge", merge_seeds()),
                        ("synthesized", synthesized_seeds()), ("merge_map", merge_map_seeds())):
        (root / name).mkdir(parents=True, exist_ok=True)
        for seed, data in seeds.items():
            (root / name / seed).write_bytes(data.encode() if isinstance(data, str) else data)


if __name__ == "__main__":
    main()
