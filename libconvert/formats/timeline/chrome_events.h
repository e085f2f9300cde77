// SPDX-License-Identifier: MIT
// Events of a Chrome trace, as in the file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/text_set.h"
#include "core/trace.h"
#include "core/units.h"
#include "io/input.h"

namespace convert {

__extension__ using WidePicoseconds = __int128;  // since 1970: exceeds 64 bits

struct ChromeEvents {
  enum class Kind : std::uint8_t { complete, begin, end, arrow_from, arrow_step, arrow_to, arrow_into };
  struct Event {
    WidePicoseconds time = 0;
    Picoseconds duration = 0;  // for a complete event
    NodeId node = 0;
    std::int64_t bytes = -1;
    std::uint64_t arrow = 0;  // number of the arrow, from 1: events with equal name, category and id
    std::uint32_t thread = 0;
    std::uint32_t name = no_index;      // in names
    std::uint32_t category = no_index;  // in names
    std::int32_t peer = -1;
    Kind kind = Kind::complete;
    bool has_node = false;
  };
  struct Thread {
    std::uint32_t process = 0;
    std::string name{};
  };
  struct Process {
    std::string id;  // number or text, as in the file
    std::string name{};
  };

  std::vector<Event> events;  // in file order
  std::vector<Thread> threads;
  std::vector<Process> processes;
  TextSet names;
  std::uint64_t counters = 0;  // skipped: ph C
  std::uint64_t instants = 0;  // skipped: ph i, I, R
  std::uint64_t others = 0;    // skipped: other kinds
  std::uint64_t negative = 0;  // negative durations, set to 0
  std::string written_by;      // meta_user
};

// Reads a Chrome trace, an object or an array, with times in units of `unit` ps. Throws Error(input) with line and
// column.
[[nodiscard]] ChromeEvents read_chrome_events(Input& input, Picoseconds unit);

}  // namespace convert
