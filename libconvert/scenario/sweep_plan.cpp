// SPDX-License-Identifier: MIT
#include "scenario/sweep_plan.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "io/input.h"
#include "io/input_set.h"
#include "io/sha256.h"
#include "scenario/scenario.h"

namespace convert {
namespace {

// Returns whether a setting changes the network without changing its shape, or is part of the shape.
bool is_of_network(const std::string& key) {
  const Setting* const setting = find_setting(key);
  return setting != nullptr && setting->part == SettingPart::wires;
}

// Reads 1 MiB at a time, so that no file must fit in memory.
void add_digest(Input& input, std::string& digest) {
  constexpr std::size_t piece = 1 << 20;
  std::string bytes(piece, '\0');
  digest += '|';
  while (const std::size_t n = input.read(bytes.data(), piece)) digest = sha256_hex(digest + bytes.substr(0, n));
}

// Computes the digest of each file and each set of traces once.
class Digests {
 public:
  explicit Digests(bool any_ranks) : any_ranks_(any_ranks) {}
  const std::string& file(const std::string& path) {
    const auto [found, is_new] = files_.try_emplace(path);
    if (is_new) add_digest(*open_input(path), found->second);
    return found->second;
  }
  const std::string& traces(const std::string& path) {
    const auto [found, is_new] = traces_.try_emplace(path);
    if (!is_new || path == "-") return found->second;
    InputSet set({path}, any_ranks_);
    while (const auto item = set.next()) add_digest(*item->input, found->second);
    if (set.groups()) found->second += sha256_hex(set.groups()->json);
    return found->second;
  }
  // Returns all digests that were computed.
  [[nodiscard]] std::map<std::string, std::string> all() const {
    std::map<std::string, std::string> all = files_;
    all.insert(traces_.begin(), traces_.end());
    all.erase("-");
    return all;
  }

