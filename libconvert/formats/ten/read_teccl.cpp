// SPDX-License-Identifier: MIT
// Reader of TE-CCL's JSON: flows of chunks over links by epoch. It has no bandwidths, latencies or sizes; the
// demands alone define the collective. Participants are the nodes that give or demand a chunk; other nodes are
// relays.
//
// All-gathers have the members 6-Demand_Met, 7-Flows and 8-Chunk paths, and flows of whole chunks. In all-to-alls,
// flows have a volume, paths contain the demands, and the numbers before the names differ.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "core/algorithm/chunk_bytes.h"
#include "core/algorithm/demands.h"
#include "core/units.h"
#include "formats/json/stream.h"
#include "formats/json/tokens.h"
#include "formats/ten/builder.h"
#include "formats/ten/teccl.h"
#include "formats/ten/ten.h"

namespace convert {
namespace {

constexpr double ps_per_s = 1e12;

using teccl::ChunkKey;
using teccl::Flow;
using teccl::Path;

// Parser of a sentence of words and numbers: take("Chunk ").number(chunk).take(" from ")….
class Sentence {
 public:
  explicit Sentence(std::string_view text) : rest_(text) {}
  Sentence& take(std::string_view words) {
    good_ = good_ && rest_.starts_with(words);
    if (good_) rest_.remove_prefix(words.size());
    return *this;
  }
  Sentence& number(std::uint32_t& out) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    good_ = good_ && error == std::errc();
    if (good_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return *this;
  }
  Sentence& number(double& out) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    good_ = good_ && error == std::errc();
    if (good_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return *this;
  }
  [[nodiscard]] bool next_is(std::string_view words) const { return good_ && rest_.starts_with(words); }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool whole() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

class TecclReader final : public JsonItems {
 public:
  TecclReader(ScheduleBuilder& to, JsonStream& stream, Diagnostics& diagnostics)
      : to_(to), stream_(stream), diagnostics_(diagnostics) {}

  void member(std::string_view key, JsonCursor& in) override {
    if (key == "1-Epoch_Duration") {
      to_.schedule.step_ps = seconds(in, key);
    } else if (key == "4-Collective_Finish_Time") {
      to_.schedule.claimed_ps = seconds(in, key);
    } else if (key == "6-Demand_Met") {
      std::vector<std::uint32_t> participants;
      demands_ = read_demands(in, participants);
      participants_ = std::move(participants);
    } else if (key == "8-Chunk paths" || key == "7-chunk paths") {
      paths_ = read_paths(in);
    } else {
      (void)in.value();  // bounds, speed of the solver: not part of the schedule
    }
  }

  void element(JsonCursor& in) override {
    const char* const at = in.here();
    Flow f;
    Sentence flow(in.string());
    flow.take("Chunk ").number(f.chunk.index).take(" from ").number(f.chunk.origin).take(" traveled over ");
    if (!read_way(flow, f)) throw BadJson{at, "\"Chunk C from N traveled over N->N in epoch E\" is expected"};
    f.line = static_cast<std::uint32_t>(stream_.line_of(at));
    flows_.push_back(f);
  }

  void undo() override {}

  // Returns the number of parts into which each chunk is split. `claimed`: the user gave the collective.
  std::uint32_t build(bool claimed) {
    const std::uint32_t parts = add_all();
    if (!claimed) recognise();
    return parts;
  }

 private:
  using Demands = std::map<ChunkKey, std::vector<std::uint32_t>>;

  static Picoseconds seconds(JsonCursor& in, std::string_view key) {
    const std::string_view token = in.scalar();
    const auto value = is_json_number(token) ? parse_ps(token, ps_per_s) : std::nullopt;
    if (!value)
      throw BadJson{token.data(),
                    json_quoted(key) + " must be a number of seconds of at least 0 and less than 53 days"};
    return *value;
  }

  // Consumes a key such as "GPU 3" and the colon after it. Returns its number.
  static std::uint32_t numbered(JsonCursor& in, std::string_view word) {
    const char* const at = in.here();
    std::uint32_t number = 0;
    const std::string_view key = in.string();
    if (!Sentence(key).take(word).number(number).whole() || number >= max_schedule_nodes) {
      throw BadJson{at, "a key such as \"" + std::string(word) + "0\" is expected"};
    }
    in.expect(':');
    return number;
  }

