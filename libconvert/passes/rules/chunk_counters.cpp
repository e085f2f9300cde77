// SPDX-License-Identifier: MIT
// Checks the chunk counters of an algorithm's messages: against each other, their steps, the algorithm in the
// metadata, and the messages' sizes.
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/units.h"
#include "passes/provenance.h"
#include "passes/provenance_rule.h"
#include "passes/rules/provenance_nodes.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

__extension__ using Wide = __int128;

// Returns the possible sizes of a whole buffer if `chunks` of its `of_chunks` chunks have `bytes` bytes, rounded
// down.
WholeBytes whole_of(std::int64_t bytes, std::int64_t chunks, std::int64_t of_chunks) {
  const auto first_with = [&](std::int64_t at_least) {  // smallest whole buffer whose share is at least that
    const Wide whole = (static_cast<Wide>(at_least) * of_chunks + chunks - 1) / chunks;
    constexpr Wide most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(whole, most));
  };
  const std::int64_t next = bytes == std::numeric_limits<std::int64_t>::max() ? bytes : bytes + 1;
  return {first_with(bytes), first_with(next) - 1};
}

class CounterChecker {
 public:
  CounterChecker(const Trace& trace, Diagnostics& diagnostics) : trace_(trace), diagnostics_(diagnostics) {
    const auto metadata = std::span<const Attr>(trace.metadata.table.attrs);
    declared_ = int32_value(metadata, msccl::nchunksperloop).value_or(0);
  }

  ChunkCounters run() {
    for (std::size_t i = 0; i < trace_.nodes.nodes.size(); ++i) {
      const Node& node = trace_.nodes.nodes[i];
      if (node.type != NodeType::comm_send && node.type != NodeType::comm_recv) continue;
      if (!ProvenanceNode::tells(trace_.nodes, node)) continue;
      const ProvenanceNode n(trace_.nodes, node);
      if (n.has(attr::msg_chunk_cnt) || n.has(attr::total_chunk_cnt)) check(i, n);
    }
    report_totals();
    find_whole();
    check_runs();
    return counters_;
  }

 private:
  using Run = std::pair<std::int64_t, std::int32_t>;  // first chunk of a schedule, and number of consecutive chunks

  void error(std::size_t i, const std::string& what) {
    diagnostics_.error(location_of(trace_, i), "provenance", node_text(trace_.nodes.nodes[i].id) + ": " + what);
  }

  void check(std::size_t i, const ProvenanceNode& n) {
    for (const Name field : {attr::msg_chunk_cnt, attr::total_chunk_cnt, attr::msg_chunk_idx, attr::chunk_offset}) {
      if (n.has(field) && !n.get(field)) error(i, "attribute " + std::string(field.view()) + " is not an int32");
    }
    const std::int32_t chunks = n.get(attr::msg_chunk_cnt).value_or(-1);
    const std::int32_t total = n.get(attr::total_chunk_cnt).value_or(-1);
    const std::int32_t index = n.get(attr::msg_chunk_idx).value_or(-1);
    const std::int32_t offset = n.get(attr::chunk_offset).value_or(-1);
    if (chunks == 0) return error(i, "msg_chunk_cnt is 0, but a message carries at least one chunk");
    if (n.has(attr::step_type)) {
      check_step(i, n);
    } else if (index >= 0 && offset >= 0 && index != offset) {
      error(i, "msg_chunk_idx is " + std::to_string(index) + ", but chunk_offset is " + std::to_string(offset));
    }
    if (total <= 0 || chunks <= 0) return;  // -1: counters unused; the rule attributes reports 0
    if (counters_.total == 0) {
      counters_.total = total;
      counters_.node = i;
    } else if (total != counters_.total && other_totals_++ == 0) {
      first_other_ = i;
    }
    // A message without buffer names is a range of the whole buffer and must not exceed it. The same holds for a
    // step in input or output; if the metadata does not state the whole buffer's chunks, one such step is reported.
    const bool is_step = n.has(attr::step_type);
    const bool bounded = !is_step || (declared_ == 0 && !steps_beyond_ && !in_scratch(i));
    if (bounded && Wide{std::max(index, 0)} + chunks > total) {
      error(i, "msg_chunk_idx " + std::to_string(std::max(index, 0)) + " and msg_chunk_cnt " +
                   std::to_string(chunks) + " exceed total_chunk_cnt, " + std::to_string(total));
      steps_beyond_ = steps_beyond_ || is_step;
    }
    if (total == counters_.total) note_bytes(i, n, chunks);
  }

