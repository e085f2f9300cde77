// SPDX-License-Identifier: MIT
#include "passes/ten/algorithm.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "passes/lower/call_range.h"

namespace convert {
namespace {

using Transfer = Schedule::Transfer;

struct BufferPlace {
  Buffer buffer = Buffer::input;
  std::int32_t offset = 0;
};

// Chooses the position of each chunk. Offsets follow the collective's layout, in which the shard of a rank is
// contiguous.
class Layout {
 public:
  explicit Layout(const Schedule& s) : s_(s), offset_(s.chunks.size()) { choose(); }

  // Returns the collective of the participants, which are all ranks except relays.
  [[nodiscard]] Collective collective() const { return collective_; }
  [[nodiscard]] bool relayed() const { return !s_.relays.empty(); }
  [[nodiscard]] bool inplace() const { return collective_ != Collective::all_to_all; }
  // Returns the number of chunks as MSCCL-IR counts them: in an all-to-all the chunks of one rank, in a gather or
  // scatter including the chunks that the root keeps.
  [[nodiscard]] std::int32_t chunks() const {
    if (collective_ == Collective::all_to_all) return std::max(1, per_pair_ * participants_);
    if (rooted_parts()) return std::max(1, per_part_ * participants_);
    return std::max(1, static_cast<std::int32_t>(s_.chunks.size()));
  }

  // Returns the position of a chunk at a node.
  [[nodiscard]] BufferPlace of(std::uint32_t chunk, std::uint32_t node) {
    const Schedule::Chunk& c = s_.chunks[chunk];
    if (dealt_) return {Buffer::input, deal(chunk, node)};
    if (collective_ == Collective::all_gather && !relayed()) return {Buffer::output, offset_[chunk]};
    if (collective_ != Collective::all_to_all || node == only(c.pre)) return {Buffer::input, offset_[chunk]};
    if (node == only(c.post)) return {Buffer::output, target_[chunk]};
    return {Buffer::scratch, deal(chunk, node)};
  }

  // Returns an unused position, for a redundant copy.
  [[nodiscard]] BufferPlace spare(std::uint32_t node) {
    return {Buffer::scratch, dealt_ ? spare_count_[node]++ : dealt_count_[node]++};
  }

  void fill(Gpu& gpu, std::uint32_t node) const {
    gpu.i_chunks = dealt_ ? dealt_count_[node] : chunks();
    gpu.s_chunks = dealt_ ? spare_count_[node] : dealt_count_[node];
    const bool pairs = collective_ == Collective::all_to_all;
    if (collective_ == Collective::custom || rooted_parts()) return;  // all chunks are in the input
    if (relayed() && !pairs) return;                                  // as above
    if (pairs && place_[node] < 0) {
      gpu.i_chunks = 0;
      return;
    }
    gpu.i_chunks = input_chunks(collective_, chunks(), participants_);
    gpu.o_chunks = output_chunks(collective_, chunks(), participants_);
    if (!pairs) return;
    // Add a copy for the chunks that a rank keeps, as no transfer moves them.
    for (std::int32_t k = 0; k < per_pair_; ++k) {
      const std::int32_t offset = place_[node] * per_pair_ + k;
      gpu.copies.push_back({.i_off = offset, .o_off = offset});
    }
  }

 private:
  void choose() {
    for (std::uint32_t c = 0; c < offset_.size(); ++c) offset_[c] = static_cast<std::int32_t>(c);
    place_.assign(s_.nodes, -1);
    for (std::uint32_t n = 0; n < s_.nodes; ++n) {
      if (!is_relay(s_, n)) place_[n] = participants_++;
    }
    dealt_count_.resize(s_.nodes);
    spare_count_.resize(s_.nodes);
    bool fits = false;
    switch (s_.collective) {
      case Collective::all_gather: fits = all_are(true) && number_by(false); break;
      case Collective::reduce_scatter: fits = all_are(false) && number_by(true); break;
      case Collective::all_reduce: fits = all_are(false) && all_are(true); break;
      case Collective::broadcast: fits = one_root(false) && all_are(true); break;
      case Collective::reduce: fits = all_are(false) && one_root(true); break;
      case Collective::all_to_all: fits = number_pairs(); break;
      case Collective::gather:
      case Collective::scatter: fits = number_parts(); break;
      default: break;
    }
    if (fits) {
      collective_ = s_.collective;
    } else {
      for (std::uint32_t c = 0; c < offset_.size(); ++c) offset_[c] = static_cast<std::int32_t>(c);
      constexpr std::uint64_t most_places = std::uint64_t{1} << 20U;
      dealt_ = std::uint64_t{s_.nodes} * s_.chunks.size() > most_places;
    }
  }

