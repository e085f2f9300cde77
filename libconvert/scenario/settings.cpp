// SPDX-License-Identifier: MIT
#include "scenario/settings.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "config/network/bandwidth_hint.h"
#include "core/units.h"
#include "core/words.h"
#include "machine/chosen.h"
#include "scenario/option_values.h"
#include "scenario/system_keys.h"
#include "sets/schedules.h"
#include "sets/source.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

Error mistake(const std::string& message) { return input_error({}, message, "sweep"); }

Error wants(const SettingText& v, const std::string& what) {
  return mistake(v.key + " requires " + what + ", not '" + v.text + "'");
}

// Parses a factor such as "x0.5".
std::optional<double> parse_factor(std::string_view text) {
  return text.starts_with('x') ? parse_scale(text.substr(1)) : std::nullopt;
}

Error unknown(const SettingText& v, const std::vector<std::string>& known) {
  return mistake("unknown " + v.key + " '" + v.text + "'" + hint_for(v.text, known));
}

// Functions that parse the values of the table; each returns the value or throws.

// The table has the names of choices, in another order than the type.
template <typename T>
T choice(const SettingText& v) {
  const std::vector<std::string> names = split(find_setting(v.key)->value, '|');
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name(static_cast<T>(i)) == v.text) return static_cast<T>(i);
  }
  throw unknown(v, names);
}

// Returns whether a value is the first of the two values of its setting.
bool is_first(const SettingText& v) {
  const std::vector<std::string> names = split(find_setting(v.key)->value, '|');
  if (v.text != names[0] && v.text != names[1]) throw unknown(v, names);
  return v.text == names[0];
}

bool truth(const SettingText& v) {
  if (const std::optional<bool> found = parse_truth(v.text)) return *found;
  throw wants(v, "true or false");
}

std::int64_t whole(const SettingText& v, std::int64_t min, std::int64_t max) {
  const std::optional<std::int64_t> n = parse_int(v.text);
  if (!n || *n < min || *n > max)
    throw wants(v, "an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return *n;
}

double scale(const SettingText& v) {
  if (const std::optional<double> x = parse_scale(v.text)) return *x;
  throw wants(v, "a number from 0 to 1e9");
}

std::int64_t whole_bytes(const SettingText& v) {
  const std::optional<std::int64_t> n = parse_bytes(v.text);
  if (n.value_or(0) < 1) throw wants(v, "a size such as 1MiB");
  return *n;
}

Picoseconds duration(const SettingText& v) {
  if (const std::optional<Picoseconds> ps = parse_time(v.text)) return *ps;
  throw wants(v, "a time such as 1.5us");
}

// Returns the elements of a list: "a;b", or "none".
std::vector<std::string> elements(const SettingText& v) {
  if (v.text == no_elements) return {};
  std::vector<std::string> all = split(v.text, element_separator);
  if (std::find(all.begin(), all.end(), "") != all.end())
    throw mistake(v.key + ": an element of the list is empty");
  return all;
}

// Finds a path in the working folder, or else in the folder of the sweep file.
std::string find_path(const std::string& folder, const std::string& path) {
  if (folder.empty() || trace_set_exists(path) || fs::path(path).is_absolute()) return path;
  std::string beside = (fs::path(folder) / path).string();
  return trace_set_exists(beside) ? beside : path;
}

std::string find_traces(const RunSettings& s, const SettingText& v) {
  return v.text == "-" ? v.text : find_path(s.folder, v.text);
}

void set_format(RunSettings& s, const SettingText& v) {
  check_from(v.text);
  s.from = v.text;
}

std::string find_config(const RunSettings& s, const SettingText& v) {
  if (s.reads_once) return v.text;
  std::string found = find_path(s.folder, v.text);
  if (!fs::exists(found)) throw system_error(v.text, ENOENT);
  if (!fs::is_regular_file(found))
    throw mistake(v.text + " is not a regular file; a sweep must read it several times");
  return found;
}

// Returns the text with the path of its file resolved and its options unchanged.
std::string find_network_path(const std::string& folder, const std::string& text) {
  if (is_short_network(text) || names_machine(text)) return text;
  const std::string path = split_file_argument(text).path;
  return find_path(folder, path) + text.substr(path.size());
}

void set_network(RunSettings& s, const SettingText& v) {
  s.network = find_network_path(s.folder, v.text);
  if (s.reads_once) return;
  const std::string path = split_file_argument(*s.network).path;
  if (path == "-")
    throw mistake("the network cannot be standard input, because a sweep reads it several times; name a file");
  if (!is_short_network(v.text) && fs::exists(path) && !fs::is_regular_file(path))
    throw mistake(path + " is not a regular file; a sweep must read it several times");
  (void)find_network(*s.network);
}

void add_wire_setting(RunSettings& s, const SettingText& v) {
  const bool latency = v.key.starts_with("latency");
  const std::optional<Quantity> q = quantity(v.key, v.text);
  const bool factor = q && q->unit == ValueUnit::factor;
  if (latency && !q) throw wants(v, "a time such as 500ns or a factor such as x2");
  if (!q || (!latency && q->value == 0))
    throw mistake(wants(v, "a rate such as 50GB/s or a factor such as x0.5").what() + bandwidth_hint(v.text));
  WireSetting& setting = s.wires.emplace_back(WireSetting{latency, {}, factor, q->value});
  if (!latency && !factor) setting.value /= 1e9;
  if (const std::size_t dot = v.key.find('.'); dot != std::string::npos)
    setting.dim = static_cast<std::size_t>(parse_int(v.key.substr(dot + 1)).value_or(0));
}

// Parses "split", "single", "hash" or "hash,seed=7".
void set_multipath(RunSettings& s, const SettingText& v) {
  static constexpr Multipath all[] = {Multipath::split, Multipath::hash, Multipath::single};
  static constexpr std::string_view seed = "seed=";
  const std::vector<std::string> pieces = split(v.text, ',');
  const auto* const found = std::ranges::find(all, pieces[0], [](Multipath m) { return name(m); });
  if (found == std::end(all)) throw unknown(v, {"split", "hash", "single"});
  s.options.network.multipath = *found;
  s.options.network.multipath_seed = 0;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (*found != Multipath::hash || !pieces[i].starts_with(seed) || i != 1)
      throw mistake(v.key + ": unknown option '" + pieces[i] + "'; hash takes seed=N");
    const std::string number = pieces[i].substr(seed.size());
    s.options.network.multipath_seed = static_cast<std::uint64_t>(whole({v.key, number}, 0, INT64_MAX));
  }
}

