// SPDX-License-Identifier: MIT
#include "sets/schedules.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "config/network/imports/import.h"
#include "config/network/routes.h"
#include "core/units.h"
#include "machine/chosen.h"
#include "machine/file.h"
#include "machine/presets.h"
#include "passes/provenance.h"
#include "passes/ten/algorithm.h"
#include "passes/ten/check.h"
#include "passes/ten/from_replay.h"
#include "passes/ten/retime.h"
#include "sets/known_file.h"
#include "util/log.h"
#include "util/utf8.h"

namespace convert {
namespace {

std::string us(Picoseconds time) { return format_exact(time, ps_per_us) + " µs"; }

// Replaces wrong times; wrong links cannot be repaired.
Schedule repaired(const Schedule& schedule, Diagnostics& diagnostics) {
  Diagnostics findings;
  Schedule timed;
  const Flow flow = check_schedule(schedule, timed, findings);
  bool mendable = !flow.redundant.empty();
  for (const Diagnostic& d : findings.all()) {
    if (d.rule != "R1") continue;
    diagnostics.add(d);
    mendable = false;
  }
  if (!mendable) return schedule;
  Schedule out = repair(schedule, flow, diagnostics);
  log_info("repaired: " + counted(schedule.transfers.size() - out.transfers.size(), "redundant transfer") +
           " dropped, times recomputed from the link order");
  return out;
}

// Returns the links of a network, without links of switches unless messages use them.
std::vector<Schedule::Wire> schedule_wires(const WireGraph& graph, bool switched) {
  std::vector<Schedule::Wire> wires;
  for (const GraphWire& w : graph.wires) {
    if (!switched && (w.from >= graph.npus || w.to >= graph.npus)) continue;
    wires.push_back(make_schedule_wire(w.from, w.to, w.bytes_per_ns, w.latency_ps));
  }
  return wires;
}

}  // namespace

ScheduleOptions schedule_options(const FormatOptions& options) {
  ScheduleOptions out;
  if (const auto text = options.get("repair")) {
    if (*text != "yes" && *text != "no") throw usage_error("repair=" + *text + ": expected yes or no");
    out.repair = *text == "yes";
  }
  if (const auto text = options.get("elem_bytes")) {
    const auto bytes = parse_int(*text);
    if (!bytes || *bytes < 1) throw usage_error("elem_bytes=" + *text + ": expected a positive number of bytes");
    out.element_bytes = *bytes;
  }
  return out;
}

CheckedSchedule check_and_repair(Schedule schedule, const ScheduleOptions& options, Diagnostics& diagnostics) {
  CheckedSchedule out;
  // A broken schedule is unusable, even if the diagnostics filter hides the errors.
  const auto findings = diagnostics.sibling();
  const auto broken = [&] { return findings->errors() + findings->refused_errors() != 0; };
  if (options.repair) schedule = repaired(schedule, *findings);
  Schedule timed;
  Flow flow;
  if (!broken()) flow = check_schedule(schedule, timed, *findings);
  const bool stop = broken();
  out.schedule = std::move(schedule);
  out.algorithm.file = out.schedule.file;
  out.algorithm.name = out.schedule.name;
  diagnostics.append(*findings);
  if (stop) return out;
  std::string& text = out.summary;
  text = (out.schedule.name.empty() ? out.schedule.file : out.schedule.name) + ": " +
         counted(out.schedule.transfers.size(), "transfer") + ", ";
  if (out.schedule.claimed_ps) {
    text += "claims " + us(*out.schedule.claimed_ps) + ", ";
  } else if (const auto end = written_time(out.schedule)) {
    text += "ends at " + us(*end) + ", ";
  }
  text += "replayed by its order " + us(replayed_time(timed, flow));
  out.algorithm = make_algorithm(out.schedule, timed, flow);
  out.algorithm.element_bytes = options.element_bytes;
  return out;
}

NetworkConfig network_of(const Schedule& schedule) {
  NetworkConfig config{.source = schedule.file};
  if (!schedule.wires_told) {
    throw input_error({.file = schedule.file}, "the schedule has no link rates", "network");
  }
  WireGraph& graph = config.graph;
  graph.npus = schedule.nodes;
  graph.switches = schedule.switches;
  if (graph.npus < 2) throw input_error({.file = schedule.file}, "a network requires at least two NPUs", "network");
  for (const Schedule::Wire& w : schedule.wires) {
    graph.wires.push_back({.from = w.src,
                           .to = w.dst,
                           .bytes_per_ns = astra_bytes_per_ns(w.bandwidth_gib_per_s),
                           .latency_ps = rounded_ps(w.latency_us * static_cast<double>(ps_per_us))});
  }
  if (std::uint64_t{graph.npus} * graph.devices() > max_route_entries) {
    throw input_error({.file = schedule.file}, too_many_routes(graph), "network");
  }
  if (const auto pair = find_unreachable(graph)) {
    throw input_error(
        {.file = schedule.file},
        "NPU " + std::to_string(pair->second) + " cannot be reached from NPU " + std::to_string(pair->first),
        "network");
  }
  return config;
}

DrawnReplay draw_replay(std::span<const Trace> traces, const Timeline& timeline, const NetworkConfig& network,
                        const std::string& name) {
  const WireGraph graph = network.graph.npus != 0 ? network.graph : build_wire_graph(network);
  const bool switched = std::ranges::any_of(timeline.hops, [&](const HopSlice& h) { return h.to >= graph.npus; });
  Schedule frame;
  frame.file = traces.empty() ? network.source : traces.front().name;
  frame.name = name;
  frame.occupancy = Schedule::Occupancy::beta;
  frame.nodes = graph.npus;
  if (switched) frame.switches = graph.switches;
  frame.wires = schedule_wires(graph, switched);
  ReplayNames names;
  DrawnReplay out{.schedule = fill_from_replay(traces, timeline, std::move(frame), true, &names), .holdings = {}};
  out.holdings = holdings_of_replay(traces, timeline, out.schedule, names);
  return out;
}

Schedule schedule_of_replay(std::span<const Trace> traces, const Timeline& timeline, const NetworkConfig& network,
                            Schedule::Occupancy occupancy, bool stored, const std::string& name,
                            Diagnostics& diagnostics) {
  const std::string file = traces.empty() ? network.source : traces.front().name;
  const WireGraph graph = network.graph.npus != 0 ? network.graph : build_wire_graph(network);
  const auto passed = std::ranges::find_if(timeline.hops, [&](const HopSlice& h) { return h.to >= graph.npus; });
  const bool switched = passed != timeline.hops.end();
  if (switched && !stored) {
    throw input_error({.file = file},
                      "rank " + std::to_string(passed->src) + " sends to " + std::to_string(passed->dst) +
                          " over " + graph.device_name(passed->to) +
                          ", which forwards partial messages; schedules require stored messages, so use "
                          "--forwarding store",
                      "network");
  }
  Schedule frame;
  frame.file = file;
  frame.name = name;
  frame.occupancy = occupancy;
  frame.nodes = graph.npus;
  if (graph.switches != 0) frame.network = network_id(graph);
  if (switched) {
    frame.switches = graph.switches;
    frame.forwarding = "store";
  }
  frame.wires = schedule_wires(graph, switched);
  Schedule schedule = fill_from_replay(traces, timeline, std::move(frame));
  Schedule timed;
  const auto findings = diagnostics.sibling();
  (void)check_schedule(schedule, timed, *findings);
  bool told = false;
  for (Diagnostic d : findings->all()) {
    if (!told && (d.rule == "R4" || d.rule == "R5")) {
      d.notes.emplace_back(
          "hint: reductions in schedules move partial sums, but these ranks keep the data they send, as in "
          "one-shot "
          "and recursive-doubling all-reduces; et-graph --view ten shows such a replay");
      told = true;
    }
    diagnostics.add(std::move(d));
  }
  return schedule;
}

NetworkConfig find_network(const std::string& option) {
  if (is_short_network(option)) return parse_short_network(option);
  if (names_machine(option)) return network_of(choose_preset(option), option);
  const FileArgument file = split_file_argument(option);
  std::error_code error;  // for an invalid path, which open_network() reports
  if (!std::filesystem::exists(file.path, error) && std::filesystem::exists(file.path + ".0.et", error))
    throw input_error({.file = file.path}, "is a trace set; use it as INPUT");
  if (const std::string hint = preset_hint(file.path); !hint.empty())
    throw usage_error("there is no file and no machine '" + file.path + "'" + hint);
  const auto input = open_network(file.path);
  const Format& format = find_format("ten");
  const std::string head(input->peek(known_file_bytes).substr(0, known_file_bytes));
  if (find_import(without_mark(head)) != nullptr) return read_network(*input, file);
  if (is_machine_text(without_mark(head))) {
    NetworkConfig network = network_of(choose_machine(file, input->read_rest()), option);
    if (find_machine_preset(file.path) != nullptr)
      network.notes.push_back("the file takes precedence over the machine of this name; machine:" + file.path +
                              " is the latter");
    return network;
  }
  if (!format.sniff(head))
    return parse_known(FileKind::network, head, file.path, [&] { return read_network(*input, file); });
  file.check_keys({}, "a schedule");
  Diagnostics ignored;
  return network_of(format.read_schedule(input->read_rest(), file.path, {}, ignored));
}

std::vector<std::int32_t> relays_of(const Trace& trace) {
  const AttrTable& table = trace.metadata.table;
  return int32_list(table, table.attrs, ten::relays);
}

}  // namespace convert
