// SPDX-License-Identifier: MIT
// Lines of logs of nccl-tests and rccl-tests, as terminals, launchers and containers pass them on: with tags before
// the line, with or without its '#', with colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// Returns the line without escape sequences of a terminal; stored in `scratch` if there are any.
[[nodiscard]] std::string_view without_colours(std::string_view line, std::string& scratch);

// "#  Rank  3 Group  0 Pid   4003 on      node0 device  3 [0000:13:00] NVIDIA H100 80GB HBM3"; versions up to 2018
// have no Pid, up to 2022 no Group.
struct NcclLogDevice {
  std::string_view rank{}, group{}, pid{}, host{}, gpu{};
};
[[nodiscard]] std::optional<NcclLogDevice> nccl_device(std::string_view line);

// The line with the names of the columns. A row has two halves, out of place and in place, each beginning with a
// time. Some columns of texts may be blank in a row.
struct NcclLogColumns {
  bool has_redop = false;
  bool has_root = false;
  std::size_t halves = 1;
  std::size_t width = 0;  // of a half
  // Positions in a half: the number of wrong values, or up to 2022 the largest error.
  std::optional<std::size_t> wrong{};
  std::optional<std::size_t> error{};
  double unit_ns = 1000;  // of times
};
// Returns nothing if the line is not a header.
[[nodiscard]] std::optional<NcclLogColumns> nccl_columns(std::string_view line);

// Words of a row.
struct NcclLogHalf {
  std::string_view time{}, algbw{}, busbw{}, wrong{}, error{};
};
struct NcclLogRow {
  std::string_view bytes{};
  std::vector<NcclLogHalf> halves{};  // none if the row is cut
};
// Returns whether the line has the columns size, count and type, whatever precedes.
[[nodiscard]] bool is_nccl_row(std::string_view line);
// Returns the words of a row; nothing if the line is not a row.
[[nodiscard]] std::optional<NcclLogRow> nccl_row(std::string_view line, const NcclLogColumns& columns);

// Returns the last name of a program of nccl-tests in the line (all_reduce_perf), which may be in a path.
[[nodiscard]] std::optional<std::string_view> nccl_program(std::string_view line);

}  // namespace convert
