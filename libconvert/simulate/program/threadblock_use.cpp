// SPDX-License-Identifier: MIT
#include "simulate/program/threadblock_use.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/attr_names.h"

namespace convert {
namespace {

const Name program_protocol{std::string_view("msccl.proto")};
const Name schedule_name{std::string_view("ten.name")};
const Name merged_program{std::string_view("merged_program")};

std::optional<Protocol> protocol_of(const Trace& trace, Name protocol, Name schedule) {
  const AttrTable& metadata = trace.metadata.table;
  const auto text = string_value(metadata, metadata.attrs, protocol);
  if (!text || find(metadata.attrs, schedule) != nullptr) return {};
  return parse_protocol(*text);
}

// Protocols of the programs that et-merge put into a trace.
class MergedProtocols {
 public:
  explicit MergedProtocols(const Trace& trace) {
    for (const Node& n : trace.nodes.nodes) {
      const auto attrs = trace.nodes.attributes(n);
      const IntValue number = int_value(attrs, merged_program);
      const IntValue call = int_value(attrs, attr::merged_from);
      if (!number || !call) continue;
      const auto [at, is_new] = of_programs_.try_emplace(number.value);
      const std::string prefix = "merged." + std::to_string(number.value) + '.';
      if (is_new) at->second = protocol_of(trace, Name(prefix + "msccl.proto"), Name(prefix + "ten.name"));
      of_calls_.emplace(call.value, at->second);
    }
  }
  // Returns the protocol of the program that replaced a collective, by the collective's id.
  [[nodiscard]] std::optional<Protocol> of_call(std::int64_t id) const {
    const auto at = of_calls_.find(id);
    return at == of_calls_.end() ? std::nullopt : at->second;
  }

 private:
  std::map<std::int64_t, std::optional<Protocol>> of_programs_;
  std::map<std::int64_t, std::optional<Protocol>> of_calls_;
};

}  // namespace

ThreadblockUse threadblock_use(const Trace& trace, const RankCode& code) {
  const std::optional<Protocol> protocol = protocol_of(trace, program_protocol, schedule_name);
  if (!protocol) return {};
  ThreadblockUse use{.protocol = *protocol};
  std::vector<std::int64_t> senders;
  for (std::uint32_t node = 0; node < code.ops.size(); ++node) {
    const Op& op = code.ops[node];
    if (op.type != OpType::send) continue;
    const IntValue tb =
        int_value(trace.nodes.attributes(trace.nodes.nodes[code.feeder.index_of(node)]), attr::tb_id);
    if (tb) senders.push_back(tb.value);
  }
  std::ranges::sort(senders);
  use.senders = static_cast<std::uint32_t>(senders.size() - std::ranges::unique(senders).size());
  return use;
}

void mark_programs(const Trace& trace, const Graph& graph, bool is_algorithm, std::vector<Op>& ops) {
  const MergedProtocols merged(trace);
  const std::optional<Protocol> own = protocol_of(trace, program_protocol, schedule_name);
  const auto attributes = [&](std::uint32_t i) { return trace.nodes.attributes(trace.nodes.nodes[i]); };
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const IntValue call = int_value(attributes(i), attr::merged_from);
    if (call) {
      ops[i].program = ProgramPart(merged.of_call(call.value));
    } else if (is_algorithm || find(attributes(i), attr::tb_id) != nullptr) {
      ops[i].program = ProgramPart(own);
    }
  }
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (!ops[i].program.of_program()) continue;
    const IntValue instance = int_value(attributes(i), attr::merged_instance);
    const auto is_of_call = [&](const Edge& parent) {
      const IntValue other = int_value(attributes(parent.node), attr::merged_instance);
      return ops[parent.node].program.of_program() && static_cast<bool>(instance) == static_cast<bool>(other) &&
             (!instance || instance.value == other.value);
    };
    if (std::ranges::none_of(graph.parents(i), is_of_call)) ops[i].program.set_first();
  }
}

}  // namespace convert
