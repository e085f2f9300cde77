// SPDX-License-Identifier: MIT
#include "analyze/diff/call_notes.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "analyze/runs/certainty.h"
#include "core/units.h"
#include "util/text_table.h"

namespace convert {
namespace {

using CallKey = std::tuple<Collective, std::int64_t, std::uint32_t>;  // size, NPUs

std::map<CallKey, std::set<std::string>> algorithms_of(const Run& run) {
  std::map<CallKey, std::set<std::string>> out;
  for (const Run::Call& c : run.calls) {
    if (c.algorithm < run.texts.size())
      out[{c.op, c.size_bytes, c.npus}].insert(std::string(run.texts[c.algorithm]));
  }
  return out;
}

std::string joined_names(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " and ") + name;
  return out;
}

// Returns the kinds of calls with other algorithms, the first four by name; empty if there are none.
std::string other_algorithms(const Run& a, const Run& b) {
  constexpr std::size_t most = 4;
  const auto of_b = algorithms_of(b);
  std::string out;
  std::size_t found = 0;
  for (const auto& [key, names] : algorithms_of(a)) {
    const auto other = of_b.find(key);
    if (other == of_b.end() || other->second == names) continue;
    if (++found > most) continue;
    const auto& [op, size, npus] = key;
    out += (out.empty() ? "" : "; ") + std::string(name(op)) + (size < 0 ? "" : " of " + format_bytes(size)) +
           ", " + counted(npus, "NPU") + ": " + joined_names(names) + " in A, " + joined_names(other->second) +
           " in B";
  }
  if (found > most) out += "; and " + counted(found - most, "more kind");
  return out;
}

std::string certainty_text(const Certainty& certainty) {
  constexpr double percent = 100;
  std::string out;
  for (const CallOrigin& o : certainty.origins)
    out += (out.empty() ? "" : ", ") + format_fixed(o.share * percent, 1) + " % " + o.source;
  if (certainty.error_pct >= 0) out += ", expected error " + format_fixed(certainty.error_pct, 1) + " %";
  return out;
}

}  // namespace

std::vector<std::string> notes_of_calls(const Run& a, const Run& b) {
  std::vector<std::string> notes;
  if (std::string text = other_algorithms(a, b); !text.empty()) notes.push_back("algorithms: " + text);
  const std::string in_a = certainty_text(certainty_of(a)), in_b = certainty_text(certainty_of(b));
  if (in_a == in_b) return notes;
  if (!in_a.empty()) notes.push_back("time of collectives in A: " + in_a);
  if (!in_b.empty()) notes.push_back("time of collectives in B: " + in_b);
  return notes;
}

}  // namespace convert
