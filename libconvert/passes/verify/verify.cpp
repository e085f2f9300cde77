// SPDX-License-Identifier: MIT
#include "passes/verify/verify.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "core/algorithm/messages.h"
#include "core/units.h"
#include "passes/verify/deadlock.h"
#include "passes/verify/execute.h"
#include "passes/verify/postcondition.h"
#include "passes/verify/races.h"
#include "passes/verify/step_graph.h"

namespace convert {
namespace {

constexpr std::size_t max_path = 16;  // printed steps of a counter-example

// Returns "A reads o[3], which B writes".
std::string hazard_text(Hazard hazard, const std::string& second, const std::string& slot,
                        const std::string& first) {
  switch (hazard) {
    case Hazard::read_after_write: return second + " reads " + slot + ", which " + first + " writes";
    case Hazard::write_after_read: return second + " overwrites " + slot + ", which " + first + " reads";
    case Hazard::write_after_write: return second + " writes " + slot + ", which " + first + " writes too";
  }
  return {};
}

// Result of executing one interpretation of the graph.
struct Reading {
  Execution execution;
  Races races;
  std::optional<std::vector<Mismatch>> mismatches;

  [[nodiscard]] bool sound() const {
    return races.real.empty() && !races.undecided && execution.undefined_reads == 0 && execution.doubled == 0 &&
           (!mismatches || mismatches->empty());
  }
};

class Verifier {
 public:
  Verifier(const StepGraph& p, const VerifyOptions& options, Diagnostics& diagnostics)
      : p_(p), options_(options), diagnostics_(diagnostics) {}

  void run() {
    check_pairs();
    if (p_.ranks() == 0 || !divides_into_ranks() || !has_places_beside_relays()) return;
    const bool both = p_.inplace && p_.outofplace;
    check_mode(p_.inplace, both ? " (in-place)" : "");
    if (both && !deadlock_) check_mode(false, " (out-of-place)");
  }

 private:
  void report(Severity severity, std::uint32_t step, const char* rule, std::string message,
              std::vector<std::string> notes = {}) {
    diagnostics_.add({severity, p_.locate(step), rule, std::move(message), std::move(notes)});
  }

  void check_pairs();
  [[nodiscard]] bool divides_into_ranks();
  [[nodiscard]] bool has_places_beside_relays();
  [[nodiscard]] bool stays_inside(const BufferLayout& layout, const std::string& mode);
  void check_mode(bool inplace, const std::string& mode);
  Reading read(const BufferLayout& layout, const ExecuteOptions& options);
  bool report_permuted(bool inplace, const std::string& mode);
  void report_capacity(const Execution& bounded, std::uint32_t peak);
  void check_messages();
  void report_races(const Reading& r, const BufferLayout& layout, const std::string& mode);
  void report_values(const Reading& r, const BufferLayout& layout, const ExecuteOptions& options,
                     const std::string& mode);
  [[nodiscard]] std::vector<std::string> path_to(const Execution& e, std::span<const std::uint32_t> message_number,
                                                 std::uint64_t slot) const;
  [[nodiscard]] std::string difference(const Values& values, const Mismatch& m) const;

