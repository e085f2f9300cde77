// SPDX-License-Identifier: MIT
#include <algorithm>
#include <tuple>

#include "core/units.h"
#include "formats/ten/ten.h"
#include "formats/ten/ways.h"
#include "util/json_writer.h"

namespace convert {
namespace {

using Time = Schedule::Time;

// Returns whether a transfer takes its links one after the other without waiting, as readers assume for one row.
bool goes_straight(const Schedule& s, std::uint32_t transfer, const WireIndex& wires) {
  const Schedule::Transfer& t = s.transfers[transfer];
  if (s.time == Time::order) return true;
  const auto bytes = bytes_of(s, t);
  for (std::uint32_t h = 0; h + 1 < leg_count(t); ++h) {
    const Leg leg = leg_at(s, transfer, h);
    const std::uint32_t wire = wires.find(leg.src, leg.dst);
    if (wire == no_index || (s.time == Time::continuous && !bytes)) return false;
    const std::int64_t takes = s.time == Time::steps ? 1 : rounded_ps(hop_ps(s.wires[wire], *bytes));
    if (leg.end - leg.start != takes || leg_at(s, transfer, h + 1).start != leg.end) return false;
  }
  return true;
}

// One row of a file: a transfer, or its leg on one link.
struct Row {
  Leg leg;
  bool whole = false;           // has its whole route
  std::int32_t continues = -1;  // id of the row that it continues; -1: not written
};

std::vector<Row> rows_of(const Schedule& s, WayForm ways) {
  const WireIndex wires(s);
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < s.transfers.size(); ++i) {
    const Schedule::Transfer& t = s.transfers[i];
    if (ways == WayForm::via && t.way.count != 0 && goes_straight(s, i, wires)) {
      Leg all = leg_at(s, i, 0);
      all.dst = t.dst;
      all.end = t.end;
      rows.push_back({all, true});
      continue;
    }
    for (std::uint32_t h = 0; h < leg_count(t); ++h) rows.push_back({leg_at(s, i, h)});
  }
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return std::tie(a.leg.start, a.leg.src, a.leg.dst) < std::tie(b.leg.start, b.leg.src, b.leg.dst);
  });
  std::vector<Leg> legs;
  std::vector<std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].whole) continue;
    legs.push_back(rows[i].leg);
    row_of.push_back(i);
  }
  for (const Continuation& c : needed_continuations(s, legs)) rows[row_of[c.transfer]].continues = c.after;
  return rows;
}

// Returns the devices of a route, or the sequence numbers on its links, with separators.
std::string via_text(const Schedule& s, const Leg& leg, char separator) {
  std::string out;
  for (std::uint32_t h = 0; h + 1 < leg_count(s.transfers[leg.transfer]); ++h)
    out += (h == 0 ? "" : std::string(1, separator)) + std::to_string(leg_at(s, leg.transfer, h).dst);
  return out;
}
std::string turns_text(const Schedule& s, const Leg& leg, char separator) {
  std::string out;
  for (std::uint32_t h = 0; h < leg_count(s.transfers[leg.transfer]); ++h)
    out += (h == 0 ? "" : std::string(1, separator)) + std::to_string(leg_at(s, leg.transfer, h).start);
  return out;
}

// Unknown speeds are not replaced by invented numbers.
void refuse_unknown_wires(const Schedule& s) {
  if (s.wires_told) return;
  throw input_error({.file = s.file},
                    "the schedule has no link speeds, which a ten-schedule "
                    "requires; replay it on a network with et-replay -t ten");
}

// Returns the oldest version that can represent the schedule, so that readers of that version accept it.
int version_of(const Schedule& s) {
  return s.carried.empty() && s.switches == 0 && s.network.empty() && s.forwarding.empty() ? 1 : 2;
}

std::string list_text(std::uint32_t first, std::uint32_t count, char separator) {
  std::string out;
  for (std::uint32_t k = 0; k < count; ++k)
    out += (k == 0 ? "" : std::string(1, separator)) + std::to_string(first + k);
  return out;
}

std::string us(Picoseconds time) { return format_exact(time, ps_per_us); }

void write_set(JsonWriter& w, const Schedule& s, const char* key, const Schedule::NodeSet& set) {
  w.key(key);
  if (set.all) {
    w.value("all");
    return;
  }
  w.begin_array();
  for (const std::uint32_t n : listed(s, set)) w.value(n);
  w.end_array();
}

