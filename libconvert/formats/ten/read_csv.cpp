// SPDX-License-Identifier: MIT
// ten-schedule as CSV: lines "#key,value…", then a column header and one line per transfer.
#include <algorithm>
#include <array>
#include <limits>

#include "core/units.h"
#include "core/words.h"
#include "formats/json/stream.h"
#include "formats/ten/builder.h"
#include "formats/ten/csv.h"
#include "formats/ten/ten.h"

namespace convert {
namespace {

constexpr std::int64_t most_nodes = max_schedule_nodes;
constexpr std::size_t longest_name = 80;  // limit for names quoted in messages
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

// Checks only that the text is JSON.
class AnyMembers final : public JsonItems {
 public:
  void member(std::string_view /*key*/, JsonCursor& in) override { (void)in.value(); }
  void element(JsonCursor& in) override { (void)in.value(); }
  void undo() override {}
};

class CsvReader {
 public:
  CsvReader(ScheduleBuilder& to, std::string_view text) : to_(to), lines_(to.schedule.file, text) {}

  void read() {
    bool header = false;
    while (lines_.next()) {
      if (lines_[0].starts_with('#')) {
        if (header) throw lines_.error(0, "lines with '#' must precede the column header");
        read_key(lines_[0].substr(1));
      } else if (!header) {
        header = true;
        read_header();
      } else {
        read_transfer();
      }
    }
    for (const char* needed : {"ten-schedule", "collective", "npu_count"}) {
      if (std::ranges::find(seen_, needed) == seen_.end()) {
        throw to_.error(0, "#" + std::string(needed) + " is missing");
      }
    }
    if (!header) throw to_.error(lines_.line(), "the column header is missing");
  }

 private:
  enum Column : std::uint8_t { id, src, dst, chunk, start_us, end_us, op, step, steps, seq, continues, via };
  static constexpr std::array<std::string_view, 12> names = {"id", "src",  "dst",   "chunk", "start_us",  "end_us",
                                                             "op", "step", "steps", "seq",   "continues", "via"};

  void read_key(std::string_view key) {
    Schedule& s = to_.schedule;
    if (key == "link") return read_wire();
    if (key == "chunk") return read_chunk();
    check_key(key);
    if (key == "meta") return read_meta();
    if (key == "relay") {
      to_.relays_line = lines_.line();
      s.relays = read_devices();
      return;
    }
    if (key == "switch") {
      to_.switches_line = lines_.line();
      to_.switches = read_devices();
      return;
    }
    if (key == "name") {  // may contain commas
      for (std::size_t i = 1; i < lines_.size(); ++i) s.name += (i > 1 ? "," : "") + std::string(lines_[i]);
      return;
    }
    lines_.expect_fields(2, "#" + std::string(key));
    if (key == "ten-schedule") {
      if (lines_[1] != "1" && lines_[1] != "2") throw lines_.error(1, "only versions 1 and 2 are supported");
      to_.version = lines_[1] == "1" ? 1 : 2;
    } else if (key == "collective") {
      const auto type = parse_schedule_collective(lines_[1]);
      if (!type) throw lines_.error(1, "unknown collective '" + std::string(lines_[1]) + "'");
      s.collective = *type;
    } else if (key == "npu_count") {
      s.nodes = static_cast<std::uint32_t>(lines_.natural(1, "#npu_count", most_nodes));
      to_.nodes_line = lines_.line();
    } else if (key == "link_count") {
      to_.wire_count = lines_.natural(1, "#link_count", max_schedule_ids);
      to_.wires_line = lines_.line();
    } else if (key == "chunk_count") {
      to_.chunk_count = lines_.natural(1, "#chunk_count", max_schedule_ids);
      to_.chunks_line = lines_.line();
    } else if (key == "step_count") {
      to_.step_count = lines_.natural(1, "#step_count", max_schedule_ids);
    } else if (key == "chunk_size_bytes") {
      s.chunk_bytes = lines_.natural(1, "#chunk_size_bytes", most_bytes);
      to_.chunk_bytes_line = lines_.line();
    } else if (key == "collective_time_us") {
      s.claimed_ps = lines_.time(1, "#collective_time_us", ps_per_us);
    } else if (key == "step_us") {
      s.step_ps = lines_.time(1, "#step_us", ps_per_us);
      to_.step_line = lines_.line();
    } else if (key == "time_model") {
      read_time_model();
    } else if (key == "network") {
      s.network = lines_[1];
    } else if (key == "forwarding") {
      s.forwarding = lines_[1];
    } else if (key == "link_occupancy") {
      if (lines_[1] != "alpha_beta" && lines_[1] != "beta") {
        throw lines_.error(1, "#link_occupancy must be alpha_beta or beta");
      }
      s.occupancy = lines_[1] == "beta" ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta;
    }
  }

