// SPDX-License-Identifier: MIT
// The differences in one sentence.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "analyze/diff/difference.h"
#include "analyze/figures/cells.h"
#include "core/words.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace convert {
namespace {

constexpr std::size_t most_told_bytes = 48;  // of a name in a sentence

// Adds "1 edge", "2 edges", followed by `text`.
void add_part(std::vector<std::string>& parts, std::uint64_t n, std::string_view noun, const std::string& text) {
  if (n != 0) parts.push_back(counted(n, noun) + text);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

// Returns "rank 1 only in A", "ranks 1, 2 and 17 more only in A".
std::string ranks_only(const std::vector<Rank>& ranks, std::string_view side) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranks.size() && i < shown; ++i) names.push_back(std::to_string(ranks[i]));
  if (ranks.size() > shown) names.push_back(std::to_string(ranks.size() - shown) + " more");
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(names) + " only in " + std::string(side);
}

// Returns " (duration in 64, comm_size in 32)": at most three attributes, most frequent first.
std::string most_changed(const std::map<std::string, std::uint64_t>& changes) {
  std::vector<std::pair<std::uint64_t, std::string>> by_count;
  for (const auto& [what, n] : changes) by_count.emplace_back(n, what);
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  constexpr std::size_t shown = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < by_count.size() && i < shown; ++i)
    texts.push_back(visible(by_count[i].second) + " in " + std::to_string(by_count[i].first));
  if (by_count.size() > shown) texts.push_back(counted(by_count.size() - shown, "more attribute"));
  return texts.empty() ? "" : " (" + listed(texts) + ')';
}

// Returns "2.4 ms less".
std::string less_or_more(Picoseconds change) {
  return format_time(std::abs(change)) + (change < 0 ? " less" : " more");
}

// Returns " (gemm)" or " (2.1 ms of it gemm)": the name with the largest share of a part's change. Returns an empty
// text if no name has half of it or the part has the same name.
std::string most_of_it(const std::string& what, const Difference::OnPath& part) {
  const auto by_change = [](const auto& x, const auto& y) {
    return std::abs(x.second.change()) < std::abs(y.second.change());
  };
  const auto most = std::ranges::max_element(part.names, by_change);
  if (most == part.names.end() || most->first.empty() || same_name(most->first, what)) return {};
  const Picoseconds change = most->second.change(), all = part.change();
  if ((change < 0) != (all < 0) || std::abs(change) < std::abs(all) / 2) return {};
  const std::string name = visible(cut_text(most->first, most_told_bytes));
  if (part.names.size() == 1) return " (" + name + ')';
  return " (" + format_time(std::abs(change)) + " of it " + name + ')';
}

// Lists the largest contributions to a difference, and the rest.
class Parts {
 public:
  void add(Picoseconds change, const std::string& what) {
    if (change != 0) parts_.emplace_back(change, what);
  }
  // Returns "2.4 ms less computing, 1 ms more all_gather, 0.1 ms less in 2 other parts", which adds up to `delta`.
  // Lists three contributions, or four if there are four. `noun`: kind of a contribution.
  [[nodiscard]] std::string text(Picoseconds delta, std::string_view noun) {
    if (parts_.empty()) return {};
    std::ranges::stable_sort(parts_,
                             [](const Part& x, const Part& y) { return std::abs(x.first) > std::abs(y.first); });
    constexpr std::size_t shown = 3;
    constexpr Picoseconds least_share = 20;  // 5 % of the difference
    std::string out;
    std::size_t i = 0;
    Picoseconds rest = delta;
    for (; i < parts_.size() && (i < shown || i + 1 == parts_.size()); ++i) {
      const auto& [change, what] = parts_[i];
      if (i != 0 && std::abs(change) < std::abs(delta) / least_share) break;
      out += (i == 0 ? "" : ", ") + less_or_more(change) + ' ' + what;
      rest -= change;
    }
    const std::size_t left = parts_.size() - i;
    const std::string others = counted(left, "other " + std::string(noun));
    if (rest != 0) return out + ", " + less_or_more(rest) + (left == 0 ? " elsewhere" : " in " + others);
    return left == 0 ? out : out + ", " + others + " that cancel out";
  }

 private:
  using Part = std::pair<Picoseconds, std::string>;
  std::vector<Part> parts_;
};

// Returns the contributions to the difference of two runs: parts of the critical path, or of the time of the mean
// NPU.
std::string contributions(const Difference& d, Picoseconds delta) {
  Parts parts;
  for (const auto& [what, part] : d.path_parts) {
    const bool computes = what == "computing" || what == "CPU" || what == "memory";
    parts.add(part.change(), computes ? what + most_of_it(what, part) : what);
  }
  const std::string text = parts.text(delta, "part");
  if (text.empty()) return {};
  return (d.paths ? ": " : ", the mean NPU: ") + text;
}

