// SPDX-License-Identifier: MIT
// Format flexflow: reads and plans the whole graph, then returns it rank by rank.
#include <memory>
#include <string>
#include <utility>

#include "config/devices/device_map.h"
#include "core/world_size.h"
#include "formats/flexflow/rank_plan.h"
#include "formats/flexflow/task_devices.h"
#include "formats/flexflow/task_graph.h"
#include "formats/flexflow/task_order.h"
#include "formats/format.h"

namespace convert {
namespace flexflow {
namespace {

// Returns whether the value of a key is `second`; `first` is the other value and the default.
bool is_second(const FormatOptions& options, std::string_view key, std::string_view first,
               std::string_view second) {
  const std::string text = options.get(key).value_or(std::string(first));
  if (text == second) return true;
  if (text == first) return false;
  throw usage_error(std::string(key) + "=" + text + ": expected " + std::string(first) + " or " +
                    std::string(second));
}

class Reader final : public TraceReader {
 public:
  explicit Reader(const ReadContext& context)
      : input_(context.input),
        diagnostics_(context.diagnostics),
        rank_(context.rank.value_or(0)),
        devices_(context.options.get("devices")),
        single_(is_second(context.options, "single", "no", "yes")),
        cross_(is_second(context.options, "cross", "error", "message") ? Cross::message : Cross::error) {}

  bool next_rank(Trace& out) override {
    if (!std::exchange(begun_, true)) load();
    if (next_ == plan_.ranks()) return false;
    current_ = next_++;
    next_node_ = 0;
    out.rank = single_ ? rank_ : current_;
    out.name = graph_.file;
    out.metadata = {};
    out.metadata.version = schema_version;
    if (!single_) set_world_size(out.metadata, plan_.ranks());
    clear(out.nodes);
    return true;
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    clear(out.nodes);
    const std::uint32_t nodes = next_ == 0 ? 0 : plan_.nodes(current_);
    for (; next_node_ < nodes && out.nodes.nodes.size() < max_nodes; ++next_node_) add_node(out.nodes);
    return !out.nodes.nodes.empty();
  }

 private:
  static void clear(NodeTable& table) {
    table.clear();
    table.positions_are_lines = true;
  }

  void load() {
    graph_ = read_task_graph(input_, diagnostics_);
    if (graph_.dialect == Dialect::chakra && devices_)
      throw usage_error("devices=" + *devices_ + ": the tasks of " + graph_.file +
                        " already name their ranks; omit devices");
    if (devices_) {
      const auto file = open_input(*devices_);
      place_tasks(graph_, parse_device_map(*devices_, file->read_rest()), diagnostics_);
    } else if (graph_.dialect == Dialect::stock) {
      if (!single_)
        throw input_error({.file = graph_.file},
                          "the task graph has no devices of its tasks; give a device map with "
                          "devices=FILE, or request one trace of all tasks with single=yes");
      diagnostics_.warning({.file = graph_.file}, "flexflow",
                           "no device map: all tasks form one trace, with transfers as computations");
    }
    if (!single_) join_ranks(graph_, cross_);
    order_ = order_tasks(graph_);
    graph_.edges = {};
    plan_ = single_ ? RankPlan::whole(order_) : RankPlan(graph_, order_);
  }

  void add_node(NodeTable& table) {
    const PlannedNode planned = plan_.node(current_, next_node_);
    const Task& t = graph_.tasks[planned.task];
    const bool transfer = t.kind == TaskKind::transfer;
    const bool message = transfer && !single_;
    const NodeType type = !message ? NodeType::comp : planned.receive ? NodeType::comm_recv : NodeType::comm_send;
    Node& node = table.add_node(next_node_, type, graph_.texts.view(t.name));
    node.start_us = (t.start_ns + 500) / 1000;
    node.duration_us = t.duration_us;
    plan_.parents(graph_, order_, current_, planned, parents_);
    for (const NodeId parent : parents_) table.add_data_dep(parent);
    table.add_bool(attr::is_cpu_op, false);
    if (message) table.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(type));
    if (transfer && t.rank != no_rank) {
      table.add_int(attr::comm_src, Kind::int32_val, t.rank);
      table.add_int(attr::comm_dst, Kind::int32_val, t.peer);
      if (message) table.add_int(attr::comm_tag, Kind::int32_val, planned.task);
      table.add_int(attr::comm_size, Kind::int64_val, t.bytes);
    } else if (t.bytes != no_bytes) {
      table.add_int(attr::tensor_size, Kind::int64_val, t.bytes);
    }
    if (single_ && transfer)
      table.add_string(attr::comm_task, graph_.dialect == Dialect::stock ? "Comm" : "COMM_SEND_RECV_NODE");
    if (single_ && !transfer && t.rank != no_rank) table.add_int(attr::npu, Kind::int32_val, t.rank);
    table.add_int(attr::task_id, Kind::int64_val, t.number);
    if (t.type != 0) table.add_string(attr::task_type, graph_.texts.view(t.type));
    if (t.start_ns % 1000 != 0)
      table.add_int(attr::start_nanos, Kind::uint64_val, static_cast<std::int64_t>(t.start_ns));
    if (t.duration_ns != t.duration_us * 1000)
      table.add_int(attr::duration_nanos, Kind::uint64_val, static_cast<std::int64_t>(t.duration_ns));
    table.end_node();
    table.positions.push_back(t.line);
  }

  Input& input_;
  Diagnostics& diagnostics_;
  Rank rank_;  // for a single trace
  std::optional<std::string> devices_;
  bool single_;
  Cross cross_;
  bool begun_ = false;
  TaskGraph graph_;
  TaskOrder order_;
  RankPlan plan_;
  Rank next_ = 0;
  Rank current_ = 0;
  std::uint32_t next_node_ = 0;  // next node of the current rank
  std::vector<NodeId> parents_;
};

std::unique_ptr<TraceReader> make_reader(const ReadContext& context) { return std::make_unique<Reader>(context); }

}  // namespace
}  // namespace flexflow

extern const Format flexflow_format;
const Format flexflow_format = {
    .name = "flexflow",
    .summary = "FlexFlow task graph (dot): one trace per device, transfers as messages",
    .suffixes = {".dot"},
    .read_options = {{"devices", "FILE", "device map (CSV or JSON): the ranks of tasks, if the graph has none"},
                     {"single", "yes|no", "all tasks as one trace (default: no)"},
                     {"cross", "error|message",
                      "action on an edge between ranks without a transfer (default: error)"}},
    .sniff = flexflow::sniff_task_graph,
    .read = flexflow::make_reader,
    .imported = true,
};

}  // namespace convert