  static Demands read_demands(JsonCursor& in, std::vector<std::uint32_t>& participants) {
    Demands out;
    in.object([&] {
      const std::uint32_t node = numbered(in, "GPU ");
      participants.push_back(node);
      in.object([&] {
        const std::uint32_t origin = numbered(in, "GPU ");
        in.object([&] {
          const std::uint32_t index = numbered(in, "Chunk ");
          (void)seconds(in, "6-Demand_Met");
          out[{origin, index}].push_back(node);
        });
      });
    });
    return out;
  }

  std::vector<Path> read_paths(JsonCursor& in) {
    std::vector<Path> out;
    in.object([&] {
      const char* const at = in.here();
      Path demand;
      Sentence text(in.string());
      text.take("Demand at ").number(demand.node).take(" for chunk ").number(demand.chunk.index);
      text.take(" from ").number(demand.chunk.origin).take(" met by epoch ").number(demand.met);
      if (!text.whole() || demand.met >= std::uint32_t{1} << 30U)
        throw BadJson{at, "\"Demand at N for chunk C from N met by epoch E\" is expected"};
      in.expect(':');
      in.expect('[');
      const std::size_t first = out.size();
      if (in.peek() == '[') {
        do {
          out.push_back(read_weighted(in, demand));
        } while (in.take(','));
      } else {
        do {
          read_hop(in, demand);
        } while (in.take(','));
        out.push_back(demand);
      }
      in.expect(']');
      for (std::size_t i = first; i < out.size(); ++i) {
        const Path& p = out[i];
        const bool begins = !weighted_ || p.hops.front().src == p.chunk.origin;
        if (!begins || p.hops.back().dst != p.node || p.met < p.hops.back().epoch)
          throw BadJson{at, "the path does not lead from the chunk to the node of the demand in time"};
      }
    });
    return out;
  }

  void read_hop(JsonCursor& in, Path& path) {
    const char* const at = in.here();
    Sentence text(in.string());
    Flow hop{.chunk = path.chunk};
    if (!read_way(text, hop))
      throw BadJson{at, "\"N->N in epoch E\" or \"N->N with volume V in epoch E\" is expected"};
    hop.line = static_cast<std::uint32_t>(stream_.line_of(at));
    const bool joins = path.hops.empty() || (path.hops.back().dst == hop.src && path.hops.back().epoch < hop.epoch);
    if (weighted_ && (!joins || (!path.hops.empty() && std::abs(path.hops[0].volume - hop.volume) > 1e-6)))
      throw BadJson{at, "the hops of a path must be consecutive and have one volume"};
    path.hops.push_back(hop);
  }

  // Reads [[epoch, "N->N with volume V in epoch E"], …].
  Path read_weighted(JsonCursor& in, const Path& demand) {
    Path path = demand;
    in.expect('[');
    do {
      in.expect('[');
      (void)in.scalar();
      in.expect(',');
      read_hop(in, path);
      in.expect(']');
    } while (in.take(','));
    in.expect(']');
    return path;
  }

  // Reads "N->N[ with volume V] in epoch E". Returns false if the text has another form.
  bool read_way(Sentence& text, Flow& flow) {
    text.number(flow.src).take("->").number(flow.dst);
    if (text.next_is(" with volume ")) {
      text.take(" with volume ").number(flow.volume);
      weighted_ = true;
    }
    text.take(" in epoch ").number(flow.epoch);
    return text.good() && flow.src < max_schedule_nodes && flow.dst < max_schedule_nodes &&
           flow.epoch < std::uint32_t{1} << 30U && flow.volume > 0 && flow.volume < 1e6;
  }

  std::uint32_t add_all() {
    Schedule& s = to_.schedule;
    s.name = "te-ccl";
    s.time = Schedule::Time::steps;
    s.occupancy = Schedule::Occupancy::beta;  // an epoch for the bytes, further epochs until they arrive
    s.wires_told = false;
    if (weighted_) {
      if (paths_.empty())
        throw to_.error(0, "the paths of the demands are missing ('7-chunk paths', '8-Chunk paths')");
      return teccl::add_parts(std::move(paths_), flows_, to_, diagnostics_);
    }
    add_chunks();
    add_transfers();
    return 1;
  }

