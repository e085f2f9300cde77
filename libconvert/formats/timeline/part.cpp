// SPDX-License-Identifier: MIT
#include "formats/timeline/part.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/rank_list.h"
#include "core/units.h"
#include "formats/timeline/tracks.h"

namespace convert {
namespace {

Picoseconds time_of(std::string_view key, std::string_view text, Picoseconds absent) {
  if (text.empty()) return absent;
  const auto time = parse_time(text);
  if (!time) {
    throw usage_error(std::string(key) + "=…" + std::string(text) +
                      ": not a time (examples: 1.5us, 500ns, 2ms; a bare number is nanoseconds)");
  }
  return *time;
}

void read_window(std::string_view text, PartOptions& to) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos)
    throw usage_error("window=" + std::string(text) + ": expected FROM..TO, such as 1ms..2ms or 1ms..");
  to.from_ps = time_of("window", text.substr(0, dots), 0);
  to.to_ps = time_of("window", text.substr(dots + 2), to.to_ps);
  if (to.to_ps < to.from_ps) throw usage_error("window=" + std::string(text) + ": it ends before it begins");
}

bool one_of(const FormatOptions& options, std::string_view key, std::string_view yes, std::string_view no) {
  const auto text = options.get(key);
  if (text && *text != yes && *text != no) {
    throw usage_error(std::string(key) + "=" + *text + ": expected " + std::string(yes) + " or " + std::string(no));
  }
  return !text || *text == yes;
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
                      (all.empty() ? "" : ", but " + ranks_text(all)));
  }
}

}  // namespace

std::vector<FormatOption> part_format_options() {
  return {{"window", "FROM..TO", "only slices of this time: 1ms..2ms"},
          {"ranks", "LIST", "only these ranks: 0-3+8"},
          {"min", "TIME", "shorter slices that follow each other become one"},
          {"align", "NAME", "the first slices whose names begin so begin together in all runs"},
          {"args", "default|none", "node, bytes and peer of each slice, or nothing"},
          {"flows", "messages|none", "arrows from sends to receives, or none"}};
}

PartOptions part_options(const FormatOptions& options) {
  PartOptions out;
  if (const auto window = options.get("window")) read_window(*window, out);
  if (auto ranks = options.get("ranks")) {
    std::ranges::replace(*ranks, '+', ',');
    out.ranks = parse_ranks(*ranks);
  }
  out.align = options.get("align").value_or("");
  if (const auto least = options.get("min")) out.least_ps = time_of("min", *least, 0);
  out.arguments = one_of(options, "args", "default", "none");
  out.flows = one_of(options, "flows", "messages", "none");
  return out;
}

void check_part(std::span<const Run> runs, const PartOptions& options) {
  if (!options.ranks.empty()) check_ranks(runs, options.ranks);
  Picoseconds end = 0;
  for (const Run& run : runs) end = std::max({end, run.reached_ps, run.total_ps});
  if (options.align.empty() && end > 0 && options.from_ps > end)
    throw usage_error("window=: it begins at " + format_time(options.from_ps) + ", behind the end at " +
                      format_time(end));
}

ShownRun::ShownRun(const Run& run, const PartOptions& options, Picoseconds delay_ps)
    : run_(run), delay_ps_(delay_ps), all_(run.timeline.slices), arrows_(options.flows) {
  count_alike(options);
  if (!options.everything() || delay_ps != 0) {
    take(options);
    if (options.least_ps > 0) join_short(options.least_ps);
  }
  // A replay that is complete pairs all its messages, those of NPUs that are not shown aside.
  every_arrow_ = options.everything() && !run.recorded && run.status == RunStatus::complete && run.classes.empty();
  if (arrows_ && !every_arrow_) find_arrows();
}

// Where ranks are named each is shown by itself.
void ShownRun::count_alike(const PartOptions& options) {
  if (!options.ranks.empty()) return;
  for (const Run::Class& c : run_.classes) {
    if (c.npu != c.like) ++alike_[c.like];
  }
}

void ShownRun::take(const PartOptions& options) {
  const auto named = [&](Rank r) { return std::ranges::binary_search(options.ranks, r); };
  std::map<Rank, std::vector<Rank>> like;  // of those that are named
  for (const Run::Class& c : run_.classes) {
    if (c.npu != c.like && named(c.npu)) like[c.like].push_back(c.npu);
  }
  for (const Slice& s : all_) {
    if (drawn(s.end_ps) < options.from_ps || drawn(s.begin_ps) > options.to_ps) continue;
    Slice later = s;
    later.begin_ps = drawn(s.begin_ps);
    later.end_ps = drawn(s.end_ps);
    if (options.ranks.empty() || named(s.rank)) own_.push_back(later);
    const auto others = like.find(s.rank);
    if (others == like.end()) continue;
    for (const Rank npu : others->second) {  // which sends elsewhere
      Slice& copy = own_.emplace_back(later);
      copy.rank = npu;
      copy.peer = -1;
      copy.flow = 0;
    }
  }
  all_ = {};
}

void ShownRun::join_short(Picoseconds least) {
  const Tracks tracks = place_on_tracks(own_);
  std::vector<Slice> out;
  out.reserve(own_.size());
  std::vector<std::size_t> last(tracks.tracks.size(), no_index);  // by track: the short slice that may go on
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
      continue;
    } else {
      at = out.size();
    }
    out.push_back(s);
    joined_.push_back({1, time});
  }
  const std::uint32_t known = run_.timeline.names.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (joined_[i].count == 1) continue;
    const std::string name = std::to_string(joined_[i].count) + " × " + std::string(run_.timeline.name(out[i]));
    out[i].name = known + names_.add(name);
  }
  own_ = std::move(out);
}

bool ShownRun::has_arrow(const Slice& s) const {
  if (s.flow == 0 || !arrows_ || (s.lane != Lane::send && s.lane != Lane::recv)) return false;
  return every_arrow_ || std::ranges::binary_search(flows_, s.flow);
}

// An arrow has one send and one receive, which does not end before the send begins.
void ShownRun::find_arrows() {
  struct End {
    std::uint64_t flow;
    Picoseconds time;
    bool receive;
    Rank rank;
    std::int32_t peer;
  };
  const bool alike = !run_.classes.empty();
  // A receive may be of a message like that of the send, from another NPU.
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

}  // namespace convert
