#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes link-host.R.json and link-kineto.R.json: what PyTorch's execution trace observer and its profiler would have
recorded of one training step on two ranks.

    make_link.py [DIRECTORY]

Rank 0 sends its activation to rank 1; each runs its backward pass on a second thread, where the gradients are
all-reduced. Times are in microseconds, by hand.
"""
import json
import pathlib
import sys

STEP_US, WORLD = 1000.0, 2
COMPUTE, REDUCE, PEER = 7, 20, 28  # streams
GEMM = "ampere_sgemm_128x64_nn"
SEND_RECV = "ncclDevKernel_SendRecv"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"


class Rank:
    def __init__(self, rank):
        self.rank = rank
        self.nodes, self.events = [], []
        self.node_id, self.record_function, self.correlation = 1, 0, 100 * (rank + 1)
        self.threads = {}
        self.stack = []

    def tensor(self, number, rows, columns):
        return [[100 + number, 200 + number, 0, rows * columns, 4, "cuda:0"], [rows, columns], "Tensor(float)"]

    def node(self, name, parent, record_function, thread, inputs=(), outputs=(), extra=(), forward=False):
        self.node_id += 1
        attrs = [("rf_id", "uint64", record_function), ("fw_parent", "uint64", 0),
                 ("seq_id", "int64", 1 if forward or thread == 2 else -1), ("scope", "uint64", 0),
                 ("tid", "uint64", thread), ("fw_tid", "uint64", 1 if thread == 2 and parent != 1 else 0),
                 ("op_schema", "string", ""), *extra]
        self.nodes.append({
            "id": self.node_id, "name": name, "ctrl_deps": parent,
            **{key: {part: [x[i] for x in values] for i, part in enumerate(("values", "shapes", "types"))}
               for key, values in (("inputs", inputs), ("outputs", outputs))},
            "attrs": [dict(zip(("name", "type", "value"), a)) for a in attrs]})
        return self.node_id

    def event(self, category, name, tid, begin, duration, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "tid": tid,
                            "ts": STEP_US + begin, "dur": duration, "args": args})

    def op(self, name, begin, end, thread=1, inputs=(), outputs=(), extra=(), annotation=False, args=None,
           forward=False):
        """An operator that is open until close()."""
        if thread not in self.threads:
            self.threads[thread] = self.node("[pytorch|profiler|execution_trace|thread]", 1, 0, thread)
        inside = [s for s in self.stack if s[1] == thread]
        self.record_function += 1
        node = self.node(name, inside[-1][0] if inside else self.threads[thread], self.record_function, thread, inputs,
                         outputs, extra, forward)
        self.stack.append((node, thread, self.record_function))
        self.event("user_annotation" if annotation else "cpu_op", name, 4100 + thread, begin, round(end - begin, 3),
                   **{"External id": self.record_function, "Record function id": self.record_function}, **(args or {}))

    def close(self, count=1):
        del self.stack[-count:]

    def call(self, name, begin, duration):
        self.correlation += 1
        self.event("cuda_runtime", name, 4100 + self.stack[-1][1], begin, duration,
                   **{"External id": self.stack[-1][2], "correlation": self.correlation})

    def launch(self, api, at, category, name, stream, begin, duration, **args):
        self.call(api, at, 4.0)
        self.event(category, name, stream, begin, duration,
                   **{"External id": self.stack[-1][2], "device": 0, "stream": stream,
                      "correlation": self.correlation}, **args)

    def wait(self, at, stream, on):
        """Stream waits for what has been launched on another one."""
        self.call("cudaEventRecord", at, 1.0)
        record = self.correlation
        self.call("cudaStreamWaitEvent", at + 1.5, 1.0)
        self.event("cuda_sync", "Stream Wait Event", stream, at + 1.5, 1.0, cuda_sync_kind="Stream Wait Event",
                   stream=stream, wait_on_stream=on, wait_on_cuda_event_record_corr_id=record,
                   correlation=self.correlation)

    def communicate(self, name, detail, begin, thread, tensor, kernel, stream, start, duration):
        elements = tensor[0][3]
        extra = (("collective_name", "string", name), ("dtype", "string", "Float"),
                 ("in_msg_nelems", "uint64", elements), ("out_msg_nelems", "uint64", elements),
                 ("pg_name", "string", "0"), ("pg_size", "uint64", WORLD))
        args = {"Collective name": name, "In msg nelems": elements, "dtype": "Float", "Process Group Name": "0"}
        self.op("record_param_comms", begin, begin + 26, thread, [tensor], [tensor], extra)
        self.op(f"nccl:{detail}", begin + 2, begin + 25, thread, [tensor], annotation=True)
        self.wait(begin + 4, stream, COMPUTE)
        self.launch("cudaLaunchKernelExC", begin + 12, "kernel", kernel, stream, start, duration, **args)
        self.close(2)

    def run(self):
        groups = [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": WORLD,
                   "ranks": list(range(WORLD))}]
        x, w, y, g = (self.tensor(i, 1024, 1024) for i in range(4))
        late = 60.0 * self.rank  # rank 1 gets its input from rank 0
        self.op("## process_group:init ##", -20, -12, inputs=[[json.dumps(groups), [], "String"]], annotation=True)
        self.close()
        if self.rank == 0:
            self.op("aten::copy_", 4, 24, inputs=[x, x], outputs=[x])
            self.launch("cudaMemcpyAsync", 8, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", COMPUTE, 14.25, 170.5,
                        bytes=4 << 20)
            self.close()
        else:
            self.communicate("recv", "recv 1<-0", 0, 1, x, SEND_RECV, PEER, 31.5, 265.0)
            self.op("record_param_comms", 28, 34, args={"Collective name": "wait"})
            self.wait(30, COMPUTE, PEER)
            self.close()
        self.op("aten::mm", 40, 60, inputs=[x, w], outputs=[y], forward=True)
        self.launch("cudaLaunchKernel", 46, "kernel", GEMM, COMPUTE, 186.0 + 2 * late, 40.75)
        self.close()
        if self.rank == 0:
            self.communicate("send", "send 0->1", 70, 1, y, SEND_RECV, PEER, 228.0, 68.5)
        self.op("aten::zero_", 104, 116, inputs=[g], outputs=[g])
        self.launch("cudaMemsetAsync", 106, "gpu_memset", "Memset (Device)", COMPUTE, 228.0 + 2 * late, 3.5,
                    bytes=4 << 20)
        self.close()
        self.op("autograd::engine::evaluate_function: MmBackward0", 150, 205, 2)
        self.op("aten::mm", 160, 190, 2, inputs=[y, w], outputs=[g])
        self.launch("cudaLaunchKernel", 170, "kernel", GEMM, COMPUTE, 232.75 + 2 * late, 41.5)
        self.close(2)
        # A collective ends on both ranks when the later one has come.
        begin = 276.25 + 2 * late
        self.communicate("allreduce", "all_reduce", 210, 2, g, ALL_REDUCE, REDUCE, begin, 700.0 - begin)
        self.op("aten::add_", 252, 284, inputs=[w, g], outputs=[w])
        self.wait(254, COMPUTE, REDUCE)
        self.launch("cudaLaunchKernel", 268, "kernel", "void at::native::vectorized_elementwise_kernel<4>", COMPUTE,
                    702.0, 12.9)
        self.close()
        self.op("aten::item", 300, 740, inputs=[self.tensor(9, 1, 1)])
        self.launch("cudaMemcpyAsync", 304, "gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", COMPUTE, 716.0, 1.5, bytes=4)
        self.call("cudaStreamSynchronize", 312, 410.0)
        self.event("cuda_sync", "Stream Sync", COMPUTE, 312.5, 409.0, cuda_sync_kind="Stream Sync", stream=COMPUTE,
                   correlation=self.correlation)
        self.close()

    def write(self, folder):
        lines = [json.dumps(n, separators=(",", ":")) for n in self.nodes]
        # PyTorch writes the process last, with the id 1.
        self.node_id = 0
        self.node("[pytorch|profiler|execution_trace|process]", 1, 0, 0)
        lines.append(json.dumps(self.nodes[-1], separators=(",", ":")))
        (folder / f"link-host.{self.rank}.json").write_text(
            f'{{"schema":"1.1.0-chakra.0.0.4","pid":{4100 + self.rank},"time":"2026-01-01 00:00:00","start_ts":1,"nodes":[\n'
            + ",\n".join(lines) + '\n],"finish_ts":2}\n', encoding="utf-8")
        lines = [json.dumps(e, separators=(",", ":")) for e in self.events]
        (folder / f"link-kineto.{self.rank}.json").write_text(
            f'{{"distributedInfo":{{"backend":"nccl","rank":{self.rank},"world_size":{WORLD}}},'
            '"baseTimeNanoseconds":1767225600000000000,"traceEvents":[\n' + ",\n".join(lines) + "\n]}\n",
            encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for number in range(WORLD):
        rank = Rank(number)
        rank.run()
        rank.write(folder)


if __name__ == "__main__":
    main()
