// SPDX-License-Identifier: MIT
#include "replay/options.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "common/option_texts.h"
#include "config/network/network.h"
#include "core/words.h"
#include "scenario/option_values.h"
#include "util/log.h"

namespace tools {
namespace {

using namespace convert;

SweepSetting setting_of(const std::string& key, const std::string& option, const std::string& value) {
  return {.key = key, .values = {{value}}, .option = option};
}

const SweepSetting* find(const std::vector<SweepSetting>& settings, std::string_view key) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const SweepSetting& s) { return s.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

bool is_daily(const std::string& key) {
  constexpr std::array<std::string_view, 5> daily = {"network", "model", "compute", "comm", "algorithm"};
  return std::find(daily.begin(), daily.end(), key) != daily.end();
}

// Messages name "-s,--system" by its key, other options by their first name.
void add_option(App& app, ReplayInputOptions& to, const Setting& row) {
  const std::string key = row.key;
  const std::string names = row.option;
  if (names.empty()) return;
  SettingOption& o = to.settings.emplace_back(
      SettingOption{key.empty() ? nullptr : find_setting(key),
                    names.ends_with("--" + key) ? "--" + key : names.substr(0, names.find(','))});
  if (*row.value == '\0') {
    app.add_flag(names, o.flag, row.help);
  } else if (row.kind == SettingKind::list) {
    app.add_texts(names, o.texts, row.value, row.help);
  } else {
    app.add_option(names, o.text, row.value, row.help);
  }
  if (!is_daily(key)) app.advanced();
}

// Returns the given value in the form of a setting; nothing if the option was not given.
std::optional<std::string> text_of(const SettingOption& o) {
  if (o.flag) return o.name.starts_with("--no-") ? "false" : "true";
  if (o.texts.empty()) return o.text;
  std::string list;
  for (std::string text : o.texts) {
    if (text.find(element_separator) != std::string::npos)
      throw usage_error(o.name + ": '" + text + "' has a ';', which separates elements");
    if (o.setting->splits_at_commas()) std::replace(text.begin(), text.end(), ',', element_separator);
    list += (list.empty() ? "" : std::string(1, element_separator)) + text;
  }
  return list;
}

// Throws Error(usage) for a setting that two options give, or that has no meaning. Notes the options that are
// ignored.
void check_command(const ReplayCommand& command) {
  for (const SweepSetting& s : command.settings) {
    if (const SweepSetting* const first = find(command.settings, s.key); first != &s)
      throw usage_error(first->option + " and " + s.option + " set the same; give one");
  }
  check_recorded(command.settings);
  const std::vector<std::string>& unused = command.unused;
  if (!unused.empty()) log_note(join(unused) + (unused.size() == 1 ? " is" : " are") + " ignored");
}

}  // namespace

void add_replay_options(App& app, ReplayInputOptions& to) {
  add_input_options(app, to.input);
  app.group("Simulation");
  for (const Setting& s : all_settings()) add_option(app, to, s);
  app.add_texts("--set", to.set, "KEY=VALUE", option_text::set);
  app.group("As ASTRA-sim");
  for (const Setting& s : astra_options()) {
    add_option(app, to, s);
    app.advanced();
  }
}

ReplayCommand read_command(const ReplayInputOptions& options) {
  ReplayCommand command{.input = options.input};
  std::vector<std::string>& operands = command.input.operands;
  if (!operands.empty()) command.settings.push_back(setting_of("workload", "INPUT", operands.front()));
  for (const SettingOption& o : options.settings) {
    const std::optional<std::string> text = text_of(o);
    if (!text) continue;
    if (o.name.ends_with("-scale") && !parse_scale(*text))
      throw usage_error(o.name + " requires a number from 0 to 1e9: '" + *text + "'");
    if (o.setting == nullptr) {
      command.unused.push_back(o.name);
      continue;
    }
    command.settings.push_back(setting_of(o.setting->key, o.name, *text));
    if (o.name == "--workload-configuration" && operands.empty()) operands = {*text};
    command.astra_names = command.astra_names || o.name.ends_with("-configuration");
  }
  for (const std::string& text : options.set) command.settings.push_back(parse_setting_option(text, sweep_keys()));
  const SweepSetting* const system = find(command.settings, "system");
  if (system != nullptr && system->option == "--system-configuration")
    command.implied_compat = setting_of("compat", system->option, "astra");
  return command;
}

RunSettings replay_settings(const ReplayCommand& command) {
  RunSettings settings{.reads_once = true};
  settings.options.astra_names = command.astra_names;
  std::vector<std::string> values;
  // Checked before the operands: an option without its value takes the next argument, and the value of that
  // argument then looks like an operand.
  for (const SweepSetting& s : command.settings) {
    settings.set(s, s.values.front());
    const std::string& text = s.values.front().text;
    values.push_back(s.key == "network" ? split_file_argument(text).path : text);
  }
  if (!settings.astra && command.implied_compat)
    settings.set(*command.implied_compat, command.implied_compat->values.front());
  check_command(command);
  if (!settings.network && !settings.comm_recorded)
    throw usage_error(
        command.astra_names
            ? "no network is given; give --network-configuration FILE"
            : "no network is given; give -n FILE, -n ideal or a short form such as -n ring:8,bw=50GB/s,lat=500ns");
  if (!settings.workload) values.emplace_back("-");
  require_one_standard_input(values);
  settings.workload = inputs(command.input).front();
  return settings;
}

std::vector<SweepSetting> sweep_base(const ReplayCommand& command) {
  check_command(command);
  if (command.input.rank) throw usage_error("--rank is for a single trace; omit it in a sweep");
  if (command.input.operands.size() > 1)
    throw usage_error("a sweep requires exactly one INPUT: a set, an algorithm, or -");
  std::vector<SweepSetting> base = command.settings;
  if (command.input.from) base.push_back(setting_of("from", "--from", *command.input.from));
  return base;
}

void note_missing_latency(const std::vector<SweepValue>& networks) {
  std::set<std::string> told;
  const auto has_none = [](const std::string& part) { return part.find(",lat=") == std::string::npos; };
  for (const SweepValue& network : networks) {
    if (!is_short_network(network.text) || network.text == "ideal") continue;
    try {
      (void)parse_short_network(network.text);
    } catch (const Error&) {  // reported when the network is used
      continue;
    }
    const std::vector<std::string> parts = split(network.text, '+');
    const auto part = std::find_if(parts.begin(), parts.end(), has_none);
    if (part != parts.end() && told.insert(*part).second)
      log_note(*part + " has no lat=, so its links have no latency");
  }
}

}  // namespace tools
