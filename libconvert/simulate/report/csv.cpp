// SPDX-License-Identifier: MIT
#include <optional>

#include "simulate/report/report.h"
#include "simulate/report/values.h"
#include "util/text_table.h"

namespace convert {
namespace {

void append_npus(const ReplayResult& result, std::string& out, const Drain& drain) {
  out += "npu,finish_ns,exposed_communication_ns,compute_ns,sends,bytes_sent,model,issue";
  for (std::size_t c = time_communication; c < npu_times.size(); ++c) out += ',' + std::string(npu_times.at(c).key);
  out += ",peak_memory_bytes,peak_memory_at_ns\n";
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    const NpuResult& n = result.npus[i];
    const auto time = [&n](std::size_t c) {
      const std::optional<Picoseconds> t = npu_times.at(c).of(n);
      return t ? format_ns(*t) : "";
    };
    out += std::to_string(result.rank(i)) + ',' + time(time_finish) + ',' + time(time_exposed) + ',' +
           time(time_compute) + ',' + std::to_string(n.sends) + ',' + std::to_string(n.bytes_sent) + ',' +
           std::string(model_name(result)) + ',' + std::string(name(result.issue));
    for (std::size_t c = time_communication; c < npu_times.size(); ++c) out += ',' + time(c);
    const std::optional<PeakMemory>& peak = n.peak_memory;
    out += peak ? ',' + std::to_string(peak->bytes) + ',' + format_ns(peak->at_ps) + '\n' : ",,\n";
    drain();
  }
}

std::string fixed_or_empty(const std::optional<double>& value, int decimals) {
  return value ? format_fixed(*value, decimals) : "";
}

void append_collectives(const ReplayResult& result, std::string& out, const Drain& drain) {
  out +=
      "collective,group,number,op,size_bytes,npus,algorithm,chunks,begin_ns,last_begin_ns,end_ns,time_ns,"
      "algbw_gb_per_s,busbw_gb_per_s,bound_ns,bound_share,first_npu,first_node,exposed_mean_ns,exposed_max_ns";
  const bool on_machine =
      std::ranges::any_of(result.kinds, [](const CollectiveKind& k) { return !k.source.empty(); });
  out += on_machine ? ",source,error_pct\n" : "\n";
  for (std::size_t i = 0; i < result.collectives.size(); ++i) {
    const CollectiveResult& c = result.collectives[i];
    const CollectiveKind& kind = result.kinds.at(c.plan);
    const std::optional<Picoseconds> time = time_of(c);
    const CollectiveSpeed s = time ? speed_of(kind, *time) : CollectiveSpeed{};
    out += std::to_string(i) + ',' + std::to_string(c.group) + ',' + std::to_string(c.number) + ',' +
           std::string(name(kind.op)) + ',' + std::to_string(kind.size_bytes) + ',' + std::to_string(kind.npus) +
           ',' + csv_field(kind.algorithm) + ',' + std::to_string(kind.chunks) + ',' + format_ns(c.begin_ps) + ',' +
           format_ns(c.last_begin_ps) + ',' + (c.end_ps ? format_ns(*c.end_ps) : "") + ',' +
           (time ? format_ns(*time) : "") + ',' + fixed_or_empty(s.alg_gb_per_s, 6) + ',' +
           fixed_or_empty(s.bus_gb_per_s, 6) + ',' + (kind.bound_ps ? format_ns(*kind.bound_ps) : "") + ',' +
           fixed_or_empty(s.bound_share, 6) + ',' + std::to_string(c.first_npu) + ',' +
           std::to_string(c.first_node) + ',' + (time ? format_ns(c.exposed_mean_ps) : "") + ',' +
           (time ? format_ns(c.exposed_max_ps) : "");
    if (on_machine) out += ',' + kind.source + ',' + fixed_or_empty(kind.error_pct, 6);
    out += '\n';
    drain();
  }
}

void append_wires(const ReplayResult& result, std::string& out, const Drain& drain) {
  out += "from,to,bytes,messages,busy_ns,utilisation,peak_queue\n";
  for (const WireUse& w : result.wires) {
    out += csv_field(w.from) + ',' + csv_field(w.to) + ',' + std::to_string(w.bytes) + ',' +
           std::to_string(w.messages) + ',' + format_ns(w.busy_ps) + ',' + format_fixed(utilisation(result, w), 6) +
           ',' + std::to_string(w.peak_queue) + '\n';
    drain();
  }
}

void append_roofline(const RooflineUse& use, std::size_t npu, std::string& out) {
  const double time = static_cast<double>(use.time) + ps_per_ns;  // one cycle more, as in ASTRA-sim
  const auto statistic = [&](const char* name, double value, const char* unit) {
    out += "[statistics] [info] sys[" + std::to_string(npu) + "], " + name + ": " + format_fixed(value, 3) + unit +
           "\n";
  };
  statistic("Compute bound percentage", 100 * static_cast<double>(use.compute_bound) / time, "%");
  statistic("Average compute utilization", 100 * use.compute_utilisation / time, "%");
  statistic("Average memory utilization", 100 * use.memory_utilisation / time, "%");
  statistic("Average operation intensity", use.intensity / time, "");
}

}  // namespace

// ASTRA-sim's cycles are whole ns, and its differences wrap below 0.
void append_astra(const ReplayResult& result, std::string& out) {
  const auto cycles = [](Picoseconds t) { return std::to_string(static_cast<std::uint64_t>(t / ps_per_ns)); };
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    const NpuResult& n = result.npus[i];
    const Rank npu = result.rank(i);
    if (!n.finish_ps) continue;
    out += "[workload] [info] sys[" + std::to_string(npu) + "] finished, " + cycles(*n.finish_ps) +
           " cycles, exposed communication " + cycles(n.astra_exposed_ps) + " cycles.\n";
    const auto statistic = [&](const char* name, Picoseconds t) {
      out += "[statistics] [info] sys[" + std::to_string(npu) + "], " + name + ": " + cycles(t) + "\n";
    };
    statistic("Wall time", *n.finish_ps);
    if (n.times.computes) statistic("GPU time", n.times.compute);
    if (n.times.communicates) statistic("Comm time", n.times.called);
    const Picoseconds overlap = n.times.compute + n.times.called - *n.finish_ps;
    if (n.times.computes && n.times.communicates && overlap > 0)
      statistic("Total compute-communication overlap", overlap);
    if (n.roofline) append_roofline(*n.roofline, npu, out);
    if (n.peak_memory) {
      out += "[workload] [info] sys[" + std::to_string(npu) +
             "] peak memory usage: " + format_astra_bytes(n.peak_memory->bytes) + "\n";
    }
  }
}

std::string format_ns(Picoseconds time) { return format_exact(time, ps_per_ns); }

void append_csv(const ReplayResult& result, std::string& out, const ReportOptions& options) {
  const Drain drain{options, out};
  switch (options.part) {
    case ReportPart::npus: return append_npus(result, out, drain);
    case ReportPart::collectives: return append_collectives(result, out, drain);
    case ReportPart::wires: return append_wires(result, out, drain);
  }
}

}  // namespace convert
