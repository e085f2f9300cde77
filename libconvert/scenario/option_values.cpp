// SPDX-License-Identifier: MIT
#include "scenario/option_values.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "config/network/network.h"
#include "config/size_condition.h"
#include "core/diagnostic.h"
#include "core/spelling.h"
#include "core/units.h"

namespace convert {
namespace {

Error bad(const std::string& message) { return input_error({}, message); }

// All that stands before the algorithm: "all_reduce:pg=3:size>=1MiB:size<64MiB".
void parse_conditions(const std::string& text, std::string_view which, CollectiveRule& rule) {
  const auto wrong = [&](const std::string& why) { return bad(why + " in '" + text + "'"); };
  const auto next = [&] {
    const std::size_t end = which.find(':');
    const std::string_view part = which.substr(0, end);
    which = end == std::string_view::npos ? std::string_view() : which.substr(end + 1);
    return part;
  };
  const std::string_view type = without_short_form(next());
  for (std::size_t op = 0; op < collective_ops; ++op) {
    const auto known = static_cast<CollectiveOp>(op);
    if (same_name(type, name(known))) rule.op = known;
  }
  if (!rule.op && type != "all") {
    throw wrong("'" + std::string(type) + "' is not all_reduce, all_gather, reduce_scatter, all_to_all or all");
  }
  bool has_min = false;
  bool has_end = false;
  const auto once = [&](bool& has, const char* what) {
    if (std::exchange(has, true)) throw wrong(std::string(what) + " is given twice");
  };
  for (bool more = which.data() != nullptr; more; more = which.data() != nullptr) {
    const std::string_view part = next();
    const auto value = [&](std::string_view key) { return part.substr(key.size()); };
    if (part.starts_with("pg=")) {
      if (rule.group) throw wrong("pg= is given twice");
      rule.group = parse_int(value("pg="));
      if (!rule.group) throw wrong("'" + std::string(value("pg=")) + "' is no process group");
    } else if (part.starts_with("size")) {
      const auto size = parse_size_condition(part.substr(4));
      if (!size) throw wrong("'" + std::string(part) + "' is not " + std::string(size_conditions));
      if (size->min_bytes) once(has_min, "the smallest size");
      if (size->end_bytes) once(has_end, "the largest size");
      rule.min_bytes = size->min_bytes.value_or(rule.min_bytes);
      rule.end_bytes = size->end_bytes.value_or(rule.end_bytes);
    } else {
      throw wrong("'" + std::string(part) + "' is not pg=GROUP, " + std::string(size_conditions));
    }
  }
  if (rule.min_bytes >= rule.end_bytes) throw wrong("no size is such");
}

}  // namespace

std::optional<bool> parse_truth(std::string_view text) {
  for (const char* yes : {"true", "1", "on", "yes", "True", "t", "T"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "0", "off", "no", "False", "f", "F"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<double> parse_scale(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) || value > 1e9) return std::nullopt;
  return value;
}

void add_straggler(const std::string& text, std::map<Rank, double>& to) {
  const std::size_t equals = text.find('=');
  const auto rank = parse_int(text.substr(0, equals));
  std::string factor = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (factor.ends_with('x')) factor.pop_back();
  if (!rank || *rank < 0 || *rank >= max_npus || factor.empty()) throw bad("'" + text + "' is not such as 3=1.5x");
  const std::optional<double> by = parse_scale(factor);
  if (!by) throw bad("'" + factor + "' is not a number from 0 to 1e9");
  if (*by == 0) throw bad("a factor of 0 in '" + text + "'");
  if (!to.emplace(static_cast<Rank>(*rank), *by).second)
    throw bad("rank " + std::to_string(*rank) + " is given twice");
}

std::string usual_algorithms(const std::string& text) {
  std::string usual;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const auto algorithm = parse_algorithm(std::string_view(text).substr(at, end - at));
    if (!algorithm) return text;
    usual += (at == 0 ? "" : "+") + text_of(*algorithm);
    at = end + 1;
  }
  return usual;
}

std::string usual_collective_rule(const std::string& text) {
  const CollectiveRule rule = parse_collective_rule(text);
  const std::size_t type = std::min(text.find(':'), text.rfind('='));
  const std::size_t value = text.rfind('=') + 1;
  return std::string(rule.op ? name(*rule.op) : "all") + text.substr(type, value - type) +
         usual_algorithms(text.substr(value));
}

CollectiveRule parse_collective_rule(const std::string& text) {
  CollectiveRule rule;
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size() || text[equals - 1] == '>' ||
      text[equals - 1] == '<')
    throw bad("'" + text + "' is not such as all_reduce=ring");
  parse_conditions(text, std::string_view(text).substr(0, equals), rule);
  const std::string value = text.substr(equals + 1);
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('+', at), value.size());
    const auto algorithm = parse_algorithm(std::string_view(value).substr(at, end - at));
    if (!algorithm) {
      rule.choice = {.per_dim = {}, .custom = value};
      return rule;
    }
    rule.choice.per_dim.push_back(*algorithm);
    at = end + 1;
  }
  return rule;
}

}  // namespace convert
