// SPDX-License-Identifier: MIT
// Builder of a schedule from parts that readers find in any order; checks rule R0.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "formats/format.h"
#include "formats/ten/ways.h"

namespace convert {

inline constexpr std::uint32_t max_schedule_nodes = 1U << 20U;
inline constexpr std::int64_t max_schedule_ids =
    std::numeric_limits<std::int32_t>::max();                             // limit for links, chunks, transfers
inline constexpr std::size_t max_carried_chunks = std::size_t{1} << 26U;  // all transfers together

// Route of a transfer over switches: it takes one link after the other without waiting.
struct SwitchWay {
  std::uint32_t transfer = 0;         // index of the transfer
  std::vector<std::uint32_t> via{};   // switches, numbered as in the file
  std::vector<std::int64_t> turns{};  // its sequence number on each link, in a schedule with link order
};

class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(std::string file) { schedule.file = std::move(file); }

  Schedule schedule;  // complete except for the chunks of transfers
  int version = 2;    // version in the file; in version 1, each transfer carries one chunk
  std::optional<std::int64_t> chunk_count{};
  std::optional<std::int64_t> wire_count{};
  std::optional<std::int64_t> step_count{};
  std::vector<std::uint32_t> switches{};  // numbered as in the file
  std::vector<Continuation> continuations{};
  std::vector<SwitchWay> ways{};
  // Lines of these parts; 0: unknown.
  std::uint32_t nodes_line = 0;
  std::uint32_t relays_line = 0;
  std::uint32_t switches_line = 0;
  std::uint32_t wires_line = 0;
  std::uint32_t chunks_line = 0;
  std::uint32_t chunk_bytes_line = 0;
  std::uint32_t step_line = 0;

  // Adds a transfer of the chunk with that id. `time`: model of its times, which must be the schedule's model.
  void add_transfer(const Schedule::Transfer& transfer, std::int64_t chunk, Schedule::Time time);
  // Adds a transfer of the chunks with these ids, at least one.
  void add_transfer(const Schedule::Transfer& transfer, std::span<const IdRun> chunks, Schedule::Time time);
  // Adds `chunk_count` chunks, or one per node: chunk c begins at node c mod N and goes to all. Throws Error(input)
  // [R0].
  void add_gathered_chunks();
  // Returns a set of these nodes. Throws Error(input) if a node is given twice.
  [[nodiscard]] Schedule::NodeSet add_set(std::vector<std::uint32_t> nodes, std::uint32_t line);
  [[nodiscard]] Error error(std::uint32_t line, const std::string& message) const {
    return input_error({.file = schedule.file, .line = line}, message, "R0");
  }

  // Returns the schedule; must be called once only. Throws Error(input) [R0] for numbers out of range, unknown
  // nodes, links and chunks, and duplicates; Error(usage) for options that contradict the file. Warns about guessed
  // chunks.
  [[nodiscard]] Schedule finish(const FormatOptions& options, Diagnostics& diagnostics);

 private:
  struct Set {
    std::uint32_t transfer = 0;
    Range runs{};
  };
  using ChunkIndex = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // (id, index of the chunk), by id
  void guess_chunks(Diagnostics& diagnostics);
  void check_nodes();
  void renumber_switches();
  void check_forwarding() const;
  void check_wires();
  void resolve_chunks();
  void resolve_sets(const ChunkIndex& index);
  void check_set(const Schedule::Transfer& transfer) const;
  void check_transfers() const;
  void spread_ways();
  void spread_way(const SwitchWay& way, const WireIndex& wires);
  void check_node(std::uint32_t node, std::uint32_t line) const;
  void check_device(std::uint32_t device, std::uint32_t line) const;

  std::vector<std::int64_t> chunk_of_;  // by transfer; the first chunk of several
  std::vector<Set> sets_;               // of transfers with several chunks
  std::vector<IdRun> runs_;
  std::vector<Schedule::Time> time_of_;  // by transfer
  std::vector<Continuation> spread_;     // links of routes after the first; `after` is an index until ids are set
};

// Parses a time in units of `unit_ps`, exact to half a picosecond. Returns nothing if the text is not a finite
// number, or the time is negative or exceeds 53 days.
[[nodiscard]] std::optional<Picoseconds> parse_ps(std::string_view text, double unit_ps);

}  // namespace convert
