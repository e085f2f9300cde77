// SPDX-License-Identifier: MIT
#include "config/sweep.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/collective_rules.h"
#include "config/yaml_tree.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

const YamlSubject subject = {
    .noun = "sweep file",
    .rule = "sweep",
    .is_empty = "empty; a sweep file requires the key sweep, and accepts base for values common to all runs",
    .max_keys = 64};

constexpr std::uint64_t max_dimension = 63;

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Checks the values, which must fit in one line of a table. `failure` makes an Error from a value and a message.
template <typename Failure>
void check_values(const SweepSetting& setting, const Failure& failure) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::set<std::string_view> seen;
  for (const SweepValue& value : setting.values) {
    if (value.text.empty()) throw failure(value, setting.key + " has an empty value");
    if (std::any_of(value.text.begin(), value.text.end(), is_control))
      throw failure(value, setting.key + " has a value with control characters");
    if (!seen.insert(value.text).second) throw failure(value, "'" + value.text + "' is repeated");
  }
}

class SweepReader {
 public:
  SweepReader(const std::string& file, std::string_view text, const SweepKeys& keys)
      : file_(file), keys_(keys), root_(parse_yaml_tree(file, text, subject)) {}

  SweepConfig read() {
    for (std::size_t i = 0; i < root_.items.size(); i += 2) {
      const std::string& key = root_.items[i].text;
      if (key != "base" && key != "sweep")
        throw failure(root_.items[i], "unknown key '" + key + "'" + hint_for(key, {"base", "sweep"}));
    }
    SweepConfig config;
    if (const YamlNode* base = root_.find("base"); base != nullptr && !is_empty(*base))
      config.base = settings(*base, "base", false);
    const YamlNode* const sweep = root_.find("sweep");
    if (sweep == nullptr) throw input_error({.file = file_}, "key sweep is missing", subject.rule);
    if (is_empty(*sweep)) throw failure(*sweep, "sweep is empty; it requires keys with values, " + example(true));
    config.axes = settings(*sweep, "sweep", true);
    return config;
  }

 private:
  [[nodiscard]] Location place(const YamlNode& at) const {
    return {.file = file_, .line = at.line, .column = at.column};
  }
  [[nodiscard]] Error failure(const YamlNode& at, const std::string& message) const {
    return input_error(place(at), message, subject.rule);
  }

  // Returns whether a value is {} or missing.
  static bool is_empty(const YamlNode& node) {
    return node.kind != YamlNode::Kind::list && node.items.empty() && node.text.empty();
  }
  static std::string example(bool lists) {
    return lists ? "such as {bandwidth: [25GB/s, 50GB/s]}" : "such as {network: ring8.yml}";
  }

  std::vector<SweepSetting> settings(const YamlNode& map, const std::string& name, bool lists) const {
    if (map.kind != YamlNode::Kind::map) throw failure(map, name + " requires a map, " + example(lists));
    std::vector<SweepSetting> all;
    for (std::size_t i = 0; i < map.items.size(); i += 2) {
      const YamlNode& key = map.items[i];
      const YamlNode& value = map.items[i + 1];
      keys_.check(key.text, place(key), Error::Kind::input);
      SweepSetting setting{.key = key.text, .where = place(key)};
      if (value.kind == YamlNode::Kind::list && lists) {
        if (value.items.empty()) throw failure(value, key.text + " has no value");
        for (const YamlNode& item : value.items) add(setting, item);
      } else {
        add(setting, value);
      }
      check_values(setting, [](const SweepValue& v, const std::string& message) {
        return input_error(v.where, message, subject.rule);
      });
      all.push_back(std::move(setting));
    }
    return all;
  }

  void add(SweepSetting& setting, const YamlNode& value) const {
    if (value.kind == YamlNode::Kind::list && contains(keys_.lists, setting.key)) {
      setting.values.push_back({list(setting, value), place(value)});
      return;
    }
    if (value.kind != YamlNode::Kind::scalar)
      throw failure(value, std::string(value.kind == YamlNode::Kind::map ? "a map" : "a list") +
                               " is not allowed here; " + setting.key + " requires a value");
    setting.values.push_back({value.text, place(value)});
  }

