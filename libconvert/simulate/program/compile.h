// SPDX-License-Identifier: MIT
// Compiles one node of a trace into the simulator's operation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attr_names.h"
#include "core/diagnostic.h"
#include "core/found_attrs.h"
#include "core/trace.h"
#include "graph/graph.h"
#include "simulate/astra/gaps.h"
#include "simulate/program/omissions.h"
#include "simulate/program/op.h"
#include "simulate/program/program.h"
#include "simulate/program/roofline.h"

namespace convert {

// Collective as declared by its node.
struct NodeCollective {
  Collective op = Collective::all_reduce;
  std::int64_t bytes = 0;
  std::uint64_t dims = ~std::uint64_t{0};
  std::optional<std::size_t> listed_dims{};  // number of entries of involved_dim
  std::string_view group{};                  // pg_name
  std::optional<Rank> root{};
  std::int32_t priority = 0;
  std::int64_t bytes_out = -1;  // result of an all-gather, if it is not equal shards of group_size ranks; else -1
};

// Attributes that determine the operation of a node.
inline constexpr std::array compiled_attrs = {
    attr::is_cpu_op,       attr::duration_nanos, attr::start_delay_nanos, attr::num_ops,
    attr::tensor_size,     attr::comm_type,      attr::comm_size,         attr::comm_src,
    attr::comm_dst,        attr::comm_tag,       attr::comm_priority,     attr::msg_chunk_cnt,
    attr::total_chunk_cnt, attr::comm_bytes_out, attr::group_size,        attr::involved_dim,
    attr::pg_name,         attr::tb_id,          attr::merged_from};

struct CompiledNode {
  Op op{};
  std::int64_t tag = 0;     // send, recv
  bool names_own = false;   // send, recv: it declares the rank of its own end
  bool has_others = false;  // FoundAttrs::has_others
  bool of_program = false;  // it is a node of a collective algorithm, possibly merged
  std::optional<NodeCollective> collective{};
  // Share of the collective, for a message of a custom algorithm without a size.
  std::int64_t chunks = 0;
  std::int64_t of_chunks = 0;
};

// Returns size × chunks / of_chunks, rounded down; nothing for 2^63 bytes or more. A message through scratch may
// have more chunks than the collective.
[[nodiscard]] std::optional<std::int64_t> bytes_of_chunks(std::int64_t size, std::int64_t chunks,
                                                          std::int64_t of_chunks);

class NodeCompiler {
 public:
  // Compiles nodes of a trace; with `inside`, nodes of a custom algorithm, whose peers are indices in its group.
  NodeCompiler(const ReplayOptions& options, Rules rules, bool self_allowed, bool inside, Diagnostics& diagnostics)
      : options_(options), rules_(rules), self_allowed_(self_allowed), inside_(inside), diagnostics_(diagnostics) {}

  // Compiles node `index`; reports an error if it cannot be replayed. Throws Error(usage) if --size is needed.
  [[nodiscard]] CompiledNode compile(const Trace& trace, std::uint32_t index);

  // Reports nodes that need a memory model, in one error. Call it after the last node.
  void report_memory();
  void error(const Trace& trace, std::uint32_t index, const std::string& rule, const std::string& message);
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool size_used() const { return size_used_; }
  [[nodiscard]] const Omissions& omitted() const { return omitted_; }
  void add_omitted(const Omissions& omitted) { omitted_ += omitted; }
  // Findings other than errors.
  struct Use {
    Omissions omitted{};
    bool size = false;
    AstraGaps gaps{};
  };
  [[nodiscard]] Use use() const { return {omitted_, size_used_, gaps_}; }
  // Adds the findings of another compiler.
  void add(const Use& other) {
    omitted_ += other.omitted;
    size_used_ = size_used_ || other.size;
    gaps_.add(other.gaps);
  }
  [[nodiscard]] bool inside() const { return inside_; }
  [[nodiscard]] const AstraGaps& gaps() const { return gaps_; }
  // Returns the roofline use of the nodes compiled since the last call.
  [[nodiscard]] RooflineUse take_roofline() { return std::exchange(roofline_, {}); }

 private:
  [[nodiscard]] IntValue integer(Name name, bool required);
  void fail(const std::string& rule, const std::string& message) { error(*trace_, index_, rule, message); }
  void compile_by_type();
  void compile_duration(std::uint64_t min_ns = 1);
  [[nodiscard]] bool has_recorded_time() const;
  void compile_recorded(bool communicates);
  void scale_time(double factor);
  void compile_compute();
  void note_roofline();
  void count_times(bool priced);
  void count_omissions(bool priced);
  // Returns whether nodes use their recorded durations.
  [[nodiscard]] bool is_recorded(bool communicates) const {
    return options_.recorded == Recorded::everything ||
           (options_.recorded == Recorded::communication && communicates);
  }
  void note_gaps();
  void slow_down();
  void compile_memory();
  void want_memory(const std::string& rule, const std::string& message);
  void compile_message();
  void compile_peer();
  void compile_collective();
  [[nodiscard]] std::optional<Collective> collective_op(std::int64_t type);
  void compile_root(NodeCollective& c);
  [[nodiscard]] std::int64_t message_bytes();
  [[nodiscard]] std::int64_t chunked_bytes();
  [[nodiscard]] const SystemConfig& system() const { return options_.system->config; }

  const ReplayOptions& options_;
  const Rules rules_;
  bool self_allowed_;
  bool inside_;
  Diagnostics& diagnostics_;
  bool failed_ = false;
  bool size_used_ = false;
  Omissions omitted_{};
  std::uint64_t without_memory_ = 0;        // number of nodes that need a memory model
  std::optional<Diagnostic> first_memory_;  // about the first such node
  RooflineUse roofline_{};
  AstraGaps gaps_{};
  // Current node.
  const Trace* trace_ = nullptr;
  std::uint32_t index_ = 0;
  const Node* node_ = nullptr;
  FoundAttrs<compiled_attrs> found_{};
  CompiledNode out_{};
  double intensity_ = 0;  // by the roofline model; 0: not covered by it
};

// Reports graph defects of a trace as errors.
void report_defects(const Trace& trace, const std::vector<GraphDefect>& defects, NodeCompiler& with);

}  // namespace convert
