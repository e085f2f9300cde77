// SPDX-License-Identifier: MIT
#include "scenario/system_keys.h"

#include <algorithm>
#include <iterator>

#include "core/diagnostic.h"
#include "core/words.h"
#include "scenario/option_values.h"
#include "sets/synthesized/rule.h"
#include "util/json_writer.h"

namespace convert {
namespace {

// JSON form of a key's value. bus: a number that is ignored unless the system has a shared bus.
enum class Form : std::uint8_t { number, word, text, list, bus };

struct SystemKey {
  const char* name;
  Form form;
  void (*copy)(SystemConfig& to, const SystemConfig& from);
};

void copy_choice(SystemConfig& to, const SystemConfig& from, Collective op) {
  const std::size_t k = listed_place(op);
  to.collectives.at(k) = from.collectives.at(k);
}

void copy_endpoint_delay(SystemConfig& to, const SystemConfig& from) {
  to.endpoint_delay_ns = from.endpoint_delay_ns;
  to.endpoint_delay_given = true;
}

constexpr SystemKey system_keys[] = {
#define SYSTEM_KEY(key, form, ...) \
  {key, Form::form, [](SystemConfig& to, const SystemConfig& from) { __VA_ARGS__; }},
#include "scenario/settings.def"
};

const SystemKey* find(const std::string& key) {
  const auto* const found = std::find_if(std::begin(system_keys), std::end(system_keys),
                                         [&](const SystemKey& k) { return key == k.name; });
  return found == std::end(system_keys) ? nullptr : found;
}

bool is_custom(const std::string& key) { return key.ends_with("-custom"); }

std::string json_list(const std::string& key, const std::string& value) {
  std::string list;
  for (const std::string& item : is_custom(key) ? std::vector{value} : split(value, '+')) {
    list += list.empty() ? "[" : ", ";
    append_json_string(list, item);
  }
  return list + "]";
}

std::string json_value(const SystemKey& key, const std::string& value) {
  std::string json;
  switch (key.form) {
    case Form::list: return json_list(key.name, value);
    case Form::text: append_json_string(json, value); return json;
    case Form::word:
      if (value == "true" || value == "1") return "1";
      if (value == "false" || value == "0") return "0";
      break;
    case Form::number:
    case Form::bus: break;
  }
  // Other characters would end the value and begin another one, so such a value becomes a string.
  const bool plain = value.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (plain) return value;
  append_json_string(json, value);
  return json;
}

// Uses the algorithm of one dimension for all dimensions; one ring over all NPUs already covers all.
void spread(std::vector<AlgorithmChoice>& list, std::size_t dims) {
  if (list.size() == 1 && !list.front().one) list.resize(std::max<std::size_t>(dims, 1), list.front());
}

// Returns a system whose collectives run a synthesized algorithm.
SystemConfig with_synthesized(const std::string& key, const std::string& value) {
  SystemConfig config;
  for (CollectiveChoice& c : config.collectives) {
    try {
      c.custom = made_algorithm(value, std::nullopt);
    } catch (const Error& e) {
      throw input_error({}, key + ": " + e.what(), "sweep");
    }
  }
  return config;
}

}  // namespace

std::vector<std::string> system_key_names() {
  std::vector<std::string> names;
  for (const SystemKey& k : system_keys) names.emplace_back(k.name);
  return names;
}

bool is_system_number(const std::string& key) {
  const SystemKey* const k = find(key);
  return k != nullptr && (k->form == Form::number || k->form == Form::bus);
}

bool takes_algorithms(const std::string& key) {
  const SystemKey* const k = find(key);
  return k != nullptr && k->form == Form::list && !is_custom(key);
}

int system_key_precedence(const std::string& key) { return is_custom(key) ? 1 : 0; }

SystemConfig parse_system_value(const std::string& key, const std::string& value) {
  if (takes_algorithms(key) && names_synthesis(value)) return with_synthesized(key, value);
  const SystemKey& k = *find(key);
  std::string json = "{\"" + std::string(k.name) + "\": " + json_value(k, value);
  if (k.form == Form::bus) json += ", \"model-shared-bus\": 1";
  try {
    return parse_system("", json + "}");
  } catch (const Error& e) {
    throw input_error({}, e.what(), "sweep");
  }
}

void set_system_key(SystemConfig& to, const std::string& key, const SystemConfig& from, std::size_t dims) {
  const SystemKey& k = *find(key);
  if (k.form == Form::bus && !to.shared_bus)
    throw input_error({}, key + " is ignored: the system has no model-shared-bus", "sweep");
  SystemConfig value = from;
  if (takes_algorithms(key) && !from.collectives.front().custom.empty()) {
    // Collectives that are too small for synthesis use the system's algorithms.
    for (std::size_t i = 0; i < to.collectives.size(); ++i)
      value.collectives.at(i).per_dim = to.collectives.at(i).per_dim;
  }
  if (k.form == Form::list && !is_custom(key)) {
    for (CollectiveChoice& c : value.collectives) spread(c.per_dim, dims);
  }
  k.copy(to, value);
}

}  // namespace convert
