// SPDX-License-Identifier: MIT
// Plans the runs of a sweep: the cross product of its axes, the last axis varying fastest.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/sweep.h"
#include "scenario/settings.h"

namespace convert {

// IDs of the runs, each 16 hexadecimal digits, from the settings and the contents of files and traces; and the
// digests of these files and traces, by path.
struct SweepIdentities {
  std::vector<std::string> runs;
  std::map<std::string, std::string> inputs;
};

class SweepPlan {
 public:
  // Checks all values and configuration files. Throws Error, with the position of the value if it has one. A
  // combination that cannot be executed is an error only if none can. `folder`: of the sweep file.
  SweepPlan(SweepConfig config, std::string folder);

  [[nodiscard]] std::span<const SweepSetting> axes() const { return {settings_.data(), axes_}; }
  [[nodiscard]] std::size_t size() const { return group_of_.size(); }
  [[nodiscard]] std::size_t value_index(std::size_t run, std::size_t axis) const {
    return run / strides_[axis] % settings_[axis].values.size();
  }
  [[nodiscard]] const std::string& value(std::size_t run, std::size_t axis) const {
    return settings_[axis].values[value_index(run, axis)].text;
  }
  // Returns the value of a key that all runs share; nothing if the key has several values or none.
  [[nodiscard]] std::optional<std::string> common(const std::string& key) const;
  // Returns the run with another value on one axis.
  [[nodiscard]] std::size_t moved(std::size_t run, std::size_t axis, std::size_t value_index) const {
    return run + value_index * strides_[axis] - this->value_index(run, axis) * strides_[axis];
  }
  // Returns the axes and values of a run: "model=aware, bandwidth=50GB/s".
  [[nodiscard]] std::string describe(std::size_t run) const;
  // Reads all files and traces except standard input.
  [[nodiscard]] SweepIdentities identities() const;
  // Returns all files that runs read, including the files of traces.
  [[nodiscard]] std::vector<std::string> files() const;
  // Returns the group of a run. Runs of one group differ only in the network, and not in its shape. Groups are
  // numbered by their first runs.
  [[nodiscard]] std::size_t group(std::size_t run) const { return group_of_[run]; }
  // Returns the number of groups with runs of a workload.
  [[nodiscard]] std::size_t groups_of(const std::string& workload) const {
    return groups_by_workload_.at(workload);
  }
  [[nodiscard]] RunSettings settings(std::size_t run) const;
  // Returns all runs; runs of one workload and one group are adjacent.
  [[nodiscard]] std::vector<std::size_t> order() const;
  [[nodiscard]] bool reads_stdin() const;
  // Returns whether runs replay each rank on its own, so that a set may lack ranks.
  [[nodiscard]] bool any_ranks() const { return any_ranks_; }
  // Returns the notes about the systems of all runs, each note once.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // Returns the notes about networks that were read.
  [[nodiscard]] const std::vector<std::string>& network_notes() const { return network_notes_; }

 private:
  void form_groups();
  [[nodiscard]] Error at_value(std::size_t run, const Error& error) const;

  std::vector<SweepSetting> settings_;  // the axes, then the settings of all runs, with one value each
  std::size_t axes_;
  std::string folder_;
  std::vector<std::size_t> strides_;
  std::vector<std::size_t> group_of_;  // by run
  struct Group {
    std::vector<std::pair<std::string, std::string>> customs;  // see custom_uses
    std::vector<std::string> files;                            // of the system of the first run
    std::size_t first_of_workload;                             // the first group of the same workload
  };
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> groups_by_workload_;
  bool any_ranks_ = false;
  std::vector<std::string> notes_;
  std::vector<std::string> network_notes_;
};

}  // namespace convert
