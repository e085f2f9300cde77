// SPDX-License-Identifier: MIT
#include <optional>

#include "simulate/report/report.h"
#include "simulate/report/values.h"
#include "util/json_writer.h"
#include "util/text_table.h"

namespace convert {
namespace {

void member_ns(JsonWriter& json, std::string_view key, const std::optional<Picoseconds>& time) {
  json.key(key).raw(time ? format_ns(*time) : "null");
}
void member_fixed(JsonWriter& json, std::string_view key, const std::optional<double>& value) {
  json.key(key).raw(value ? format_fixed(*value, 6) : "null");
}
void member_peak(JsonWriter& json, const std::optional<PeakMemory>& peak) {
  json.key("peak_memory_bytes").raw(peak ? std::to_string(peak->bytes) : "null");
  member_ns(json, "peak_memory_at_ns", peak ? std::optional(peak->at_ps) : std::nullopt);
}

void write_npus(const ReplayResult& result, JsonWriter& json, const Drain& drain) {
  json.line(1).key("npus").begin_array();
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    const NpuResult& n = result.npus[i];
    json.line(2).begin_object().member("npu", result.rank(i));
    for (std::size_t c = 0; c < time_communication; ++c)
      member_ns(json, npu_times.at(c).key, npu_times.at(c).of(n));
    json.member("sends", n.sends).member("bytes_sent", n.bytes_sent);
    for (std::size_t c = time_communication; c < npu_times.size(); ++c)
      member_ns(json, npu_times.at(c).key, npu_times.at(c).of(n));
    member_peak(json, n.peak_memory);
    json.end_object();
    drain();
  }
  json.line(1).end_array();
}

void write_summary(const ReplayResult& result, JsonWriter& json) {
  json.line(1).key("summary").begin_object();
  const auto row = [&](const char* name, std::int64_t Spread::*value) {
    json.line(2).key(name).begin_object();
    for (const NpuTime& time : npu_times) {
      const std::optional<Spread> s = spread(result, time);
      member_ns(json, time.key, s ? std::optional((*s).*value) : std::nullopt);
    }
    const auto count = [&](const Spread& s) {
      return value == &Spread::mean ? format_mean(s, 6) : std::to_string(s.*value);
    };
    json.key("sends").raw(count(spread_of_sends(result)));
    json.key("bytes_sent").raw(count(spread_of_bytes(result)));
    const std::optional<Spread> peak = spread_of_peaks(result);
    json.key("peak_memory_bytes").raw(peak ? count(*peak) : "null").end_object();
  };
  row("min", &Spread::min);
  row("mean", &Spread::mean);
  row("max", &Spread::max);
  json.line(1).end_object();
}

void write_peak_tensors(const ReplayResult& result, JsonWriter& json) {
  if (!result.peak_tensors) return;
  const PeakTensors& at = *result.peak_tensors;
  json.line(1).key("peak_memory").begin_object().member("npu", at.npu);
  member_peak(json, at.peak);
  json.member("tensors", at.tensors).key("largest").begin_array();
  for (const auto& [name, bytes] : at.largest)
    json.line(2).begin_object().member("name", name).member("bytes", bytes).end_object();
  json.line(1).end_array().end_object();
}

void write_symmetry(const ReplayResult& result, JsonWriter& json) {
  json.line(1).key("symmetry").begin_object();
  json.member("simulated", result.classes == 0 ? result.npus.size() : result.classes);
  if (!result.no_symmetry.empty()) json.member("prevented_by", result.no_symmetry);
  member_ns(json, "error_bound_ns", result.error_bound_ps);
  json.end_object();
}

void write_collectives(const ReplayResult& result, JsonWriter& json, const Drain& drain) {
  json.line(1).key("collectives").begin_array();
  for (const CollectiveResult& c : result.collectives) {
    const CollectiveKind& kind = result.kinds.at(c.plan);
    const std::optional<Picoseconds> time = time_of(c);
    const CollectiveSpeed s = time ? speed_of(kind, *time) : CollectiveSpeed{};
    json.line(2).begin_object();
    json.member("group", c.group);
    if (c.alike != 1) json.member("alike", c.alike);
    json.member("number", c.number).member("op", name(kind.op));
    json.member("size_bytes", kind.size_bytes).member("npus", kind.npus);
    json.member("algorithm", kind.algorithm).member("chunks", kind.chunks);
    if (!kind.source.empty()) json.member("source", kind.source);
    if (kind.error_pct) member_fixed(json, "error_pct", kind.error_pct);
    member_ns(json, "begin_ns", c.begin_ps);
    member_ns(json, "last_begin_ns", c.last_begin_ps);
    member_ns(json, "end_ns", c.end_ps);
    member_ns(json, "time_ns", time);
    member_fixed(json, "algbw_gb_per_s", s.alg_gb_per_s);
    member_fixed(json, "busbw_gb_per_s", s.bus_gb_per_s);
    member_ns(json, "bound_ns", kind.bound_ps);
    member_fixed(json, "bound_share", s.bound_share);
    json.member("first_npu", c.first_npu).member("first_node", c.first_node);
    member_ns(json, "exposed_mean_ns", time ? std::optional(c.exposed_mean_ps) : std::nullopt);
    member_ns(json, "exposed_max_ns", time ? std::optional(c.exposed_max_ps) : std::nullopt);
    json.end_object();
    drain();
  }
  json.line(1).end_array();
}

void write_wire(const ReplayResult& result, const WireUse& wire, JsonWriter& json) {
  json.begin_object().member("from", wire.from).member("to", wire.to);
  json.member("bytes", wire.bytes).member("messages", wire.messages);
  member_ns(json, "busy_ns", wire.busy_ps);
  member_fixed(json, "utilisation", utilisation(result, wire));
  json.member("peak_queue", wire.peak_queue).end_object();
}

void write_whole(const ReplayResult& result, JsonWriter& json) {
  if (!result.whole || result.status != ReplayStatus::complete) return;
  const CollectiveKind& kind = *result.whole;
  const CollectiveSpeed s = speed_of(kind, result.total_ps);
  json.line(1).key("algorithm").begin_object().member("op", name(kind.op)).member("size_bytes", kind.size_bytes);
  json.member("npus", kind.npus);
  member_fixed(json, "algbw_gb_per_s", s.alg_gb_per_s);
  member_fixed(json, "busbw_gb_per_s", s.bus_gb_per_s);
  json.end_object();
}

void write_worst_port(const ReplayResult& result, JsonWriter& json) {
  if (!result.worst_port) return;
  const PortLoad& load = *result.worst_port;
  json.line(1).key("exceeded_port").begin_object().member("npu", load.npu);
  json.member("way", load.sends ? "sends" : "receives").member("messages", load.messages);
  member_fixed(json, "gb_per_s", load.bytes_per_ns);
  member_fixed(json, "port_gb_per_s", load.port_bytes_per_ns);
  json.end_object();
}

void write_wires(const ReplayResult& result, bool all, JsonWriter& json, const Drain& drain) {
  if (const WireUse* busiest = bottleneck(result)) {
    json.line(1).key("bottleneck_link");
    write_wire(result, *busiest, json);
  }
  if (!all) return;
  json.line(1).key("links").begin_array();
  for (const WireUse& wire : result.wires) {
    write_wire(result, wire, json.line(2));
    drain();
  }
  json.line(1).end_array();
}

}  // namespace

