// SPDX-License-Identifier: MIT
#include "validate/fixing.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "common/relaxing.h"
#include "common/sink.h"
#include "common/source.h"
#include "core/units.h"
#include "core/words.h"
#include "sets/derived/fixed_source.h"
#include "sets/derived/relaxing.h"
#include "util/log.h"
#include "validate/findings.h"
#include "validate/passing.h"

namespace tools {

using namespace convert;

namespace {

// Collects the repairs of the ranks of a set.
class Fixing {
 public:
  // Adds a rank; thread-safe, in any order.
  void add(const Trace& head, const Fixes& fixes) {
    if (fixes.lines().empty()) return;
    const std::lock_guard lock(mutex_);
    all_ += fixes;
    OfRank& rank = ranks_[head.rank];
    rank.name = head.name;
    rank.fixes += fixes;
  }
  // Returns whether nothing was repaired, and nothing was left unrepaired.
  [[nodiscard]] bool empty() const { return ranks_.empty(); }
  // Prints one line for all ranks; with -v also one line for each rank with repairs. `written`: the result is valid
  // and is written.
  void report(bool written) const {
    for (const auto& [rank, of] : ranks_)
      log_info(of.name + ": rank " + std::to_string(rank) + ": " + join(of.fixes.lines(), "; "));
    const std::string what = join(all_.lines(), "; ");
    log_note((all_.total() == 0 ? (written ? "nothing to repair" : "nothing is repaired")
                                : counted(all_.total(), "repair")) +
             (what.empty() ? "" : ": " + what) + (written ? "" : "; errors remain, nothing is written"));
  }

 private:
  struct OfRank {
    std::string name;
    Fixes fixes;
  };
  std::mutex mutex_;
  std::map<Rank, OfRank> ranks_;  // with repairs, or with defects left
  Fixes all_;
};

bool has_deadlock(const Diagnostics& findings) {
  const auto& all = findings.all();
  return std::any_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.rule == "deadlock"; });
}

// Checks the set. If ranks wait for each other in a cycle, finds the order that is not required, and checks the set
// without that order instead. `again` calls its argument with the set, to be read once more.
template <typename Again>
Relaxation check_and_relax(SetSource& first, const Again& again, const CheckOptions& options, Context& context) {
  auto findings = context.diagnostics.sibling();
  std::size_t ranks = check(first, options, *findings).ranks;
  Relaxation relaxation;
  if (has_deadlock(*findings) && first.whole_set())
    again([&](SetSource& set) { relaxation = find_relaxation(set, context.jobs()); });
  if (!relaxation.cuts.empty()) {
    findings = context.diagnostics.sibling();
    again([&](SetSource& set) {
      RelaxedSource relaxed(set, relaxation.cuts);
      ranks = check(relaxed, options, *findings).ranks;
    });
  }
  context.diagnostics.append(*findings);
  log_summary(ranks, context.diagnostics);
  return relaxation;
}

}  // namespace

int fix(const InputOptions& input, const OutputOptions& output, const CheckOptions& options,
        const std::string& format, Context& context) {
  const Passing twice("--fix", inputs(input));
  SourceOptions reading = source_options(input, context);
  reading.hash = !output.no_history;
  const auto source = open_source(reading, context);
  if (!source) {
    report_findings(format, context);
    return 0;
  }
  if (source->algorithm() != nullptr) {
    context.set_reported();  // no findings: algorithms are not repaired
    throw usage_error("--fix repairs traces only; " + source->base_name() + " is an algorithm");
  }
  Fixing fixing;
  FixedSource fixed(*source, [&](const Trace& head, const Fixes& fixes) { fixing.add(head, fixes); });
  const OpenSink sink = open_sink(fixed, output, context, {.checked = true});

  // Calls work(repaired set), which is read once more; the findings of reading are reported already.
  const auto again = [&](const auto& work) {
    twice.rewind();
    Diagnostics unheard;
    TraceSource source_again(reading, unheard);
    FixedSource fixed_again(source_again, nullptr);
    work(fixed_again);
  };
  const Relaxation relaxation = check_and_relax(fixed, again, options, context);
  report_findings(format, context);
  report(relaxation, context);
  if (relaxation.cuts.empty() || context.failed() || !fixing.empty()) fixing.report(!context.failed());
  if (context.failed()) return 1;
  again([&](SetSource& set) {
    RelaxedSource relaxed(set, relaxation.cuts);
    sink.write(relaxed, context.diagnostics);
  });
  return 0;
}

}  // namespace tools