  // Returns the position that a chunk got on its first arrival at a node.
  [[nodiscard]] std::int32_t deal(std::uint32_t chunk, std::uint32_t node) {
    const auto [at, added] =
        dealt_at_.try_emplace(std::uint64_t{node} * s_.chunks.size() + chunk, dealt_count_[node]);
    if (added) ++dealt_count_[node];
    return at->second;
  }

  // Numbers the chunks by their only owner at the beginning, or with `post` at the end. Returns false if nodes own
  // different numbers of chunks.
  bool number_by(bool post) {
    const auto count = static_cast<std::uint32_t>(s_.chunks.size());
    const auto parts = static_cast<std::uint32_t>(participants_);
    if (parts == 0 || count % parts != 0) return false;
    const std::uint32_t each = count / parts;
    std::vector<std::uint32_t> next(parts, 0);
    for (std::uint32_t c = 0; c < count; ++c) {
      const std::uint32_t owner = only(post ? s_.chunks[c].post : s_.chunks[c].pre);
      if (owner == no_index || place_[owner] < 0) return false;
      const auto place = static_cast<std::uint32_t>(place_[owner]);
      if (next[place] == each) return false;
      offset_[c] = static_cast<std::int32_t>(place * each + next[place]++);
    }
    return true;
  }

  [[nodiscard]] bool rooted_parts() const {
    return collective_ == Collective::gather || collective_ == Collective::scatter;
  }

  // Numbers the chunks of a gather or scatter by the rank of their shard. The root's own shard mostly has no
  // chunks; its position then stays free. Returns false if another rank has fewer chunks than the others.
  bool number_parts() {
    const bool gathers = s_.collective == Collective::gather;
    std::vector<std::uint32_t> owner;
    std::uint32_t root = no_index;
    for (const Schedule::Chunk& c : s_.chunks) {
      const std::uint32_t from = only(c.pre), to = from == no_index ? no_index : only_other(c.post, from);
      if (to == no_index || place_[from] < 0 || place_[to] < 0) return false;
      owner.push_back(gathers ? from : to);
      const std::uint32_t end = gathers ? to : from;
      if (std::exchange(root, end) != end && owner.size() > 1) return false;
    }
    std::vector<std::int32_t> count(s_.nodes, 0);
    for (const std::uint32_t o : owner) ++count[o];
    per_part_ = count.empty() ? 0 : *std::ranges::max_element(count);
    for (std::uint32_t n = 0; n < s_.nodes; ++n) {
      const bool may_lack = place_[n] < 0 || (n == root && count[n] == 0);
      if (count[n] != per_part_ && !may_lack) return false;
    }
    if (std::int64_t{per_part_} * participants_ > std::numeric_limits<std::int32_t>::max()) return false;
    std::vector<std::int32_t> next(s_.nodes, 0);
    for (std::uint32_t c = 0; c < owner.size(); ++c) offset_[c] = place_[owner[c]] * per_part_ + next[owner[c]]++;
    return true;
  }

  bool number_pairs() {
    const auto n = static_cast<std::uint64_t>(participants_);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> next;
    for (const Schedule::Chunk& c : s_.chunks) {
      const std::pair key{only(c.pre), only(c.post)};
      if (key.first == no_index || key.second == no_index) return false;
      if (place_[key.first] < 0 || place_[key.second] < 0) return false;
      ++next[key];
    }
    if (next.empty()) return false;
    const std::int32_t each = next.begin()->second;
    const auto same = [&](const auto& pair) { return pair.second == each; };
    const auto own =
        std::ranges::count_if(next, [](const auto& pair) { return pair.first.first == pair.first.second; });
    const std::uint64_t others = next.size() - static_cast<std::uint64_t>(own);
    if (!std::ranges::all_of(next, same) || others != n * (n - 1)) return false;
    per_pair_ = each;
    for (auto& [key, count] : next) count = 0;
    target_.resize(s_.chunks.size());
    for (std::uint32_t c = 0; c < s_.chunks.size(); ++c) {
      const std::pair key{only(s_.chunks[c].pre), only(s_.chunks[c].post)};
      const std::int32_t k = next[key]++;
      offset_[c] = place_[key.second] * each + k;
      target_[c] = place_[key.first] * each + k;
    }
    return true;
  }

  [[nodiscard]] bool one_root(bool post) const {
    const auto root_of = [&](const Schedule::Chunk& c) { return only(post ? c.post : c.pre); };
    const std::uint32_t root = s_.chunks.empty() ? no_index : root_of(s_.chunks[0]);
    return root != no_index &&
           std::ranges::all_of(s_.chunks, [&](const Schedule::Chunk& c) { return root_of(c) == root; });
  }

