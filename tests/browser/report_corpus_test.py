# SPDX-License-Identifier: MIT
"""The page of a run, for recordings: linked host and device traces of PyTorch."""
import os
import pathlib

import harness

CORPUS = pathlib.Path(os.environ.get("ETKIT_CORPUS", pathlib.Path(__file__).resolve().parents[2] / "../shared/corpus")).resolve()
PARTS = ("compute", "overlap", "exposed", "waiting", "memory", "cpu", "idle")
PAIRS = [("inputs/derived_nccl2rank", "host_0.json.gz", "kineto_0.json.gz"),
         ("inputs/derived_triton", "host_0.json", "kineto_0.json"),
         ("real", "linear_et.json.gz", "linear_kineto.json.gz")]


class Corpus(harness.PageTest):
    def check(self, options):
        for i, (folder, host, device) in enumerate(PAIRS):
            where = CORPUS / "pytorch" / folder
            self.shell(f"et-link -q --host {where / host} --device {where / device} -o {i}.et")
            self.shell(f"et-replay -q {options} -o {i}.html {i}.et")
            page = self.open(self.folder / f"{i}.html")
            total = int(page.data(".kpi[data-id=total]", "value")[0])
            bars = [page.data("#breakdown .row", f"{part}Ps") for part in PARTS]
            self.assertTrue(bars[0], where)
            for row in zip(*bars):
                self.assertEqual(sum(map(int, row)), total, where)
            self.assertEqual(sum(map(int, page.data("#path td[data-time-ps]", "timePs"))), total, where)
            self.check_layout(page)

    def test_recorded(self):
        self.check("--compute recorded --comm recorded")

    def test_simulated(self):
        self.check("-n ideal")


if __name__ == "__main__":
    if CORPUS.is_dir():
        harness.main()
    else:
        print(f"no corpus at {CORPUS}; set ETKIT_CORPUS to its folder")
