// SPDX-License-Identifier: MIT
#include "simulate/program/threadblock_use.h"

#include <algorithm>
#include <vector>

#include "core/attr_names.h"

namespace convert {
namespace {

const Name program_protocol{std::string_view("msccl.proto")};
const Name schedule_name{std::string_view("ten.name")};

}  // namespace

ThreadblockUse threadblock_use(const Trace& trace, const RankCode& code) {
  const AttrTable& metadata = trace.metadata.table;
  const auto text = string_value(metadata, metadata.attrs, program_protocol);
  const auto protocol = text ? parse_protocol(*text) : std::nullopt;
  if (!protocol || find(metadata.attrs, schedule_name) != nullptr) return {};
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

}  // namespace convert