  [[nodiscard]] std::uint32_t only(const Schedule::NodeSet& set) const {
    return !set.all && set.of.count == 1 ? listed(s_, set)[0] : no_index;
  }
  // Returns the only node in the set other than `own`, or `own` if there is no other.
  [[nodiscard]] std::uint32_t only_other(const Schedule::NodeSet& set, std::uint32_t own) const {
    if (set.all) return s_.nodes <= 2 ? s_.nodes - 1 - own : no_index;
    std::uint32_t found = own;
    for (const std::uint32_t n : listed(s_, set)) {
      if (n != own && std::exchange(found, n) != own) return no_index;
    }
    return found;
  }
  [[nodiscard]] bool all_are(bool post) const {
    return std::ranges::all_of(s_.chunks,
                               [&](const Schedule::Chunk& c) { return reaches_all(post ? c.post : c.pre); });
  }
  [[nodiscard]] bool reaches_all(const Schedule::NodeSet& set) const {
    if (set.all) return true;
    const auto takes_part = [&](std::uint32_t n) { return place_[n] >= 0; };
    return std::ranges::count_if(listed(s_, set), takes_part) == participants_;
  }

  const Schedule& s_;
  Collective collective_ = Collective::custom;
  std::int32_t participants_ = 0;
  std::vector<std::int32_t> place_;   // by node: its position among the participants; -1: a relay
  std::vector<std::int32_t> offset_;  // by chunk: in the layout
  std::vector<std::int32_t> target_;  // all-to-all: in the output of the receiver
  std::int32_t per_pair_ = 0;         // all-to-all: chunks from one rank to another
  std::int32_t per_part_ = 0;         // gather, scatter: chunks of a rank
  // Whether a node has positions only for chunks that arrive there, as a custom collective may have very many
  // others.
  bool dealt_ = false;
  std::unordered_map<std::uint64_t, std::int32_t> dealt_at_;
  std::vector<std::int32_t> dealt_count_;  // by node: used positions in scratch; if dealt_, in the input
  std::vector<std::int32_t> spare_count_;  // by node
};

class AlgorithmMaker {
 public:
  AlgorithmMaker(const Schedule& s, const Schedule& timed, const Flow& flow)
      : s_(s), timed_(timed), flow_(flow), layout_(s), wires_(s) {}

  Algorithm build() {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    if (s_.chunks.size() > most || s_.transfers.size() > most / 2) {
      throw input_error({.file = s_.file}, "a schedule of more than 2^30 transfers or chunks is too large");
    }
    a_.file = s_.file;
    a_.name = s_.name;
    a_.collective = s_.relays.empty() ? layout_.collective() : Collective::custom;
    a_.collective_text = msccl_name(a_.collective);
    a_.relays.assign(s_.relays.begin(), s_.relays.end());
    a_.among_others = layout_.collective();
    a_.chunks = layout_.chunks();
    a_.inplace = layout_.inplace();
    a_.scheduled = true;
    a_.claimed_ps = s_.claimed_ps;
    choose_calls();
    a_.scheduled_for = {network_of_schedule(s_), std::string(name(s_.occupancy)), "store"};
    add_transfers();

    // Both are sorted by node, then link, then time.
    std::vector<std::uint32_t> out = by_ends(timed_);
    std::vector<std::uint32_t> in = out;
    sort_by_node(s_, in, &Transfer::dst);
    add_turns();
    std::size_t next_in = 0;
    std::size_t next_out = 0;
    const auto take = [&](const std::vector<std::uint32_t>& from, std::size_t& next, auto&& mine) {
      const std::size_t first = next;
      while (next < from.size() && mine(s_.transfers[from[next]])) ++next;
      return std::span(from).subspan(first, next - first);
    };
    for (std::uint32_t node = 0; node < s_.nodes; ++node) {
      Gpu gpu;
      gpu.first_tb = static_cast<std::uint32_t>(a_.tbs.size());
      add_receiving(node, take(in, next_in, [&](const Transfer& t) { return t.dst == node; }), gpu);
      add_sending(node, take(out, next_out, [&](const Transfer& t) { return t.src == node; }), gpu);
      layout_.fill(gpu, node);
      a_.gpus.push_back(std::move(gpu));
    }
    return std::move(a_);
  }

