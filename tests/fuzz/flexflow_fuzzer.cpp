// SPDX-License-Identifier: MIT
// FlexFlow task graphs, and device maps after a line "%%": every result satisfies all rules for traces and sets,
// however it is read.
#include <cstdint>
#include <string>

#include "config/devices/device_map.h"
#include "formats/flexflow/rank_plan.h"
#include "formats/flexflow/task_devices.h"
#include "formats/flexflow/task_graph.h"
#include "formats/flexflow/task_order.h"
#include "fuzzer.h"
#include "proof_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

std::vector<Trace> read_graph(std::string_view text, const FormatOptions& options, std::size_t batch) {
  const auto input = memory_input("fuzz.dot", text);
  Diagnostics diagnostics;
  const auto reader = find_format("flexflow").read({*input, std::nullopt, options, diagnostics});
  std::vector<Trace> traces;
  for (Trace trace; reader->next_rank(trace);) {
    traces.push_back(trace);
    while (reader->next_nodes(trace, batch)) traces.back().nodes.append(trace.nodes);
  }
  return traces;
}

std::string written(const std::vector<Trace>& traces) {
  std::string out;
  for (const Trace& t : traces) {
    const auto writer = find_format("jsonl").write({});
    writer->begin_rank(t, 0, true, out);
    writer->nodes(t, out);
  }
  return out;
}

void check_reading(std::string_view text, std::uint32_t variant) {
  std::vector<std::pair<std::string, std::string>> values;
  if ((variant & 1U) != 0) values.emplace_back("single", "yes");
  if ((variant & 2U) != 0) values.emplace_back("cross", "message");
  const FormatOptions options(std::move(values));
  const std::vector<Trace> traces = read_graph(text, options, 100);
  check(!traces.empty(), "a graph without ranks");
  check(written(traces) == written(read_graph(text, options, 1)), "the size of a batch changes what is read");
  Diagnostics findings;
  check_rules(traces, findings);
  check_no_errors(findings, "a task graph breaks a rule");
}

void check_placing(std::string_view text, std::string_view map, std::uint32_t variant) {
  const auto input = memory_input("fuzz.dot", text);
  Diagnostics diagnostics;
  flexflow::TaskGraph graph = flexflow::read_task_graph(*input, diagnostics);
  flexflow::place_tasks(graph, parse_device_map("fuzz.csv", map), diagnostics);
  flexflow::join_ranks(graph, (variant & 2U) != 0 ? flexflow::Cross::message : flexflow::Cross::error);
  const flexflow::TaskOrder order = flexflow::order_tasks(graph);
  const flexflow::RankPlan plan(graph, order);
  std::vector<NodeId> parents;
  for (Rank r = 0; r < plan.ranks(); ++r) {
    for (std::uint32_t id = 0; id < plan.nodes(r); ++id) {
      plan.parents(graph, order, r, plan.node(r, id), parents);
      check(parents.empty() || parents.back() < id, "a node stands before its parent");
    }
  }
}

}  // namespace

FUZZER(flexflow) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > max_input_bytes) return 0;
  (void)find_format("flexflow").sniff(bytes.substr(0, 4096));
  constexpr std::string_view separator = "\n%%\n";
  const std::size_t end = bytes.find(separator);
  if (end == std::string_view::npos) {
    may_refuse([&] { check_reading(bytes, variant_of(bytes)); });
  } else {
    const std::string_view map = bytes.substr(end + separator.size());
    may_refuse([&] { (void)parse_device_map("fuzz.csv", map); });
    may_refuse([&] { check_placing(bytes.substr(0, end), map, variant_of(bytes)); });
  }
  return 0;
}
