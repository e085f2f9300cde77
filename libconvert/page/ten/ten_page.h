// SPDX-License-Identifier: MIT
// Data of the page `ten`: movement of chunks over time, for a schedule in time or an algorithm in steps.
//
// The head:
//   title, file, collective, npus
//   unit             "time" (picoseconds) or "steps"
//   relays           [node, …]
//   switches         number of switches, the last ones of `relays`
//   sums             chunks have contributions of several NPUs
//   played           transfers are messages of a program in steps
//   claimed          ps
//   verdict          {"outcome": "proved", "refuted" or "not proved", "rule", "place", "text"}
//   forwarding       of a replay
//   needs_stored     transfers are stored as a whole at intermediate nodes
//   findings         [{"severity", "rule", "place", "text", "notes"}, …]
//   left_out         number of transfers that --chunks omits
//
// Columns:
//   by transfer      id, begin, end, busy (ps or steps; busy: how long the link is occupied), src, dst,
//                    op (1: the receiver adds the data), cargo_count
//   by cargo         cargo_chunk (-1: a mixture), cargo_held
//   by chunk         chunk_id, chunk_bytes (-1: unknown), pre_count, post_count (-1: all NPUs; else number of
//                    entries in pre_node, post_node)
//   by link          link_src, link_dst
//   NPU contents     change_time (-1: at the beginning), change_npu, change_chunk, change_held (negative: some
//                    contributions twice)
//
// Columns of an algorithm's program:
//   by threadblock   tb_npu, tb_id, tb_steps
//   by step          step_type (StepType), step_done (-1: never; with times: ps, and step_begin too), step_place,
//                    step_line, step_src, step_dst, step_cnt (places as 3 × offset + Buffer)
//   by message       send_step, recv_step (-1: never received)
//   by dependency    dep_from, dep_to
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "io/output.h"
#include "page/page.h"
#include "passes/ten/holdings.h"
#include "passes/ten/play.h"
#include "passes/ten/step_times.h"
#include "passes/verify/verdict.h"

namespace convert {

struct TenPageOptions {
  std::string title;
  std::vector<IdRun> chunks{};  // shows only transfers of these chunks; empty: all
  std::string forwarding{};     // forwarding of the replay, as a text for readers; empty: no replay
  bool needs_stored = false;    // requires store-and-forward switches
};

struct TenPage {
  static constexpr std::size_t most_transfers = 2'000'000;
  static constexpr std::uint64_t most_places = 64'000'000;  // NPUs × chunks
  std::string title;
  std::string head;
  std::vector<Column> columns;
};

// A program and the times of its replay.
struct ReplayedProgram {
  const Algorithm& algorithm;
  const StepTimes& times;
};

// The verdict on the input, and the findings.
struct Judgement {
  Verdict verdict;
  std::span<const Diagnostic> findings{};
};

// Returns the page of a schedule with times or steps, and with the threadblocks of its program if given. Throws
// Error(usage) for unknown chunks, Error(input) beyond most_transfers.
[[nodiscard]] TenPage ten_page(const Schedule& s, const Holdings& holdings, const Judgement& judgement,
                               const TenPageOptions& options, const ReplayedProgram* program = nullptr);
// Returns the page of an algorithm, its graph, and the result of play() on the graph; throws the same errors.
[[nodiscard]] TenPage ten_page(const Algorithm& algorithm, const StepGraph& graph, const Play& play,
                               const Judgement& judgement, const TenPageOptions& options);

}  // namespace convert
