// SPDX-License-Identifier: MIT
// TE-CCL's JSON: flows of chunks over links by epoch. It tells no bandwidths, latencies or sizes. Participants are
// who demands something; other nodes are relays.
#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "core/units.h"
#include "formats/json_stream.h"
#include "formats/json_tokens.h"
#include "formats/ten/builder.h"
#include "formats/ten/ten.h"

namespace convert {
namespace {

constexpr double ps_per_s = 1e12;

struct ChunkKey {
  std::uint32_t origin = 0;
  std::uint32_t index = 0;
  friend auto operator<=>(const ChunkKey&, const ChunkKey&) = default;
};

struct Flow {
  ChunkKey chunk;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint32_t epoch = 0;
  std::uint32_t line = 0;
};

// Takes words and numbers off the front of a sentence: take("Chunk ").number(chunk).take(" from ")….
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
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool whole() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

class Reader final : public JsonItems {
 public:
  Reader(ScheduleBuilder& to, JsonStream& stream) : to_(to), stream_(stream) {}

  void member(std::string_view key, JsonCursor& in) override;
  void element(JsonCursor& in) override;
  void undo() override {}
  void build();

 private:
  using Demands = std::map<ChunkKey, std::vector<std::uint32_t>>;
  using Arrivals = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, ChunkKey>, std::uint32_t>;

  static Picoseconds seconds(JsonCursor& in, std::string_view key);
  static std::uint32_t numbered(JsonCursor& in, std::string_view word);
  template <class Take>
  static void read_object(JsonCursor& in, const Take& take);
  static Demands read_demands(JsonCursor& in, std::vector<std::uint32_t>& participants);
  static Arrivals read_paths(JsonCursor& in);
  void add_chunks();
  void add_transfers();

