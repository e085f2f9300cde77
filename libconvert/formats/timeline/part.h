// SPDX-License-Identifier: MIT
// Chooses what of a run a timeline shows: a window of time, some ranks, short slices as one, arrows with both ends.
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

// What arrows lead along.
enum class Arrows : std::uint8_t { none, messages, dependencies };

struct PartOptions {
  Picoseconds from_ps = 0;
  Picoseconds to_ps = std::numeric_limits<Picoseconds>::max();
  std::vector<Rank> ranks{};  // ascending; empty: all, of those that do the same the one that stands for them
  Picoseconds least_ps = 0;   // shorter slices of a track that follow each other become one
  std::string align{};        // names that begin so begin at one time in all runs; empty: times are as they are
  bool arguments = true;
  Arrows arrows = Arrows::messages;

  [[nodiscard]] bool everything() const {
    return from_ps == 0 && to_ps == std::numeric_limits<Picoseconds>::max() && ranks.empty() && least_ps == 0;
  }
};

// Returns the options window=, ranks=, min=, align=, args= and flows=, as --list-formats shows them.
[[nodiscard]] std::vector<FormatOption> part_format_options();
// Parses them. Throws Error(usage).
[[nodiscard]] PartOptions part_options(const FormatOptions& options);
// Throws Error(usage) if a rank is named that no run has, or the window begins behind the end of all.
void check_part(std::span<const Run> runs, const PartOptions& options);

// What one slice stands for: `count` slices that ran for sum_ps in all.
struct Joined {
  std::uint32_t count = 1;
  Picoseconds sum_ps = 0;
};

// Holds the slices of a run that are shown; refers to the run.
class ShownRun {
 public:
  // `delay_ps`: how much later it is drawn.
  ShownRun(const Run& run, const PartOptions& options, Picoseconds delay_ps);

  [[nodiscard]] const Run& run() const { return run_; }
  // Returns when something is drawn.
  [[nodiscard]] Picoseconds drawn(Picoseconds time) const { return time + delay_ps_; }
  [[nodiscard]] std::span<const Slice> slices() const { return own_.empty() ? all_ : std::span(own_); }
  [[nodiscard]] std::string_view name(const Slice& s) const {
    const std::uint32_t known = run_.timeline.names.size();
    return s.name < known ? run_.timeline.names[s.name] : names_[s.name - known];
  }
  // Returns how many names there are: Slice::name is below it.
  [[nodiscard]] std::uint32_t names() const { return run_.timeline.names.size() + names_.size(); }
  // Returns what a slice stands for: of itself, by index.
  [[nodiscard]] Joined joined(std::size_t i) const { return joined_.empty() ? Joined{} : joined_[i]; }
  // Returns for how many NPUs more the slices of one stand.
  [[nodiscard]] std::uint32_t alike(Rank npu) const {
    const auto at = alike_.find(npu);
    return at == alike_.end() ? 0 : at->second;
  }
  // Returns whether the arrow of a message leads from or to the slice: both its ends are shown, and it does not
  // lead back in time.
  [[nodiscard]] bool has_arrow(const Slice& s) const;
  // Return the numbers, from 1 on, of the dependencies whose arrows lead from or to a slice, by its index: both
  // ends are shown, and begin at times that are told apart where they are rounded to nanoseconds.
  [[nodiscard]] std::span<const std::uint32_t> arrows_from(std::size_t i) const { return from_.of(i); }
  [[nodiscard]] std::span<const std::uint32_t> arrows_to(std::size_t i) const { return to_.of(i); }

 private:
  // Numbers of dependencies by slice.
  struct Ends {
    std::vector<std::uint32_t> first;  // empty: there are none
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
  std::vector<Slice> own_;  // if not all are shown
  std::vector<std::uint32_t>
      places_;     // of these in the run, if dependencies are drawn; no_index: none of their own
  TextSet names_;  // of slices that stand for several
  std::vector<Joined> joined_;
  Arrows arrows_;
  Ends from_, to_;
  bool every_arrow_ = true;
  std::vector<std::uint64_t> flows_;  // ascending: those with arrows, unless every one has
};

}  // namespace convert
