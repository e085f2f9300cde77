// SPDX-License-Identifier: MIT
// Tracks the last writer of each tensor storage, for data dependencies between the operations of a PyTorch program.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "passes/link/tensor_text.h"

namespace convert {

class Storages {
 public:
  // Calls fn(node) for the last nodes of the operators that wrote the inputs of the operator (node `host` of the
  // trace). It is called for each of an operator's nodes, but answers only the first 16 calls, so that work on
  // hostile input stays linear.
  template <class Fn>
  void for_each_writer(const Trace& trace, std::uint32_t host, const Fn& fn) {
    if (host == no_index) return;
    if (operators_.empty()) operators_.resize(trace.nodes.nodes.size());
    constexpr std::uint32_t most = 16;
    if (operators_[host].asked++ >= most) return;
    for_each_storage(trace, host, false, [&](std::int64_t storage) {
      const auto found = writers_.find(storage);
      if (found != writers_.end() && found->second != host) fn(operators_[found->second].last);
    });
  }
  // Records that `node`, a node of the operator, writes the operator's outputs. Call for_each_writer() first.
  void write(const Trace& trace, std::uint32_t host, std::uint32_t node) {
    if (host == no_index) return;
    if (std::exchange(operators_[host].last, node) != no_index) return;
    for_each_storage(trace, host, true, [&](std::int64_t storage) { writers_[storage] = host; });
  }

 private:
  template <class Fn>
  static void for_each_storage(const Trace& trace, std::uint32_t host, bool outputs, const Fn& fn) {
    const Node& node = trace.nodes.nodes[host];
    const std::uint32_t io = outputs ? node.outputs : node.inputs;
    if (io == 0) return;
    for_each_tensor(trace.nodes.view(trace.nodes.io[io - 1].values), [&](const TensorText& t) { fn(t.storage); });
  }

  struct Operator {
    std::uint32_t last = no_index;  // node
    std::uint32_t asked = 0;
  };
  std::unordered_map<std::int64_t, std::uint32_t> writers_;  // by storage: operator
  std::vector<Operator> operators_;                          // by node of the host trace
};

}  // namespace convert
