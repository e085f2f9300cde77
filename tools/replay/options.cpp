// SPDX-License-Identifier: MIT
#include "replay/options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "config/network/network.h"
#include "config/yaml_tree.h"
#include "scenario/option_values.h"
#include "util/log.h"

namespace tools {
namespace {

using namespace convert;

SweepSetting given(const std::string& key, const std::string& option, const std::string& value) {
  return {.key = key, .values = {{value}}, .option = option};
}

// How messages call an option: "--system" of "-s,--system", else its first name.
std::string shown_name(const Setting& s) {
  const std::string names = s.option;
  const std::string by_key = "--" + std::string(s.key);
  return names.ends_with(by_key) ? by_key : names.substr(0, names.find(','));
}

// The elements of an option as one value.
std::string list_of(const std::string& option, bool commas, const std::vector<std::string>& texts) {
  std::string list;
  for (std::string text : texts) {
    if (text.find(element_separator) != std::string::npos)
      throw usage_error(option + ": '" + text + "' has a ';', which separates elements");
    if (commas) std::replace(text.begin(), text.end(), ',', element_separator);
    list += (list.empty() ? "" : std::string(1, element_separator)) + text;
  }
  return list;
}

void add_setting(App& app, const Setting& s, ReplayInputOptions& to) {
  const std::string name = shown_name(s);
  const std::string_view value = s.value;
  if (value.empty())
    return app.add_flag(
        s.option,
        [&to, &s, name] {
          to.settings.push_back(given(s.key, name, name.starts_with("--no-") ? "false" : "true"));
        },
        s.help);
  const bool list = s.kind == SettingKind::list;
  app.add(s.option, s.value, s.help, list,
          [&to, &s, name, list, commas = value.ends_with(",...")](const auto& texts) {
            to.settings.push_back(given(s.key, name, list ? list_of(name, commas, texts) : texts.front()));
          });
}

void add_astra_options(App& app, ReplayInputOptions& to) {
  app.group("As ASTRA-sim");
  for (const AstraOption& a : astra_options()) {
    app.add(a.option, a.value, a.help, false, [&](const auto& texts) {
      const bool has_other_name = *find_setting(a.key)->option != '\0' || a.key == std::string_view("workload");
      to.astra_names = to.astra_names || has_other_name;
      to.settings.push_back(given(a.key, a.option, texts.front()));
    });
  }
  constexpr std::array<AstraOption, 4> unused = {
      {{"", "--comm-scale", "X", "no effect, as there"},
       {"", "--compute-scale", "X", "no effect, as there"},
       {"", "--logging-configuration", "FILE", "no effect; see --format astra"},
       {"", "--logging-folder", "PATH", "no effect; see --format astra"}}};
  for (const AstraOption& a : unused) {
    app.add(a.option, a.value, a.help, false, [&to, option = std::string(a.option)](const auto& texts) {
      to.unused.push_back(given("", option, texts.front()));
    });
  }
}

void note_unused(const std::vector<SweepSetting>& unused) {
  std::vector<std::string> names;
  for (const SweepSetting& s : unused) names.push_back(s.option);
  if (!unused.empty()) log_note(join(names) + (unused.size() == 1 ? " has" : " have") + " no effect");
  for (const SweepSetting& s : unused) {
    const std::string& text = s.values.front().text;
    if (s.option.ends_with("-scale") && !parse_scale(text))
      throw usage_error(s.option + " wants a number from 0 to 1e9, not '" + text + "'");
  }
}

const SweepSetting* find(const ReplayInputOptions& o, std::string_view key) {
  const auto found =
      std::find_if(o.settings.begin(), o.settings.end(), [&](const SweepSetting& s) { return s.key == key; });
  return found == o.settings.end() ? nullptr : &*found;
}

// What several options say is said once: the operand is the workload, and --system-configuration a choice of rules.
void complete(ReplayInputOptions& o) {
  if (!o.input.operands.empty())
    o.settings.insert(o.settings.begin(), given("workload", "INPUT", o.input.operands.front()));
  for (const SweepSetting& s : o.settings) {
    const SweepSetting* const first = find(o, s.key);
    if (first != &s) throw usage_error(first->option + " and " + s.option + " say the same; give one");
    if (s.key == "workload" && o.input.operands.empty()) o.input.operands = {s.values.front().text};
  }
  check_recorded(o.settings, {});
  if (const SweepSetting* s = find(o, "system"); s && s->option == "--system-configuration" && !find(o, "compat"))
    o.settings.push_back(given("compat", s->option, "astra"));
  note_unused(o.unused);
}

}  // namespace

void add_replay_options(App& app, ReplayInputOptions& to) {
  add_input_options(app, to.input);
  app.group("Simulation");
  for (const Setting& s : all_settings()) {
    if (*s.option != '\0') add_setting(app, s, to);
  }
  add_astra_options(app, to);
}

RunSettings replay_settings(ReplayInputOptions& o) {
  RunSettings settings{.reads_once = true};
  // Before the operands: an option without its value takes what follows, and leaves that one's value behind.
  for (const SweepSetting& s : o.settings) settings.set(s, s.values.front());
  complete(o);
  if (find(o, "compat") != nullptr) settings.astra = settings.astra.value_or(true);
  settings.options.astra_names = o.astra_names;
  if (!settings.network && !settings.comm_recorded)
    throw usage_error(o.astra_names
                          ? "no network; give --network-configuration FILE"
                          : "no network; give -n FILE, -n ideal or such as -n ring:8,bw=50GB/s,lat=500ns");
  std::vector<std::string> files = {o.input.operands.empty() ? "-" : o.input.operands.front()};
  for (const char* key : {"network", "system", "memory", "groups"}) {
    if (const SweepSetting* const s = find(o, key)) files.push_back(s->values.front().text);
  }
  require_one_standard_input(files);
  settings.workload = inputs(o.input).front();
  return settings;
}

std::vector<SweepSetting> sweep_base(ReplayInputOptions& o) {
  complete(o);
  if (o.input.rank) throw usage_error("--rank is for a single trace; a sweep takes whole sets");
  if (o.input.operands.size() > 1) throw usage_error("a sweep takes one INPUT: a set, an algorithm, or -");
  if (o.input.from) o.settings.push_back(given("from", "--from", *o.input.from));
  return o.settings;
}

void note_missing_latency(const std::string& network) {
  if (!is_short_network(network) || network == "ideal") return;
  (void)parse_short_network(network);  // there is nothing to say of one that is wrong
  for (std::size_t begin = 0; begin <= network.size();) {
    const std::size_t end = std::min(network.find('+', begin), network.size());
    const std::string part = network.substr(begin, end - begin);
    if (part.find(",lat=") == std::string::npos) return log_note(part + " has no lat: its links have no latency");
    begin = end + 1;
  }
}

}  // namespace tools