void set_groups(RunSettings& s, const SettingText& v) {
  s.no_groups = v.text == no_groups_file && !fs::exists(find_path(s.folder, v.text));
  s.system.groups = s.no_groups ? std::nullopt : std::optional(find_config(s, v));
}

// Calls take(element) for each element; its errors become errors of the key.
template <typename Take>
void for_each_element(const SettingText& v, const Take& take) {
  for (const std::string& element : elements(v)) {
    try {
      take(element);
    } catch (const Error& e) {
      throw mistake(v.key + ": " + e.what());
    }
  }
}

void set_rules(RunSettings& s, const SettingText& v) {
  s.system.rules.clear();
  for_each_element(v, [&](const std::string& text) {
    SystemRule rule = parse_system_rule(text);
    if (std::string& path = rule.choice.custom; !path.empty() && !is_builtin(path)) {
      path = find_path(s.folder, path);
      check_algorithm_path(path);
    }
    s.system.rules.push_back(std::move(rule));
  });
}

void set_slow(RunSettings& s, const SettingText& v) {
  s.options.slow.clear();
  for_each_element(v, [&](const std::string& one) { add_straggler(one, s.options.slow); });
}

void set_free(RunSettings& s, const SettingText& v) {
  s.options.free = {};
  for_each_element(v, [&](const std::string& one) { add_free(one, s.options.free); });
}

constexpr Setting setting_table[] = {
#define SETTING(key, option, value, help, kind, part, ...)                                                    \
  {key, option, value, help, SettingKind::kind, SettingPart::part, [](RunSettings& s, const SettingText& v) { \
     __VA_ARGS__;                                                                                             \
   }},
#include "scenario/settings.def"
};

constexpr Setting astra_table[] = {
#define ASTRA_OPTION(key, option, value, help) {key, option, value, help},
#include "scenario/settings.def"
};

std::string stem(const std::string& key) { return key.substr(0, key.find('.')); }

// Returns the name of a setting in messages: "--size" or, in a sweep file, "size".
std::string shown(const SweepSetting& s) {
  const bool by_key = s.option == "--set" || s.option == "--sweep";
  return by_key ? s.option + ": " + s.key : s.option.empty() ? s.key : s.option;
}

}  // namespace

std::span<const Setting> all_settings() { return setting_table; }
std::span<const Setting> astra_options() { return astra_table; }

const Setting* find_setting(const std::string& key) {
  for (const std::string& name : {key, stem(key)}) {  // of a dimension: "bandwidth.1"
    const auto* const found = std::ranges::find_if(setting_table, [&](const Setting& s) { return name == s.key; });
    if (found != std::end(setting_table)) return found;
  }
  return nullptr;
}

void RunSettings::set(const std::string& key, const std::string& value) {
  if (const Setting* const setting = find_setting(key)) return setting->apply(*this, {key, value});
  system_keys.push_back(
      {key, parse_system_value(key, key.ends_with("-custom") ? find_path(folder, value) : value)});
}