// Returns " (12.0 %)": the change as a share of the old value; an empty text if the old value is not positive.
std::string share_text(Picoseconds delta, std::int64_t of) {
  if (of <= 0) return {};
  constexpr double least = 0.0005;  // smallest share that one decimal place shows
  const Value share = share_of(std::abs(delta), of);
  if (std::get<double>(share) < least) return " (< 0.1 %)";
  return " (" + text_cell(share, Unit::share) + ')';
}

// Returns by how much the durations of the nodes of two trace sets differ in total, and the names that contribute.
std::string durations_text(const NameTimes& names) {
  Parts parts;
  Sum delta;
  for (const NameTimes::Row& r : names.rows()) {
    const Picoseconds change = r.b.sum_ps.get() - r.a.sum_ps.get();
    delta.add(change);
    parts.add(change, visible(cut_text(r.name, most_told_bytes)));
  }
  const std::string text = parts.text(delta.get(), "name");
  if (delta.get() == 0) return "B's nodes take the same total time" + (text.empty() ? text : ": " + text);
  return "in total, B's nodes take " + format_time(std::abs(delta.get())) +
         share_text(delta.get(), names.sum(Side::a)) + (delta.get() < 0 ? " less: " : " longer: ") + text;
}

// Returns "A takes 22 ms", "A is stopped at 3 ms", "B does not end (deadlock at 3 ms)".
std::string ending(char side, RunStatus status, Picoseconds time) {
  const std::string run(1, side);
  if (status == RunStatus::complete) return run + " takes " + format_time(time);
  if (status == RunStatus::stopped) return run + " is stopped at " + format_time(time);
  return run + " does not end (" + std::string(name(status)) + " at " + format_time(time) + ')';
}

}  // namespace

bool Difference::same() const {
  return only_a.count + only_b.count + changes.count + edges_only_a.count + edges_only_b.count + groups.count ==
             0 &&
         ranks_only_a.empty() && ranks_only_b.empty() && !totals_differ && status_a == status_b;
}

std::string Difference::sentence() const {
  std::vector<std::string> parts;
  if (!ranks_only_a.empty()) parts.push_back(ranks_only(ranks_only_a, "A"));
  if (!ranks_only_b.empty()) parts.push_back(ranks_only(ranks_only_b, "B"));
  const std::string_view noun = total_a ? "slice" : "node";
  add_part(parts, only_a.count, noun, " only in A");
  add_part(parts, only_b.count, noun, " only in B");
  add_part(parts, changed_nodes, noun, " changed" + most_changed(changes_by_what));
  if (const std::uint64_t other = changes.count != 0 && changed_nodes == 0 ? changes.count : 0; other != 0)
    parts.push_back(counted(other, "change") + " of metadata");
  if (const std::uint64_t n = edges_only_a.count; n != 0)
    parts.push_back(std::to_string(n) + (n == 1 ? " dependency" : " dependencies") + " only in A");
  if (const std::uint64_t n = edges_only_b.count; n != 0)
    parts.push_back(std::to_string(n) + (n == 1 ? " dependency" : " dependencies") + " only in B");
  add_part(parts, groups.count - groups_only_a - groups_only_b, "process group", " changed");
  add_part(parts, groups_only_a, "process group", " only in A");
  add_part(parts, groups_only_b, "process group", " only in B");
  const std::string size = counted(ranks, "rank") + ", " + counted(times ? matched : nodes_a, noun);
  const bool ended = status_a == RunStatus::complete && status_b == RunStatus::complete;
  if (total_a && !structure && !ended && (totals_differ || status_a != status_b))
    return ending('A', status_a, *total_a) + ", " + ending('B', status_b, *total_b);
  if (total_a && totals_differ) {
    const Picoseconds delta = *total_b - *total_a;
    return "B is " + format_time(std::abs(delta)) + share_text(delta, *total_a) +
           (delta < 0 ? " faster" : " slower") + contributions(*this, delta);
  }
  const std::string within = structure ? " except for times" : tolerant ? " within the tolerance" : "";
  const std::string in_times = times ? " in times" : "";
  const std::string time = total_a && !structure && !tolerant ? ", " + format_time(*total_a) : "";
  if (same()) return "A and B are the same" + in_times + within + ": " + size + time;
  if (total_a && !structure) return "A and B take equally long" + within + time + ", but differ: " + listed(parts);
  const bool durations = !structure && changes_by_what.contains("duration");
  return "B differs from A: " + listed(parts) + (durations ? "; " + durations_text(names) : "");
}

}  // namespace convert