 private:
  bool any_ranks_;  // a set may have gaps; otherwise a gap is an error
  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> traces_;
};

// Gives equal values one text, so that an axis has each value once.
void spell_usually(SweepSetting& setting) {
  std::map<std::string, std::string> seen;  // original spelling
  for (SweepValue& value : setting.values) {
    std::string usual = usual_value(setting.key, value.text);
    const auto [at, is_new] = seen.try_emplace(usual, value.text);
    if (!is_new)
      throw located(
          input_error({}, setting.key + ": '" + value.text + "' equals '" + at->second + "'; give it once"),
          setting, value);
    value.text = std::move(usual);
  }
}

constexpr std::size_t max_reasons = 8;
constexpr std::size_t max_runs = 100'000;
// Returns the error that no run can be executed: the message of the replay if there is one reason, else each reason
// with its first run.
Error none_can_be_done(const std::vector<std::pair<std::string, Error>>& failures) {
  const Error& first = failures.front().second;
  if (failures.size() == 1) return first.where().file.empty() ? usage_error(first.what()) : first;
  std::string text = "no run can be executed";
  for (std::size_t i = 0; i < std::min(failures.size(), max_reasons); ++i)
    text += (i == 0 ? ": " : "; ") + failures[i].first + ": " + with_place(failures[i].second);
  return usage_error(failures.size() > max_reasons ? text + "; …" : text);
}

// Returns an error about an axis: Error(input) at its place in a file, or Error(usage).
Error of_axis(const SweepSetting& axis, const std::string& message) {
  if (axis.where.file.empty()) return usage_error(message);
  return input_error(axis.where, message, "sweep");
}

}  // namespace

SweepPlan::SweepPlan(SweepConfig config, std::string folder)
    : settings_(std::move(config.axes)), axes_(settings_.size()), folder_(std::move(folder)) {
  std::set<std::string> seen;
  for (const SweepSetting& axis : settings_) {
    if (!seen.insert(axis.key).second) throw of_axis(axis, axis.key + " is swept twice; give one axis");
  }
  for (SweepSetting& common : config.base) {  // an axis replaces it
    if (!seen.contains(common.key)) settings_.push_back(std::move(common));
  }
  strides_.resize(settings_.size(), 1);
  std::size_t size = 1;
  for (std::size_t a = axes_; a-- > 0;) {
    strides_[a] = size;
    size *= settings_[a].values.size();
    if (size > max_runs)
      throw of_axis(settings_[a],
                    "the sweep has more than " + std::to_string(max_runs) + " runs; sweep fewer values");
  }
  group_of_.resize(size);
  check_recorded(settings_);
  for (const SweepSetting& setting : settings_) {
    for (const SweepValue& value : setting.values) {
      RunSettings scratch{.folder = folder_};
      scratch.set(setting, value);
    }
  }
  for (SweepSetting& setting : settings_) spell_usually(setting);
  form_groups();
}

RunSettings SweepPlan::settings(std::size_t run) const {
  RunSettings settings{.folder = folder_};
  for (std::size_t s = settings_.size(); s-- > 0;)
    settings.set(settings_[s], settings_[s].values[value_index(run, s)]);
  return settings;
}

std::optional<std::string> SweepPlan::common(const std::string& key) const {
  for (const SweepSetting& s : settings_) {
    if (s.key == key && s.values.size() == 1) return s.values.front().text;
  }
  return std::nullopt;
}

std::string SweepPlan::describe(std::size_t run) const {
  std::string text;
  for (std::size_t a = 0; a < axes_; ++a) text += (a == 0 ? "" : ", ") + settings_[a].key + "=" + value(run, a);
  return text;
}

bool SweepPlan::reads_stdin() const { return groups_by_workload_.contains("-"); }

SweepIdentities SweepPlan::identities() const {
  constexpr std::size_t digits = 16;
  Digests digests(any_ranks_);
  std::vector<std::string> ids;
  for (std::size_t run = 0; run < size(); ++run) {
    std::map<std::string, std::string> settings;  // a value gives the same ID on an axis and in the base
    for (std::size_t s = 0; s < settings_.size(); ++s) settings[settings_[s].key] = value(run, s);
    std::string text = "sweep 5\n";
    for (const auto& [key, value] : settings) {
      text += key + '=' + value + '\n';
      for (const std::string& file : setting_files(key, value, folder_)) text += digests.file(file) + '\n';
    }
    if (const auto workload = this->settings(run).workload) text += digests.traces(*workload);
    for (const auto& [use, path] : groups_[group(run)].customs) text += '\n' + use + ' ' + digests.traces(path);
    ids.push_back(sha256_hex(text).substr(0, digits));
  }
  return {std::move(ids), digests.all()};
}

std::vector<std::string> SweepPlan::files() const {
  std::set<std::string> files;
  std::set<std::string> sets;
  for (const SweepSetting& setting : settings_) {
    for (const SweepValue& value : setting.values) {
      for (std::string& file : setting_files(setting.key, value.text, folder_)) files.insert(std::move(file));
      if (setting.key != "workload") continue;
      RunSettings scratch{.folder = folder_};
      scratch.set(setting.key, value.text);
      sets.insert(*scratch.workload);
    }
  }
  for (const Group& group : groups_) {
    files.insert(group.files.begin(), group.files.end());
    for (const auto& [use, path] : group.customs) sets.insert(path);
  }
  sets.erase("-");
  for (const std::string& path : sets) {
    for (std::string& file : files_of_set(path, any_ranks_)) files.insert(std::move(file));
  }
  return {files.begin(), files.end()};
}

// Returns an error that names a key of the sweep file, with the position of that key's value.
Error SweepPlan::at_value(std::size_t run, const Error& error) const {
  if (!error.where().file.empty()) return error;
  for (std::size_t s = 0; s < settings_.size(); ++s) {
    const SweepSetting& setting = settings_[s];
    const SweepValue& value = setting.values[value_index(run, s)];
    if (!value.where.file.empty() && std::string_view(error.what()).starts_with(setting.key + ": "))
      return located(error, setting, value);
  }
  return error;
}

void SweepPlan::form_groups() {
  std::map<std::string, std::size_t> numbers;
  std::map<std::string, std::size_t> first_of_workload;
  std::vector<std::pair<std::string, Error>> failures;  // runs and errors, each reason once
  const auto add_failure = [&](std::size_t run, const Error& error) {
    const Error reason = at_value(run, error);
    const auto is_same = [text = with_place(reason)](const auto& f) { return with_place(f.second) == text; };
    if (failures.size() <= max_reasons && std::none_of(failures.begin(), failures.end(), is_same))
      failures.emplace_back(describe(run), reason);
  };
  const auto add_note = [](std::vector<std::string>& notes, const std::string& note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  bool any = false;  // run can be executed
  for (std::size_t run = 0; run < size(); ++run) {
    const RunSettings settings = this->settings(run);
    std::string key = settings.workload.value_or("");
    const std::string workload = key;
    for (std::size_t a = 0; a < axes_; ++a) {
      if (!is_of_network(settings_[a].key)) key += '\n' + value(run, a);
    }
    std::vector<std::pair<std::string, std::string>> customs;
    std::vector<std::string> files;
    try {
      const Scenario scenario = make_scenario(settings);
      any_ranks_ = any_ranks_ || scenario.by_rank();
      for (const std::string& note : scenario.options.system->config.notes) add_note(notes_, note);
      for (const std::string& note : scenario.network.notes)
        add_note(network_notes_, scenario.network.source + ": " + note);
      key += '\n' + network_shape(scenario);
      customs = custom_uses(*scenario.options.system);
      if (!numbers.contains(key)) files = configuration_files(settings.system, scenario.options.system->config);
      if (!any) {
        try {
          check_scenario(scenario);
          any = true;
        } catch (const Error& e) {
          add_failure(run, e);
        }
      }
    } catch (const Error& e) {
      // An unreadable file or a missing setting is an error of the sweep; an invalid combination is an error of the
      // run.
      if (e.kind() != Error::Kind::input || e.where().line != 0 || e.where().offset >= 0) throw;
      add_failure(run, e);
    }
    const auto [number, is_new] = numbers.try_emplace(key, groups_.size());
    group_of_[run] = number->second;
    if (!is_new) continue;
    const std::size_t first = first_of_workload.try_emplace(workload, number->second).first->second;
    groups_.push_back({std::move(customs), std::move(files), first});
    ++groups_by_workload_[workload];
  }
  if (!any && !failures.empty()) throw none_can_be_done(failures);
}

std::vector<std::size_t> SweepPlan::order() const {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(groups_[group(a)].first_of_workload, group(a)) <
           std::pair(groups_[group(b)].first_of_workload, group(b));
  });
  return order;
}

}  // namespace convert
