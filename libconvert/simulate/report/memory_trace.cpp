// SPDX-License-Identifier: MIT
#include "simulate/report/memory_trace.h"

#include <string>

#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::size_t flush_bytes = 1 << 16;
constexpr std::uint64_t lives_pid = 1'000'000;
constexpr std::uint64_t usage_pid = 2'000'000;

class MemoryTraceWriter {
 public:
  MemoryTraceWriter(const RankCode& code, const NodeSpans& spans, Rank rank,
                    const std::function<void(std::string_view)>& write)
      : code_(code), table_(*code.tensors), spans_(spans), rank_(rank), write_(write), json_(text_) {}

  void run() {
    json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
    name_process(rank_, "reads and writes");
    name_process(rank_ + lives_pid, "lifetimes of tensors");
    name_process(rank_ + usage_pid, "memory");
    write_uses();
    const std::vector<TensorLife> lives = tensor_lives(table_, spans_);
    write_lives(lives);
    write_usage(memory_curve(table_, lives));
    json_.line().end_array().end_object();
    text_ += '\n';
    write_(text_);
  }

 private:
  void name_process(std::uint64_t pid, const char* what) {
    json_.line(1).begin_object().member("name", "process_name").member("ph", "M").member("pid", pid);
    json_.key("args").begin_object().member("name", "npu " + std::to_string(rank_) + " " + what).end_object();
    json_.end_object();
  }

  void begin_event(std::string_view name, std::string_view category, char phase, Picoseconds time,
                   std::uint64_t pid) {
    if (text_.size() >= flush_bytes) {
      write_(text_);
      text_.clear();
    }
    json_.line(1).begin_object().member("name", name).member("cat", category);
    json_.member("ph", std::string_view(&phase, 1)).key("ts").raw(format_exact(time, ps_per_us)).member("pid", pid);
  }

  void write_uses() {
    table_.for_each_use([this](std::uint32_t node, TensorTable::Use use) {
      const NodeSpan& span = spans_[node];
      if (span.end < 0) return;
      for (const char phase : {'B', 'E'}) {
        begin_event(table_.name(use.tensor), use.writes != 0 ? "tensorWrite" : "tensorRead", phase,
                    phase == 'B' ? span.begin : span.end, rank_);
        json_.member("tid", std::uint32_t{use.tensor}).key("args").begin_object();
        json_.member("size", table_.bytes[use.tensor]).member("node_name", code_.node_name(node));
        json_.member("node_id", code_.id(node)).end_object().end_object();
      }
    });
  }

  // A tensor that lives to the end of the run has no end event, as in ASTRA-sim.
  void write_lives(const std::vector<TensorLife>& lives) {
    for (std::uint32_t t = 0; t < lives.size(); ++t) {
      write_life(t, 'B', lives[t].begin);
      write_life(t, 'E', lives[t].end);
    }
  }
  void write_life(std::uint32_t tensor, char phase, Picoseconds time) {
    if (time == TensorLife::never) return;
    begin_event(table_.name(tensor), "tensorLifetime", phase, time, rank_ + lives_pid);
    json_.member("tid", tensor).key("args").begin_object().member("size", table_.bytes[tensor]);
    json_.end_object().end_object();
  }

  void write_usage(const MemoryCurve& curve) {
    for (const auto& [time, bytes] : curve) {
      begin_event("GPU Memory Usage (MB)", "GPU Memory", 'C', time, rank_ + usage_pid);
      json_.key("args").begin_object();
      json_.member("Memory_MB", static_cast<double>(bytes) / (1024 * 1024)).end_object().end_object();
    }
  }

  const RankCode& code_;
  const TensorTable& table_;
  const NodeSpans& spans_;
  Rank rank_;
  const std::function<void(std::string_view)>& write_;
  std::string text_;
  JsonWriter json_;
};

}  // namespace

void write_memory_trace(const ReplayProgram& program, const ReplayResult& result, Rank rank,
                        const std::function<void(std::string_view)>& write) {
  MemoryTraceWriter(*program.ranks[rank].code, result.spans[rank], rank, write).run();
}

}  // namespace convert
