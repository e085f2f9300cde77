// SPDX-License-Identifier: MIT
#include "scenario/known_ranks.h"

#include <algorithm>
#include <utility>

#include "io/document_limit.h"
#include "sets/chunk_runs.h"

namespace convert {
namespace {

// Limit of known ranks, if none exceeds the sizes below; sets of larger ranks have few ranks.
constexpr std::size_t most_known = 64;
constexpr std::size_t most_known_nodes = std::size_t{1} << 17U;
constexpr std::size_t most_known_bytes = std::size_t{16} << 20U;
constexpr std::size_t most_bytes_of_all = std::size_t{128} << 20U;

bool is_small(const NodeTable& table) {
  return table.nodes.size() <= most_known_nodes && table.text.size() <= most_known_bytes;
}

}  // namespace

KnownRanks::KnownRanks(Begin begin, const ReplayOptions& options)
    : begin_(std::move(begin)), options_(options), finds_any_(!options.size_bytes) {}

std::shared_ptr<const KnownRanks::List> KnownRanks::list() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

KnownRanks::Read KnownRanks::read(TraceReader& reader, Trace& head) const {
  Read out{.rank = head.rank};
  RankChanges changes{.rank = head.rank, .name = head.name};
  std::optional<TraceReader::Encoded> shown;
  const std::shared_ptr<const List> known = list();
  const bool may_be_like = !known->empty() && !options_.slow.contains(head.rank);
  if (may_be_like) {
    std::size_t most = 0;
    for (const auto& k : *known) most = std::max(most, k->nodes.bytes().size());
    most += most / 4 + 4096;  // numbers may be longer
    shown = reader.peek_encoded(std::min<std::uint64_t>(most, most_document_bytes() / 8));
    if (shown && find(*known, *shown, nullptr, changes, out)) {
      reader.skip_encoded(*shown, (*known)[out.place]->nodes.nodes());
      return out;
    }
  }
  out.trace = empty_trace();
  Trace& trace = *out.trace;
  trace.rank = head.rank;
  trace.name = std::move(head.name);
  trace.metadata = std::move(head.metadata);
  read_nodes(reader, trace);
  if (may_be_like && !shown && is_small(trace.nodes)) {
    const EncodedNodes own(trace.nodes);
    if (find(*known, {own.bytes()}, &trace.nodes, changes, out)) {
      finish(std::move(out.trace));
      return out;
    }
  }
  if (const ReplayBuilder* const builder = builder_; builder != nullptr && !options_.size_bytes)
    out.compiled = builder->prepare(trace);
  return out;
}

// Keeps the memory of a trace for the next trace.
void KnownRanks::finish(std::unique_ptr<Trace> trace) const {
  const std::lock_guard lock(mutex_);
  finished_.push_back(std::move(trace));
}

// Returns a trace without nodes; reuses the memory of a finished trace if there is one.
std::unique_ptr<Trace> KnownRanks::empty_trace() const {
  const std::lock_guard lock(mutex_);
  if (finished_.empty()) return std::make_unique<Trace>();
  std::unique_ptr<Trace> trace = std::move(finished_.back());
  finished_.pop_back();
  trace->nodes.clear();
  return trace;
}

// Finds the known rank that this rank is like, which is usually the rank found last. Compares at most a few times
// more nodes than a known rank has, because compiling the rank would then be cheaper.
bool KnownRanks::find(const List& known, const TraceReader::Encoded& bytes, const NodeTable* table,
                      RankChanges& changes, Read& to) const {
  const std::size_t last = found_last_;
  std::size_t compared = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < known.size() && compared <= 2 * most; ++i) {
    to.place = i == 0 && last < known.size() ? last : i - (i <= last && last < known.size() ? 1 : 0);
    const Known& k = *known[to.place];
    most = std::max(most, k.nodes.nodes());
    if (!k.nodes.compare(bytes.bytes, bytes.offset, changes, compared)) continue;
    if (table != nullptr) {
      changes.positions = table->positions;
      changes.positions_are_lines = table->positions_are_lines;
    }
    to.like = builder_.load()->like(k.model, changes);
    return to.like.has_value();  // otherwise the rank has errors
  }
  return false;
}

void KnownRanks::add(Read&& rank) {
  if (rank.like) {
    ++found_;
    found_last_ = rank.place;
    used_[rank.place] = found_ + learned_;
    return builder_.load()->add(std::move(*rank.like));
  }
  Trace& trace = *rank.trace;
  ReplayBuilder& builder = begin_(trace);
  builder_ = &builder;
  if (options_.size_bytes) refuse_bad_counters(trace);
  if (rank.compiled != nullptr) {
    builder.add(trace, *rank.compiled);
  } else {
    builder.add(trace);
  }
  if (finds_any_ && !options_.slow.contains(trace.rank)) learn(trace);
  finish(std::move(rank.trace));
}

// Adds the rank added last to the known ranks, replacing the least recently used one if they are too many. Stops if
// ranks are seldom alike.
void KnownRanks::learn(const Trace& trace) {
  if (learned_ >= most_known && found_ < learned_) {
    finds_any_ = false;
    const std::lock_guard lock(mutex_);
    list_ = std::make_shared<const List>();
    return;
  }
  if (!is_small(trace.nodes)) return;
  std::shared_ptr<const RankModel> model = builder_.load()->model_of_last();
  if (model == nullptr) return;
  auto known = std::make_shared<const Known>(std::move(model), EncodedNodes(trace.nodes));
  if (known->nodes.bytes().size() > most_known_bytes) return;
  List list = *list_;
  std::size_t bytes = known->nodes.bytes().size();
  for (const auto& k : list) bytes += k->nodes.bytes().size();
  std::size_t place = list.size();
  if (place == most_known || (place != 0 && bytes > most_bytes_of_all)) {
    place = static_cast<std::size_t>(std::ranges::min_element(used_) - used_.begin());
    list[place] = std::move(known);
  } else {
    list.push_back(std::move(known));
    used_.push_back(0);
  }
  ++learned_;
  used_[place] = found_ + learned_;
  found_last_ = place;
  const std::lock_guard lock(mutex_);
  list_ = std::make_shared<const List>(std::move(list));
}

}  // namespace convert
