// SPDX-License-Identifier: MIT
#include "common/relaxing.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "simulate/waits/graph.h"
#include "util/log.h"

namespace tools {
namespace {

using namespace convert;

std::string text(const ContradictedPair& p) {
  return describe(NodeRef{p.destination, p.receive}) + " receives from " + describe(NodeRef{p.source, p.send}) +
         ", but ended " + format_time(Picoseconds{1000} * p.by_ns) +
         " before the send began; the pair is mismatched or the clocks differ, "
         "so dependencies on the receive may be removed";
}

std::string_view contradiction(Cut::Contradicted what) {
  switch (what) {
    case Cut::Contradicted::nothing: break;
    case Cut::Contradicted::order:
      return ", contradicted by the recorded times: the node began before the dependency ended";
    case Cut::Contradicted::message:
      return "; by the recorded times, the dependency received its message before the send";
    case Cut::Contradicted::call:
      return "; by the recorded times, the collective ended before all ranks had called it";
  }
  return {};
}

std::string text(Rank rank, const Cut& cut) {
  return describe(NodeRef{rank, cut.node}) + " no longer depends on node " + std::to_string(cut.dependency) + " (" +
         std::string(dep_rule_name(cut.rule)) + std::string(contradiction(cut.contradicted)) + ")";
}

void list(const std::vector<std::string>& lines, std::size_t most, const std::string& what) {
  const std::size_t shown = most == 0 ? lines.size() : std::min(lines.size(), most);
  for (std::size_t i = 0; i < shown; ++i) log_note(lines[i]);
  if (shown < lines.size())
    log_note("… " + std::to_string(lines.size() - shown) + " more " + what + " (--max-errors 0 lists all)");
}

}  // namespace

void report(const Relaxation& relaxation, const Context& context) {
  if (!relaxation.cycles) return;
  const auto most = static_cast<std::size_t>(context.common.max_errors);
  std::vector<std::string> lines;
  for (const ContradictedPair& p : relaxation.pairs) lines.push_back(text(p));
  list(lines, most, "such pairs");
  if (!relaxation.breakable) {
    log_note(
        "a remaining cycle has no dependency that dep_rules marks as mere order; it is kept, with all its "
        "dependencies");
    return;
  }
  lines.clear();
  for (const auto& [rank, cuts] : relaxation.cuts) {
    for (const Cut& cut : cuts) lines.push_back(text(rank, cut));
  }
  list(lines, most, "dependencies");
  log_note(
      (lines.size() == 1 ? std::string("1 dependency") : std::to_string(lines.size()) + " dependencies") +
      " removed, so that no ranks wait for each other in a cycle; restoring any of these closes a cycle again");
}

}  // namespace tools
