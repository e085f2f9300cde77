// SPDX-License-Identifier: MIT
#include "passes/iterations/survey.h"

#include <algorithm>
#include <unordered_map>

#include "core/time/recorded_time.h"
#include "core/units.h"

namespace convert {
namespace {

// fits in 63 bits as picoseconds
constexpr std::int64_t longest_ns = std::numeric_limits<std::int64_t>::max() / 1000;

// Mixes bits as splitmix64 does (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

class Surveyor {
 public:
  Surveyor(const Trace& trace, const Iterations& found) : trace_(trace), found_(found) {
    const std::size_t n = found.numbers.size();
    out_.rank = trace.rank;
    out_.numbers = found.numbers;
    out_.nodes.resize(n);
    out_.lengths_ns.resize(n);
    out_.tags.resize(n);
    begins_.assign(n, no_time);
  }

  IterationSurvey run() {
    for (std::size_t i = 0; i < found_.of.size(); ++i) {
      const std::uint32_t k = found_.of[i];
      if (k >= out_.numbers.size()) continue;
      const Node& n = trace_.nodes.nodes[i];
      ++out_.nodes[k];
      add_time(n, k);
      if (n.type == NodeType::comm_coll) add_call(n, k);
      if (n.type == NodeType::comm_send || n.type == NodeType::comm_recv) add_message(n, k);
    }
    out_.timed =
        !begins_.empty() && std::ranges::find(begins_, no_time) == begins_.end() && std::ranges::is_sorted(begins_);
    if (!out_.timed) return std::move(out_);
    for (std::size_t k = 0; k < begins_.size(); ++k)
      out_.lengths_ns[k] =
          std::min((k + 1 < begins_.size() ? begins_[k + 1] : std::max(end_, begins_[k])) - begins_[k], longest_ns);
    return std::move(out_);
  }

 private:
  void add_time(const Node& n, std::uint32_t k) {
    const RecordedTime t = recorded_time(trace_.nodes, n, 0);
    if (t.begin_ns != no_time && (begins_[k] == no_time || t.begin_ns < begins_[k])) begins_[k] = t.begin_ns;
    end_ = std::max(end_, t.end_ns());
    std::int64_t& work = out_.lengths_ns[k];
    if (n.type == NodeType::comp && t.duration_ns > 0) work += std::min(t.duration_ns, longest_ns - work);
  }
  void add_call(const Node& n, std::uint32_t k) {
    const auto group = string_value(trace_.nodes, trace_.nodes.attributes(n), attr::pg_name).value_or("");
    auto& of_group = out_.calls[std::string(group == "0" ? "" : group)];
    of_group.resize(out_.numbers.size());
    ++of_group[k];
  }
  void add_message(const Node& n, std::uint32_t k) {
    const auto attrs = trace_.nodes.attributes(n);
    const bool sends = n.type == NodeType::comm_send;
    const IntValue peer = int_value(attrs, sends ? attr::comm_dst : attr::comm_src);
    const IntValue tag = int_value(attrs, attr::comm_tag);
    if (!peer || !tag) return;
    out_.tags[k].push_back(tag.value);
    IterationSurvey::Messages& m = out_.messages[{k, peer.value}];
    ++(sends ? m.sends : m.receives);
    (sends ? m.send_tags : m.receive_tags) += mixed(static_cast<std::uint64_t>(tag.value));
  }

  const Trace& trace_;
  const Iterations& found_;
  IterationSurvey out_;
  std::vector<std::int64_t> begins_;
  std::int64_t end_ = no_time;
};

Error disagree(const std::string& set, const std::string& what) {
  return input_error({.file = set}, what, "iterations");
}

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return "none";
  return counted(numbers.size(), "iteration") + " (" + std::to_string(numbers.front()) +
         (numbers.size() == 1 ? "" : " to " + std::to_string(numbers.back())) + ")";
}

}  // namespace

IterationSurvey survey_iterations(const Trace& trace, const Iterations& found) {
  return Surveyor(trace, found).run();
}

void check_same_iterations(const std::string& set, const std::vector<IterationSurvey>& ranks) {
  const IterationSurvey& first = ranks.front();
  for (const IterationSurvey& r : ranks) {
    if (r.numbers != first.numbers)
      throw disagree(set, "rank " + std::to_string(r.rank) + " has " + numbers_text(r.numbers) + ", rank " +
                              std::to_string(first.rank) + " has " + numbers_text(first.numbers) +
                              "; all ranks must have the same iterations");
    const auto falls = std::ranges::adjacent_find(r.numbers, std::ranges::greater_equal());
    if (falls != r.numbers.end())
      throw disagree(set, "iteration " + std::to_string(falls[0]) + " of rank " + std::to_string(r.rank) +
                              " begins before iteration " + std::to_string(falls[1]));
  }
}

void check_complete_iterations(const std::string& set, const std::vector<IterationSurvey>& ranks, std::size_t first,
                               std::size_t last) {
  std::unordered_map<std::int64_t, const IterationSurvey*> by_rank;
  for (const IterationSurvey& r : ranks) by_rank[r.rank] = &r;
  std::map<std::string, const IterationSurvey*> of_group;  // the first rank that calls it
  for (const IterationSurvey& r : ranks) {
    for (const auto& [group, calls] : r.calls) {
      const IterationSurvey& other = *of_group.try_emplace(group, &r).first->second;
      for (std::size_t k = first; k <= last; ++k) {
        if (calls[k] == other.calls.at(group)[k]) continue;
        throw disagree(set, "iteration " + std::to_string(r.numbers[k]) + " has " + counted(calls[k], "call") +
                                " of " + (group.empty() ? "all ranks" : "group " + group) + " on rank " +
                                std::to_string(r.rank) + " and " + std::to_string(other.calls.at(group)[k]) +
                                " on rank " + std::to_string(other.rank) + ": they do not begin at the same call");
      }
    }
    for (const auto& [key, m] : r.messages) {
      const auto& [k, peer] = key;
      const auto at = by_rank.find(peer);
      if (k < first || k > last || at == by_rank.end()) continue;
      const auto found = at->second->messages.find({k, r.rank});
      const auto back = found == at->second->messages.end() ? IterationSurvey::Messages{} : found->second;
      if (m.sends == back.receives && m.send_tags == back.receive_tags && m.receives == back.sends &&
          m.receive_tags == back.send_tags)
        continue;
      throw disagree(set, "iteration " + std::to_string(r.numbers[k]) + ": messages between rank " +
                              std::to_string(r.rank) + " and rank " + std::to_string(peer) +
                              " have no counterpart in this iteration");
    }
  }
}

}  // namespace convert
