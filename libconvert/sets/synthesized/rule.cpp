// SPDX-License-Identifier: MIT
#include "sets/synthesized/rule.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "core/units.h"
#include "core/words.h"
#include "synthesis/problem.h"

namespace convert {
namespace {

constexpr std::int64_t most_chunks = std::int64_t{1} << 24U;

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys{"effort",    "chunks",     "max-chunks", "method", "seed",
                                             "occupancy", "forwarding", "net",        "fail",   "detours"};
  return keys;
}

std::string_view key_of(std::string_view part) { return part.substr(0, part.find('=')); }
std::string_view value_of(std::string_view part) {
  return part.substr(std::min(key_of(part).size() + 1, part.size()));
}
bool is_known(std::string_view part) {
  return part.find('=') != std::string_view::npos &&
         std::ranges::find(known_keys(), key_of(part)) != known_keys().end();
}

Error bad_value(std::string_view key, std::string_view value, const std::string& wanted) {
  return usage_error("'" + std::string(value) + "' for " + std::string(key) + ": expected " + wanted);
}

std::uint64_t whole(std::string_view key, std::string_view value, std::int64_t low, std::int64_t high) {
  const auto n = parse_int(value);
  if (!n || *n < low || *n > high)
    throw bad_value(key, value, "a number from " + std::to_string(low) + " to " + std::to_string(high));
  return static_cast<std::uint64_t>(*n);
}

// Returns the index of a value in `names`.
std::size_t choice(std::string_view key, std::string_view value, const std::vector<std::string>& names) {
  const auto at = std::ranges::find_if(names, [&](const std::string& name) { return same_name(value, name); });
  if (at == names.end()) throw bad_value(key, value, "one of " + join(names));
  return static_cast<std::size_t>(at - names.begin());
}

std::string read_methods(std::string_view value, SynthesisChoice& to) {
  std::vector<std::string> names;
  for (const SynthesisMethod m : synthesis_methods) names.emplace_back(name(m));
  std::vector<std::string> usual;
  for (const std::string& one : split(value, '+')) {
    to.methods.push_back(synthesis_methods[choice("method", one, names)]);
    usual.emplace_back(name(to.methods.back()));
  }
  return join(usual, "+");
}

// Reads one setting; returns its normalised value.
std::string read_setting(std::string_view key, std::string_view value, SynthesisRule& to) {
  const std::vector<std::string> efforts{"fast", "normal", "best"};
  const std::vector<std::string> occupancies{"beta", "alpha-beta"};
  const std::vector<std::string> answers{"no", "yes"};
  if (key == "effort") {
    const std::size_t k = choice(key, value, efforts);
    to.choice.effort = static_cast<SynthesisEffort>(k);
    return efforts[k];
  }
  if (key == "occupancy") {
    const std::size_t k = choice(key, value, occupancies);
    to.occupancy = k == 0 ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta;
    return occupancies[k];
  }
  if (key == "forwarding") {
    std::vector<std::string> names;
    for (const Forwarding f : all_forwarding) names.emplace_back(name(f));
    const std::size_t k = choice(key, value, names);
    to.forwarding = all_forwarding[k];
    return names[k];
  }
  if (key == "detours") {
    to.detours = choice(key, value, answers) == 1;
    return answers[to.detours ? 1 : 0];
  }
  if (key == "method") return read_methods(value, to.choice);
  if (key == "seed") to.choice.seed = whole(key, value, 0, INT64_MAX);
  if (key == "chunks") to.choice.pieces = static_cast<std::uint32_t>(whole(key, value, 1, most_chunks));
  if (key == "max-chunks") to.choice.most_pieces = static_cast<std::uint32_t>(whole(key, value, 1, most_chunks));
  if (key == "net") {
    if (value.empty()) throw bad_value(key, value, "a network, as for option -n");
    to.network = value;
  }
  if (key == "fail") {
    to.failed = split(value, '+');
    if (std::ranges::count(to.failed, "") != 0) throw bad_value(key, value, "links, such as 3-4+npu5-switch0");
  }
  return std::string(value);
}

}  // namespace

bool names_synthesis(std::string_view text) { return same_name(text.substr(0, text.find(',')), synthesized_name); }

SynthesisRule parse_synthesis_rule(std::string_view text) {
  std::vector<std::string> settings;
  bool in_network = false;
  const std::vector<std::string> parts = split(text, ',');
  for (const std::string& part : std::span(parts).subspan(1)) {
    if (is_known(part)) {
      settings.push_back(part);
      in_network = part.starts_with("net=");
    } else if (in_network) {
      settings.back() += ',' + part;
    } else {
      throw usage_error("unknown key '" + std::string(key_of(part)) + "'; known: " + join(known_keys()));
    }
  }
  // Each piece is a separate node on every rank, in each call of a workload.
  SynthesisRule rule{.choice = {.most_pieces = 64}, .text = std::string(synthesized_name)};
  std::set<std::string_view> given;
  for (const std::string& setting : settings) {
    const std::string_view key = key_of(setting);
    if (!given.insert(key).second) throw usage_error("key '" + std::string(key) + "' is repeated");
    rule.text += ',' + std::string(key) + '=' + read_setting(key, value_of(setting), rule);
  }
  if (rule.choice.pieces) rule.choice.most_pieces = std::max(rule.choice.most_pieces, *rule.choice.pieces);
  return rule;
}

void check_synthesized(std::optional<Collective> collective) {
  if (!collective || can_synthesize(without_block(*collective))) return;
  throw usage_error(std::string(synthesized_name) + " is for " + join(names_of(can_synthesize)) + ", not for " +
                    std::string(name(*collective)));
}

}  // namespace convert
