// SPDX-License-Identifier: MIT
#include "sets/derived/iterating.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <utility>

#include "config/workload/metadata.h"
#include "core/master/add_class.h"
#include "core/units.h"
#include "formats/master/master.h"
#include "passes/provenance.h"

namespace convert {
namespace {

__extension__ using WideStep = __int128;

std::string percent(double share, const char* format) {
  constexpr std::size_t longest = 32;
  std::array<char, longest> text{};
  (void)std::snprintf(text.data(), text.size(), format, 100 * share);
  return text.data();
}

}  // namespace

IterationOptions iteration_options(const std::string& which) {
  if (which == "medoid") return {.medoid = true};
  const std::size_t dash = which.find('-');
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const auto first = parse_plain(which.substr(0, dash), most);
  const auto last = dash == std::string::npos ? first : parse_plain(which.substr(dash + 1), most);
  if (!first || !last || *last < *first)
    throw usage_error("--iteration " + which + ": expected a number, such as 5, a range, such as 3-5, or medoid");
  return {.first = static_cast<std::int64_t>(*first), .last = static_cast<std::int64_t>(*last)};
}

// Reads the prologue of a rank and its iterations, batch by batch.
class IterationSet::Reader : public TraceReader {
 public:
  Reader(IterationSet& set, std::size_t next, std::size_t end) : set_(set), next_(next), end_(end) {}

  bool next_rank(Trace& out) override {
    if (next_ == end_) return false;
    trace_ = set_.ranks_.read(next_++);
    found_ = set_.find(trace_);
    taker_.emplace(trace_, found_, set_.taken_);
    part_ = 0;
    out.rank = trace_.rank;
    out.name = trace_.name;
    out.metadata = trace_.metadata;
    if (set_.told_) tell_workload(out.metadata, *set_.told_);
    out.nodes.clear();
    return true;
  }
  bool next_nodes(Trace& out, std::size_t /*max_nodes*/) override {
    out.nodes.clear();
    if (!taker_) return false;
    while (part_ < taker_->parts() && out.nodes.nodes.empty()) out.nodes = taker_->part(part_++);
    if (!out.nodes.nodes.empty()) return true;
    const std::lock_guard lock(set_.mutex_);
    set_.counts_.add(taker_->counts(), 1);
    taker_.reset();
    return false;
  }

