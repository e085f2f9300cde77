// SPDX-License-Identifier: MIT
// JSON lines of NCCL Inspector: the calls of a job, each measured by several ranks.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/read/json_input.h"

namespace convert {
namespace {

struct InspectorHeader {
  std::string id{}, ranks{}, nodes{};
};
struct InspectorCall {
  std::string collective{}, number{}, bytes{}, time{};
};
struct InspectorRecord {
  std::optional<InspectorHeader> header{};
  std::optional<InspectorCall> call{};
};

InspectorRecord read_record(JsonCursor& in) {
  InspectorRecord record;
  json_members(in, [&](std::string_view key) {
    if (key == "header") {
      InspectorHeader& header = record.header.emplace();
      json_members(in, [&](std::string_view name) {
        const std::string_view value = in.skip();
        if (name == "id") header.id = value;
        if (name == "n_ranks") header.ranks = value;
        if (name == "nnodes") header.nodes = value;
      });
    } else if (key == "coll_perf") {
      InspectorCall& call = record.call.emplace();
      json_members(in, [&](std::string_view name) {
        if (name == "coll") {
          call.collective = json_text(in);
          return;
        }
        const std::string_view value = in.skip();
        if (name == "coll_sn") call.number = value;
        if (name == "coll_msg_size_bytes") call.bytes = value;
        if (name == "coll_exec_time_us") call.time = value;
      });
    } else {
      (void)in.skip();
    }
  });
  return record;
}

class InspectorReader {
 public:
  explicit InspectorReader(const BenchmarkSource& source) : source_(source) {}

  Benchmark read() {
    BenchmarkJson json(source_);
    bool has_header = false;
    InspectorHeader header;  // of this record or an earlier one
    while (std::optional<InspectorRecord> record = json.next(read_record)) {
      if (record->header) {
        header = std::move(*record->header);
        has_header = true;
      }
      if (!record->call) continue;
      if (!has_header) throw source_.failure(json.line(), "the header is missing; it states the number of ranks");
      take(header, *record->call, json.line());
    }
    return curves();
  }

 private:
  // The communicator, the collective and its number there, and the size.
  using Call = std::tuple<std::string, Collective, std::string, std::int64_t>;
  struct Times {
    std::uint32_t line = 0;
    std::size_t curve = 0;
    double least_ns = 0;
  };

  void take(const InspectorHeader& header, const InspectorCall& call, std::uint32_t line) {
    const std::optional<Collective> collective = benchmark_collective(call.collective);
    if (!collective) {
      if (skipped_.insert(call.collective).second)
        source_.warn(line,
                     "not a collective of a machine: " + shown_word(call.collective) + "; its calls are omitted");
      return;
    }
    if (call.bytes == "0") return;
    const bool is_part = *collective == Collective::all_gather || *collective == Collective::reduce_scatter;
    BenchmarkPoint point{.collective = *collective,
                         .ranks = source_.ranks(line, "n_ranks", header.ranks),
                         .bytes = source_.bytes(line, "coll_msg_size_bytes", call.bytes),
                         .line = line};
    if (is_part) point.bytes = source_.times(line, point.bytes, point.ranks);
    std::optional<std::uint32_t> hosts;
    if (!header.nodes.empty()) hosts = source_.ranks(line, "nnodes", header.nodes);
    point.nodes = source_.nodes(point.ranks, hosts);
    const double time = source_.time_ns(line, "coll_exec_time_us", call.time, 1000);
    const auto size = std::tuple(point.collective, point.ranks, point.nodes.value_or(0), point.bytes);
    const auto [curve, is_new] = sizes_.try_emplace(size, points_.size());
    if (is_new) points_.push_back(point);
    const auto [found, is_first] =
        calls_.try_emplace(Call(header.id, point.collective, call.number, point.bytes),
                           Times{.line = line, .curve = curve->second, .least_ns = time});
    if (!is_first) found->second.least_ns = std::min(found->second.least_ns, time);
  }

  // Ranks that call before the last rank wait for it. The least time of a call contains no waiting.
  [[nodiscard]] Benchmark curves() {
    std::vector<std::vector<double>> times(points_.size());
    for (const auto& [call, of_ranks] : calls_) times[of_ranks.curve].push_back(of_ranks.least_ns);
    Benchmark benchmark;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      std::vector<double>& of_size = times[i];
      if (of_size.empty()) continue;
      std::ranges::sort(of_size);
      const std::size_t n = of_size.size();
      points_[i].time_ns = (of_size[(n - 1) / 2] + of_size[n / 2]) / 2;
      benchmark.points.push_back(std::move(points_[i]));
    }
    return benchmark;
  }

  const BenchmarkSource& source_;
  std::vector<BenchmarkPoint> points_;  // by size, in order of appearance
  std::map<std::tuple<Collective, std::uint32_t, std::uint32_t, std::int64_t>, std::size_t> sizes_;
  std::map<Call, Times> calls_;
  std::set<std::string> skipped_;  // collectives
};

}  // namespace

Benchmark read_inspector(const BenchmarkSource& source) { return InspectorReader(source).read(); }

}  // namespace convert