void RunSettings::set(const SweepSetting& setting, const SweepValue& value) {
  const std::size_t before = system_keys.size();
  try {
    set(setting.key, value.text);
    if (system_keys.size() == before) return;
    system_keys.back().setting = {
        .key = setting.key, .where = setting.where, .values = {}, .option = setting.option};
    system_keys.back().value = value;
  } catch (const Error& e) {
    if (e.where().line != 0 || e.where().offset >= 0) throw;  // in a file that the value names
    throw located(e, setting, value);
  }
}

const SweepKeys& sweep_keys() {
  static const SweepKeys all = [] {
    SweepKeys keys;
    for (const Setting& s : setting_table) {
      keys.keys.emplace_back(s.key);
      if (s.kind == SettingKind::rate || s.kind == SettingKind::delay) keys.per_dimension.emplace_back(s.key);
      const bool list = s.kind == SettingKind::list;
      if (list) keys.lists.emplace_back(s.key);
      if (list && s.splits_at_commas()) keys.plain_lists.emplace_back(s.key);
      if (s.kind == SettingKind::network || s.kind == SettingKind::format || s.kind == SettingKind::variant ||
          (list && !s.splits_at_commas()))
        keys.with_options.emplace_back(s.key);
    }
    for (std::string& name : system_key_names()) keys.keys.push_back(std::move(name));
    return keys;
  }();
  return all;
}

std::string usual_value(const std::string& key, const std::string& value) {
  if (key != "algorithm") return takes_algorithms(key) ? usual_algorithms(value) : value;
  std::string usual;
  try {
    for (const std::string& rule : elements({key, value}))
      usual += (usual.empty() ? "" : std::string(1, element_separator)) + usual_collective_rule(rule);
  } catch (const Error&) {
    return value;
  }
  return usual.empty() ? value : usual;
}

void check_recorded(std::span<const SweepSetting> settings) {
  std::string with;
  const auto is_recorded = [&](const char* key) {
    const auto found = std::find_if(settings.begin(), settings.end(), [&](const SweepSetting& s) {
      return s.key == key && s.values.size() == 1 && s.values.front().text == "recorded";
    });
    if (found != settings.end()) with += (with.empty() ? "" : " ") + shown(*found) + " recorded";
    return found != settings.end();
  };
  const bool compute = is_recorded("compute");
  if (!is_recorded("comm")) return;
  for (const SweepSetting& s : settings) {
    const Setting* const setting = find_setting(s.key);
    const SettingPart part = setting == nullptr ? SettingPart::npu : setting->part;
    if (part != SettingPart::times && (compute || part != SettingPart::npu))
      throw Error(s.where.file.empty() ? Error::Kind::usage : Error::Kind::input, s.where,
                  shown(s) + " cannot be combined with " + with);
  }
}

std::optional<Quantity> quantity(const std::string& key, const std::string& value) {
  const auto is = [](const auto& number, ValueUnit unit) {
    return number ? std::optional(Quantity{static_cast<double>(*number), unit}) : std::nullopt;
  };
  const auto time = [&] {
    const std::optional<Picoseconds> ps = parse_time(value);
    return is(ps ? std::optional(static_cast<double>(*ps) / static_cast<double>(ps_per_ns)) : std::nullopt,
              ValueUnit::ns);
  };
  const Setting* const setting = find_setting(key);
  if (setting == nullptr) return is_system_number(key) ? is(parse_number(value), ValueUnit::number) : std::nullopt;
  switch (setting->kind) {
    case SettingKind::rate:
      if (const auto factor = parse_factor(value)) return is(factor, ValueUnit::factor);
      return is(parse_bandwidth(value), ValueUnit::bytes_per_s);
    case SettingKind::delay:
      if (const auto factor = parse_factor(value)) return is(factor, ValueUnit::factor);
      return time();
    case SettingKind::time: return time();
    case SettingKind::bytes: return is(parse_bytes(value), ValueUnit::bytes);
    case SettingKind::number: return is(parse_number(value), ValueUnit::number);
    default: return std::nullopt;
  }
}

std::vector<std::string> setting_files(const std::string& key, const std::string& value,
                                       const std::string& folder) {
  const Setting* const setting = find_setting(key);
  const bool is_file =
      setting != nullptr &&
      ((setting->kind == SettingKind::file && (key != "groups" || value != no_groups_file)) ||
       (setting->kind == SettingKind::network && !is_short_network(value) && !names_machine(value)));
  if (!is_file) return {};
  return {find_path(folder, setting->kind == SettingKind::network ? split_file_argument(value).path : value)};
}

}  // namespace convert
