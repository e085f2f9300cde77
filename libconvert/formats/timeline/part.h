// SPDX-License-Identifier: MIT
// Selection of the part of a run that a timeline shows: a time window, ranks, merged short slices, arrows.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.h"
#include "formats/format.h"

namespace convert {

// Kind of arrows.
enum class Arrows : std::uint8_t { none, messages, dependencies };

struct PartOptions {
  Picoseconds from_ps = 0;
  Picoseconds to_ps = std::numeric_limits<Picoseconds>::max();
  std::vector<Rank> ranks{};  // ascending; empty: all ranks, or one representative per rank class
  Picoseconds least_ps = 0;   // shorter consecutive slices of a track are merged
  std::string align{};        // name prefix of the slices aligned in all runs; empty: no alignment
  bool arguments = true;
  Arrows arrows = Arrows::messages;

  [[nodiscard]] bool everything() const {
    return from_ps == 0 && to_ps == std::numeric_limits<Picoseconds>::max() && ranks.empty() && least_ps == 0;
  }
};

// Returns the options window=, ranks=, min=, align=, args= and flows= for --list-formats.
[[nodiscard]] std::vector<FormatOption> part_format_options();
// Parses these options. Throws Error(usage).
[[nodiscard]] PartOptions part_options(const FormatOptions& options);
// Throws Error(usage) if a selected rank is in no run, or the window begins after the end of all runs.
void check_part(std::span<const Run> runs, const PartOptions& options);

// Slices merged into one: their number and total duration.
struct Joined {
  std::uint32_t count = 1;
  Picoseconds sum_ps = 0;
};

// The shown slices of a run; refers to the run.
class ShownRun {
 public:
  // `delay_ps`: delay of the run in the timeline.
  ShownRun(const Run& run, const PartOptions& options, Picoseconds delay_ps);

  [[nodiscard]] const Run& run() const { return run_; }
  // Returns the position of a time in the timeline.
  [[nodiscard]] Picoseconds drawn(Picoseconds time) const { return time + delay_ps_; }
  [[nodiscard]] std::span<const Slice> slices() const { return own_.empty() ? all_ : std::span(own_); }
  [[nodiscard]] std::string_view name(const Slice& s) const {
    const std::uint32_t known = run_.timeline.names.size();
    return s.name < known ? run_.timeline.names[s.name] : names_[s.name - known];
  }
  // Returns the number of names; Slice::name is less than it.
  [[nodiscard]] std::uint32_t names() const { return run_.timeline.names.size() + names_.size(); }
  // Returns the merged slices that slice `i` represents.
  [[nodiscard]] Joined joined(std::size_t i) const { return joined_.empty() ? Joined{} : joined_[i]; }
  // Returns the number of further NPUs that an NPU represents.
  [[nodiscard]] std::uint32_t alike(Rank npu) const {
    const auto at = alike_.find(npu);
    return at == alike_.end() ? 0 : at->second;
  }
  // Returns whether the slice has an arrow of a message: both its ends are shown, and the arrow does not lead back
  // in time.
  [[nodiscard]] bool has_arrow(const Slice& s) const;
  // Return the numbers, from 1 on, of the dependencies with arrows from or to a slice, by its index. Both ends of
  // an arrow are shown and differ in their begin when rounded to ns.
  [[nodiscard]] std::span<const std::uint32_t> arrows_from(std::size_t i) const { return from_.of(i); }
  [[nodiscard]] std::span<const std::uint32_t> arrows_to(std::size_t i) const { return to_.of(i); }

 private:
  // Numbers of dependencies by slice.
  struct Ends {
    std::vector<std::uint32_t> first;  // empty: no dependencies
    std::vector<std::uint32_t> numbers;
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const {
      return first.empty() ? std::span<const std::uint32_t>()
                           : std::span(numbers).subspan(first[i], first[i + 1] - first[i]);
    }
  };

  void count_alike(const PartOptions& options);
  void take(const PartOptions& options);
  void join_short(Picoseconds least);
  void find_arrows();
  void find_dependencies();

  const Run& run_;
  Picoseconds delay_ps_;
  std::span<const Slice> all_;
  std::map<Rank, std::uint32_t> alike_;
  std::vector<Slice> own_;             // the shown slices, if not all are shown
  std::vector<std::uint32_t> places_;  // index in the run, if dependencies are drawn; no_index: no counterpart
  TextSet names_;                      // names of merged slices
  std::vector<Joined> joined_;
  Arrows arrows_;
  Ends from_, to_;
  bool every_arrow_ = true;
  std::vector<std::uint64_t> flows_;  // ascending: flows with arrows, unless all flows have one
};

}  // namespace convert