 private:
  // Uses the largest chunk size, as MSCCL-IR has chunks of one size.
  void choose_calls() {
    std::int64_t bytes = 0;
    for (std::uint32_t c = 0; c < s_.chunks.size(); ++c) bytes = std::max(bytes, bytes_of(s_, c).value_or(0));
    if (bytes == 0 || bytes > std::numeric_limits<std::int64_t>::max() / a_.chunks) return;
    const CallRange calls = calls_around(bytes * a_.chunks);
    a_.min_bytes = calls.min;
    a_.max_bytes = calls.max;
  }

  // Chunks of a transfer that are contiguous at both ends: a message.
  struct Piece {
    std::uint32_t first = 0;  // of the transfer's chunks
    std::int32_t count = 1;
    BufferPlace src{};
    BufferPlace dst{};
    std::int32_t tb = 0;  // threadblock and position of its receiving step
    std::int32_t position = 0;
  };

  // Splits transfers into pieces, and numbers the pieces in the order of the flow.
  void add_transfers() {
    awaited_.resize(s_.transfers.size());
    for (const std::uint32_t p : flow_.parent_list) awaited_[p] = true;
    std::int64_t next_tag = 0;
    for (const Transfer& t : s_.transfers) next_tag = std::max<std::int64_t>(next_tag, std::int64_t{t.id} + 1);
    pieces_of_.resize(s_.transfers.size());
    for (const std::uint32_t i : flow_.order) {
      cut(i);
      for (std::uint32_t k = 0; k < pieces_of_[i].count; ++k) {
        const std::int64_t tag = k == 0 ? s_.transfers[i].id : next_tag++;
        if (tag > std::numeric_limits<std::int32_t>::max())
          throw input_error({.file = s_.file}, "a schedule of more than 2^31 messages is too large");
        add_message(i, pieces_[pieces_of_[i].begin + k], static_cast<std::int32_t>(tag));
      }
    }
  }

  void cut(std::uint32_t i) {
    const Transfer& t = s_.transfers[i];
    Range& own = pieces_of_[i];
    own.begin = static_cast<std::uint32_t>(pieces_.size());
    for (std::uint32_t k = 0; k < chunk_count(t); ++k) {
      const std::uint32_t chunk = chunk_at(s_, t, k);
      const BufferPlace src = layout_.of(chunk, t.src);
      // A redundant copy goes to an unused position.
      const BufferPlace dst = flow_.redundant[cargo_at(s_, i, k)] ? layout_.spare(t.dst) : layout_.of(chunk, t.dst);
      const auto follows = [](const BufferPlace& a, std::int32_t count, const BufferPlace& b) {
        return a.buffer == b.buffer && a.offset + count == b.offset;
      };
      if (k > 0 && pieces_.back().count < max_step_chunks &&
          follows(pieces_.back().src, pieces_.back().count, src) &&
          follows(pieces_.back().dst, pieces_.back().count, dst)) {
        ++pieces_.back().count;
      } else {
        pieces_.push_back({.first = k, .src = src, .dst = dst});
      }
    }
    own.count = static_cast<std::uint32_t>(pieces_.size()) - own.begin;
  }

  void add_message(std::uint32_t i, const Piece& piece, std::int32_t tag) {
    const Transfer& t = s_.transfers[i];
    const bool told = s_.time == Schedule::Time::continuous || (s_.time == Schedule::Time::steps && s_.step_ps);
    const std::int64_t unit = s_.time == Schedule::Time::steps ? s_.step_ps.value_or(1) : 1;
    const auto ps = [&](std::int64_t time) {
      std::int64_t out = 0;
      return !told || __builtin_mul_overflow(time, unit, &out) ? -1 : out;
    };
    std::optional<std::int64_t> bytes = 0;
    for (std::int32_t k = 0; k < piece.count && bytes; ++k) {
      const auto own = bytes_of(s_, chunk_at(s_, t, piece.first + static_cast<std::uint32_t>(k)));
      bytes = own ? std::optional(*bytes + *own) : std::nullopt;
    }
    a_.transfers.push_back({.tag = tag,
                            .chunk = s_.chunks[chunk_at(s_, t, piece.first)].id,
                            .bytes = bytes,
                            .start_ps = ps(t.start),
                            .end_ps = ps(t.end),
                            .wire = wires_.find(t.src, leg_at(s_, i, 0).dst)});
  }

