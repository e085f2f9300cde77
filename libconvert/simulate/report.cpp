// SPDX-License-Identifier: MIT
#include "simulate/report.h"

#include <algorithm>
#include <array>

#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::array<std::string_view, 6> columns = {"npu",     "finish", "exposed communication",
                                                     "compute", "sends",  "sent"};
using Row = std::array<std::string, columns.size()>;

Row text_row(std::size_t npu, const NpuResult& n) {
  return {std::to_string(npu),
          n.finish_ps
              ? format_time(*n.finish_ps)
              : "not finished (" + std::to_string(n.nodes_done) + " of " + std::to_string(n.nodes) + " nodes)",
          n.finish_ps ? format_time(n.exposed_communication_ps) : "-",
          format_time(n.compute_ps),
          std::to_string(n.sends),
          format_bytes(n.bytes_sent)};
}

template <typename Cells>
void append_row(const Cells& cells, const std::array<std::size_t, columns.size()>& widths, std::string& out) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c != 0) out += "  ";
    out.append(widths[c] - cells[c].size(), ' ');
    out += cells[c];
  }
  out += '\n';
}

}  // namespace

// ASTRA-sim's cycles are whole ns, and its differences wrap below 0.
void append_astra(const ReplayResult& result, std::string& out) {
  const auto cycles = [](Picoseconds t) { return std::to_string(static_cast<std::uint64_t>(t / ps_per_ns)); };
  for (std::size_t npu = 0; npu < result.npus.size(); ++npu) {
    const NpuResult& n = result.npus[npu];
    if (!n.finish_ps) continue;
    out += "[workload] [info] sys[" + std::to_string(npu) + "] finished, " + cycles(*n.finish_ps) +
           " cycles, exposed communication " + cycles(n.exposed_communication_ps) + " cycles.\n";
    const auto statistic = [&](const char* name, Picoseconds t) {
      out += "[statistics] [info] sys[" + std::to_string(npu) + "], " + name + ": " + cycles(t) + "\n";
    };
    statistic("Wall time", *n.finish_ps);
    if (n.times.computes) statistic("GPU time", n.times.compute);
    if (n.times.communicates) statistic("Comm time", n.times.communication);
    const Picoseconds overlap = n.times.compute + n.times.communication - *n.finish_ps;
    if (n.times.computes && n.times.communicates && overlap > 0)
      statistic("Total compute-communication overlap", overlap);
  }
}

std::string format_ns(Picoseconds time) {
  std::string text = std::to_string(time / ps_per_ns);
  const Picoseconds rest = time % ps_per_ns;
  if (rest == 0) return text;
  if (time < 0 && time > -ps_per_ns) text.insert(0, 1, '-');
  std::string decimals = std::to_string(ps_per_ns + (rest < 0 ? -rest : rest)).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + '.' + decimals;
}

void append_text(const ReplayResult& result, std::string& out) {
  out += "total " + format_time(result.total_ps) + " (" + format_ns(result.total_ps) + " ns), " +
         std::to_string(result.npus.size()) + " NPUs, network " + std::string(name(result.model)) + ", issue " +
         std::string(name(result.issue));
  if (result.status != ReplayStatus::complete) out += ", " + std::string(name(result.status));
  out += '\n';
  std::array<std::size_t, columns.size()> widths{};
  std::vector<Row> rows;
  for (std::size_t i = 0; i < result.npus.size(); ++i) rows.push_back(text_row(i, result.npus[i]));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widths[c] = columns[c].size();
    for (const Row& r : rows) widths[c] = std::max(widths[c], r[c].size());
  }
  append_row(columns, widths, out);
  for (const Row& r : rows) append_row(r, widths, out);
}

void append_csv(const ReplayResult& result, std::string& out) {
  out += "npu,finish_ns,exposed_communication_ns,compute_ns,sends,bytes_sent,model,issue\n";
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    const NpuResult& n = result.npus[i];
    out += std::to_string(i) + ',' + (n.finish_ps ? format_ns(*n.finish_ps) : "") + ',' +
           (n.finish_ps ? format_ns(n.exposed_communication_ps) : "") + ',' + format_ns(n.compute_ps) + ',' +
           std::to_string(n.sends) + ',' + std::to_string(n.bytes_sent) + ',' + std::string(name(result.model)) +
           ',' + std::string(name(result.issue)) + '\n';
  }
}

void append_json(const ReplayResult& result, std::string& out) {
  JsonWriter json(out);
  json.begin_object();
  json.line(1)
      .member("model", name(result.model))
      .member("issue", name(result.issue))
      .member("status", name(result.status));
  json.line(1).key("total_ns").raw(format_ns(result.total_ps));
  json.line(1).key("npus").begin_array();
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    const NpuResult& n = result.npus[i];
    json.line(2).begin_object().member("npu", i);
    json.key("finish_ns").raw(n.finish_ps ? format_ns(*n.finish_ps) : "null");
    json.key("exposed_communication_ns").raw(n.finish_ps ? format_ns(n.exposed_communication_ps) : "null");
    json.key("compute_ns").raw(format_ns(n.compute_ps));
    json.member("sends", n.sends).member("bytes_sent", n.bytes_sent).end_object();
  }
  json.line(1).end_array();
  if (result.status == ReplayStatus::deadlock || result.status == ReplayStatus::unmatched)
    append_waits(result.waits, json);
  json.line().end_object();
  out += '\n';
}

}  // namespace convert
