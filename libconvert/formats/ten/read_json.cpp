// SPDX-License-Identifier: MIT
// ten-schedule as JSON.
#include <algorithm>
#include <array>
#include <limits>

#include "core/units.h"
#include "formats/json/stream.h"
#include "formats/json/tokens.h"
#include "formats/ten/builder.h"
#include "formats/ten/ten.h"

namespace convert {
namespace {

template <class Take>
void read_object(JsonCursor& in, std::span<const std::string_view> keys, const Take& take) {
  JsonKeys known(keys);
  in.object([&] {
    const std::size_t key = known.index(in.string());
    in.expect(':');
    take(key);
  });
}

template <typename T>
T integer(JsonCursor& in, std::string_view key) {
  return json_integer<T>(in.scalar(), key);
}

std::int64_t natural(JsonCursor& in, std::string_view key) {
  const std::string_view token = in.scalar();
  const auto value = json_integer<std::int64_t>(token, key);
  if (value < 0) throw BadJson{token.data(), json_quoted(key) + " must not be negative"};
  return value;
}

double number(JsonCursor& in, std::string_view key) {
  const std::string_view token = in.scalar();
  const auto value = is_json_number(token) ? parse_number(token) : std::nullopt;
  if (!value) throw BadJson{token.data(), json_quoted(key) + " must be a number"};
  return *value;
}

Picoseconds microseconds(JsonCursor& in, std::string_view key) {
  const std::string_view token = in.scalar();
  const auto value = is_json_number(token) ? parse_ps(token, ps_per_us) : std::nullopt;
  if (!value)
    throw BadJson{token.data(),
                  json_quoted(key) + " must be a number of microseconds of at least 0 and less than 53 days"};
  return *value;
}

std::string text(JsonCursor& in) {
  std::string out;
  append_unescaped(out, in.string());
  return out;
}

// Reads a key's value, one of several words.
template <typename T, std::size_t N>
T word(JsonCursor& in, std::string_view key, const std::array<std::pair<std::string_view, T>, N>& words) {
  const char* const at = in.here();
  const std::string value = text(in);
  std::string known;
  for (const auto& [name, meaning] : words) {
    if (value == name) return meaning;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw BadJson{at, json_quoted(key) + " must be one of " + known};
}

constexpr std::array<std::string_view, 9> members = {
    "format", "version", "name", "collective", "topology", "time", "collective_time_us", "transfers", "meta"};

class ScheduleReader final : public JsonItems {
 public:
  ScheduleReader(ScheduleBuilder& to, JsonStream& stream) : to_(to), stream_(stream) {}

  void member(std::string_view key, JsonCursor& in) override {
    JsonKeys known(members);
    const char* const at = in.here();
    switch (known.index(key)) {
      case 0:
        if (text(in) != "ten-schedule") throw BadJson{at, "'format' must be \"ten-schedule\""};
        seen_ |= format;
        break;
      case 1:
        to_.version = integer<int>(in, "version");
        if (to_.version != 1 && to_.version != 2) throw BadJson{at, "only versions 1 and 2 are supported"};
        seen_ |= version;
        break;
      case 2: to_.schedule.name = text(in); break;
      case 3: read_collective(in); break;
      case 4: read_topology(in); break;
      case 5: read_time(in); break;
      case 6: to_.schedule.claimed_ps = microseconds(in, key); break;
      default:
        if (in.peek() != '{') throw BadJson{at, "'meta' must be an object"};
        to_.schedule.meta = in.value();
    }
  }

  // Reads the times of any model. The model of the schedule is known only at the end; the builder checks that the
  // times match it.
  void element(JsonCursor& in) override {
    static constexpr std::array<std::string_view, 13> keys = {"id",        "src",    "dst",  "chunk", "start_us",
                                                              "end_us",    "op",     "step", "steps", "seq",
                                                              "continues", "chunks", "via"};
    constexpr std::array<std::pair<std::string_view, Schedule::Op>, 2> ops = {
        {{"copy", Schedule::Op::copy}, {"reduce", Schedule::Op::reduce}}};
    Schedule::Transfer t;
    std::int64_t steps = 1;
    std::optional<std::int32_t> continues;
    SwitchWay way{.transfer = static_cast<std::uint32_t>(to_.schedule.transfers.size())};
    unsigned seen = 0;
    runs_.clear();
    const char* const at = in.here();
    t.line = line(at);
    read_object(in, keys, [&](std::size_t key) {
      seen |= 1U << key;
      switch (key) {
        case 0: t.id = integer<std::int32_t>(in, "id"); break;
        case 1: t.src = integer<std::uint32_t>(in, "src"); break;
        case 2: t.dst = integer<std::uint32_t>(in, "dst"); break;
        case 3: read_chunk_ids(in, "chunk", runs_); break;
        case 4: t.start = microseconds(in, "start_us"); break;
        case 5: t.end = microseconds(in, "end_us"); break;
        case 6: t.op = word(in, "op", ops); break;
        case 7: t.start = integer<std::int32_t>(in, "step"); break;
        case 8: steps = integer<std::int32_t>(in, "steps"); break;
        case 9: read_turns(in, way.turns); break;
        case 10: continues = integer<std::int32_t>(in, "continues"); break;
        case 12: in.array([&] { way.via.push_back(integer<std::uint32_t>(in, "via")); }); break;
        default:
          in.array([&] { read_chunk_ids(in, "chunks", runs_); });
          if (runs_.empty()) throw BadJson{at, "'chunks' is empty"};
      }
    });
    if (!way.turns.empty()) t.start = *std::ranges::min_element(way.turns);
    if (way.via.empty() && (way.turns.size() > 1 || (seen & 0b1'0000'0000'0000U) != 0))
      throw BadJson{at, "'via' must name switches; only then 'seq' may be a list"};
    constexpr unsigned ends = 0b111, chunk = 0b1000, chunks = 0b1000'0000'0000;
    if ((seen & ends) != ends || (seen & (chunk | chunks)) == 0)
      throw BadJson{at, "a transfer requires 'id', 'src', 'dst' and 'chunk' (or 'chunks')"};
    if ((seen & (chunk | chunks)) == (chunk | chunks))
      throw BadJson{at, "a transfer must have 'chunk' or 'chunks', not both"};
    if (t.id < 0 || t.start < 0) throw BadJson{at, "an id, a step or a position must not be negative"};
    const unsigned times = seen >> 4U & 0b11'1011U;
    constexpr unsigned continuous = 0b11, step = 0b1000, step_and_steps = 0b1'1000, order = 0b10'0000;
    if (times == step || times == step_and_steps) {
      t.end = t.start + steps;
    } else if (times != continuous && times != order) {
      throw BadJson{at, "a transfer requires 'start_us' and 'end_us', 'step', or 'seq'"};
    }
    const Schedule::Time time = times == continuous ? Schedule::Time::continuous
                                : times == order    ? Schedule::Time::order
                                                    : Schedule::Time::steps;
    if (time == Schedule::Time::order) t.start = way.turns.front();
    if (!way.via.empty()) to_.ways.push_back(std::move(way));
    if (continues)
      to_.continuations.push_back({static_cast<std::uint32_t>(to_.schedule.transfers.size()), *continues});
    to_.add_transfer(t, runs_, time);
  }

  void undo() override {}

  void check() const {
    if ((seen_ & format) == 0) throw to_.error(0, "'format' is missing");
    if ((seen_ & version) == 0) throw to_.error(0, "'version' is missing");
    if ((seen_ & collective) == 0) throw to_.error(0, "'collective' is missing");
    if ((seen_ & topology) == 0) throw to_.error(0, "'topology' is missing");
  }

 private:
  // Required keys, as bits of seen_.
  enum Needed : std::uint8_t { format = 1, collective = 2, topology = 4, version = 8 };

  // Stores nothing before everything was read: see JsonItems::member().
  void read_collective(JsonCursor& in) {
    static constexpr std::array<std::string_view, 4> keys = {"type", "chunk_size_bytes", "chunk_count", "chunks"};
    const char* const begin = in.here();
    std::optional<Collective> type;
    std::optional<std::int64_t> bytes, count;
    std::vector<Schedule::Chunk> chunks;
    std::vector<std::vector<std::uint32_t>> sets;
    read_object(in, keys, [&](std::size_t key) {
      const char* const at = in.here();
      switch (key) {
        case 0:
          type = parse_schedule_collective(text(in));
          if (!type) {
            throw BadJson{at, "'type' must be one of " + std::string(schedule_collectives)};
          }
          break;
        case 1: bytes = natural(in, "chunk_size_bytes"); break;
        case 2: count = natural(in, "chunk_count"); break;
        default: in.array([&] { read_chunk(in, chunks, sets); });
      }
    });
    if (!type) throw BadJson{begin, "'collective' requires 'type'"};
    seen_ |= collective;
    to_.schedule.collective = *type;
    to_.schedule.chunk_bytes = bytes;
    to_.chunk_count = count;
    to_.chunks_line = to_.chunk_bytes_line = line(begin);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      if (!chunks[c].pre.all) chunks[c].pre = to_.add_set(std::move(sets[2 * c]), chunks[c].line);
      if (!chunks[c].post.all) chunks[c].post = to_.add_set(std::move(sets[2 * c + 1]), chunks[c].line);
    }
    to_.schedule.chunks = std::move(chunks);
  }

  void read_chunk(JsonCursor& in, std::vector<Schedule::Chunk>& chunks,
                  std::vector<std::vector<std::uint32_t>>& sets) {
    static constexpr std::array<std::string_view, 4> keys = {"id", "pre", "post", "size_bytes"};
    Schedule::Chunk c;
    std::vector<std::uint32_t> pre, post;
    unsigned seen = 0;
    const char* const at = in.here();
    c.line = line(at);
    read_object(in, keys, [&](std::size_t key) {
      seen |= 1U << key;
      switch (key) {
        case 0: c.id = natural(in, "id"); break;
        case 1: c.pre.all = read_nodes(in, "pre", pre); break;
        case 2: c.post.all = read_nodes(in, "post", post); break;
        default: c.bytes = natural(in, "size_bytes");
      }
    });
    if ((seen & 7U) != 7U) throw BadJson{at, "a chunk requires 'id', 'pre' and 'post'"};
    chunks.push_back(c);
    sets.push_back(std::move(pre));
    sets.push_back(std::move(post));
  }

  void read_topology(JsonCursor& in) {
    static constexpr std::array<std::string_view, 5> keys = {"npu_count", "relay", "links", "switch", "network"};
    const char* const begin = in.here();
    std::optional<std::uint32_t> nodes;
    std::vector<std::uint32_t> relays;
    std::vector<std::uint32_t> switches;
    std::string network;
    std::vector<Schedule::Wire> wires;
    bool has_wires = false;
    read_object(in, keys, [&](std::size_t key) {
      switch (key) {
        case 0: nodes = integer<std::uint32_t>(in, "npu_count"); break;
        case 1: in.array([&] { relays.push_back(integer<std::uint32_t>(in, "relay")); }); break;
        case 3: in.array([&] { switches.push_back(integer<std::uint32_t>(in, "switch")); }); break;
        case 4: network = text(in); break;
        default: has_wires = true; in.array([&] { wires.push_back(read_wire(in)); });
      }
    });
    if (!nodes || !has_wires) throw BadJson{begin, "'topology' requires 'npu_count' and 'links'"};
    seen_ |= topology;
    to_.nodes_line = to_.relays_line = to_.wires_line = to_.switches_line = line(begin);
    to_.switches = std::move(switches);
    to_.schedule.network = std::move(network);
    to_.schedule.nodes = *nodes;
    to_.schedule.relays = std::move(relays);
    to_.schedule.wires = std::move(wires);
  }

  Schedule::Wire read_wire(JsonCursor& in) {
    static constexpr std::array<std::string_view, 5> keys = {"src", "dst", "bandwidth_GiBps", "latency_us",
                                                             "rounds"};
    Schedule::Wire l;
    unsigned seen = 0;
    const char* const at = in.here();
    l.line = line(at);
    read_object(in, keys, [&](std::size_t key) {
      seen |= 1U << key;
      switch (key) {
        case 0: l.src = integer<std::uint32_t>(in, "src"); break;
        case 1: l.dst = integer<std::uint32_t>(in, "dst"); break;
        case 2: l.bandwidth_gib_per_s = number(in, "bandwidth_GiBps"); break;
        case 3: l.latency_us = number(in, "latency_us"); break;
        default: l.rounds = integer<std::uint32_t>(in, "rounds");
      }
    });
    if ((seen & 15U) != 15U) throw BadJson{at, "a link requires 'src', 'dst', 'bandwidth_GiBps' and 'latency_us'"};
    return l;
  }

  void read_time(JsonCursor& in) {
    static constexpr std::array<std::string_view, 5> keys = {"model", "unit", "link_occupancy", "step_us",
                                                             "forwarding"};
    using Time = Schedule::Time;
    using Occupancy = Schedule::Occupancy;
    constexpr std::array<std::pair<std::string_view, Time>, 3> models = {
        {{"continuous", Time::continuous}, {"steps", Time::steps}, {"order", Time::order}}};
    constexpr std::array<std::pair<std::string_view, Occupancy>, 2> occupancies = {
        {{"alpha_beta", Occupancy::alpha_beta}, {"beta", Occupancy::beta}}};
    read_object(in, keys, [&](std::size_t key) {
      const char* const at = in.here();
      switch (key) {
        case 0: to_.schedule.time = word(in, "model", models); break;
        case 1:
          if (text(in) != "us") throw BadJson{at, "'unit' must be \"us\""};
          break;
        case 2: to_.schedule.occupancy = word(in, "link_occupancy", occupancies); break;
        case 4: to_.schedule.forwarding = text(in); break;
        default: to_.schedule.step_ps = microseconds(in, "step_us"); to_.step_line = line(at);
      }
    });
  }

  [[nodiscard]] std::uint32_t line(const char* at) const { return static_cast<std::uint32_t>(stream_.line_of(at)); }

  // Reads the id of a chunk, or [first, last].
  static void read_chunk_ids(JsonCursor& in, std::string_view key, std::vector<IdRun>& runs) {
    if (key == "chunk" || in.peek() != '[') {
      const std::int64_t id = natural(in, key);
      runs.push_back({id, id});
      return;
    }
    const char* const at = in.here();
    std::vector<std::int64_t> ends;
    in.array([&] {
      const std::int64_t id = natural(in, key);
      if (ends.size() < 3) ends.push_back(id);
    });
    if (ends.size() != 2 || ends[1] < ends[0] || ends[1] == std::numeric_limits<std::int64_t>::max())
      throw BadJson{at, "'chunks' must be a list of ids, and of [first, last]"};
    runs.push_back({ends[0], ends[1]});
  }

  // Reads a sequence number, or a list with one for each link of a route.
  static void read_turns(JsonCursor& in, std::vector<std::int64_t>& turns) {
    const char* const at = in.here();
    if (in.peek() == '[') {
      in.array([&] { turns.push_back(integer<std::int32_t>(in, "seq")); });
    } else {
      turns.push_back(integer<std::int32_t>(in, "seq"));
    }
    if (turns.empty()) throw BadJson{at, "'seq' is empty"};
  }

  // Reads "all", for which it returns true, or a list of nodes.
  static bool read_nodes(JsonCursor& in, std::string_view key, std::vector<std::uint32_t>& nodes) {
    if (in.peek() == '"') {
      const char* const at = in.here();
      if (text(in) != "all") throw BadJson{at, json_quoted(key) + " must be \"all\" or a list of nodes"};
      return true;
    }
    in.array([&] { nodes.push_back(integer<std::uint32_t>(in, key)); });
    return false;
  }

  ScheduleBuilder& to_;
  JsonStream& stream_;
  unsigned seen_ = 0;
  std::vector<IdRun> runs_;  // chunks of a transfer
};

}  // namespace

Schedule read_ten_json(std::string_view text, const std::string& file, const FormatOptions& options,
                       Diagnostics& diagnostics) {
  ScheduleBuilder builder(file);
  const auto input = memory_input(file, text);
  JsonStream stream(*input, "transfers", false);
  ScheduleReader reader(builder, stream);
  stream.read_all(reader);
  reader.check();
  if (!stream.seen_array()) throw builder.error(0, "'transfers' is missing");
  return builder.finish(options, diagnostics);
}

}  // namespace convert