  [[nodiscard]] std::string list(const SweepSetting& setting, const YamlNode& value) const {
    std::string text;
    for (const YamlNode& item : value.items) {
      if (item.kind != YamlNode::Kind::scalar) throw failure(item, setting.key + " requires a list of values");
      const bool one = !item.text.empty() && item.text.find(element_separator) == std::string::npos;
      if (!one || item.text == no_elements)
        throw failure(item, "'" + item.text + "' is not a valid list element of " + setting.key);
      if (!text.empty()) text += element_separator;
      text += item.text;
    }
    return text.empty() ? std::string(no_elements) : text;
  }

  const std::string& file_;
  const SweepKeys& keys_;
  YamlNode root_;
};

// Returns whether a piece is KEY=VALUE and thus an option of the previous value: neither a path nor a rule for
// collectives.
bool is_option(std::string_view piece) {
  const std::string_view key = piece.substr(0, piece.find('='));
  return key.size() < piece.size() && key.find_first_of("/.:") == std::string_view::npos && !names_collectives(key);
}

}  // namespace

std::string with_place(const Error& e) {
  const std::string place = format_location(e.where());
  return place.empty() ? e.what() : place + ": " + e.what();
}

Error located(const Error& e, const SweepSetting& setting, const SweepValue& value) {
  const std::string text = with_place(e);
  if (!value.where.file.empty()) return input_error(value.where, text, subject.rule);
  const bool says_where = e.kind() != Error::Kind::input || !e.where().file.empty();
  const bool by_key = setting.option == "--set" || setting.option == "--sweep";
  if (says_where && !by_key) return e;
  // Turns "size requires …" into "--size requires …".
  const std::string behind = text.starts_with(setting.key) ? text.substr(setting.key.size()) : "";
  const bool named = !by_key && (behind.starts_with(" requires ") || behind.starts_with(": "));
  return usage_error(named ? setting.option + behind : setting.option + ": " + text);
}

void SweepKeys::check(const std::string& key, const Location& where, Error::Kind kind) const {
  if (contains(keys, key)) return;
  const std::string rule = kind == Error::Kind::input ? subject.rule : "";
  const std::size_t dot = key.find('.');
  const std::string stem = key.substr(0, dot);
  if (dot != std::string::npos && contains(per_dimension, stem)) {
    const std::string digits = key.substr(dot + 1);
    if (parse_plain(digits, max_dimension)) return;
    throw Error(kind, where, key + ": '" + digits + "' is not a dimension; dimensions start at 0", rule);
  }
  throw Error(kind, where, "unknown key '" + key + "'" + hint_for(key, keys), rule);
}

namespace {

// Returns a setting without values, of the key before '='.
SweepSetting keyed(const std::string& option, std::string_view text, const std::string& form,
                   const SweepKeys& keys) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw usage_error(option + " " + std::string(text) + ": expected " + form);
  SweepSetting setting{.key = std::string(text.substr(0, equals)), .option = option};
  keys.check(setting.key, {}, Error::Kind::usage);
  return setting;
}

}  // namespace

SweepConfig parse_sweep(const std::string& file, std::string_view text, const SweepKeys& keys) {
  return SweepReader(file, text, keys).read();
}

SweepSetting parse_sweep_option(std::string_view text, const SweepKeys& keys) {
  const std::string shown = "--sweep " + std::string(text) + ": ";
  SweepSetting setting = keyed("--sweep", text, "KEY=VALUE,VALUE,…", keys);
  const std::size_t equals = setting.key.size();
  const bool with_options = contains(keys.with_options, setting.key);
  for (const std::string& piece : split(text.substr(equals + 1), ',')) {
    if (with_options && is_option(piece) && !setting.values.empty() && setting.values.back().text != no_elements) {
      setting.values.back().text += "," + piece;
    } else {
      setting.values.push_back({piece});
    }
  }
  check_values(setting,
               [&](const SweepValue&, const std::string& message) { return usage_error(shown + message); });
  return setting;
}

SweepSetting parse_setting_option(std::string_view text, const SweepKeys& keys) {
  SweepSetting setting = keyed("--set", text, "KEY=VALUE", keys);
  std::string value(text.substr(setting.key.size() + 1));
  if (contains(keys.plain_lists, setting.key)) std::replace(value.begin(), value.end(), ',', element_separator);
  setting.values.push_back({value});
  check_values(setting, [&](const SweepValue&, const std::string& message) {
    return usage_error("--set " + std::string(text) + ": " + message);
  });
  return setting;
}

}  // namespace convert
