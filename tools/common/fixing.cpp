// SPDX-License-Identifier: MIT
#include "common/fixing.h"

#include "core/units.h"
#include "util/log.h"

namespace tools {
namespace {

std::string joined(const convert::Fixes& fixes) {
  std::string out;
  for (const std::string& line : fixes.lines()) out += (out.empty() ? "" : "; ") + line;
  return out;
}

}  // namespace

void Fixing::add(const convert::Trace& head, const convert::Fixes& fixes) {
  if (fixes.lines().empty()) return;
  const std::lock_guard lock(mutex_);
  all_ += fixes;
  OfRank& rank = ranks_[head.rank];
  rank.name = head.name;
  rank.fixes += fixes;
}

void Fixing::report(bool written) const {
  for (const auto& [rank, of] : ranks_)
    convert::log_info(of.name + ": rank " + std::to_string(rank) + ": " + joined(of.fixes));
  const std::string what = joined(all_);
  convert::log_note((all_.total() == 0 ? "nothing to repair" : convert::counted(all_.total(), "repair")) +
                    (what.empty() ? "" : ": " + what) + (written ? "" : "; errors remain, nothing is written"));
}

}  // namespace tools
