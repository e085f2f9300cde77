// SPDX-License-Identifier: MIT
#include "analyze/findings.h"

#include <algorithm>
#include <utility>

#include "analyze/figures/cells.h"
#include "analyze/findings/rules.h"
#include "util/json_writer.h"

namespace convert {

std::vector<Finding> findings_of(const Run& run) {
  const findings::Facts facts(run);
  findings::Found found;
#define FINDING(function) \
  for (findings::RuleFinding & finding : findings::function(facts)) found.push_back(std::move(finding));
#include "analyze/findings/findings.def"
#undef FINDING
  std::erase_if(found, [](const findings::RuleFinding& f) { return f.effect < least_effect; });
  std::ranges::stable_sort(found, std::ranges::greater(), &Finding::effect);
  // A change that another rule reports with its reason is not repeated as best_change.
  std::erase_if(found, [&](const findings::RuleFinding& f) {
    return f.rule == "best_change" && std::ranges::any_of(found, [&](const findings::RuleFinding& other) {
             return other.rule != f.rule && other.replay == f.replay;
           });
  });
  std::vector<Finding> list = {findings::headline(facts)};
  std::optional<Finding> limits = findings::model_limits(facts);
  const std::size_t most = most_findings - (limits ? 1 : 0);
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) list.push_back(std::move(found[i]));
  if (limits) list.push_back(*std::move(limits));
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
    json.member("value", f.value).member("effect", f.effect).member("replayed", f.replayed);
    if (!f.npus.empty()) {
      json.key("npus").begin_array();
      for (const Rank npu : f.npus) json.value(npu);
      json.end_array();
    }
    json.key("numbers").begin_object();
    for (const Figure& n : f.numbers) json.key(key_with_unit(n.key, n.unit)).raw(raw_cell(n.value, n.unit));
    json.end_object().end_object();
  }
  json.line(indent).end_array();
}

}  // namespace convert