 private:
  IterationSet& set_;
  std::size_t next_, end_;
  Trace trace_;
  Iterations found_;
  std::optional<IterationTaker> taker_;
  std::uint64_t part_ = 0;
};

IterationSet::IterationSet(SetSource& source, IterationOptions options)
    : source_(source), ranks_(source, options.jobs) {
  if (source.master() != nullptr) stand_ins_.emplace(*source.master(), source.base_name());
  survey(options.jobs);
  check_same_iterations(source_.base_name(), surveys_);
  choose(options);
  check_complete_iterations(source_.base_name(), surveys_, taken_.first, taken_.last);
  choose_steps(options.repeat);
  if (told_) told_->step.iterations = static_cast<std::int64_t>((taken_.last - taken_.first + 1) * taken_.repeat);
  if (stand_ins_) make_classes();
}

IterationSet::~IterationSet() = default;

Iterations IterationSet::find(const Trace& trace) const {
  CallPeriod ignored;
  return marked_ ? marked_iterations(trace) : periodic_iterations(trace, ignored, periods_);
}

// The first rank determines how iterations are recognised in all ranks.
void IterationSet::survey(unsigned jobs) {
  const Trace first = ranks_.read(0);
  if (provenance_of(first) != Provenance::none)
    throw input_error({.file = source_.base_name()}, "the set is a collective algorithm, which has no iterations",
                      "iterations");
  told_ = told_workload(first.metadata, source_.base_name());
  marked_ = !marked_iterations(first).numbers.empty();
  CallPeriod period;
  if (!marked_) {
    const std::size_t found = periodic_iterations(first, period, told_steps()).numbers.size();
    if (found == 0) {
      surveys_.push_back({.rank = first.rank, .period = period});
      throw none_found();
    }
  }
  periods_ = period.iterations;
  if (stand_ins_) return survey_classes();
  for_each_ordered(
      jobs, ranks_.size(), [&](std::size_t i) { return survey_rank(ranks_.read(i)); },
      [&](std::size_t, IterationSurvey&& s) { surveys_.push_back(std::move(s)); });
}

IterationSurvey IterationSet::survey_rank(const Trace& trace) const {
  CallPeriod own;
  const Iterations found = marked_ ? marked_iterations(trace) : periodic_iterations(trace, own, periods_);
  IterationSurvey s = survey_iterations(trace, found);
  s.period = own;
  return s;
}

// Ranks of a class differ in groups and peers.
void IterationSet::survey_classes() {
  constexpr std::size_t most_ranks = std::size_t{1} << 21U;  // each survey takes about 1,000 bytes
  if (ranks_.size() > most_ranks)
    throw input_error({.file = source_.base_name()},
                      "the set has " + std::to_string(ranks_.size()) +
                          " ranks, but iterations are supported for at most " + std::to_string(most_ranks) +
                          " ranks",
                      "iterations");
  std::vector<IterationSurvey> of_stand_ins;
  for (std::uint32_t s = 0; s < stand_ins_->size(); ++s) of_stand_ins.push_back(survey_rank(stand_ins_->read(s)));
  for (std::uint64_t i = 0; i < ranks_.size(); ++i) {
    const StandIns::Place place = stand_ins_->place(i);
    const IterationSurvey& of = of_stand_ins[place.stand_in];
    IterationSurvey& s = surveys_.emplace_back(of);
    if (place.ordinal == 0) continue;
    s.rank = stand_ins_->rank(place);
    for (auto& tags : s.tags) tags.clear();  // equal for all ranks
    s.calls.clear();
    for (const auto& [group, calls] : of.calls) s.calls[stand_ins_->group(place, group)] = calls;
    s.messages.clear();
    for (const auto& [key, messages] : of.messages) {
      const auto peer = stand_ins_->peer(place, static_cast<std::uint64_t>(key.second));
      s.messages[{key.first, static_cast<std::int64_t>(peer)}] = messages;
    }
  }
}

// Makes the set class-compressed unless it is too large for memory; its ranks are then made one by one.
void IterationSet::make_classes() {
  constexpr std::uint64_t most_nodes = std::uint64_t{1} << 20U;  // about 200 MB
  std::uint64_t nodes = 0;
  std::vector<std::vector<std::uint64_t>> places(stand_ins_->size());  // by representative: places of its ranks, in
                                                                       // order
  for (std::uint64_t i = 0; i < ranks_.size(); ++i) {
    std::vector<std::uint64_t>& own = places[stand_ins_->place(i).stand_in];
    if (own.empty()) nodes += nodes_of(surveys_[i]);
    own.push_back(i);
  }
  if (nodes > most_nodes) return;
  MasterSet& set = made_.emplace();
  for (std::uint64_t i = 0; i < ranks_.size(); ++i) set.add_to_order(stand_ins_->place(i).stand_in, 1);
  for (std::uint32_t s = 0; s < stand_ins_->size(); ++s) {
    const Trace trace = stand_ins_->read(s);
    const Iterations found = find(trace);
    IterationTaker taker(trace, found, taken_);
    Trace taken;
    taken.metadata = trace.metadata;
    if (told_) tell_workload(taken.metadata, *told_);
    for (std::uint64_t part = 0; part < taker.parts(); ++part) taken.nodes.append(taker.part(part));
    counts_.add(taker.counts(), places[s].size());
    std::vector<Rank> ranks;
    for (const std::uint64_t i : places[s]) ranks.push_back(stand_ins_->rank(stand_ins_->place(i)));
    add_class(set, taken, ranks,
              [&](std::uint64_t i, Trace& one) { stand_ins_->become(stand_ins_->place(places[s][i]), one); });
  }
  if (const auto groups = source_.groups()) set.groups = groups->json;
}

// In a generated workload, layers or the tokens of a prompt may repeat; its metadata state the number of steps.
std::size_t IterationSet::told_steps() const {
  if (!told_) return 0;
  if (told_->step.iterations == 1)
    throw input_error(
        {.file = source_.base_name()},
        "the workload has one step, so it has no iterations to select; generate more with et-generate --set "
        "run.iterations=3",
        "iterations");
  return static_cast<std::size_t>(told_->step.iterations);
}

Error IterationSet::none_found() const {
  const CallPeriod& best = surveys_.front().period;
  const std::string told =
      told_ ? " " + std::to_string(told_->step.iterations) + " times, as stated in the metadata" : "";
  const std::string what = best.calls == 0 ? "no calls repeat"
                                           : "its calls do not repeat" + told + ": the best period, " +
                                                 counted(best.calls, "call") + ", holds for " +
                                                 percent(best.share, "%.0f %%") + ", but 90 % are required";
  return input_error({.file = source_.base_name(), .rank = static_cast<std::int64_t>(surveys_.front().rank)},
                     "no iterations found: no node of rank " + std::to_string(surveys_.front().rank) +
                         " is marked (ProfilerStep#k, \"iteration k\" in a name, attribute iteration), and " + what,
                     "iterations");
}

void IterationSet::choose(const IterationOptions& options) {
  const std::vector<std::int64_t>& numbers = surveys_.front().numbers;
  if (options.medoid) return choose_medoid();
  const auto first = std::ranges::find(numbers, options.first), last = std::ranges::find(numbers, options.last);
  if (first == numbers.end() || last == numbers.end())
    throw usage_error("--iteration: there is no iteration " +
                      std::to_string(first == numbers.end() ? options.first : options.last) + "; " +
                      source_.base_name() + " has " + counted(numbers.size(), "iteration") + ", " +
                      std::to_string(numbers.front()) +
                      (numbers.size() == 1 ? "" : " to " + std::to_string(numbers.back())));
  taken_.first = static_cast<std::size_t>(first - numbers.begin());
  taken_.last = static_cast<std::size_t>(last - numbers.begin());
}

// The length of an iteration is the length on its slowest rank.
std::int64_t IterationSet::length_ns(std::size_t iteration) const {
  std::int64_t longest = 0;
  for (const IterationSurvey& s : surveys_) longest = std::max(longest, s.lengths_ns[iteration]);
  return longest;
}

void IterationSet::choose_medoid() {
  const std::size_t n = surveys_.front().numbers.size();
  std::vector<std::int64_t> lengths;
  for (std::size_t k = 0; k < n; ++k) lengths.push_back(length_ns(k));
  std::vector<std::int64_t> sorted = lengths;
  std::ranges::sort(sorted);
  const std::int64_t middle = sorted[(n - 1) / 2];  // for an even number the lower one, a recorded length
  taken_.first = taken_.last = static_cast<std::size_t>(std::ranges::find(lengths, middle) - lengths.begin());
}

// Returns the number of nodes of a rank in all copies of the selected iterations.
std::uint64_t IterationSet::nodes_of(const IterationSurvey& s) const {
  std::uint64_t once = 0;
  for (std::size_t k = taken_.first; k <= taken_.last; ++k) once += s.nodes[k];
  std::uint64_t all = 0;
  return __builtin_mul_overflow(once, taken_.repeat, &all) ? ~std::uint64_t{0} : all;
}

// No program can read a trace with more nodes.
void IterationSet::check_room() const {
  constexpr std::uint64_t most_nodes = std::numeric_limits<std::uint32_t>::max();
  for (const IterationSurvey& s : surveys_) {
    if (nodes_of(s) <= most_nodes) continue;
    throw usage_error("--repeat " + std::to_string(taken_.repeat) + ": rank " + std::to_string(s.rank) +
                      " would have more than " + std::to_string(most_nodes) + " nodes");
  }
}

void IterationSet::choose_steps(std::uint64_t repeat) {
  taken_.repeat = repeat;
  if (repeat == 1) return;
  check_room();
  const bool timed = std::ranges::all_of(surveys_, &IterationSurvey::timed);
  WideStep step = 0;
  std::set<std::int64_t> tags;
  for (std::size_t k = taken_.first; k <= taken_.last; ++k) {
    if (timed) step += length_ns(k);
    for (const IterationSurvey& s : surveys_) tags.insert(s.tags[k].begin(), s.tags[k].end());
  }
  constexpr WideStep longest = std::int64_t{1} << 62U;
  if (step * static_cast<WideStep>(repeat) > longest)
    throw input_error({.file = source_.base_name()},
                      "--repeat " + std::to_string(repeat) + ": the times exceed 63 bits", "iterations");
  taken_.step_ns = static_cast<std::int64_t>(step);
  if (!tags.empty()) choose_tag_step({tags.begin(), tags.end()});
}

// The tags of each copy follow the tags of the previous copy. If 31 bits are not enough, the tags interleave: no
// two tags differ by a multiple of the step.
void IterationSet::choose_tag_step(const std::vector<std::int64_t>& tags) {
  const WideStep room = WideStep{largest_tag} - tags.back(), copies = static_cast<WideStep>(taken_.repeat - 1);
  WideStep step = WideStep{tags.back()} - tags.front() + 1;
  if (tags.front() >= 0 && step * copies > room) {
    constexpr std::size_t tries = 4096;
    for (std::size_t s = tags.size(); s < tags.size() + tries; ++s) {
      std::vector<bool> taken(s);
      const auto is_new = [&](std::int64_t tag) {
        const std::size_t rest = static_cast<std::size_t>(tag) % s;
        return taken[rest] ? false : (taken[rest] = true);
      };
      if (!std::ranges::all_of(tags, is_new)) continue;
      step = static_cast<WideStep>(s);
      break;
    }
  }
  if (room < 0 || step * copies > room)
    throw input_error({.file = source_.base_name()},
                      "--repeat " + std::to_string(taken_.repeat) + ": tags " + std::to_string(tags.front()) +
                          " to " + std::to_string(tags.back()) + " exceed 31 bits after " +
                          std::to_string(static_cast<std::int64_t>(room < 0 ? 1 : room / step + 1)) + " copies",
                      "iterations");
  taken_.tag_step = static_cast<std::int64_t>(step);
}

std::unique_ptr<TraceReader> IterationSet::open_rank(std::size_t i) {
  if (made_) return open_master(*made_, base_name(), static_cast<Rank>(i), static_cast<Rank>(i + 1));
  return std::make_unique<Reader>(*this, i, i + 1);
}
std::unique_ptr<TraceReader> IterationSet::open_all() {
  if (made_) return open_master(*made_, base_name(), 0, static_cast<Rank>(made_->ranks()));
  return std::make_unique<Reader>(*this, 0, surveys_.size());
}

TakenCounts IterationSet::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<std::string> IterationSet::description() const {
  const IterationSurvey& s = surveys_.front();
  const auto number = [&](std::size_t k) { return std::to_string(s.numbers[k]); };
  std::string found = counted(s.numbers.size(), "iteration") + " (" + number(0) +
                      (s.numbers.size() == 1 ? "" : " to " + number(s.numbers.size() - 1)) + "), ";
  found += marked_ ? "from marked nodes"
                   : "from a period of " + counted(s.period.calls, "call") + ", which holds for " +
                         percent(s.period.share, "%.0f %%");
  std::vector<std::string> out = {found};
  std::string lengths = "they last";
  for (std::size_t k = 0; k < s.numbers.size(); ++k) {
    constexpr std::size_t shown = 10;
    if (k == shown) {
      lengths += ", …";
      break;
    }
    lengths += (k == 0 ? " " : ", ") + format_time(length_ns(k) * ps_per_ns);
  }
  if (length_ns(0) != 0) out.push_back(lengths);
  out.push_back("selected: " + number(taken_.first) +
                (taken_.last == taken_.first ? "" : " to " + number(taken_.last)) +
                (taken_.repeat == 1 ? "" : ", " + std::to_string(taken_.repeat) + " times"));
  return out;
}

std::optional<std::string> IterationSet::spread() const {
  const std::size_t n = surveys_.front().numbers.size();
  double all = 0, taken = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::int64_t length = length_ns(k);
    all += static_cast<double>(length);
    if (k >= taken_.first && k <= taken_.last) taken += static_cast<double>(length);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  if (taken_.repeat == 1 || shortest == longest || shortest <= 0) return std::nullopt;
  const double mean = all / static_cast<double>(n);
  const double of_taken = taken / static_cast<double>(taken_.last - taken_.first + 1);
  return "the " + std::to_string(n) + " recorded iterations last " + format_time(shortest * ps_per_ns) + " to " +
         format_time(longest * ps_per_ns) + "; the repeated iterations are " +
         percent(of_taken / mean - 1, "%+.1f %%") + " off the mean of all iterations";
}

}  // namespace convert
