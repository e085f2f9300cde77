// SPDX-License-Identifier: MIT
#include "config/workload/metadata.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/words.h"

namespace convert {
namespace {

const Name workload_name{std::string_view("workload")};
const Name ranks_name{std::string_view("ranks")};

void set_ranks(Metadata& metadata, std::uint64_t ranks) {
  for (Attr& a : metadata.table.attrs) {
    if (a.name == ranks_name && is_integer(a.kind)) a.bits = ranks;
  }
}

bool is_settings(const Attr& a) { return a.name == workload_name && a.kind == Kind::string_val; }

}  // namespace

std::string workload_text(const Workload& w) {
  std::string out;
  std::vector<std::string> open;  // maps that are open in the text
  const std::vector<WorkloadSetting> defaults = settings_of({}), settings = settings_of(w);
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) out += open.size() == 1 ? "}\n" : "}";
  };
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (settings[i].value == defaults[i].value || !has_setting(w.kind, settings[i].key)) continue;
    const std::vector<std::string> path = split(settings[i].key, '.');
    const auto [here, there] = std::mismatch(open.begin(), open.end(), path.begin(), path.end() - 1);
    close_to(static_cast<std::size_t>(here - open.begin()));
    for (std::size_t p = open.size(); p < path.size(); ++p) {
      if (!out.empty() && out.back() != '{' && out.back() != '\n') out += ", ";
      out += path[p] + ": ";
      if (p + 1 == path.size()) break;
      out += '{';
      open.push_back(path[p]);
    }
    std::string value = settings[i].value;
    const bool list = value.find(',') != std::string::npos;
    out += list ? "[" + value + "]" : value;
  }
  close_to(0);
  return out;
}

std::optional<Workload> told_workload(const Metadata& metadata, const std::string& name) {
  const auto text = string_value(metadata.table, metadata.table.attrs, workload_name);
  if (!text) return std::nullopt;
  return parse_workload(name + "(workload)", *text, 0);
}

void tell_workload(Metadata& metadata, const Workload& w) {
  for (Attr& a : metadata.table.attrs) {
    if (!is_settings(a)) continue;
    const Text text = metadata.table.add_text(workload_text(w));
    a.bits = text.offset;
    a.size = text.size;
  }
  set_ranks(metadata, static_cast<std::uint64_t>(w.plan.ranks()));
}

void forget_workload(Metadata& metadata, std::optional<std::uint64_t> ranks) {
  if (std::erase_if(metadata.table.attrs, is_settings) != 0 && ranks) set_ranks(metadata, *ranks);
}

}  // namespace convert
