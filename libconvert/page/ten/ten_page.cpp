// SPDX-License-Identifier: MIT
#include "page/ten/ten_page.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "util/json_writer.h"

namespace convert {
namespace {

using Ints = std::vector<std::int32_t>;
using Doubles = std::vector<double>;

// Collects transfers and chunks of a schedule or an algorithm.
class Collector {
 public:
  explicit Collector(const TenPageOptions& options) : options_(options) {}

  void add_chunk(std::int64_t id, std::optional<std::int64_t> bytes, std::span<const std::uint32_t> pre,
                 bool pre_all, std::span<const std::uint32_t> post, bool post_all) {
    const bool wanted = options_.chunks.empty() || std::ranges::any_of(options_.chunks, [&](const IdRun& run) {
                          return run.first <= id && id <= run.last;
                        });
    number_.push_back(wanted ? static_cast<std::int32_t>(chunk_id_.size()) : -1);
    if (!wanted) return;
    chunk_id_.push_back(static_cast<double>(id));
    chunk_bytes_.push_back(static_cast<double>(bytes.value_or(-1)));
    add_set(pre, pre_all, pre_count_, pre_node_);
    add_set(post, post_all, post_count_, post_node_);
  }

  // Adds a transfer of chunks, numbered in order of addition (no_index: a mixture), with the contributions held.
  // Returns whether it carries a selected chunk.
  struct Piece {
    std::uint32_t chunk;
    std::int32_t held;
  };
  struct Times {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t busy;  // how long the link is occupied
  };
  bool add_transfer(std::int32_t id, const Times& times, std::uint32_t src, std::uint32_t dst, bool reduces,
                    std::span<const Piece> pieces) {
    const std::size_t before = cargo_chunk_.size();
    std::uint32_t last = no_index;
    for (const Piece& p : pieces) {
      if (p.chunk == no_index ? !options_.chunks.empty() : number_[p.chunk] < 0) continue;
      if (p.chunk == last && cargo_chunk_.size() > before) continue;  // copies of one chunk
      last = p.chunk;
      cargo_chunk_.push_back(p.chunk == no_index ? -1 : number_[p.chunk]);
      cargo_held_.push_back(p.held);
    }
    if (cargo_chunk_.size() == before && !pieces.empty()) {
      ++left_out_;
      return false;
    }
    cargo_count_.push_back(static_cast<std::int32_t>(cargo_chunk_.size() - before));
    id_.push_back(id);
    begin_.push_back(static_cast<double>(times.begin));
    end_.push_back(static_cast<double>(times.end));
    busy_.push_back(static_cast<double>(times.busy));
    src_.push_back(static_cast<std::int32_t>(src));
    dst_.push_back(static_cast<std::int32_t>(dst));
    op_.push_back(reduces ? 1 : 0);
    return true;
  }

  // Returns the number of a chunk on the page; -1: it is omitted.
  [[nodiscard]] std::int32_t number(std::uint32_t chunk) const { return number_[chunk]; }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

  void check(const std::string& file, std::uint64_t npus) const {
    if (!options_.chunks.empty() && chunk_id_.empty())
      throw usage_error("--chunks: " + file + " has no such chunk; it has " + counted(number_.size(), "chunk") +
                        ", numbered from 0");
    if (npus * chunk_id_.size() > TenPage::most_places) {
      throw input_error({.file = file}, counted(npus, "NPU") + " and " + counted(chunk_id_.size(), "chunk") +
                                            " exceed the limit of a page; choose chunks, such as --chunks 0-7");
    }
    const std::size_t most = std::max(src_.size(), cargo_chunk_.size());
    if (most <= TenPage::most_transfers) return;
    throw input_error({.file = file}, counted(most, "transfer") + " exceed the " +
                                          std::to_string(TenPage::most_transfers) +
                                          " that a page shows; choose chunks, such as --chunks 0-7");
  }

  void take(std::vector<Column>& out) && {
    using enum Column::Code;
    out.push_back({"id", std::move(id_), delta});
    out.push_back({"begin", std::move(begin_), delta});
    out.push_back({"end", std::move(end_), delta});
    out.push_back({"busy", std::move(busy_), dict});
    out.push_back({"src", std::move(src_), dict});
    out.push_back({"dst", std::move(dst_), dict});
    out.push_back({"op", std::move(op_)});
    out.push_back({"cargo_count", std::move(cargo_count_), dict});
    out.push_back({"cargo_chunk", std::move(cargo_chunk_), delta});
    out.push_back({"cargo_held", std::move(cargo_held_), dict});
    out.push_back({"chunk_id", std::move(chunk_id_), delta});
    out.push_back({"chunk_bytes", std::move(chunk_bytes_), delta});
    out.push_back({"pre_count", std::move(pre_count_), dict});
    out.push_back({"pre_node", std::move(pre_node_), delta});
    out.push_back({"post_count", std::move(post_count_), dict});
    out.push_back({"post_node", std::move(post_node_), delta});
  }