std::string set_text(const Schedule& s, const Schedule::NodeSet& set) {
  if (set.all) return "all";
  std::string out;
  for (const std::uint32_t n : listed(s, set)) out += (out.empty() ? "" : ";") + std::to_string(n);
  return out;
}

std::string chunks_text(const Schedule& s, const Schedule::Transfer& t) {
  std::string out;
  for (const IdRun& run : chunk_runs(s, t)) {
    out += (out.empty() ? "" : ";") + std::to_string(run.first);
    if (run.last != run.first) out += '-' + std::to_string(run.last);
  }
  return out;
}

void write_topology(JsonWriter& w, const Schedule& s) {
  w.key("topology").begin_object().member("npu_count", s.nodes);
  if (!s.relays.empty()) {
    w.key("relay").begin_array();
    for (const std::uint32_t r : s.relays) w.value(r);
    w.end_array();
  }
  if (s.switches != 0) w.key("switch").raw('[' + list_text(s.nodes, s.switches, ',') + ']');
  if (!s.network.empty()) w.member("network", s.network);
  w.key("links").begin_array();
  for (const auto& l : s.wires) {
    w.line(4).begin_object().member("src", l.src).member("dst", l.dst);
    w.member("bandwidth_GiBps", l.bandwidth_gib_per_s).member("latency_us", l.latency_us);
    if (l.rounds != 1) w.member("rounds", l.rounds);
    w.end_object();
  }
  w.end_array().end_object();
}

void write_row(JsonWriter& w, const Schedule& s, const Row& row) {
  const Leg& leg = row.leg;
  const Schedule::Transfer& t = s.transfers[leg.transfer];
  w.begin_object().member("id", leg.id).member("src", leg.src).member("dst", leg.dst);
  if (t.more.count == 0) {
    w.member("chunk", s.chunks[t.chunk].id);
  } else {
    w.key("chunks").begin_array();
    for (const IdRun& run : chunk_runs(s, t)) {
      if (run.first == run.last) {
        w.value(run.first);
      } else {
        w.begin_array().value(run.first).value(run.last).end_array();
      }
    }
    w.end_array();
  }
  switch (s.time) {
    case Time::continuous: w.key("start_us").raw(us(leg.start)).key("end_us").raw(us(leg.end)); break;
    case Time::steps:
      w.member("step", leg.start);
      if (leg.end - leg.start != 1) w.member("steps", leg.end - leg.start);
      break;
    case Time::order:
      if (row.whole) {
        w.key("seq").raw('[' + turns_text(s, leg, ',') + ']');
      } else {
        w.member("seq", leg.start);
      }
  }
  if (row.whole) w.key("via").raw('[' + via_text(s, leg, ',') + ']');
  if (row.continues >= 0) w.member("continues", row.continues);
  w.member("op", t.op == Schedule::Op::reduce ? "reduce" : "copy").end_object();
}

}  // namespace

void write_ten_json(const Schedule& s, WayForm ways, std::string& out) {
  refuse_unknown_wires(s);
  JsonWriter w(out);
  w.begin_object().line(2).member("format", "ten-schedule").member("version", version_of(s)).member("name", s.name);
  w.line(2).key("collective").begin_object().member("type", name(s.collective));
  if (s.chunk_bytes) w.member("chunk_size_bytes", *s.chunk_bytes);
  w.member("chunk_count", s.chunks.size()).key("chunks").begin_array();
  for (const auto& c : s.chunks) {
    w.line(4).begin_object().member("id", c.id);
    write_set(w, s, "pre", c.pre);
    write_set(w, s, "post", c.post);
    if (c.bytes) w.member("size_bytes", *c.bytes);
    w.end_object();
  }
  w.end_array().end_object().line(2);
  write_topology(w, s);
  w.line(2).key("time").begin_object().member("model", name(s.time)).member("unit", "us");
  w.member("link_occupancy", name(s.occupancy));
  if (!s.forwarding.empty()) w.member("forwarding", s.forwarding);
  if (s.step_ps) w.key("step_us").raw(us(*s.step_ps));
  w.end_object();
  if (s.claimed_ps) w.line(2).key("collective_time_us").raw(us(*s.claimed_ps));
  w.line(2).key("transfers").begin_array();
  for (const Row& row : rows_of(s, ways)) {
    w.line(4);
    write_row(w, s, row);
  }
  w.end_array();
  if (!s.meta.empty()) w.line(2).key("meta").raw(s.meta);
  w.line().end_object();
  out += '\n';
}