  ScheduleBuilder& to_;
  JsonStream& stream_;
  std::vector<Flow> flows_;
  Demands demands_;
  std::vector<std::uint32_t> participants_;
  Arrivals arrivals_;  // src, dst, epoch, chunk → the epoch in which it has arrived
};

template <class Take>
void Reader::read_object(JsonCursor& in, const Take& take) {
  in.expect('{');
  if (in.take('}')) return;
  do {
    take();
  } while (in.take(','));
  in.expect('}');
}

Picoseconds Reader::seconds(JsonCursor& in, std::string_view key) {
  const std::string_view token = in.scalar();
  const auto value = is_json_number(token) ? parse_ps(token, ps_per_s) : std::nullopt;
  if (!value) throw BadJson{token.data(), json_quoted(key) + " must be seconds from 0 on, and less than 53 days"};
  return *value;
}

// A key such as "GPU 3", and the colon behind it.
std::uint32_t Reader::numbered(JsonCursor& in, std::string_view word) {
  const char* const at = in.here();
  std::uint32_t number = 0;
  const std::string_view key = in.string();
  if (!Sentence(key).take(word).number(number).whole() || number >= max_schedule_nodes) {
    throw BadJson{at, "a key such as \"" + std::string(word) + "0\" is expected"};
  }
  in.expect(':');
  return number;
}

Reader::Demands Reader::read_demands(JsonCursor& in, std::vector<std::uint32_t>& participants) {
  Demands out;
  read_object(in, [&] {
    const std::uint32_t node = numbered(in, "GPU ");
    participants.push_back(node);
    read_object(in, [&] {
      const std::uint32_t origin = numbered(in, "GPU ");
      read_object(in, [&] {
        const std::uint32_t index = numbered(in, "Chunk ");
        (void)seconds(in, "6-Demand_Met");
        out[{origin, index}].push_back(node);
      });
    });
  });
  return out;
}

// The last hop of each path is the flow that meets the demand.
Reader::Arrivals Reader::read_paths(JsonCursor& in) {
  Arrivals out;
  read_object(in, [&] {
    const char* const at = in.here();
    std::uint32_t node = 0, epoch = 0, src = 0, dst = 0, sent = 0;
    ChunkKey chunk;
    Sentence demand(in.string());
    demand.take("Demand at ").number(node).take(" for chunk ").number(chunk.index);
    demand.take(" from ").number(chunk.origin).take(" met by epoch ").number(epoch);
    in.expect(':');
    in.expect('[');
    bool hops = true;
    do {
      hops =
          Sentence(in.string()).number(src).take("->").number(dst).take(" in epoch ").number(sent).good() && hops;
    } while (in.take(','));
    in.expect(']');
    if (!demand.whole() || !hops || dst != node || epoch < sent) {
      throw BadJson{at, "\"Demand at N for chunk C from N met by epoch E\": [\"N->N in epoch E\", …] is expected"};
    }
    out[{src, dst, sent, chunk}] = epoch;
  });
  return out;
}

void Reader::member(std::string_view key, JsonCursor& in) {
  if (key == "1-Epoch_Duration") {
    to_.schedule.step_ps = seconds(in, key);
  } else if (key == "4-Collective_Finish_Time") {
    to_.schedule.claimed_ps = seconds(in, key);
  } else if (key == "6-Demand_Met") {
    std::vector<std::uint32_t> participants;
    demands_ = read_demands(in, participants);
    participants_ = std::move(participants);
  } else if (key == "8-Chunk paths") {
    arrivals_ = read_paths(in);
  } else {
    (void)in.value();  // bounds, speeds of the solver: nothing about the schedule
  }
}

void Reader::element(JsonCursor& in) {
  const char* const at = in.here();
  Flow f;
  Sentence flow(in.string());
  flow.take("Chunk ").number(f.chunk.index).take(" from ").number(f.chunk.origin).take(" traveled over ");
  flow.number(f.src).take("->").number(f.dst).take(" in epoch ").number(f.epoch);
  if (!flow.good() || f.src >= max_schedule_nodes || f.dst >= max_schedule_nodes ||
      f.epoch >= std::uint32_t{1} << 30U) {
    throw BadJson{at, "\"Chunk C from N traveled over N->N in epoch E\" is expected"};
  }
  f.line = static_cast<std::uint32_t>(stream_.line_of(at));
  flows_.push_back(f);
}

void Reader::add_chunks() {
  Schedule& s = to_.schedule;
  std::sort(participants_.begin(), participants_.end());
  for (const std::uint32_t n : participants_) s.nodes = std::max(s.nodes, n + 1);
  for (const Flow& f : flows_) s.nodes = std::max({s.nodes, f.src + 1, f.dst + 1});
  for (std::uint32_t n = 0; n < s.nodes; ++n) {
    if (!std::binary_search(participants_.begin(), participants_.end(), n)) s.relays.push_back(n);
  }
  s.collective = Collective::allgather;
  for (auto& [key, nodes] : demands_) {
    nodes.push_back(key.origin);
    Schedule::Chunk c{.id = static_cast<std::int64_t>(s.chunks.size()), .bytes = {}, .pre = {}, .post = {}};
    c.pre = to_.add_set({key.origin}, 0);
    const bool to_all = nodes.size() == participants_.size();
    if (!to_all) s.collective = Collective::custom;
    c.post = to_.add_set(nodes, 0);
    s.chunks.push_back(c);
  }
}

void Reader::add_transfers() {
  for (const Flow& f : flows_) {
    const auto at = demands_.find(f.chunk);
    if (at == demands_.end()) {
      throw to_.error(f.line, "nobody demands chunk " + std::to_string(f.chunk.index) + " of node " +
                                  std::to_string(f.chunk.origin));
    }
    const auto met = arrivals_.find({f.src, f.dst, f.epoch, f.chunk});
    const std::int64_t arrival = met == arrivals_.end() ? f.epoch : met->second;
    const Schedule::Transfer t{.start = f.epoch,
                               .end = arrival + 1,
                               .id = static_cast<std::int32_t>(to_.schedule.transfers.size()),
                               .src = f.src,
                               .dst = f.dst,
                               .line = f.line};
    to_.add_transfer(t, std::distance(demands_.begin(), at), Schedule::Time::steps);
  }
}

void Reader::build() {
  Schedule& s = to_.schedule;
  s.name = "te-ccl";
  s.time = Schedule::Time::steps;
  s.occupancy = Schedule::Occupancy::beta;  // an epoch for the bytes, further ones until they have arrived
  s.links_told = false;
  add_chunks();
  add_transfers();
}

}  // namespace

Schedule read_teccl(std::string_view text, const std::string& file, const FormatOptions& options,
                    Diagnostics& diagnostics) {
  ScheduleBuilder builder(file);
  const auto input = memory_input(file, text);
  JsonStream stream(*input, "7-Flows", false);
  Reader reader(builder, stream);
  while (stream.read_some(reader)) {
  }
  if (!stream.seen_array()) throw builder.error(0, "'7-Flows' is missing");
  reader.build();
  return builder.finish(options, diagnostics);
}

}  // namespace convert
