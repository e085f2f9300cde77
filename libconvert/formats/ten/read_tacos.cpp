// SPDX-License-Identifier: MIT
// Reader of the CSV of TACOS and programs around it: a line per link with its chunks, "7", "7:END:START" in ps or
// "7:START:END" in ns. The collective is an all-gather; NPU c mod N owns chunk c.
#include <limits>

#include "core/units.h"
#include "formats/ten/builder.h"
#include "formats/ten/csv.h"
#include "formats/ten/ten.h"

namespace convert {
namespace {

class TacosReader {
 public:
  TacosReader(ScheduleBuilder& to, std::string_view text) : to_(to), lines_(to.schedule.file, text) {}

  void read() {
    while (lines_.next()) {
      if (header_) {
        read_wire();
      } else if (lines_[0] == "SrcID") {
        read_header();
      } else {
        read_key();
      }
    }
    if (!header_) throw to_.error(lines_.line(), "the header 'SrcID,DestID,…' is missing");
  }

 private:
  enum class Cells : std::uint8_t { chunk, end_start_ps, start_end_ns };

  void read_key() {
    Schedule& s = to_.schedule;
    const std::string_view key = lines_[0];
    if (key == "NPUs Count") {
      s.nodes = static_cast<std::uint32_t>(lines_.natural(1, "NPUs Count", max_schedule_nodes));
      has_nodes_ = true;
      to_.nodes_line = lines_.line();
    } else if (key == "Links Count") {
      to_.wire_count = lines_.natural(1, "Links Count", max_schedule_ids);
      to_.wires_line = lines_.line();
    } else if (key == "Chunks Count") {
      to_.chunk_count = lines_.natural(1, "Chunks Count", max_schedule_ids);
      to_.chunks_line = lines_.line();
    } else if (key == "Chunk Size") {
      s.chunk_bytes = lines_.natural(1, "Chunk Size", std::numeric_limits<std::int64_t>::max());
      to_.chunk_bytes_line = lines_.line();
      if (lines_.size() > 2 && lines_[2] != "B") throw lines_.error(2, "the unit of Chunk Size must be B");
    } else if (key == "Collective Time") {
      const bool ps = lines_[2] == "ps";
      if (!ps && lines_[2] != "ns") throw lines_.error(2, "the unit of Collective Time must be ps or ns");
      s.claimed_ps = lines_.time(1, "Collective Time", ps ? 1 : ps_per_ns);
    } else if (key != "Synthesis Time") {
      throw lines_.error(0, "unknown key '" + std::string(key) + "'");
    }
  }

  // Only the text of the header identifies the contents of the cells.
  void read_header() {
    header_ = true;
    if (!has_nodes_) throw lines_.error(0, "'NPUs Count' is missing");
    const std::string_view cells = lines_[4];
    if (cells == "Chunks") {
      cells_ = Cells::chunk;
    } else if (cells == "Chunks (ID:ps)") {
      cells_ = Cells::end_start_ps;
    } else if (cells == "Chunks (ID:ns:ns)") {
      cells_ = Cells::start_end_ns;
    } else {
      throw lines_.error(4, "the fifth column must be 'Chunks', 'Chunks (ID:ps)' or 'Chunks (ID:ns:ns)'");
    }
    to_.schedule.time = cells_ == Cells::chunk ? Schedule::Time::order : Schedule::Time::continuous;
  }

  void read_wire() {
    Schedule::Wire l;
    l.src = static_cast<std::uint32_t>(lines_.natural(0, "SrcID", max_schedule_nodes));
    l.dst = static_cast<std::uint32_t>(lines_.natural(1, "DestID", max_schedule_nodes));
    constexpr double ns_per_us = 1000;
    l.latency_us = lines_.number(2, "the latency in ns") / ns_per_us;
    l.bandwidth_gib_per_s = lines_.number(3, "the bandwidth in GB/s (2^30 bytes)");
    l.line = lines_.line();
    to_.schedule.wires.push_back(l);
    for (std::size_t i = 4; i < lines_.size(); ++i) {
      if (lines_[i].empty() || (lines_[i] == "None" && lines_.size() == 5)) continue;
      read_cell(i, l, static_cast<std::int64_t>(i - 4));
    }
  }

  void read_cell(std::size_t field, const Schedule::Wire& wire, std::int64_t position) {
    const std::string_view cell = lines_[field];
    const std::size_t colon = cell.find(':');
    const std::size_t second = colon == std::string_view::npos ? colon : cell.find(':', colon + 1);
    const auto chunk = parse_int(cell.substr(0, colon));
    Schedule::Transfer t{.start = position, .end = position + 1};
    bool good = chunk && *chunk >= 0 && (cells_ == Cells::chunk) == (colon == std::string_view::npos);
    if (good && cells_ != Cells::chunk) {
      const double unit = cells_ == Cells::end_start_ps ? 1 : ps_per_ns;
      const auto first = second == std::string_view::npos
                             ? std::nullopt
                             : parse_ps(cell.substr(colon + 1, second - colon - 1), unit);
      const auto last = first ? parse_ps(cell.substr(second + 1), unit) : std::nullopt;
      good = last.has_value();
      if (good) {
        t.start = cells_ == Cells::end_start_ps ? *last : *first;
        t.end = cells_ == Cells::end_start_ps ? *first : *last;
      }
    }
    if (!good) {
      throw lines_.error(field, cells_ == Cells::chunk          ? "the number of a chunk is expected"
                                : cells_ == Cells::end_start_ps ? "CHUNK:END:START in ps is expected"
                                                                : "CHUNK:START:END in ns is expected");
    }
    if (to_.schedule.transfers.size() >= static_cast<std::size_t>(max_schedule_ids)) {
      throw lines_.error(field, "more than 2^31 transfers");
    }
    t.id = static_cast<std::int32_t>(to_.schedule.transfers.size());
    t.src = wire.src;
    t.dst = wire.dst;
    t.line = lines_.line();
    to_.add_transfer(t, *chunk, to_.schedule.time);
  }

  ScheduleBuilder& to_;
  CsvLines lines_;
  Cells cells_ = Cells::chunk;
  bool header_ = false;
  bool has_nodes_ = false;
};

}  // namespace

Schedule read_tacos_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                        Diagnostics& diagnostics) {
  ScheduleBuilder builder(file);
  Schedule& s = builder.schedule;
  s.collective = Collective::all_gather;
  s.name = "tacos";
  TacosReader(builder, text).read();
  builder.add_gathered_chunks();
  return builder.finish(options, diagnostics);
}

}  // namespace convert
