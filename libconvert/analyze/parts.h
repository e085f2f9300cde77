// SPDX-License-Identifier: MIT
// Divides the time of each NPU of a run into seven time categories that add up to it.
//
// For an NPU, C is the time in which at least one node computes (not on the CPU). M is the time in which bytes may
// move: a send, a receive after its message is sent, a collective after its last call. W is the time in which a
// receive or a collective waits until its bytes may move. A is the time of remote memory, U the time of the CPU.
// The window is [0, T] with T = Run::total_ps, or reached_ps if the run did not complete.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run.h"

namespace convert {

enum class Part : std::uint8_t {
  compute,  // C without M
  overlap,  // C and M: hidden communication
  exposed,  // M without C: exposed communication
  waiting,  // W without C and M: waits for other NPUs; in pipelines the bubble
  memory,   // A without C, M and W
  cpu,      // U without the others
  idle,     // none of the above
};
inline constexpr std::size_t part_count = 7;
inline constexpr std::array<std::string_view, part_count> part_names = {"compute", "overlap", "exposed", "waiting",
                                                                        "memory",  "cpu",     "idle"};
// Titles of the time categories for readers.
inline constexpr std::array<std::string_view, part_count> part_titles = {"computing alone",
                                                                         "computing and communicating",
                                                                         "exposed communication",
                                                                         "waiting for others",
                                                                         "memory",
                                                                         "CPU",
                                                                         "idle"};

struct NpuParts {
  Rank npu = 0;
  std::array<Picoseconds, part_count> ps{};

  [[nodiscard]] Picoseconds operator[](Part part) const { return ps[static_cast<std::size_t>(part)]; }
  // C|, and |M| (communication, hidden and exposed).
  [[nodiscard]] Picoseconds computing() const { return (*this)[Part::compute] + (*this)[Part::overlap]; }
  [[nodiscard]] Picoseconds communication() const { return (*this)[Part::overlap] + (*this)[Part::exposed]; }
};

// Returns T.
[[nodiscard]] inline Picoseconds window(const Run& run) {
  return run.status == RunStatus::complete || run.status == RunStatus::unmatched ? run.total_ps : run.reached_ps;
}

// Returns the NPUs of the run, ascending: the NPUs of Run::npus, or of the slices if that is empty.
[[nodiscard]] std::vector<Rank> npus_of(const Run& run);

// Returns the indices of the slices of each NPU of npus_of(), in order of their begin. The list is empty for an NPU
// that has a representative.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> slices_by_npu(const Run& run);

// Returns for each NPU of npus_of() the index of the NPU that has its slices: itself, or its representative in
// Run::classes.
[[nodiscard]] std::vector<std::size_t> told_by(const Run& run);

// Returns the time until which a slice of communication waits for others: a collective until its last call, a
// receive until its send has begun; at most the end of the slice. Returns the start for other slices, which do not
// wait.
class CommunicationWaits {
 public:
  explicit CommunicationWaits(const Run& run);
  [[nodiscard]] Picoseconds until(const Slice& s) const;

 private:
  const Run& run_;
  std::vector<std::pair<std::uint64_t, Picoseconds>> sends_;  // flow → begin of its send, ascending
};

// Calls `take` with each stretch of [0, window()) in which an NPU is in one time category, in order of time.
// `slices`: indices of its slices in Timeline::slices.
using TakeStretch = std::function<void(Part part, Picoseconds begin, Picoseconds end)>;
void for_each_stretch(const Run& run, std::span<const std::uint32_t> slices, const CommunicationWaits& waits,
                      const TakeStretch& take);

// Returns the time categories of each NPU, which add up to window(); empty if the run has no slices.
[[nodiscard]] std::vector<NpuParts> parts_of(const Run& run);

}  // namespace convert
