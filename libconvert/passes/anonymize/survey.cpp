// SPDX-License-Identifier: MIT
#include "passes/anonymize/survey.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/found_attrs.h"
#include "core/units.h"

namespace convert {
namespace {

constexpr std::int64_t survey_ns_per_us = 1000;

}  // namespace

RankSurveyor::RankSurveyor(const Trace& trace, const AnonymizeOptions& options)
    : trace_(trace), options_(options), base_ns_(recorded_base_ns(trace.metadata)) {
  out_.rank = trace.rank;
}

void RankSurveyor::add_start(const Node& node) {
  const RecordedTime time = recorded_time(trace_.nodes, node, base_ns_);
  if (time.begin_ns == no_time) return;
  if (out_.begin_ns == no_time || time.begin_ns < out_.begin_ns) out_.begin_ns = time.begin_ns;
  out_.starts_in_us = out_.starts_in_us || find(trace_.nodes.attributes(node), attr::start_nanos) == nullptr;
}

void RankSurveyor::add_batch() {
  const NodeTable& nodes = trace_.nodes;
  ids_.add(nodes);
  for (const Node& n : nodes.nodes) {
    if (options_.names == HiddenNames::number && n.name.size != 0) names_.add(nodes.name(n));
    add_start(n);
    // Includes repeated attributes, and groups on nodes that need no group.
    for (const Attr& a : nodes.attributes(n)) {
      if (a.name == attr::pg_name && a.kind == Kind::string_val) groups_.add(nodes.string(a));
    }
  }
}

RankSurvey RankSurveyor::finish() {
  out_.ids = ids_.finish();
  out_.groups = groups_.list();
  out_.names = names_.list();
  return std::move(out_);
}

Rank SetFacts::rank(Rank before) const {
  const auto at = std::ranges::lower_bound(ranks, before, {}, &std::pair<Rank, Rank>::first);
  return at == ranks.end() || at->first != before ? before : at->second;
}

void SetSurvey::add(const RankSurvey& rank) {
  if (rank.begin_ns != no_time && (begin_ns_ == no_time || rank.begin_ns < begin_ns_)) begin_ns_ = rank.begin_ns;
  starts_in_us_ = starts_in_us_ || rank.starts_in_us;
  sizes_.add(rank.sizes);
  for (const std::string& name : rank.names)
    names_.try_emplace(name, static_cast<std::uint32_t>(names_.size() + 1));
}

// A start of 0 µs means no start. If starts are in microseconds, the first start becomes 1 µs.
std::int64_t SetSurvey::first_ns() const {
  if (begin_ns_ == no_time) return 0;
  return starts_in_us_ ? begin_ns_ / survey_ns_per_us * survey_ns_per_us - survey_ns_per_us : begin_ns_;
}

std::vector<std::pair<Rank, Rank>> permuted_ranks(std::vector<Rank> ranks, const KeyedHash& hash) {
  std::ranges::sort(ranks);
  using Drawn = std::pair<std::array<std::uint8_t, 32>, Rank>;
  std::vector<Drawn> drawn;
  for (const Rank r : ranks) drawn.emplace_back(hash(std::string("\0rank", 5) + std::to_string(r)), r);
  std::ranges::sort(drawn);
  std::vector<std::pair<Rank, Rank>> out;
  for (std::size_t i = 0; i < ranks.size(); ++i) out.emplace_back(drawn[i].second, ranks[i]);
  std::ranges::sort(out);
  return out;
}

}  // namespace convert