  // Returns whether the message comes from, or goes to, the scratch buffer, which may have any size.
  [[nodiscard]] bool in_scratch(std::size_t i) const {
    const Node& node = trace_.nodes.nodes[i];
    const Name buffer = node.type == NodeType::comm_send ? attr::src_buf : attr::dst_buf;
    return string_value(trace_.nodes, trace_.nodes.attributes(node), buffer) == "s";
  }

  void check_step(std::size_t i, const ProvenanceNode& n) {
    const bool sends = trace_.nodes.nodes[i].type == NodeType::comm_send;
    const auto same = [&](Name counter, Name of_step) {
      const auto own = n.get(counter), step = n.get(of_step);
      if (!own || !step || *own == *step) return;
      error(i, std::string(counter.view()) + " is " + std::to_string(*own) + ", but " +
                   std::string(of_step.view()) + " of its step is " + std::to_string(*step));
    };
    same(attr::msg_chunk_cnt, attr::chunk_cnt);
    same(attr::msg_chunk_idx, sends ? attr::src_off : attr::dst_off);
    same(attr::chunk_offset, sends ? attr::src_off : attr::dst_off);
    if (!sends && n.has(attr::is_rrc)) check_reduction(i, n);
    const std::int32_t total = n.get(attr::total_chunk_cnt).value_or(declared_);
    if (declared_ > 0 && total < 0)
      error(i, "total_chunk_cnt is " + std::to_string(total) + ", but the algorithm has " +
                   std::to_string(declared_) + " chunks (msccl.nchunksperloop in the metadata)");
  }

  // Readers that ignore step_type use is_rrc.
  void check_reduction(std::size_t i, const ProvenanceNode& n) {
    const auto attrs = trace_.nodes.attributes(trace_.nodes.nodes[i]);
    const std::string_view step = string_value(trace_.nodes, attrs, attr::step_type).value_or("");
    const bool told = n.attr(attr::is_rrc)->bits != 0;
    if (told == (step == "rrc")) return;
    error(i, std::string("is_rrc is ") + (told ? "true" : "not true") + ", but its step is of type " +
                 std::string(step));
  }

  void note_bytes(std::size_t i, const ProvenanceNode& n, std::int32_t chunks) {
    const auto bytes = n.wide(attr::comm_size);
    if (!bytes || *bytes < 0) return;
    // The chunks of a schedule have individual sizes.
    if (const auto chunk = n.wide(attr::chunk_id)) {
      if (chunks == 1) return same_size(i, of_chunk_, *chunk, *bytes);
      return same_size(i, of_run_, {*chunk, chunks}, *bytes);
    }
    constexpr std::size_t most_shares = 4096;  // correct traces have one share for each number of chunks
    if (shares_.size() < most_shares || shares_.contains({*bytes, chunks})) {
      Share& share = shares_.try_emplace({*bytes, chunks}, Share{.first = i}).first->second;
      ++share.count;
    }
  }

  // Finds the buffer size that explains the sizes of most messages, and reports the other messages.
  void find_whole() {
    struct Said {
      std::int64_t bytes;
      std::int32_t chunks;
      Share share;
    };
    std::vector<Said> said;
    for (const auto& [what, share] : shares_) said.push_back({what.first, what.second, share});
    std::ranges::sort(said, [](const Said& a, const Said& b) {
      return a.share.count != b.share.count ? a.share.count > b.share.count : a.share.first < b.share.first;
    });
    WholeBytes& whole = counters_.whole;
    for (const Said& s : said) {
      const WholeBytes own = whole_of(s.bytes, s.chunks, counters_.total);
      const WholeBytes both{std::max(whole.least, own.least), std::min(whole.most, own.most)};
      if (both.least <= both.most) {
        whole = both;
        continue;
      }
      error(s.share.first,
            "comm_size is " + std::to_string(s.bytes) + " for " + std::to_string(s.chunks) + " of " +
                counted(counters_.total, "chunk") + ", but " +
                node_text(trace_.nodes.nodes[said.front().share.first].id) + " has " +
                std::to_string(said.front().bytes) + " for " + std::to_string(said.front().chunks) +
                (s.share.count > 1 ? " (the first of " + std::to_string(s.share.count) + " such)" : ""));
    }
  }

  [[nodiscard]] std::int64_t bytes_of(std::size_t i) const {
    return ProvenanceNode(trace_.nodes, trace_.nodes.nodes[i]).wide(attr::comm_size).value_or(0);
  }
  [[nodiscard]] std::string has_bytes(std::size_t i) const {
    return node_text(trace_.nodes.nodes[i].id) + " has " + std::to_string(bytes_of(i));
  }