  // Numbers the messages of each link in their order.
  void add_turns() {
    for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) {
      const std::uint32_t hops = leg_count(s_.transfers[i]);
      for (std::uint32_t p = pieces_of_[i].begin; p < pieces_of_[i].begin + pieces_of_[i].count; ++p) {
        a_.transfers[p].hops = {static_cast<std::uint32_t>(a_.hops.size()), hops};
        for (std::uint32_t h = 0; h < hops; ++h) a_.hops.push_back({.to = leg_at(s_, i, h).dst});
      }
    }
    const Leg* before = nullptr;
    std::int64_t turn = 0;
    const std::vector<Leg> legs = legs_by_wire(timed_);
    for (const Leg& leg : legs) {
      if (before == nullptr || before->src != leg.src || before->dst != leg.dst) turn = 0;
      before = &leg;
      const Range& pieces = pieces_of_[leg.transfer];
      for (std::uint32_t p = pieces.begin; p < pieces.begin + pieces.count; ++p)
        a_.hops[a_.transfers[p].hops.begin + leg.hop].turn = turn++;
    }
  }

  void add_receiving(std::uint32_t node, std::span<const std::uint32_t> transfers, Gpu& gpu) {
    std::uint32_t from = no_index;
    for (const std::uint32_t i : transfers) {
      const Transfer& t = s_.transfers[i];
      if (t.src != from) begin_tb(-1, static_cast<std::int32_t>(t.src), gpu);
      from = t.src;
      for (std::uint32_t p = pieces_of_[i].begin; p < pieces_of_[i].begin + pieces_of_[i].count; ++p) {
        Step step = step_of(i, p, t.op == Schedule::Op::reduce ? StepType::rrc : StepType::recv, node);
        step.hasdep = awaited_[i];
        pieces_[p].tb = static_cast<std::int32_t>(gpu.tb_count - 1);
        pieces_[p].position = static_cast<std::int32_t>(a_.tbs.back().step_count);
        add_step(step);
      }
    }
  }

  // Adds the sending steps of a link. A transfer starts when all its chunks are available. As a step has one
  // dependency, each further dependency gets a nop before it.
  void add_sending(std::uint32_t node, std::span<const std::uint32_t> transfers, Gpu& gpu) {
    std::uint32_t to = no_index;
    std::vector<std::uint32_t> awaited;  // pieces
    for (const std::uint32_t i : transfers) {
      const Transfer& t = s_.transfers[i];
      if (t.dst != to) begin_tb(static_cast<std::int32_t>(t.dst), -1, gpu);
      to = t.dst;
      awaited.clear();
      for (const std::uint32_t parent : flow_.parents_of(i)) {
        const Range& of = pieces_of_[parent];
        for (std::uint32_t p = of.begin; p < of.begin + of.count; ++p) awaited.push_back(p);
      }
      for (std::uint32_t p = pieces_of_[i].begin; p < pieces_of_[i].begin + pieces_of_[i].count; ++p) {
        Step step = step_of(i, p, StepType::send, node);
        for (std::size_t k = 0; k < awaited.size(); ++k) {
          const Piece& at = pieces_[awaited[k]];
          step.depid = at.tb;
          step.deps = at.position;
          if (k + 1 < awaited.size()) {
            add_step({.type = StepType::nop, .depid = at.tb, .deps = at.position, .line = t.line});
          }
        }
        add_step(step);
      }
    }
  }

  void begin_tb(std::int32_t send, std::int32_t recv, Gpu& gpu) {
    a_.tbs.push_back({.send = send, .recv = recv, .first_step = static_cast<std::uint32_t>(a_.steps.size())});
    ++gpu.tb_count;
  }

  void add_step(const Step& step) {
    a_.steps.push_back(step);
    ++a_.tbs.back().step_count;
  }

  // Pieces have the same numbers as the algorithm's transfers.
  [[nodiscard]] Step step_of(std::uint32_t i, std::uint32_t piece, StepType type, std::uint32_t node) const {
    const Transfer& t = s_.transfers[i];
    const Piece& p = pieces_[piece];
    const BufferPlace& place = node == t.dst ? p.dst : p.src;
    return {.type = type,
            .src_buf = place.buffer,
            .dst_buf = place.buffer,
            .src_off = place.offset,
            .dst_off = place.offset,
            .cnt = p.count,
            .line = t.line,
            .transfer = piece};
  }

  const Schedule& s_;
  const Schedule& timed_;
  const Flow& flow_;
  Layout layout_;
  WireIndex wires_;
  Algorithm a_;
  std::vector<Piece> pieces_;
  std::vector<Range> pieces_of_;  // by transfer, into pieces_
  std::vector<bool> awaited_;     // by transfer
};

}  // namespace

Algorithm make_algorithm(const Schedule& schedule, const Schedule& timed, const Flow& flow) {
  return AlgorithmMaker(schedule, timed, flow).build();
}

}  // namespace convert
