// SPDX-License-Identifier: MIT
// Names and sizes of the tensors that nodes read and write.
#include <algorithm>
#include <string>
#include <vector>

#include "generate/workload/workload.h"

namespace convert {
namespace {

// Adds the name and the bytes of a rank's tensor to a list.
void add_tensor(const Workload& w, const StageBody& body, BodyIndex tensor, std::vector<std::string>& to) {
  const bool shares = w.plan.shard >= Shard::zero2, gathers = w.plan.shard == Shard::zero3;
  const auto add = [&](std::string name, std::int64_t bytes) {
    to.push_back(std::move(name));
    to.push_back(std::to_string(bytes));
  };
  const std::int64_t all = body.parameters, own = body.optimizer_parameters;
  switch (tensor) {
    case parameters_tensor: return add("parameters", w.step.activation_bytes * (gathers ? own : all));
    case gradients_tensor: return add("gradients", w.step.gradient_bytes * (shares ? own : all));
    case optimizer_tensor: return add("optimizer states", 12 * own);
    default: break;
  }
  const BodyNode& node = body.nodes[static_cast<std::size_t>(tensor)];
  add(std::string(body.names[node.name]) + "." + std::to_string(tensor), node.result);
}

}  // namespace

void WorkloadSet::add_tensors(const StageBody& body, std::size_t i, NodeTable& t) const {
  const BodyNode& n = body.nodes[i];
  std::vector<BodyIndex> read;
  const auto add = [&](BodyIndex tensor) {
    if (tensor != no_node && std::ranges::find(read, tensor) == read.end()) read.push_back(tensor);
  };
  for (std::uint32_t d = 0; n.reads_deps && d < n.deps; ++d)
    add(body.nodes[static_cast<std::size_t>(body.deps[n.first_dep + d])].tensor);
  const auto besides = std::ranges::equal_range(body.reads, static_cast<BodyIndex>(i), {},
                                                [](const auto& of_node) { return of_node.first; });
  for (const auto& [node, tensor] : besides) add(tensor);
  std::vector<std::string> inputs, outputs;
  for (const BodyIndex tensor : read) add_tensor(workload_, body, tensor, inputs);
  if (n.tensor != no_node) add_tensor(workload_, body, n.tensor, outputs);
  // The optimizer also changes its states.
  if (std::ranges::find(read, optimizer_tensor) != read.end())
    add_tensor(workload_, body, optimizer_tensor, outputs);
  t.add_strings(attr::inputs, inputs);
  t.add_strings(attr::outputs, outputs);
}

}  // namespace convert