void append_json(const ReplayResult& result, std::string& out, const ReportOptions& options) {
  JsonWriter json(out);
  const Drain drain{options, out};
  json.begin_object();
  json.line(1).member("model", model_name(result));
  if (!result.machine.empty())
    json.key("machine")
        .begin_object()
        .member("name", result.machine)
        .member("nodes", result.machine_nodes)
        .end_object();
  if (result.forwarding) json.member("forwarding", name(*result.forwarding));
  if (result.spread) json.member("multipath", name(*result.spread));
  json.member("issue", name(result.issue)).member("status", name(result.status));
  json.line(1).key("total_ns").raw(format_ns(result.total_ps));
  if (result.status == ReplayStatus::stopped || result.status == ReplayStatus::deadlock)
    member_ns(json, "reached_ns", result.reached_ps);
  if (!result.recorded_communication) write_symmetry(result, json);
  write_whole(result, json);
  write_npus(result, json, drain);
  write_summary(result, json);
  write_peak_tensors(result, json);
  write_collectives(result, json, drain);
  write_worst_port(result, json);
  write_wires(result, options.part == ReportPart::wires, json, drain);
  if (result.status == ReplayStatus::deadlock || result.status == ReplayStatus::unmatched)
    append_waits(result.waits, json);
  if (!options.findings.empty()) json.line(1).key("findings").raw(options.findings);
  json.line().end_object();
  out += '\n';
}

}  // namespace convert
