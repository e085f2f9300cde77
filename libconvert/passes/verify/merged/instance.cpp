// SPDX-License-Identifier: MIT
#include "passes/verify/merged/instance.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "core/units.h"
#include "passes/provenance.h"
#include "passes/verify/verify.h"

namespace convert {
namespace {

using Place = InstanceOfRanks::Place;

// Reads a shape node by node.
class ShapeReader {
 public:
  explicit ShapeReader(std::span<const std::uint32_t> words) : words_(words) {}

  struct Node {
    NodeType type = NodeType::comp;
    std::uint32_t peer = 0;
    std::uint32_t tag = 0;
    std::span<const std::uint32_t> data{};
    std::span<const std::uint32_t> ctrl{};
    [[nodiscard]] bool is_message() const { return type != NodeType::comp; }
  };
  bool next(Node& out) {
    if (at_ == words_.size()) return false;
    out = {.type = static_cast<NodeType>(words_[at_++])};
    if (out.is_message()) {
      out.peer = words_[at_++];
      out.tag = words_[at_++];
    }
    out.data = list();
    out.ctrl = list();
    return true;
  }

 private:
  std::span<const std::uint32_t> list() {
    const std::uint32_t count = words_[at_++];
    at_ += count;
    return words_.subspan(at_ - count, count);
  }
  std::span<const std::uint32_t> words_;
  std::size_t at_ = 0;
};

// Returns the numbers of a program's nodes, merged::step_numbers each.
std::span<const std::uint32_t> steps_of(std::span<const std::uint32_t> program) {
  return program.subspan(MergedSteps::head + 2 * std::size_t{program[MergedSteps::copies]});
}
std::int32_t chunks_of(std::span<const std::uint32_t> steps, std::size_t node) {
  return static_cast<std::int32_t>(steps[(node + 1) * merged::step_numbers - 1]);
}

bool has_messages(const InstanceOfRanks& i, const Place& p) { return !i.lists->get(p.part.peers).empty(); }

std::int64_t lowest_tag(const InstanceOfRanks& i) {
  std::int64_t tag = std::numeric_limits<std::int64_t>::max();
  for (const Place& p : i.places) {
    if (has_messages(i, p)) tag = std::min(tag, p.part.first_tag);
  }
  return tag;
}

void write_header(std::span<const std::uint32_t> program, AttrTable& out) {
  const auto number = [&](std::size_t word) { return static_cast<std::int32_t>(program[word]); };
  out.add_string(msccl::coll, msccl_name(static_cast<Collective>(number(MergedSteps::collective))));
  out.add_string(msccl::proto, name(static_cast<Protocol>(number(MergedSteps::protocol))));
  const std::pair<Name, std::size_t> numbers[] = {
      {msccl::nchunksperloop, MergedSteps::chunks}, {msccl::inplace, MergedSteps::inplace},
      {msccl::outofplace, MergedSteps::outofplace}, {msccl::i_chunks, MergedSteps::i_chunks},
      {msccl::o_chunks, MergedSteps::o_chunks},     {msccl::s_chunks, MergedSteps::s_chunks}};
  for (const auto& [name, word] : numbers) out.add_int(name, Kind::int32_val, number(word));
  if (number(MergedSteps::scheduled) != 0) out.add_string(ten::schedule_name, "");
  std::vector<std::int64_t> from, to;
  for (std::uint32_t c = 0; c < program[MergedSteps::copies]; ++c) {
    from.push_back(number(MergedSteps::head + 2 * std::size_t{c}));
    to.push_back(number(MergedSteps::head + 2 * std::size_t{c} + 1));
  }
  if (from.empty()) return;
  out.add_ints(msccl::copy_i_off, Kind::int32_list, from);
  out.add_ints(msccl::copy_o_off, Kind::int32_list, to);
}

void write_step(std::span<const std::uint32_t> step, NodeTable& out) {
  const auto number = [&](std::size_t k) { return static_cast<std::int32_t>(step[k]); };
  if (number(0) < 0) return;
  const auto buffer = [&](std::size_t k) { return step[k] < 3 ? std::string_view("ios").substr(step[k], 1) : "?"; };
  out.add_string(attr::step_type, step[0] < step_type_names.size() ? step_type_names[step[0]] : "?");
  out.add_string(attr::src_buf, buffer(1));
  out.add_string(attr::dst_buf, buffer(3));
  out.add_int(attr::src_off, Kind::int32_val, number(2));
  out.add_int(attr::dst_off, Kind::int32_val, number(4));
  out.add_int(attr::chunk_cnt, Kind::int32_val, number(5));
}

// Returns the nodes of a group member as the trace of an algorithm, with their ids in the workload; peers are
// members.
Trace trace_of(const InstanceOfRanks& i, std::size_t number, std::int64_t lowest) {
  const Place& place = i.places[number];
  Trace out;
  out.rank = static_cast<Rank>(number);
  out.name = *place.file;
  const auto program = i.lists->get(place.program);
  write_header(program, out.metadata.table);
  const auto steps = steps_of(program);
  const auto peers = i.lists->get(place.part.peers);
  NodeTable& table = out.nodes;
  ShapeReader shape(i.lists->get(place.part.shape));
  ShapeReader::Node n;
  for (std::size_t k = 0; shape.next(n); ++k) {
    table.add_node(place.first_node + k, n.type, "");
    for (const std::uint32_t d : n.data) table.add_data_dep(place.first_node + d);
    for (const std::uint32_t d : n.ctrl) table.add_ctrl_dep(place.first_node + d);
    if (n.is_message()) {
      const auto peer = static_cast<std::int64_t>(i.place_of(peers[n.peer]).value_or(0));
      table.add_int(n.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
      table.add_int(attr::comm_tag, Kind::int64_val, place.part.first_tag - lowest + n.tag);
    }
    write_step(steps.subspan(k * merged::step_numbers, merged::step_numbers), table);
    table.end_node();
  }
  return out;
}

// Returns a note that lists the ranks of the group's members; empty if each member number is its rank.
std::string text_of_places(const InstanceOfRanks& i) {
  if (i.by_rank.empty()) return "";
  constexpr std::size_t most = 32;
  std::string out = "the members of the group, which own these chunks, are ranks ";
  for (std::size_t p = 0; p < std::min(most, i.places.size()); ++p)
    out += (p == 0 ? "" : ", ") + std::to_string(i.places[p].rank);
  return i.places.size() > most ? out + ", …" : out;
}

Location locate(const InstanceOfRanks& i, std::size_t place, std::uint32_t node) {
  const Place& p = i.places[place];
  return {.file = *p.file, .rank = p.rank, .node = static_cast<std::int64_t>(p.first_node + node)};
}

// Returns the graph of an instance, which must outlive it. Throws if a single node is invalid.
StepGraph step_graph_of(const InstanceOfRanks& i, const std::shared_ptr<StepGraphBuilder>& made,
                        Diagnostics& findings) {
  const std::int64_t lowest = lowest_tag(i);
  for (std::size_t p = 0; p < i.places.size(); ++p) made->add(trace_of(i, p, lowest));
  const InstanceOfRanks* const instance = &i;
  StepNames names;
  names.locate = [instance, made](std::uint32_t s) {
    return locate(*instance, made->rank_of(s), made->nodes()[s].first);
  };
  names.locate_rank = [instance](std::int32_t place) {
    return locate(*instance, static_cast<std::size_t>(place), 0);
  };
  names.describe = [instance, made](std::uint32_t s) {
    const Place& p = instance->places[made->rank_of(s)];
    const std::uint32_t node = made->nodes()[s].first;
    const std::uint32_t type = steps_of(instance->lists->get(p.program))[node * merged::step_numbers];
    return "rank " + std::to_string(p.rank) + " node " + std::to_string(p.first_node + node) + " (" +
           std::string(type < step_type_names.size() ? step_type_names[type] : "no step") + ")";
  };
  StepGraph graph = made->finish(std::move(names), findings);
  graph.of_places = !i.by_rank.empty();
  return graph;
}

}  // namespace

void InstanceOfRanks::index() {
  by_rank.clear();
  for (std::uint32_t p = 0; p < places.size(); ++p) by_rank.emplace_back(places[p].rank, p);
  if (std::ranges::all_of(by_rank, [](const auto& r) { return r.first == r.second; })) return by_rank.clear();
  std::ranges::sort(by_rank);
}

std::optional<std::uint32_t> InstanceOfRanks::place_of(Rank rank) const {
  if (by_rank.empty()) return rank < places.size() ? std::optional(rank) : std::nullopt;
  const auto at = std::ranges::lower_bound(by_rank, rank, {}, &std::pair<Rank, std::uint32_t>::first);
  return at == by_rank.end() || at->first != rank ? std::nullopt : std::optional(at->second);
}

bool InstanceOfRanks::key(std::vector<std::uint32_t>& out) const {
  constexpr unsigned half = 32;
  const std::int64_t lowest = lowest_tag(*this);
  out = {static_cast<std::uint32_t>(collective), static_cast<std::uint32_t>(root)};
  for (const Place& p : places) {
    const auto above = static_cast<std::uint64_t>(has_messages(*this, p) ? p.part.first_tag - lowest : 0);
    const auto peers = lists->get(p.part.peers);
    out.insert(out.end(), {p.program, p.part.shape, static_cast<std::uint32_t>(above),
                           static_cast<std::uint32_t>(above >> half), static_cast<std::uint32_t>(peers.size())});
    for (const std::uint32_t peer : peers) {
      const auto place = place_of(peer);
      if (!place) return false;
      out.push_back(*place);
    }
  }
  return true;
}

bool MergedInstance::prove(const InstanceOfRanks& instance, const std::string& subject, Diagnostics& diagnostics) {
  Diagnostics findings;
  const auto made = std::make_shared<StepGraphBuilder>(static_cast<std::int32_t>(instance.places.size()));
  try {
    StepGraph graph = step_graph_of(instance, made, findings);
    if (instance.bytes > 0) graph.max_bytes = instance.bytes;  // size of the call
    verify(graph,
           {.dataflow = true,
            .collective = instance.collective,
            .root = instance.root >= 0 ? std::optional(instance.root) : std::nullopt,
            .soft = Severity::error},
           findings);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input) throw;
    Location where = e.where();
    if (where.rank >= 0) where.rank = instance.places[static_cast<std::size_t>(where.rank)].rank;
    findings.error(std::move(where), e.rule(), e.what());
  }
  const std::size_t before = diagnostics.errors() + diagnostics.refused_errors();
  const std::string note = text_of_places(instance);
  for (Diagnostic d : findings.all()) {
    d.message = subject + ": " + d.message;
    if (!note.empty()) d.notes.push_back(note);
    diagnostics.add(std::move(d));
  }
  return diagnostics.errors() + diagnostics.refused_errors() == before;
}

void MergedInstance::find_runs(const InstanceOfRanks& instance) {
  if (std::exchange(followed_, true)) return;
  Diagnostics ignored;
  const auto made = std::make_shared<StepGraphBuilder>(static_cast<std::int32_t>(instance.places.size()));
  const StepGraph graph = step_graph_of(instance, made, ignored);
  chunks_ = chunks_of_steps(graph);
  if (!chunks_) return;
  std::vector<std::vector<std::uint32_t>> message_of;  // by member and node
  for (const Place& p : instance.places) {
    auto& numbers = message_of.emplace_back();
    std::uint32_t messages = 0;
    ShapeReader shape(instance.lists->get(p.part.shape));
    for (ShapeReader::Node n; shape.next(n);) numbers.push_back(n.is_message() ? messages++ : no_index);
    of_message_.emplace_back(messages);
  }
  for (std::uint32_t s = 0; s < graph.step_count(); ++s) {
    const std::size_t place = made->rank_of(s);
    const StepGraphBuilder::StepNodes& nodes = made->nodes()[s];
    if (nodes.recv != no_index) of_message_[place][message_of[place][nodes.recv]] = chunks_->received[s];
    if (nodes.send != no_index) of_message_[place][message_of[place][nodes.send]] = chunks_->result[s];
  }
}

bool MergedInstance::check_sizes(const InstanceOfRanks& instance, const std::string& subject,
                                 Diagnostics& diagnostics) {
  const auto of_chunks =
      static_cast<std::int32_t>(instance.lists->get(instance.places.front().program)[MergedSteps::chunks]);
  const bool divides = instance.bytes % of_chunks == 0;
  if (!divides) find_runs(instance);
  const auto expected = [&](std::size_t place, std::size_t message, std::int32_t chunks) {
    std::int64_t sum = 0, count = 0;
    if (!divides && chunks_) {
      const Range range = of_message_[place][message];
      for (const ChunkRun& run : std::span(chunks_->runs).subspan(range.begin, range.count)) {
        sum += bytes_of_run(instance.bytes, run, of_chunks);
        count += run.count;
      }
    }
    return count == chunks ? sum : bytes_of_run(instance.bytes, {.count = chunks}, of_chunks);
  };
  std::uint64_t wrong = 0;
  std::string first;
  Location where;
  for (std::size_t p = 0; p < instance.places.size(); ++p) {
    const Place& place = instance.places[p];
    const auto steps = steps_of(instance.lists->get(place.program));
    const auto sizes = instance.lists->get(place.part.sizes);
    ShapeReader shape(instance.lists->get(place.part.shape));
    ShapeReader::Node n;
    std::size_t message = 0;
    for (std::size_t k = 0; shape.next(n); ++k) {
      if (!n.is_message()) continue;
      constexpr unsigned half = 32;
      const auto found = static_cast<std::int64_t>(std::uint64_t{sizes[2 * message]} |
                                                   (std::uint64_t{sizes[2 * message + 1]} << half));
      const std::int64_t right = expected(p, message++, chunks_of(steps, k));
      if (found == right || wrong++ != 0) continue;
      where = locate(instance, p, static_cast<std::uint32_t>(k));
      first = "rank " + std::to_string(place.rank) + " node " + std::to_string(place.first_node + k) +
              " has comm_size " + std::to_string(found) + ", but its chunks have " + std::to_string(right) +
              " of the " + counted(instance.bytes, "byte");
    }
  }
  if (wrong == 0) return true;
  diagnostics.error(
      where, "provenance",
      subject + ": " + first + (wrong > 1 ? " (the first of " + std::to_string(wrong) + " such messages)" : ""));
  return false;
}

}  // namespace convert