  void add_chunks() {
    Schedule& s = to_.schedule;
    for (const auto& demand : demands_) participants_.push_back(demand.first.origin);
    std::ranges::sort(participants_);
    participants_.erase(std::unique(participants_.begin(), participants_.end()), participants_.end());
    for (const std::uint32_t n : participants_) s.nodes = std::max(s.nodes, n + 1);
    for (const Flow& f : flows_) s.nodes = std::max({s.nodes, f.src + 1, f.dst + 1});
    for (std::uint32_t n = 0; n < s.nodes; ++n) {
      if (!std::ranges::binary_search(participants_, n)) s.relays.push_back(n);
    }
    const auto one_node = [](const auto& demand) { return demand.second.size() == 1; };
    pairs_ = participants_.size() > 2 && std::ranges::all_of(demands_, one_node);
    for (auto& [key, nodes] : demands_) {
      if (!pairs_ && std::ranges::find(nodes, key.origin) == nodes.end()) nodes.push_back(key.origin);
      Schedule::Chunk c{.id = static_cast<std::int64_t>(s.chunks.size()), .bytes = {}, .pre = {}, .post = {}};
      c.pre = to_.add_set({key.origin}, 0);
      c.post = to_.add_set(nodes, 0);
      s.chunks.push_back(c);
    }
  }

  void add_transfers() {
    // The last hop of a path is the flow that meets the demand.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, ChunkKey>, std::uint32_t> arrivals;
    for (const Path& p : paths_) {
      const Flow& last = p.hops.back();
      arrivals[{last.src, last.dst, last.epoch, p.chunk}] = p.met;
    }
    for (const Flow& f : flows_) {
      const auto at = demands_.find(f.chunk);
      if (at == demands_.end()) {
        throw to_.error(f.line, "no node demands chunk " + std::to_string(f.chunk.index) + " of node " +
                                    std::to_string(f.chunk.origin));
      }
      const auto met = arrivals.find({f.src, f.dst, f.epoch, f.chunk});
      const std::int64_t arrival = met == arrivals.end() ? f.epoch : met->second;
      const Schedule::Transfer t{.start = f.epoch,
                                 .end = arrival + 1,
                                 .id = static_cast<std::int32_t>(to_.schedule.transfers.size()),
                                 .src = f.src,
                                 .dst = f.dst,
                                 .line = f.line};
      to_.add_transfer(t, std::distance(demands_.begin(), at), Schedule::Time::steps);
    }
  }

  // Sets the collective if the demands match it; otherwise leaves it custom.
  void recognise() {
    Schedule& s = to_.schedule;
    const Collective near = weighted_ || pairs_ ? Collective::all_to_all : Collective::all_gather;
    const std::vector<DemandFinding> missing = missing_demands(s, near, false);
    if (missing.empty()) {
      s.collective = near;
      return;
    }
    const std::string name(convert::name(near));
    diagnostics_.warning({.file = s.file, .line = missing.front().line}, "R7",
                         "the demands do not match " + name + " and are taken as custom: " + missing.front().what,
                         {"hint: --from ten,collective=" + name + " reports an error instead"});
  }

  ScheduleBuilder& to_;
  JsonStream& stream_;
  std::vector<Flow> flows_;
  Demands demands_;
  std::vector<std::uint32_t> participants_;
  Diagnostics& diagnostics_;
  std::vector<Path> paths_;
  bool weighted_ = false;
  bool pairs_ = false;  // each chunk is for one node
};

// Sets the sizes of the parts of each chunk: they differ by at most one byte and sum to the chunk's size.
void size_parts(Schedule& s, std::uint32_t parts) {
  for (std::size_t c = 0; c < s.chunks.size(); ++c)
    s.chunks[c].bytes = part_bytes(*s.chunk_bytes, parts, static_cast<std::int64_t>(c % parts));
}

}  // namespace

Schedule read_teccl(std::string_view text, const std::string& file, const FormatOptions& options,
                    Diagnostics& diagnostics) {
  ScheduleBuilder builder(file);
  const auto input = memory_input(file, text);
  const bool six = text.find("\"6-Flows\"") != std::string_view::npos;
  JsonStream stream(*input, six ? "6-Flows" : "7-Flows", false);
  TecclReader reader(builder, stream, diagnostics);
  stream.read_all(reader);
  if (!stream.seen_array()) throw builder.error(0, "'7-Flows' (or '6-Flows') is missing");
  const std::uint32_t parts = reader.build(options.get("collective").has_value());
  Schedule schedule = builder.finish(options, diagnostics);
  if (parts > 1 && schedule.chunk_bytes) {
    if (*schedule.chunk_bytes < parts)
      throw builder.error(0, "a chunk is split into " + counted(parts, "part") + ": chunk_size must be " +
                                 counted(parts, "byte") + " or more");
    size_parts(schedule, parts);
  }
  return schedule;
}

}  // namespace convert