  const StepGraph& p_;
  const VerifyOptions& options_;
  Diagnostics& diagnostics_;
  bool deadlock_ = false;
  bool capacity_reported_ = false;  // both modes have the same connections
};

// Checks that the chunks are a multiple of the ranks, for collectives that assign each rank a shard.
bool Verifier::divides_into_ranks() {
  const Collective c = claimed_collective(p_);
  const bool per_rank = c == Collective::all_gather || c == Collective::all_to_all ||
                        c == Collective::reduce_scatter || c == Collective::gather || c == Collective::scatter;
  const std::int32_t parts = p_.ranks() - static_cast<std::int32_t>(p_.relays.size());
  if (!options_.dataflow || !per_rank || (parts > 0 && p_.chunks % parts == 0)) return true;
  diagnostics_.add({options_.soft,
                    p_.locate_rank(0),
                    "postcondition",
                    std::string(name(c)) + " requires a multiple of " + counted(parts, "chunk") +
                        ", one shard per rank, but there are " + std::to_string(p_.chunks),
                    {}});
  return false;
}

// Checks that the ranks other than relays have room for their result.
bool Verifier::has_places_beside_relays() {
  const Collective c = claimed_collective(p_);
  if (!options_.dataflow || p_.relays.empty() || !has_postcondition(c)) return true;
  for (std::int32_t r = 0; r < p_.ranks(); ++r) {
    if (std::ranges::binary_search(p_.relays, r)) continue;
    const RankBuffers& b = p_.buffers[static_cast<std::size_t>(r)];
    const std::int32_t places = c == Collective::all_to_all ? std::min(b.i_chunks, b.o_chunks) : b.i_chunks;
    if (places >= p_.chunks) continue;
    diagnostics_.add({options_.soft,
                      p_.locate_rank(r),
                      "postcondition",
                      std::string(name(c)) + ": " + rank_word(p_) + std::to_string(r) + " has room for " +
                          counted(static_cast<std::uint64_t>(places), "chunk") + ", but must end with " +
                          std::to_string(p_.chunks),
                      {}});
    return false;
  }
  return true;
}

// Checks that the steps of traces stay inside the buffers; check_structure() does so for an Algorithm.
bool Verifier::stays_inside(const BufferLayout& layout, const std::string& mode) {
  if (!p_.from_traces) return true;
  std::uint64_t count = 0;
  std::uint32_t first = no_index;
  std::string what;
  for (const Chain& chain : p_.chains) {
    for (std::uint32_t s = chain.first; s < chain.first + chain.count; ++s) {
      const GraphStep& step = p_.steps[s];
      const auto look = [&](const char* side, Buffer buffer, std::int32_t offset) {
        const std::int64_t size = layout.size(chain.rank, buffer);
        const std::int64_t end = std::int64_t{offset} + step.cnt;
        if ((offset >= 0 && end <= size) || count++ != 0) return;
        first = s;
        what = std::string(side) + ' ' + letter(buffer) + '[' + std::to_string(offset) + "…" +
               std::to_string(end - 1) + "] is outside of a buffer of " +
               counted(static_cast<std::uint64_t>(size), "chunk");
      };
      if (reads_src(step.type)) look("src", step.src_buf, step.src_off);
      if (writes_dst(step.type)) look("dst", step.dst_buf, step.dst_off);
    }
  }
  if (count == 0) return true;
  report(Severity::error, first, "offsets",
         p_.describe(first) + ": " + what +
             (count > 1 ? " (the first of " + std::to_string(count) + " such accesses)" : "") + mode);
  return false;
}

void Verifier::check_pairs() {
  for (const Connection& c : p_.connections) {
    if (c.sends != c.recvs) {
      const bool more_sends = c.sends > c.recvs;
      const std::uint32_t step =
          more_sends ? p_.send_steps[c.send_begin + c.recvs] : p_.recv_steps[c.recv_begin + c.sends];
      report(Severity::error, step, "pairs",
             connection_text(p_, c) + ": " + std::to_string(c.sends) + " sends, " + std::to_string(c.recvs) +
                 " receives; the first without a partner is " + p_.describe(step));
    }
    for (std::uint32_t k = 0; k < std::min(c.sends, c.recvs); ++k) {
      const std::uint32_t s = p_.send_steps[c.send_begin + k];
      const std::uint32_t r = p_.recv_steps[c.recv_begin + k];
      if (p_.steps[s].cnt == p_.steps[r].cnt) continue;
      report(Severity::error, r, "pairs",
             connection_text(p_, c) + ": " + p_.describe(s) + " sends " + counted(p_.steps[s].cnt, "chunk") +
                 ", but " + p_.describe(r) + " expects " + std::to_string(p_.steps[r].cnt));
      if (c.sends != c.recvs) break;  // one lost message shifts all later pairs
    }
  }
}

Reading Verifier::read(const BufferLayout& layout, const ExecuteOptions& options) {
  Reading r{execute(p_, layout, options), {}, std::nullopt};
  if (!r.execution.blocked.empty()) return r;
  if (options_.dataflow) {
    r.mismatches = check_postcondition(p_, claimed_collective(p_), options_.root, layout, r.execution);
  }
  r.races = find_races(p_, layout, options, r.execution.order, options_.search_budget);
  return r;
}

void Verifier::check_mode(bool inplace, const std::string& mode) {
  const BufferLayout layout(p_, inplace);
  if (!stays_inside(layout, mode)) return;
  ExecuteOptions options{.slots = fifo_slots(p_.protocol)};
  Reading reading = read(layout, options);
  if (!reading.execution.blocked.empty()) {
    const Execution bounded = std::move(reading.execution);
    options.slots = 0;
    reading = read(layout, options);
    if (!reading.execution.blocked.empty()) {
      deadlock_ = true;
      diagnostics_.add(explain_deadlock(p_, reading.execution));
      return;
    }
    if (!std::exchange(capacity_reported_, true)) report_capacity(bounded, reading.execution.peak_fifo);
  } else if (!std::exchange(capacity_reported_, true)) {
    check_messages();
  }
  const auto other_operand = std::find_if(p_.steps.begin(), p_.steps.end(), [](const GraphStep& s) {
    return reduces(s.type) && s.type != StepType::re && (s.src_buf != s.dst_buf || s.src_off != s.dst_off);
  });
  if (!reading.sound() && other_operand != p_.steps.end() && options_.dataflow) {
    ExecuteOptions intent = options;
    intent.slots = 0;
    intent.operand_is_dst = true;
    const Reading as_intended = read(layout, intent);
    if (as_intended.sound()) {
      report(options_.soft, static_cast<std::uint32_t>(other_operand - p_.steps.begin()), "operand",
             "the result is right only if rrc, rrs and rrcs reduce into dst; the runtime uses src as the local "
             "operand" +
                 mode);
      return;
    }
  }
  if (!reading.sound() && options_.dataflow && inplace && report_permuted(inplace, mode)) return;
  report_races(reading, layout, mode);
  if (options_.dataflow) report_values(reading, layout, options, mode);
}

// Reports one finding for an all-gather that is right except for the order of its chunks, instead of one per chunk.
bool Verifier::report_permuted(bool inplace, const std::string& mode) {
  const auto permutation = find_permutation(p_);
  const auto other = permutation ? with_chunks_in_place(p_, *permutation) : std::nullopt;
  if (!other) return false;
  Diagnostics findings;
  Verifier(*other, options_, findings).check_mode(inplace, mode);
  for (const Diagnostic& d : findings.all()) {
    if (d.rule != "races" && d.rule != "fifo") return false;
  }
  const auto chunk_text = [&](std::int32_t at) {
    const std::int32_t each = p_.chunks / p_.ranks();
    return "chunk " + std::to_string(at % each) + " of " + rank_word(p_) + std::to_string(at / each);
  };
  std::int32_t first = 0;
  while (permutation->belongs[static_cast<std::size_t>(first)] == first) ++first;
  const std::string each = std::to_string(p_.chunks / p_.ranks());
  diagnostics_.add({options_.soft,
                    p_.locate_rank(0),
                    "postcondition",
                    std::string(name(p_.collective)) + ": all data arrives, but permuted: o[" +
                        std::to_string(first) + "] holds " +
                        chunk_text(permutation->belongs[static_cast<std::size_t>(first)]) + " instead of " +
                        chunk_text(first) + "; " +
                        (permutation->rounds_first ? "the offsets are chunk × " + std::to_string(p_.ranks()) +
                                                         " + rank, but must be rank × " + each + " + chunk"
                                                   : "the chunks of a rank must be adjacent, in rank order") +
                        mode,
                    {}});
  for (const Diagnostic& d : findings.all()) {
    if (d.rule == "races") diagnostics_.add(d);
  }
  return true;
}

// Returns the fewest slots with which all steps complete: more than the protocol's slots and at most `peak`.
int needed_slots(const StepGraph& p, std::uint32_t peak, std::int32_t carried = 0) {
  const int slots = fifo_slots(p.protocol);
  // More room never hurts, so bisection finds the smallest number.
  const auto numbers = std::views::iota(slots + 1, std::max(slots + 1, static_cast<int>(peak)));
  const auto found = std::ranges::partition_point(numbers, [&](int n) { return !completes(p, n, carried); });
  return slots + 1 + static_cast<int>(found - numbers.begin());  // the peak if fewer slots are not enough
}

void Verifier::report_capacity(const Execution& bounded, std::uint32_t peak) {
  const int slots = fifo_slots(p_.protocol);
  const int needed = needed_slots(p_, peak);
  const Blocked& b = bounded.blocked.front();
  report(options_.soft, b.step, "fifo",
         "requires room for " + counted(static_cast<std::uint64_t>(needed), "message") +
             " per connection, but protocol " + std::string(name(p_.protocol)) + " guarantees " +
             std::to_string(slots) + "; " + std::to_string(bounded.blocked.size()) +
             (p_.from_traces ? " chains of steps" : " threadblocks") + " block, the first at " +
             p_.describe(b.step));
}

// In large calls, the runtimes split steps of several chunks that exceed a message.
void Verifier::check_messages() {
  if (p_.scheduled) return;  // no runtime runs a schedule directly
  const RuntimeLimits& runtime = options_.target != nullptr ? *options_.target : msccl_limits;
  const std::int64_t message = message_bytes(p_.protocol, p_.collective, runtime);
  const std::int64_t largest = p_.max_bytes.value_or(undeclared_max_bytes);
  const std::int32_t carried = chunks_per_message(message, largest, p_.chunks);
  const Execution cut = progress(p_, fifo_slots(p_.protocol), carried);
  if (cut.blocked.empty()) return;
  const std::int64_t most = most_bytes_without_hang(p_, message).value_or(0);
  const int needed = needed_slots(p_, progress(p_, 0, carried).peak_fifo, carried);
  const Blocked& b = cut.blocked.front();
  const std::string range = !p_.max_bytes  ? "maxBytes defaults to " + std::to_string(largest)
                            : largest == 0 ? "maxBytes is 0, which means unlimited"
                                           : "maxBytes is " + std::to_string(largest);
  // Traces, and files without declared calls, may not be meant for such calls.
  const bool meant = !p_.from_traces && (p_.max_bytes || options_.target != nullptr);
  report(meant ? options_.soft : Severity::warning, b.step, "fifo",
         "steps of several chunks hang in calls of more than " + std::to_string(most) + " bytes, and " + range +
             (most > 0 ? "; declare maxBytes=\"" + std::to_string(most) + "\", or use" : "; use") +
             " more channels or another order of steps",
         {"a message of protocol " + std::string(name(p_.protocol)) + " carries at most " + format_bytes(message) +
              ", so that a step of k chunks is up to k messages",
          "in the largest calls a connection requires room for " +
              counted(static_cast<std::uint64_t>(needed), "message") + ", but has room for " +
              std::to_string(fifo_slots(p_.protocol)) + "; " + std::to_string(cut.blocked.size()) +
              (p_.from_traces ? " chains of steps" : " threadblocks") + " block, the first at " +
              p_.describe(b.step)});
}

void Verifier::report_races(const Reading& r, const BufferLayout& layout, const std::string& mode) {
  if (r.races.undecided) {  // first, so that it is not lost after many others
    const Conflict& c = *r.races.undecided;
    report(options_.soft, c.second, "races",
           p_.describe(c.second) + " shares " + layout.text(c.slot) + " with " + p_.describe(c.first) +
               ", but their order is unknown: the search for races reached its limit and stopped" + mode,
           {"hint: direct dependencies between steps that share chunks need no search"});
  }
  for (const Conflict& c : r.races.real) {
    report(options_.soft, c.second, "races",
           hazard_text(c.hazard, p_.describe(c.second), layout.text(c.slot), p_.describe(c.first)) +
               ", but no dependency orders them" + mode);
  }
  // Only threadblock protocols are affected.
  const std::vector<Conflict>& ordered = r.races.via_messages;
  if (ordered.empty() || p_.scheduled) return;
  const Conflict& c = ordered.front();
  report(Severity::warning, c.second, "races",
         counted(ordered.size(), "pair") + " of steps with the same chunks " +
             (ordered.size() == 1 ? "is" : "are") + " ordered only through other ranks (for example " +
             p_.describe(c.first) + " and " + p_.describe(c.second) +
             "); this is unsafe for protocols without fences (LL)" + mode);
}

std::string Verifier::difference(const Values& values, const Mismatch& m) const {
  std::uint32_t wanted_chunk = 0;
  std::uint32_t found_chunk = 0;
  RankSets::Id wanted = 0;
  RankSets::Id found = 0;
  if (!values.is_single_chunk(m.expected, wanted_chunk, wanted) ||
      !values.is_single_chunk(m.found, found_chunk, found) || wanted_chunk != found_chunk)
    return "";
  std::string missing;
  int count = 0;
  for (std::uint32_t q = 0; q < values.sets().ranks(); ++q) {
    if (!values.sets().contains(wanted, q) || values.sets().contains(found, q)) continue;
    if (count++ < 8) missing += (missing.empty() ? "" : ", ") + std::to_string(q);
  }
  if (count > 8) missing += ", …";
  return count > 0 ? "; the contribution of rank " + missing + " is missing" : "";
}

// Returns by step its position among the receives of its connection.
std::vector<std::uint32_t> message_numbers(const StepGraph& p) {
  std::vector<std::uint32_t> out(p.step_count(), 0);
  for (const Connection& c : p.connections) {
    for (std::uint32_t k = 0; k < c.recvs; ++k) out[p.recv_steps[c.recv_begin + k]] = k;
  }
  return out;
}

// Traces the content of a slot backwards: the last writer, the message it received, the sender, …
std::vector<std::string> Verifier::path_to(const Execution& e, std::span<const std::uint32_t> message_number,
                                           std::uint64_t slot) const {
  std::vector<std::string> notes;
  if (slot == BufferLayout::outside) return notes;
  std::uint32_t s = e.last_writer[slot];
  if (s == no_index) return {"no step writes it"};
  const char* verb = "written by ";
  while (s != no_index && notes.size() < max_path) {
    notes.push_back(verb + p_.describe(s) + " at " + format_location(p_.locate(s)));
    const GraphStep& step = p_.steps[s];
    if (receives(step.type) && step.in != no_index) {
      const Connection& c = p_.connections[step.in];
      s = message_number[s] < c.sends ? p_.send_steps[c.send_begin + message_number[s]] : no_index;
      verb = "from a message of ";
    } else {
      s = e.source_writer[s];
      verb = "from a chunk written by ";
    }
  }
  if (s != no_index) notes.emplace_back("…");
  return notes;
}

void Verifier::report_values(const Reading& r, const BufferLayout& layout, const ExecuteOptions& options,
                             const std::string& mode) {
  const Execution& e = r.execution;
  const bool failed = r.mismatches && !r.mismatches->empty();
  if (failed) {
    ExecuteOptions traced = options;
    traced.slots = 0;
    traced.trace_writers = true;
    const Execution detail = execute(p_, layout, traced);
    const std::vector<std::uint32_t> message_number = message_numbers(p_);
    for (const Mismatch& m : *r.mismatches) {
      std::string message = rank_word(p_) + std::to_string(m.rank) + ' ' + letter(m.buffer) + '[' +
                            std::to_string(m.chunk) + "] must finally hold " + e.values.text(m.expected) +
                            ", but holds " + e.values.text(m.found) + difference(e.values, m);
      if (m.more > 0) message += "; and " + std::to_string(m.more) + " more chunks of this rank are wrong";
      const std::uint32_t writer = m.slot == BufferLayout::outside ? no_index : detail.last_writer[m.slot];
      Location where = writer == no_index ? p_.locate_rank(m.rank) : p_.locate(writer);
      diagnostics_.add({options_.soft, std::move(where), "postcondition",
                        std::string(name(claimed_collective(p_))) + ": " + message + mode,
                        path_to(detail, message_number, m.slot)});
    }
  }
  if (e.undefined_reads > 0) {
    report(failed ? options_.soft : Severity::warning, e.first_undefined, "uninitialized",
           p_.describe(e.first_undefined) + " uses a chunk before it is written" +
               (e.undefined_reads > 1 ? " (the first of " + std::to_string(e.undefined_reads) + ")" : "") + mode);
  }
  if (e.doubled > 0) {
    report(failed ? options_.soft : Severity::warning, e.first_doubled, "doubled",
           p_.describe(e.first_doubled) + " adds the contribution of rank " + std::to_string(e.first_doubled_rank) +
               " a second time" +
               (e.doubled > 1 ? " (the first of " + std::to_string(e.doubled) + " such reductions)" : "") + mode);
  }
}

}  // namespace

std::optional<std::int64_t> most_bytes_without_hang(const StepGraph& graph, std::int64_t message) {
  std::int32_t longest = 1;
  for (const GraphStep& s : graph.steps) {
    if (s.in != no_index || s.out != no_index) longest = std::max(longest, s.cnt);
  }
  if (longest == 1) return std::nullopt;
  const int slots = fifo_slots(graph.protocol);
  // Longer messages never hurt, so bisection finds the fewest chunks per message.
  const auto numbers = std::views::iota(std::int32_t{1}, longest + 1);
  const auto found = std::ranges::partition_point(numbers, [&](auto n) { return !completes(graph, slots, n); });
  if (found == numbers.begin()) return std::nullopt;
  return found == numbers.end() ? 0 : most_bytes_of_calls(message, *found, graph.chunks);
}

void verify(const StepGraph& graph, const VerifyOptions& options, Diagnostics& diagnostics) {
  if (options.collective && *options.collective != claimed_collective(graph)) {
    StepGraph as_other = graph;  // the other collective defines buffers, inputs and aliasing
    (graph.relays.empty() ? as_other.collective : as_other.among_others) = *options.collective;
    Verifier(as_other, options, diagnostics).run();
  } else {
    Verifier(graph, options, diagnostics).run();
  }
}

}  // namespace convert