 private:
  static void add_set(std::span<const std::uint32_t> nodes, bool all, Ints& count, Ints& list) {
    count.push_back(all ? -1 : static_cast<std::int32_t>(nodes.size()));
    if (!all) list.insert(list.end(), nodes.begin(), nodes.end());
  }

  const TenPageOptions& options_;
  Ints number_;
  Doubles begin_, end_, busy_, chunk_id_, chunk_bytes_;
  Ints id_, src_, dst_, cargo_count_, cargo_chunk_, cargo_held_, pre_count_, pre_node_, post_count_, post_node_;
  std::vector<std::uint8_t> op_;
  std::size_t left_out_ = 0;
};

// Pages contain file names without folders.
std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string place_of(const Diagnostic& d) {
  Location place = d.where;
  place.file = file_name(place.file);
  return format_location(place);
}

void write_judgement(JsonWriter& w, const Judgement& judgement) {
  const Verdict& v = judgement.verdict;
  const bool refuted = v.outcome == Verdict::Outcome::refuted;
  w.key("verdict").begin_object().member("outcome", name(v.outcome)).member("collective", name(v.collective));
  if (refuted) w.member("rule", v.refutation.rule).member("place", place_of(v.refutation));
  w.member("text", refuted ? v.refutation.message : v.reason).end_object();
  w.key("findings").begin_array();
  for (const Diagnostic& d : judgement.findings) {
    w.begin_object().member("severity", severity_name(d.severity)).member("rule", d.rule);
    w.member("place", place_of(d)).member("text", d.message).key("notes").begin_array();
    for (const std::string& note : d.notes) w.value(note);
    w.end_array().end_object();
  }
  w.end_array();
}

// Returns the number of a place of a step: 3 × offset + buffer; -1: none.
std::int32_t place_of(bool used, Buffer buffer, std::int32_t offset) {
  constexpr std::int32_t most = 700'000'000;  // avoids overflow of 3 × offset
  return used && offset >= 0 && offset < most ? 3 * offset + static_cast<std::int32_t>(buffer) : -1;
}

// Adds the program: threadblocks, steps, dependencies.
void add_program(const Algorithm& a, const StepGraph& graph, const Play& play, const StepTimes* times,
                 std::vector<Column>& out) {
  using enum Column::Code;
  Ints tb_npu, tb_id, tb_steps, place(a.steps.size(), -1), line, src, dst, cnt, from, to;
  Doubles done(a.steps.size(), -1);
  std::vector<std::uint8_t> type;
  for (std::size_t r = 0; r < a.gpus.size(); ++r) {
    std::int32_t id = 0;
    for (const Threadblock& tb : a.threadblocks(a.gpus[r])) {
      tb_npu.push_back(static_cast<std::int32_t>(r));
      tb_id.push_back(id++);
      tb_steps.push_back(static_cast<std::int32_t>(tb.step_count));
    }
  }
  for (std::uint32_t s = 0; s < graph.step_count(); ++s) {
    const std::uint32_t source = graph.steps[s].source;
    done[source] = play.done[s];
    place[source] = play.place[s];
    for (const Dependency& d : graph.deps_of(s)) {
      if (d.step == no_index) continue;
      from.push_back(static_cast<std::int32_t>(graph.steps[d.step].source));
      to.push_back(static_cast<std::int32_t>(source));
    }
  }
  for (const Step& s : a.steps) {
    type.push_back(static_cast<std::uint8_t>(s.type));
    line.push_back(static_cast<std::int32_t>(s.line));
    src.push_back(place_of(reads_src(s.type), s.src_buf, s.src_off));
    dst.push_back(place_of(writes_dst(s.type), s.dst_buf, s.dst_off));
    cnt.push_back(s.cnt);
  }
  out.push_back({"tb_npu", std::move(tb_npu), delta});
  out.push_back({"tb_id", std::move(tb_id), dict});
  out.push_back({"tb_steps", std::move(tb_steps), dict});
  out.push_back({"step_type", std::move(type)});
  if (times != nullptr) {
    done.assign(times->end_ps.begin(), times->end_ps.end());
    out.push_back({"step_begin", Doubles(times->begin_ps.begin(), times->begin_ps.end()), delta});
  }
  out.push_back({"step_done", std::move(done), delta});
  out.push_back({"step_place", std::move(place), delta});
  out.push_back({"step_line", std::move(line), delta});
  out.push_back({"step_src", std::move(src), delta});
  out.push_back({"step_dst", std::move(dst), delta});
  out.push_back({"step_cnt", std::move(cnt), dict});
  out.push_back({"dep_from", std::move(from), delta});
  out.push_back({"dep_to", std::move(to), delta});
}

// Adds a program with its times and all its messages.
void add_replayed(const ReplayedProgram& program, std::vector<Column>& out) {
  const StepGraph graph = make_step_graph(program.algorithm);
  const Play played = play(graph);
  Ints send_step, recv_step;
  for (const Play::Message& m : played.messages) {
    send_step.push_back(static_cast<std::int32_t>(graph.steps[m.send_step].source));
    recv_step.push_back(m.recv_step == no_index ? -1 : static_cast<std::int32_t>(graph.steps[m.recv_step].source));
  }
  out.push_back({"send_step", std::move(send_step), Column::Code::delta});
  out.push_back({"recv_step", std::move(recv_step), Column::Code::delta});
  add_program(program.algorithm, graph, played, &program.times, out);
}

// Adds the links that the messages of a program use.
void add_links_in_use(std::vector<std::pair<std::int32_t, std::int32_t>> pairs, std::vector<Column>& out) {
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Ints src, dst;
  for (const auto& [from, to] : pairs) {
    src.push_back(from);
    dst.push_back(to);
  }
  out.push_back({"link_src", std::move(src), Column::Code::dict});
  out.push_back({"link_dst", std::move(dst), Column::Code::dict});
}

// Adds changes of Play or Holdings. `node`: the member with the NPU; `scale`: factor of the times.
template <typename Change, typename Node>
void add_changes(const std::vector<Change>& changes, Node Change::*node, std::int64_t scale, const Collector& all,
                 std::vector<Column>& out) {
  Doubles time;
  Ints npu, chunk, held;
  for (const Change& c : changes) {
    if (all.number(c.chunk) < 0) continue;
    time.push_back(static_cast<double>(c.time < 0 ? c.time : c.time * scale));
    npu.push_back(static_cast<std::int32_t>(c.*node));
    chunk.push_back(all.number(c.chunk));
    held.push_back(c.held);
  }
  out.push_back({"change_time", std::move(time), Column::Code::delta});
  out.push_back({"change_npu", std::move(npu), Column::Code::dict});
  out.push_back({"change_chunk", std::move(chunk), Column::Code::delta});
  out.push_back({"change_held", std::move(held), Column::Code::dict});
}

// Returns how long a transfer occupies its link: while its bytes are sent or, with occupancy alpha_beta, until they
// have arrived.
std::int64_t occupied(const Schedule& s, const WireIndex& wires, const Leg& leg) {
  const std::uint32_t wire = wires.find(leg.src, leg.dst);
  const auto bytes = bytes_of(s, s.transfers[leg.transfer]);
  const bool known = wire != no_index && bytes && s.wires[wire].bandwidth_gib_per_s > 0;
  if (s.occupancy == Schedule::Occupancy::alpha_beta || s.time == Schedule::Time::steps || !known)
    return leg.end - leg.start;
  return std::min(leg.end - leg.start, rounded_ps(serialization_ps(s.wires[wire], *bytes)));
}

void begin_head(JsonWriter& w, const std::string& title, const std::string& file, Collective collective) {
  w.begin_object().member("title", title).member("file", file_name(file));
  w.member("collective", name(collective));
}

}  // namespace

TenPage ten_page(const Schedule& s, const Holdings& holdings, const Judgement& judgement,
                 const TenPageOptions& options, const ReplayedProgram* program) {
  TenPage page{.title = options.title, .head = {}, .columns = {}};
  Collector all(options);
  for (std::uint32_t c = 0; c < s.chunks.size(); ++c) {
    const Schedule::Chunk& chunk = s.chunks[c];
    all.add_chunk(chunk.id, bytes_of(s, c), listed(s, chunk.pre), chunk.pre.all, listed(s, chunk.post),
                  chunk.post.all);
  }
  const bool in_time = s.time == Schedule::Time::continuous || s.step_ps;
  const std::int64_t unit = s.time == Schedule::Time::steps ? s.step_ps.value_or(1) : 1;
  const auto tick = [&](std::int64_t t) { return std::min(t, (std::int64_t{1} << 52) / unit) * unit; };
  const WireIndex wires(s);
  std::vector<Collector::Piece> pieces;
  for (std::uint32_t i = 0; i < s.transfers.size(); ++i) {
    const Schedule::Transfer& t = s.transfers[i];
    pieces.clear();
    for (std::uint32_t k = 0; k < chunk_count(t); ++k)
      pieces.push_back({chunk_at(s, t, k), holdings.cargo[cargo_at(s, i, k)]});
    const bool reduces = t.op == Schedule::Op::reduce;
    for (std::uint32_t h = 0; h < leg_count(t); ++h) {
      const Leg leg = leg_at(s, i, h);
      const Collector::Times times{tick(leg.start), tick(leg.end), tick(occupied(s, wires, leg))};
      (void)all.add_transfer(leg.id, times, leg.src, leg.dst, reduces && h + 1 == leg_count(t), pieces);
    }
  }
  all.check(s.file, devices(s));
  JsonWriter w(page.head);
  begin_head(w, options.title, s.file, s.collective);
  w.member("unit", in_time ? "time" : "steps")
      .member("npus", devices(s))
      .member("sums", has_sums(s))
      .member("played", false);
  w.member("left_out", all.left_out());
  if (s.switches > 0) w.member("switches", s.switches);
  if (s.claimed_ps) w.member("claimed", *s.claimed_ps);
  if (!options.forwarding.empty()) w.member("forwarding", options.forwarding);
  w.member("needs_stored", options.needs_stored);
  w.key("relays").begin_array();
  for (const std::uint32_t r : s.relays) w.value(r);
  for (std::uint32_t d = s.nodes; d < devices(s); ++d) w.value(d);  // switches
  w.end_array();
  write_judgement(w, judgement);
  w.end_object();
  add_changes(holdings.changes, &Holdings::Change::node, unit, all, page.columns);
  std::move(all).take(page.columns);
  Ints link_src, link_dst;
  for (const Schedule::Wire& wire : s.wires) {
    link_src.push_back(static_cast<std::int32_t>(wire.src));
    link_dst.push_back(static_cast<std::int32_t>(wire.dst));
  }
  page.columns.push_back({"link_src", std::move(link_src), Column::Code::dict});
  page.columns.push_back({"link_dst", std::move(link_dst), Column::Code::dict});
  if (program != nullptr) add_replayed(*program, page.columns);
  return page;
}

TenPage ten_page(const Algorithm& a, const StepGraph& graph, const Play& play, const Judgement& judgement,
                 const TenPageOptions& options) {
  TenPage page{.title = options.title, .head = {}, .columns = {}};
  Collector all(options);
  for (std::size_t c = 0; c < play.chunks.size(); ++c) {
    const std::uint32_t pre = static_cast<std::uint32_t>(play.chunks[c].pre);
    const std::uint32_t post = static_cast<std::uint32_t>(play.chunks[c].post);
    const bool has_post = play.chunks[c].post >= 0;
    all.add_chunk(static_cast<std::int64_t>(c), std::nullopt, {&pre, 1}, play.chunks[c].pre == -1,
                  {&post, has_post ? 1U : 0U}, play.chunks[c].post == -1);
  }
  std::vector<Collector::Piece> pieces;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  Ints send_step, recv_step;
  for (const Play::Message& m : play.messages) {
    pieces.clear();
    for (std::uint32_t k = m.cargo.begin; k < m.cargo.begin + m.cargo.count; ++k)
      pieces.push_back({play.cargo[k].chunk, play.cargo[k].held});
    pairs.emplace_back(m.src, m.dst);
    const auto id = static_cast<std::int32_t>(pairs.size() - 1);
    const bool kept = all.add_transfer(id, {m.begin, m.end, m.end - m.begin}, static_cast<std::uint32_t>(m.src),
                                       static_cast<std::uint32_t>(m.dst), m.reduces, pieces);
    if (!kept) continue;
    send_step.push_back(static_cast<std::int32_t>(graph.steps[m.send_step].source));
    recv_step.push_back(m.recv_step == no_index ? -1 : static_cast<std::int32_t>(graph.steps[m.recv_step].source));
  }
  all.check(a.file, static_cast<std::uint64_t>(a.ranks()));
  JsonWriter w(page.head);
  begin_head(w, options.title, a.file, a.collective);
  w.member("unit", "steps").member("npus", a.ranks()).member("sums", play.needed > 1).member("played", true);
  w.member("left_out", all.left_out()).member("needs_stored", options.needs_stored).key("relays").begin_array();
  for (const std::int32_t r : a.relays) w.value(r);
  w.end_array();
  write_judgement(w, judgement);
  w.end_object();
  add_changes(play.changes, &Play::Change::rank, 1, all, page.columns);
  std::move(all).take(page.columns);
  add_links_in_use(std::move(pairs), page.columns);
  page.columns.push_back({"send_step", std::move(send_step), Column::Code::delta});
  page.columns.push_back({"recv_step", std::move(recv_step), Column::Code::delta});
  add_program(a, graph, play, nullptr, page.columns);
  return page;
}

}  // namespace convert
