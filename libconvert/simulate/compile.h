// SPDX-License-Identifier: MIT
// One node of a trace → what the simulator does for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "simulate/op.h"
#include "simulate/program.h"

namespace convert {

// A collective as its node states it.
struct NodeCollective {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::int64_t bytes = 0;
  std::uint64_t dims = ~std::uint64_t{0};
  std::string_view group{};  // pg_name
};

struct CompiledNode {
  Op op{};
  std::int64_t tag = 0;  // send, recv
  std::optional<NodeCollective> collective{};
};

class NodeCompiler {
 public:
  // `inside`: the traces are of a custom algorithm, whose peers are places in its group.
  NodeCompiler(const ReplayOptions& options, bool self_allowed, bool inside, Diagnostics& diagnostics)
      : options_(options), self_allowed_(self_allowed), inside_(inside), diagnostics_(diagnostics) {}

  // Reports what cannot be replayed. Throws Error(usage) if --size is needed.
  [[nodiscard]] CompiledNode compile(const Trace& trace, std::uint32_t index);

  void error(const Trace& trace, std::uint32_t index, const std::string& rule, const std::string& message);
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool size_used() const { return size_used_; }

 private:
  [[nodiscard]] IntValue integer(Name name, bool required);
  void fail(const std::string& rule, const std::string& message) { error(*trace_, index_, rule, message); }
  void compile_by_type();
  void compile_duration();
  void compile_compute();
  void slow_down();
  void compile_memory();
  void compile_message();
  void compile_peer();
  void compile_collective();
  [[nodiscard]] std::int64_t message_bytes();
  [[nodiscard]] std::int64_t chunked_bytes();
  [[nodiscard]] const SystemConfig& system() const { return options_.system->config; }

  const ReplayOptions& options_;
  bool self_allowed_;
  bool inside_;
  Diagnostics& diagnostics_;
  bool failed_ = false;
  bool size_used_ = false;
  // The node at hand.
  const Trace* trace_ = nullptr;
  std::uint32_t index_ = 0;
  const Node* node_ = nullptr;
  std::span<const Attr> attributes_{};
  CompiledNode out_{};
};

}  // namespace convert
