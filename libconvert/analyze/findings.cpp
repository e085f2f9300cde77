// SPDX-License-Identifier: MIT
#include "analyze/findings.h"

#include <algorithm>
#include <utility>

#include "analyze/findings/rules.h"
#include "util/json_writer.h"

namespace convert {
namespace {

enum class RuleKind : std::uint8_t { culprit, describe };

struct Ranked {
  findings::Weighed finding;
  RuleKind kind;
};

}  // namespace

std::vector<Finding> findings_of(const Run& run) {
  const findings::Facts facts(run);
  std::vector<Ranked> found;
#define FINDING(function, kind) \
  if (auto finding = findings::function(facts)) found.push_back({*std::move(finding), RuleKind::kind});
#include "analyze/findings/findings.def"
#undef FINDING
  std::ranges::stable_sort(found, [](const Ranked& a, const Ranked& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.finding.weight > b.finding.weight;
  });
  // What another rule tells with its reason is not told again as a mere change.
  std::erase_if(found, [&](const Ranked& r) {
    return r.finding.rule == "best_change" && std::ranges::any_of(found, [&](const Ranked& other) {
             return other.finding.rule != r.finding.rule && other.finding.replay == r.finding.replay;
           });
  });
  std::vector<Finding> list = {findings::headline(facts)};
  for (Ranked& r : found) {
    if (list.size() <= most_findings) list.push_back(std::move(r.finding));
  }
  return list;
}

void append_text(const std::vector<Finding>& findings, std::string& out) {
  bool first = true;
  for (const Finding& f : findings) {
    out += std::exchange(first, false) ? "" : "- ";
    out += f.text + '\n';
  }
}

void append_json(const std::vector<Finding>& findings, std::string& out, unsigned indent) {
  JsonWriter json(out);
  json.begin_array();
  for (const Finding& f : findings) {
    json.line(indent + 1).begin_object().member("rule", f.rule).member("panel", f.panel).member("text", f.text);
    json.member("value", f.value).end_object();
  }
  json.line(indent).end_array();
}

}  // namespace convert
