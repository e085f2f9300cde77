// SPDX-License-Identifier: MIT
// Divides the time of each NPU of a run into seven parts that add up to it.
//
// For an NPU let C be the time in which at least one node computes (not on the CPU), M that in which a send, a
// receive (from when it is posted) or a collective is under way, A that of remote memory, U that of the CPU. The
// window is [0, T] with T = Run::total_ps, or reached_ps if the run did not come to its end.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/intervals.h"
#include "core/run.h"

namespace convert {

enum class Part : std::uint8_t {
  compute,  // C without M
  overlap,  // C and M: hidden communication
  moving,   // M without C, while bytes move
  waiting,  // M without C, while all that is under way waits for others: see CommunicationWaits
  memory,   // A without C and M
  cpu,      // U without the others
  idle,     // nothing
};
inline constexpr std::size_t part_count = 7;
inline constexpr std::array<std::string_view, part_count> part_names = {"compute", "overlap", "moving", "waiting",
                                                                        "memory",  "cpu",     "idle"};

struct NpuParts {
  Rank npu = 0;
  std::array<Picoseconds, part_count> ps{};

  [[nodiscard]] Picoseconds operator[](Part part) const { return ps[static_cast<std::size_t>(part)]; }
  // |C|, |M|, and exposed communication: |M without C|.
  [[nodiscard]] Picoseconds computing() const { return (*this)[Part::compute] + (*this)[Part::overlap]; }
  [[nodiscard]] Picoseconds exposed() const { return (*this)[Part::moving] + (*this)[Part::waiting]; }
  [[nodiscard]] Picoseconds communication() const { return (*this)[Part::overlap] + exposed(); }
};

// Returns T.
[[nodiscard]] inline Picoseconds window(const Run& run) {
  return run.status == RunStatus::complete || run.status == RunStatus::unmatched ? run.total_ps : run.reached_ps;
}

// Returns the NPUs of the run, ascending: those of Run::npus, or of the slices where that is empty.
[[nodiscard]] std::vector<Rank> npus_of(const Run& run);

// Returns the indices of the slices of each NPU of npus_of(), in order of their begin; of one for which another
// stands there are none.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> slices_by_npu(const Run& run);

// Returns for each NPU of npus_of() the place of the one whose slices tell what it did: itself, or the one of
// Run::classes that stands for it.
[[nodiscard]] std::vector<std::size_t> told_by(const Run& run);

// Tells until when a slice of communication waits for others: a collective until the last NPU has called it, a
// receive until its send has begun; at most its end. Others do not wait: their begin.
class CommunicationWaits {
 public:
  explicit CommunicationWaits(const Run& run);
  [[nodiscard]] Picoseconds until(const Slice& s) const;

 private:
  const Run& run_;
  std::vector<std::pair<std::uint64_t, Picoseconds>> sends_;  // flow → begin of its send, ascending
};

// Returns the parts of each NPU; none if the run has no slices. They add up to window().
[[nodiscard]] std::vector<NpuParts> parts_of(const Run& run);

}  // namespace convert