  void read_time_model() {
    using Time = Schedule::Time;
    for (const Time t : {Time::continuous, Time::steps, Time::order}) {
      if (lines_[1] != name(t)) continue;
      to_.schedule.time = t;
      return;
    }
    throw lines_.error(1, "#time_model must be continuous, steps or order");
  }

  // Throws if the key is unknown or given twice.
  void check_key(std::string_view key) {
    static const std::vector<std::string> known = {"ten-schedule",
                                                   "name",
                                                   "collective",
                                                   "npu_count",
                                                   "relay",
                                                   "link_count",
                                                   "chunk_count",
                                                   "step_count",
                                                   "chunk_size_bytes",
                                                   "collective_time_us",
                                                   "step_us",
                                                   "time_model",
                                                   "link_occupancy",
                                                   "meta",
                                                   "switch",
                                                   "network",
                                                   "forwarding"};
    if (std::ranges::find(known, key) == known.end()) {
      const std::string near = nearest(key.substr(0, longest_name), known);
      throw lines_.error(0, "unknown key '#" + std::string(key.substr(0, longest_name)) + "'" +
                                (near.empty() ? std::string() : "; did you mean '#" + near + "'?"));
    }
    if (std::ranges::find(seen_, key) != seen_.end()) {
      throw lines_.error(0, "#" + std::string(key) + " is given twice");
    }
    seen_.emplace_back(key);
  }

  // Reads a JSON object: the text after the first comma.
  void read_meta() {
    const std::string_view text = lines_.rest(1);
    const auto input = memory_input(to_.schedule.file, text);
    JsonStream stream(*input, {}, false);
    AnyMembers any;
    try {
      stream.read_all(any);
    } catch (const Error& e) {
      throw lines_.error(1, "#meta must be a JSON object: " + std::string(e.what()));
    }
    to_.schedule.meta = text;
  }

  void read_wire() {
    if (lines_.size() != 6) lines_.expect_fields(5, "#link");
    Schedule::Wire l;
    l.src = static_cast<std::uint32_t>(lines_.natural(1, "a node", most_nodes));
    l.dst = static_cast<std::uint32_t>(lines_.natural(2, "a node", most_nodes));
    l.bandwidth_gib_per_s = lines_.number(3, "the bandwidth in GiB/s");
    l.latency_us = lines_.number(4, "the latency in µs");
    if (lines_.size() == 6) l.rounds = static_cast<std::uint32_t>(lines_.natural(5, "rounds", max_schedule_ids));
    l.line = lines_.line();
    to_.schedule.wires.push_back(l);
  }

  void read_chunk() {
    if (lines_.size() != 5) lines_.expect_fields(4, "#chunk");
    Schedule::Chunk c{.id = lines_.natural(1, "the chunk's id", most_bytes), .bytes = {}, .pre = {}, .post = {}};
    c.line = lines_.line();
    c.pre = read_set(2);
    c.post = read_set(3);
    if (lines_.size() == 5) c.bytes = lines_.natural(4, "the chunk's size", most_bytes);
    to_.schedule.chunks.push_back(c);
  }