  template <class Sizes>
  void same_size(std::size_t i, Sizes& sizes, const typename Sizes::key_type& chunks, std::int64_t bytes) {
    const auto [at, added] = sizes.try_emplace(chunks, i);
    if (added || bytes_of(at->second) == bytes) return;
    error(i, "comm_size is " + std::to_string(bytes) + ", but " + has_bytes(at->second) + " for the same " +
                 text(chunks));
  }
  static std::string text(std::int64_t chunk) { return "chunk " + std::to_string(chunk); }
  static std::string text(const Run& run) {
    return counted(run.second, "chunk") + " from " + std::to_string(run.first);
  }

  // Compares schedule messages of several chunks with messages of fewer, and of single, chunks among these.
  void check_runs() {
    // Chunks sent in messages of their own, ascending, with the total bytes up to each.
    std::vector<std::pair<std::int64_t, Wide>> ones;
    for (const auto& [chunk, i] : of_chunk_) ones.emplace_back(chunk, bytes_of(i));
    std::ranges::sort(ones);
    for (std::size_t k = 1; k < ones.size(); ++k) ones[k].second += ones[k - 1].second;
    const auto until = [&](Wide chunk) {  // number of chunks below, and their bytes
      const auto at = std::ranges::partition_point(ones, [&](const auto& one) { return one.first < chunk; });
      return std::pair(at - ones.begin(), at == ones.begin() ? Wide{0} : std::prev(at)->second);
    };
    for (auto at = of_run_.begin(); at != of_run_.end(); ++at) {
      const Run run = at->first;
      const std::size_t i = at->second;
      const std::int64_t bytes = bytes_of(i);
      const auto wrong = [&](const std::string& what) {
        error(i, "comm_size is " + std::to_string(bytes) + " for " + text(run) + ", but " + what);
      };
      if (at != of_run_.begin()) {
        const auto& [fewer, other] = *std::prev(at);
        if (fewer.first == run.first && bytes_of(other) > bytes) wrong(has_bytes(other) + " for " + text(fewer));
      }
      const auto below = until(run.first), end = until(Wide{run.first} + run.second);
      const auto known = end.first - below.first;
      const Wide sum = end.second - below.second;
      if (sum > bytes || (known == run.second && sum != bytes))
        wrong("messages of " + counted(static_cast<std::uint64_t>(known), "chunk") + " of these have a total of " +
              std::to_string(static_cast<std::int64_t>(std::min<Wide>(sum, INT64_MAX))) + " bytes");
    }
  }

  // Reports a wrong total once instead of once per message.
  void report_totals() {
    const auto total_of = [&](std::size_t i) {
      return ProvenanceNode(trace_.nodes, trace_.nodes.nodes[i]).get(attr::total_chunk_cnt).value_or(-1);
    };
    if (other_totals_ != 0) {
      error(first_other_,
            "total_chunk_cnt is " + std::to_string(total_of(first_other_)) + ", but " +
                std::to_string(counters_.total) + " on " + node_text(trace_.nodes.nodes[counters_.node].id) +
                (other_totals_ > 1 ? " (the first of " + std::to_string(other_totals_) + " that differ)" : ""));
    }
    if (declared_ <= 0 || counters_.total == 0 || counters_.total == declared_) return;
    error(counters_.node, "total_chunk_cnt is " + std::to_string(counters_.total) + ", but the algorithm has " +
                              counted(declared_, "chunk") + " (msccl.nchunksperloop in the metadata)");
  }

  const Trace& trace_;
  Diagnostics& diagnostics_;
  std::int32_t declared_ = 0;  // chunks of the whole buffer, by the metadata; 0: unknown
  bool steps_beyond_ = false;  // one step was already reported
  ChunkCounters counters_{};
  std::size_t other_totals_ = 0;
  std::size_t first_other_ = 0;
  struct Share {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::map<std::pair<std::int64_t, std::int32_t>, Share> shares_;  // of messages, by bytes and chunks
  std::unordered_map<std::int64_t, std::size_t> of_chunk_;  // of a single chunk of a schedule: the first message
  std::map<Run, std::size_t> of_run_;                       // of several chunks: the first message
};

}  // namespace
}  // namespace convert::rules

namespace convert {

ChunkCounters check_chunk_counters(const Trace& trace, Diagnostics& diagnostics) {
  return rules::CounterChecker(trace, diagnostics).run();
}

}  // namespace convert