namespace {

void write_csv_transfers(const Schedule& s, WayForm ways, std::string& out) {
  const bool continuous = s.time == Time::continuous;
  out += continuous              ? "id,src,dst,chunk,start_us,end_us,op"
         : s.time == Time::steps ? "id,src,dst,chunk,step,steps,op"
                                 : "id,src,dst,chunk,seq,op";
  const std::vector<Row> rows = rows_of(s, ways);
  const bool continuations = std::ranges::any_of(rows, [](const Row& r) { return r.continues >= 0; });
  const bool via = std::ranges::any_of(rows, &Row::whole);
  out += std::string(continuations ? ",continues" : "") + (via ? ",via\n" : "\n");
  for (const Row& row : rows) {
    const Leg& leg = row.leg;
    const Schedule::Transfer& t = s.transfers[leg.transfer];
    out += std::to_string(leg.id) + ',' + std::to_string(leg.src) + ',' + std::to_string(leg.dst) + ',' +
           chunks_text(s, t) + ',' +
           (continuous                           ? us(leg.start)
            : s.time == Time::order && row.whole ? turns_text(s, leg, ';')
                                                 : std::to_string(leg.start));
    if (s.time != Time::order) out += ',' + (continuous ? us(leg.end) : std::to_string(leg.end - leg.start));
    out += t.op == Schedule::Op::reduce ? ",reduce" : ",copy";
    if (continuations) out += ',' + (row.continues < 0 ? std::string() : std::to_string(row.continues));
    if (via) out += ',' + (row.whole ? via_text(s, leg, ';') : std::string());
    out += '\n';
  }
}

}  // namespace

void write_ten_csv(const Schedule& s, WayForm ways, std::string& out) {
  refuse_unknown_wires(s);
  const auto number = [](double value) {
    std::string text;
    append_json_number(text, value);
    return text;
  };
  // In JSON, line breaks occur only between tokens; in a name, they are accidental.
  const auto one_line = [](std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
  };
  out += "#ten-schedule," + std::to_string(version_of(s)) + "\n#name," + one_line(s.name) + "\n#collective," +
         std::string(name(s.collective)) + "\n#npu_count," + std::to_string(s.nodes) + "\n#link_count," +
         std::to_string(s.wires.size()) + "\n#chunk_count," + std::to_string(s.chunks.size()) + '\n';
  if (!s.relays.empty()) {
    out += "#relay";
    for (const std::uint32_t r : s.relays) out += ',' + std::to_string(r);
    out += '\n';
  }
  if (s.switches != 0) out += "#switch," + list_text(s.nodes, s.switches, ',') + '\n';
  if (!s.network.empty()) out += "#network," + s.network + '\n';
  if (!s.forwarding.empty()) out += "#forwarding," + s.forwarding + '\n';
  if (s.chunk_bytes) out += "#chunk_size_bytes," + std::to_string(*s.chunk_bytes) + '\n';
  if (s.time != Time::continuous) out += "#time_model," + std::string(convert::name(s.time)) + '\n';
  if (s.occupancy != Schedule::Occupancy::alpha_beta) {
    out += "#link_occupancy," + std::string(convert::name(s.occupancy)) + '\n';
  }
  if (s.step_ps) out += "#step_us," + us(*s.step_ps) + '\n';
  if (s.claimed_ps) out += "#collective_time_us," + us(*s.claimed_ps) + '\n';
  if (!s.meta.empty()) out += "#meta," + one_line(s.meta) + '\n';
  for (const auto& l : s.wires) {
    out += "#link," + std::to_string(l.src) + ',' + std::to_string(l.dst) + ',' + number(l.bandwidth_gib_per_s) +
           ',' + number(l.latency_us);
    if (l.rounds != 1) out += ',' + std::to_string(l.rounds);
    out += '\n';
  }
  for (const auto& c : s.chunks) {
    out += "#chunk," + std::to_string(c.id) + ',' + set_text(s, c.pre) + ',' + set_text(s, c.post);
    if (c.bytes) out += ',' + std::to_string(*c.bytes);
    out += '\n';
  }
  write_csv_transfers(s, ways, out);
}

}  // namespace convert