  // Reads the devices of a line, separated by commas or semicolons.
  std::vector<std::uint32_t> read_devices() {
    std::vector<std::uint32_t> out;
    for (std::size_t i = 1; i < lines_.size(); ++i) {
      const std::vector<std::uint32_t> some = read_nodes(i, "must be numbers separated by ',' or ';'");
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }

  // Reads nodes separated by semicolons.
  std::vector<std::uint32_t> read_nodes(std::size_t field, const std::string& wanted) {
    std::vector<std::uint32_t> nodes;
    std::string_view rest = lines_[field];
    for (bool more = !rest.empty(); more;) {
      const std::size_t end = rest.find(';');
      const auto node = parse_int(rest.substr(0, end));
      if (!node || *node < 0 || *node >= most_nodes) throw lines_.error(field, "nodes " + wanted);
      nodes.push_back(static_cast<std::uint32_t>(*node));
      more = end != std::string_view::npos;
      if (more) rest.remove_prefix(end + 1);
    }
    return nodes;
  }

  // Reads "all", or nodes separated by semicolons.
  Schedule::NodeSet read_set(std::size_t field) {
    if (lines_[field] == "all") return {.all = true};
    return to_.add_set(read_nodes(field, "must be 'all' or numbers separated by ';'"), lines_.line());
  }

  void read_header() {
    at_.fill(names.size());
    columns_ = lines_.size();
    for (std::size_t i = 0; i < columns_; ++i) {
      const auto at = std::ranges::find(names, lines_[i]);
      if (at == names.end()) {
        throw lines_.error(i,
                           "unknown column '" + std::string(lines_[i].substr(0, longest_name)) +
                               "'; known: id, src, dst, chunk, op, continues, via, and start_us, end_us or step, "
                               "steps or seq");
      }
      std::size_t& place = at_[static_cast<std::size_t>(at - names.begin())];
      if (place != names.size()) throw lines_.error(i, "column '" + std::string(lines_[i]) + "' is given twice");
      place = i;
    }
    for (const Column c : {id, src, dst, chunk}) {
      if (!has(c)) throw lines_.error(columns_, "column '" + std::string(names[c]) + "' is missing");
    }
    const bool times = has(start_us) && has(end_us);
    if (static_cast<int>(times) + static_cast<int>(has(step)) + static_cast<int>(has(seq)) != 1 ||
        (has(steps) && !has(step)) || (!times && (has(start_us) || has(end_us)))) {
      throw lines_.error(columns_, "the columns must be start_us and end_us, or step (and steps), or seq");
    }
    time_ = times ? Schedule::Time::continuous : has(step) ? Schedule::Time::steps : Schedule::Time::order;
  }

  void read_transfer() {
    lines_.expect_fields(columns_, "a transfer");
    const auto integer = [&](Column c, std::int64_t most) { return lines_.natural(at_[c], names[c], most); };
    Schedule::Transfer t;
    t.id = static_cast<std::int32_t>(integer(id, max_schedule_ids));
    t.src = static_cast<std::uint32_t>(integer(src, most_nodes));
    t.dst = static_cast<std::uint32_t>(integer(dst, most_nodes));
    t.line = lines_.line();
    if (time_ == Schedule::Time::continuous) {
      t.start = lines_.time(at_[start_us], names[start_us], ps_per_us);
      t.end = lines_.time(at_[end_us], names[end_us], ps_per_us);
    } else if (time_ == Schedule::Time::steps) {
      t.start = integer(step, max_schedule_ids);
      t.end = t.start + (has(steps) ? integer(steps, max_schedule_ids) : 1);
    }
    if (has(via) && !lines_[at_[via]].empty()) {
      SwitchWay way{.transfer = static_cast<std::uint32_t>(to_.schedule.transfers.size())};
      way.via = read_nodes(at_[via], "of via must be numbers separated by ';'");
      if (time_ == Schedule::Time::order) {
        for (const std::string& turn : split(lines_[at_[seq]], ';')) way.turns.push_back(read_turn(turn));
        t.start = way.turns.front();
      }
      to_.ways.push_back(std::move(way));
    } else if (time_ == Schedule::Time::order) {
      t.start = integer(seq, max_schedule_ids);
    }
    if (time_ == Schedule::Time::order) t.end = t.start + 1;
    if (has(op)) {
      const std::string_view word = lines_[at_[op]];
      if (word != "copy" && word != "reduce") throw lines_.error(at_[op], "op must be copy or reduce");
      if (word == "reduce") t.op = Schedule::Op::reduce;
    }
    if (has(continues) && !lines_[at_[continues]].empty()) {
      to_.continuations.push_back({static_cast<std::uint32_t>(to_.schedule.transfers.size()),
                                   static_cast<std::int32_t>(integer(continues, max_schedule_ids))});
    }
    read_chunks(at_[chunk]);
    to_.add_transfer(t, runs_, time_);
  }

  std::int64_t read_turn(const std::string& text) const {
    const auto turn = parse_int(text);
    if (turn && *turn >= 0 && *turn <= max_schedule_ids) return *turn;
    throw lines_.error(at_[seq], "seq must have a number for each link, separated by ';'");
  }

  // Reads "3", or "0-3;6": ids and ranges of ids, separated by semicolons.
  void read_chunks(std::size_t field) {
    runs_.clear();
    std::string_view rest = lines_[field];
    if (rest.find_first_of(";-") == std::string_view::npos) {
      const std::int64_t only = lines_.natural(field, names[chunk], most_bytes);
      runs_.push_back({only, only});
      return;
    }
    for (bool more = true; more;) {
      const std::size_t end = rest.find(';');
      const std::string_view part = rest.substr(0, end);
      const std::size_t dash = part.find('-');
      const auto first = parse_int(part.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : parse_int(part.substr(dash + 1));
      if (!first || !last || *first < 0 || *last < *first || *last == most_bytes)
        throw lines_.error(field, "chunk must be a number, or numbers and ranges like 0-3 separated by ';'");
      runs_.push_back({*first, *last});
      more = end != std::string_view::npos;
      if (more) rest.remove_prefix(end + 1);
    }
  }

  [[nodiscard]] bool has(Column c) const { return at_[c] != names.size(); }

  ScheduleBuilder& to_;
  CsvLines lines_;
  std::array<std::size_t, names.size()> at_{};  // index of each column in the line; names.size(): absent
  std::size_t columns_ = 0;
  std::vector<std::string> seen_;
  std::vector<IdRun> runs_;  // chunks of a transfer
  Schedule::Time time_ = Schedule::Time::continuous;
};

}  // namespace

Schedule read_ten_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                      Diagnostics& diagnostics) {
  ScheduleBuilder builder(file);
  CsvReader(builder, text).read();
  return builder.finish(options, diagnostics);
}

}  // namespace convert
