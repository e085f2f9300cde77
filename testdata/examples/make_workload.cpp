// SPDX-License-Identifier: MIT
// A training step of a model on 64 NPUs: what a rank of each pipeline stage does, and all ranks as one file,
// toy.etm.
#include <iostream>

#include "formats/format.h"
#include "generate/workload/workload.h"
#include "io/output.h"

int main(int argc, char** argv) try {
  convert::Workload step = convert::preset_workload("llama3-8b", 0);
  step.step.micro_batches = 8;
  step.plan = {.tensor = 2, .data = 8, .pipeline = 4, .sequence_parallel = true, .shard = convert::Shard::zero1};
  const convert::WorkloadSet set(step);  // throws what contradicts itself
  for (std::int64_t c = 0; c < set.classes(); ++c) {
    const convert::StageFigures figures = set.figures(c);
    std::cout << "stage " << set.stage_of_class(c) << ": " << set.ranks_of_class(c) << " ranks, " << figures.nodes
              << " nodes, " << figures.parameters << " parameters\n";
  }
  convert::OutputFiles files;
  const auto output = files.create(argc > 1 ? argv[1] : "toy.etm");
  convert::find_format("master").write_master(set.master(), *output);
  output->close();
  files.commit();
} catch (const convert::Error& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
