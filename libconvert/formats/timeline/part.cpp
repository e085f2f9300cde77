// SPDX-License-Identifier: MIT
#include "formats/timeline/part.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/rank_list.h"
#include "core/time/time_window.h"
#include "core/units.h"
#include "formats/timeline/tracks.h"

namespace convert {
namespace {

Picoseconds least_time(const std::string& text) {
  if (text.empty()) return 0;
  if (const auto time = parse_time(text)) return *time;
  throw usage_error("min=…" + text +
                    ": not a time (examples: 1.5us, 500ns, 2ms; a number without a unit is in ns)");
}

// Returns the index of an option's value in `words`; the first word is the default.
std::size_t one_of(const FormatOptions& options, std::string_view key, std::span<const std::string_view> words) {
  const auto text = options.get(key);
  if (!text) return 0;
  const auto at = std::ranges::find(words, *text);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  std::string expected(words.front());
  for (std::size_t i = 1; i < words.size(); ++i)
    expected += (i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
  throw usage_error(std::string(key) + "=" + *text + ": expected " + expected);
}

void check_ranks(std::span<const Run> runs, const std::vector<Rank>& wanted) {
  std::set<Rank> known;
  for (const Run& run : runs) {
    for (const Run::Npu& npu : run.npus) known.insert(npu.rank);
    for (const Run::Class& c : run.classes) known.insert(c.npu);
    const Slice* before = nullptr;
    for (const Slice& s : run.timeline.slices) {
      if (before == nullptr || s.rank != before->rank) known.insert(s.rank);
      before = &s;
    }
  }
  for (const Rank rank : wanted) {
    if (known.contains(rank)) continue;
    const std::vector<Rank> all(known.begin(), known.end());
    throw usage_error("ranks=: there is no rank " + std::to_string(rank) +
                      (all.empty() ? "" : "; the run has " + ranks_text(all)));
  }
}

}  // namespace

std::vector<FormatOption> part_format_options() {
  return {{"window", "FROM..TO", "only slices within this time range: 1ms..2ms"},
          {"ranks", "LIST", "only these ranks: 0-3+8"},
          {"min", "TIME", "merge consecutive slices that are shorter than this"},
          {"align", "NAME", "align all runs by their first slice whose name begins with NAME"},
          {"args", "default|none", "default: node, bytes and peer of each slice; none: no arguments"},
          {"flows", "WHICH", "arrows: messages, from sends to receives (default); deps, along dependencies; none"}};
}

PartOptions part_options(const FormatOptions& options) {
  PartOptions out;
  if (const auto window = options.get("window")) {
    const TimeWindow w = parse_time_window("window=", *window);
    out.from_ps = w.from_ps;
    out.to_ps = w.to_ps;
  }
  if (auto ranks = options.get("ranks")) {
    std::ranges::replace(*ranks, '+', ',');
    out.ranks = parse_ranks(*ranks);
  }
  out.align = options.get("align").value_or("");
  if (const auto least = options.get("min")) out.least_ps = least_time(*least);
  static constexpr std::array<std::string_view, 2> args = {"default", "none"};
  static constexpr std::array<std::string_view, 3> flows = {"messages", "deps", "none"};
  static constexpr std::array<Arrows, 3> arrows = {Arrows::messages, Arrows::dependencies, Arrows::none};
  out.arguments = one_of(options, "args", args) == 0;
  out.arrows = arrows.at(one_of(options, "flows", flows));
  return out;
}

void check_part(std::span<const Run> runs, const PartOptions& options) {
  if (!options.ranks.empty()) check_ranks(runs, options.ranks);
  Picoseconds end = 0;
  for (const Run& run : runs) end = std::max({end, run.reached_ps, run.total_ps});
  if (options.align.empty() && end > 0 && options.from_ps > end)
    throw usage_error("window=: the start is " + format_time(options.from_ps) + ", after the end of the run at " +
                      format_time(end));
}

ShownRun::ShownRun(const Run& run, const PartOptions& options, Picoseconds delay_ps)
    : run_(run), delay_ps_(delay_ps), all_(run.timeline.slices), arrows_(options.arrows) {
  count_alike(options);
  if (!options.everything() || delay_ps != 0) {
    take(options);
    if (options.least_ps > 0) join_short(options.least_ps);
  }
  // A complete replay pairs all its messages, apart from messages of hidden NPUs.
  every_arrow_ = options.everything() && !run.recorded && run.status == RunStatus::complete && run.classes.empty();
  if (arrows_ == Arrows::messages && !every_arrow_) find_arrows();
  if (arrows_ == Arrows::dependencies) find_dependencies();
}

// Ranks that are selected by name are shown individually.
void ShownRun::count_alike(const PartOptions& options) {
  if (!options.ranks.empty()) return;
  for (const Run::Class& c : run_.classes) {
    if (c.npu != c.like) ++alike_[c.like];
  }
}

void ShownRun::take(const PartOptions& options) {
  const auto named = [&](Rank r) { return std::ranges::binary_search(options.ranks, r); };
  std::map<Rank, std::vector<Rank>> like;  // by representative: selected ranks like it
  for (const Run::Class& c : run_.classes) {
    if (c.npu != c.like && named(c.npu)) like[c.like].push_back(c.npu);
  }
  for (const Slice& s : all_) {
    if (drawn(s.end_ps) < options.from_ps || drawn(s.begin_ps) > options.to_ps) continue;
    Slice later = s;
    later.begin_ps = drawn(s.begin_ps);
    later.end_ps = drawn(s.end_ps);
    if (options.ranks.empty() || named(s.rank)) {
      own_.push_back(later);
      if (arrows_ == Arrows::dependencies) places_.push_back(static_cast<std::uint32_t>(&s - all_.data()));
    }
    const auto others = like.find(s.rank);
    if (others == like.end()) continue;
    for (const Rank npu : others->second) {  // sends to other peers
      Slice& copy = own_.emplace_back(later);
      copy.rank = npu;
      copy.peer = -1;
      copy.flow = 0;
      if (arrows_ == Arrows::dependencies) places_.push_back(no_index);
    }
  }
  all_ = {};
}

void ShownRun::join_short(Picoseconds least) {
  const Tracks tracks = place_on_tracks(own_);
  std::vector<Slice> out;
  std::vector<std::uint32_t> places;
  out.reserve(own_.size());
  std::vector<std::size_t> last(tracks.tracks.size(), no_index);  // by track: the short slice that may be extended
  for (const std::uint32_t i : tracks.order) {
    const Slice& s = own_[i];
    std::size_t& at = last[tracks.of[i]];
    const Picoseconds time = s.end_ps - s.begin_ps;
    if (time >= least) {
      at = no_index;
    } else if (at != no_index && out[at].name == s.name && joined_[at].count < UINT32_MAX) {
      out[at].end_ps = std::max(out[at].end_ps, s.end_ps);
      if (s.bytes >= 0) out[at].bytes = std::max<std::int64_t>(out[at].bytes, 0) + s.bytes;
      out[at].flow = 0;
      out[at].call = no_index;
      if (out[at].peer != s.peer) out[at].peer = -1;
      ++joined_[at].count;
      joined_[at].sum_ps += time;
      if (!places_.empty()) places[at] = no_index;
      continue;
    } else {
      at = out.size();
    }
    out.push_back(s);
    joined_.push_back({1, time});
    if (!places_.empty()) places.push_back(places_[i]);
  }
  const std::uint32_t known = run_.timeline.names.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (joined_[i].count == 1) continue;
    const std::string name = std::to_string(joined_[i].count) + " × " + std::string(run_.timeline.name(out[i]));
    out[i].name = known + names_.add(name);
  }
  own_ = std::move(out);
  places_ = std::move(places);
}

bool ShownRun::has_arrow(const Slice& s) const {
  if (s.flow == 0 || arrows_ != Arrows::messages || (s.lane != Lane::send && s.lane != Lane::recv)) return false;
  return every_arrow_ || std::ranges::binary_search(flows_, s.flow);
}

// An arrow has one send and one receive, which must not end before the send begins.
void ShownRun::find_arrows() {
  struct End {
    std::uint64_t flow;
    Picoseconds time;
    bool receive;
    Rank rank;
    std::int32_t peer;
  };
  const bool alike = !run_.classes.empty();
  // The receive may belong to an equal message from another NPU.
  const auto meet = [&](const End& send, const End& receive) {
    return !alike || (send.peer == static_cast<std::int64_t>(receive.rank) &&
                      receive.peer == static_cast<std::int64_t>(send.rank));
  };
  std::vector<End> ends;
  for (const Slice& s : slices()) {
    if (s.flow == 0) continue;
    if (s.lane == Lane::send) ends.push_back({s.flow, s.begin_ps, false, s.rank, s.peer});
    if (s.lane == Lane::recv) ends.push_back({s.flow, s.end_ps, true, s.rank, s.peer});
  }
  std::ranges::sort(
      ends, [](const End& a, const End& b) { return std::pair(a.flow, a.receive) < std::pair(b.flow, b.receive); });
  for (std::size_t begin = 0, end = 0; begin < ends.size(); begin = end) {
    while (end < ends.size() && ends[end].flow == ends[begin].flow) ++end;
    if (end - begin == 2 && !ends[begin].receive && ends[begin + 1].receive &&
        ends[begin].time <= ends[begin + 1].time && meet(ends[begin], ends[begin + 1])) {
      flows_.push_back(ends[begin].flow);
    }
  }
}

void ShownRun::find_dependencies() {
  if (run_.deps.empty())
    throw usage_error("flows=deps: " + (run_.title.empty() ? "the run" : run_.title) +
                      " has no recorded dependencies");
  const std::span<const Slice> shown = slices();
  std::vector<std::uint32_t> shown_as;  // by index in the run, if not all slices are shown
  if (!own_.empty()) {
    shown_as.assign(run_.timeline.slices.size(), no_index);
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      if (places_[i] != no_index) shown_as[places_[i]] = i;
    }
  } else if (shown.empty()) {
    return;
  }
  constexpr Picoseconds told_apart = 2 * ps_per_ns;
  std::vector<Run::Dep> drawn;
  for (Run::Dep d : run_.deps) {
    if (!shown_as.empty()) d = {shown_as[d.from], shown_as[d.to]};
    if (d.from == no_index || d.to == no_index) continue;
    if (shown[d.to].begin_ps - shown[d.from].begin_ps >= told_apart) drawn.push_back(d);
  }
  const auto place = [&](Ends& ends, std::uint32_t Run::Dep::*end) {
    ends.first.assign(shown.size() + 1, 0);
    ends.numbers.resize(drawn.size());
    for (const Run::Dep& d : drawn) ++ends.first[d.*end + 1];
    std::partial_sum(ends.first.begin(), ends.first.end(), ends.first.begin());
    std::vector<std::uint32_t> next(ends.first.begin(), ends.first.end() - 1);
    for (std::uint32_t i = 0; i < drawn.size(); ++i) ends.numbers[next[drawn[i].*end]++] = i + 1;
  };
  place(from_, &Run::Dep::from);
  place(to_, &Run::Dep::to);
}

}  // namespace convert
