// SPDX-License-Identifier: MIT
#include "passes/verify/merged/calls.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/algorithm/algorithm.h"
#include "core/units.h"
#include "passes/merge/fit.h"
#include "passes/merged_collectives.h"
#include "passes/provenance.h"

namespace convert {
namespace {

class CallReader {
 public:
  CallReader(const Trace& trace, Diagnostics& diagnostics)
      : trace_(trace), table_(trace.nodes), diagnostics_(diagnostics), merged_(trace, "provenance") {}
  MergedCalls run();

 private:
  void read_programs();
  void add_program(std::int64_t number, const Trace& program);
  void read_call(std::uint32_t number);
  void read_collective(std::uint32_t number, MergedCall& call);
  void read_parts(std::uint32_t number, MergedCall& call);
  void read_part(std::uint32_t number, std::span<const std::uint32_t> nodes);
  void read_message(std::uint32_t node, std::vector<std::uint32_t>& words);
  void check_uses();
  void check_tags();
  void find_shared_tag();

  [[nodiscard]] std::uint32_t text(std::string_view value) {
    const auto [at, added] =
        text_ids_.try_emplace(std::string(value), static_cast<std::uint32_t>(out_.texts.size()));
    if (added) out_.texts.emplace_back(value);
    return at->second;
  }
  [[nodiscard]] std::span<const Attr> attributes(std::uint32_t node) const {
    return table_.attributes(table_.nodes[node]);
  }
  void report(const Error& e) { diagnostics_.error(e.where(), e.rule(), e.what()); }

  const Trace& trace_;
  const NodeTable& table_;
  Diagnostics& diagnostics_;
  MergedCollectives merged_;
  MergedCalls out_;
  std::unordered_map<std::string, std::uint32_t> text_ids_{{"", 0}};
  std::map<std::int64_t, std::uint32_t> programs_;
  struct TagRange {  // first > last: no tag
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    void add(std::int64_t tag) { first = std::min(first, tag), last = std::max(last, tag); }
  };
  std::vector<TagRange> tags_;  // of parts
  // Scratch data of the current part.
  std::vector<std::uint32_t> peers_;
  std::unordered_map<std::uint32_t, std::uint32_t> peer_numbers_;
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> words_;
};

MergedCalls CallReader::run() {
  out_.rank = trace_.rank;
  out_.file = trace_.name;
  out_.other_nodes = table_.nodes.size();
  if (merged_.size() == 0) return std::move(out_);
  read_programs();
  for (std::uint32_t c = 0; c < merged_.size(); ++c) read_call(c);
  if (std::ranges::none_of(out_.calls, [](const MergedCall& c) { return c.broken; })) check_uses();
  check_tags();
  return std::move(out_);
}

void CallReader::read_programs() {
  std::map<std::int64_t, Trace> found;
  const AttrTable& metadata = trace_.metadata.table;
  for (const Attr& a : metadata.attrs) {
    std::string_view rest;
    const std::int64_t number = merged::program_of(a.name, &rest);
    if (number < 0) continue;
    AttrTable& own = found[number].metadata.table;
    own.add_copy(metadata, a);
    own.attrs.back().name = Name(rest);
  }
  for (auto& [number, program] : found) {
    program.name = trace_.name;
    program.rank = trace_.rank;
    try {
      add_program(number, program);
    } catch (const Error& e) {
      report(e);
    }
  }
}

void CallReader::add_program(std::int64_t number, const Trace& program) {
  Algorithm header;
  Gpu gpu;
  const auto attrs = std::span<const Attr>(program.metadata.table.attrs);
  const auto places = int32_value(attrs, msccl::ngpus);
  const auto place = int32_value(attrs, Name(merged::place));
  const auto steps = int32_list(program.metadata.table, attrs, Name(merged::steps));
  if (!read_header(program, header, gpu) || !places || !place || *places < 1 || *place < 0 || *place >= *places ||
      steps.size() % merged::step_numbers != 0) {
    throw provenance_error(
        trace_, "the attributes merged." + std::to_string(number) + ".* of the metadata do not describe a program");
  }
  const auto number_of = [](auto value) { return static_cast<std::uint32_t>(value); };
  words_ = {number_of(header.collective), number_of(header.protocol), number_of(header.chunks),
            number_of(*places),           number_of(header.inplace),  number_of(runs_outofplace(header)),
            number_of(gpu.i_chunks),      number_of(gpu.o_chunks),    number_of(gpu.s_chunks),
            number_of(header.scheduled),  number_of(*place),          number_of(gpu.copies.size())};
  for (const Copy& c : gpu.copies) words_.insert(words_.end(), {number_of(c.i_off), number_of(c.o_off)});
  for (const std::int32_t v : steps) words_.push_back(number_of(v));
  programs_[number] = out_.lists.add(words_);
}

void CallReader::read_call(std::uint32_t number) {
  const MergedCollective& c = merged_.all()[number];
  MergedCall call{.id = c.id, .first_part = static_cast<std::uint32_t>(out_.parts.size())};
  out_.other_nodes -= c.nodes.size();
  call.name = text(string_value(table_, attributes(c.nodes.front()), attr::merged_name).value_or(""));
  if (const IntValue v = int_value(attributes(c.nodes.front()), attr::merged_instance))
    call.instance = static_cast<std::uint64_t>(v.value);
  try {
    merged_.check(number);
    call.first_node = table_.nodes[c.first].id;
    read_collective(number, call);
    read_parts(number, call);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input) throw;
    report(e);
    call.broken = true;
    call.parts = 0;
    out_.parts.resize(call.first_part);
    tags_.resize(call.first_part);
  }
  out_.calls.push_back(call);
}

void CallReader::read_collective(std::uint32_t number, MergedCall& call) {
  NodeTable restored;
  merged_.restore(number, restored);
  const Node& node = restored.nodes.back();
  const auto attrs = restored.attributes(node);
  const auto because = [&](const std::string& why) {
    if (call.why_not == 0) call.why_not = text(why);
  };
  call.group = text(group_of(restored, node));
  const IntValue type = int_value(attrs, attr::comm_type);
  const IntValue size = int_value(attrs, attr::comm_size);
  call.type = type ? type.value : -1;
  if (size && size.value >= 0) {
    call.bytes = size.value;
  } else {
    because("its comm_size is missing or invalid");
  }
  const auto kind = collective_of(call.type);
  if (const IntValue root = root_of(attrs, kind)) call.root = root.value;
  if (kind == Collective::all_to_all && unequal_splits(restored, attrs) != Name())
    because("its split sizes differ (" + std::string(unequal_splits(restored, attrs).view()) +
            "), but an algorithm requires equal sizes");
  if (involves_part_of_network(restored, node))
    because("it involves only some dimensions of the network (involved_dim)");
  const IntValue program = int_value(attributes(merged_.all()[number].first), merged::program);
  const auto known = program ? programs_.find(program.value) : programs_.end();
  if (known != programs_.end()) {
    call.program = known->second;
  } else {
    because(program ? "the metadata lacks its program, merged." + std::to_string(program.value) + ".*"
                    : "the chunks of its messages are unknown (no merged_program: its algorithm has no chunk "
                      "provenance, or an earlier version merged it)");
  }
}

// Splits the nodes into instances. All instances have the same number of nodes and follow each other.
void CallReader::read_parts(std::uint32_t number, MergedCall& call) {
  const std::vector<std::uint32_t>& nodes = merged_.all()[number].nodes;
  std::size_t each = nodes.size();
  if (call.program != no_index) {
    const auto program = out_.lists.get(call.program);
    each =
        (program.size() - MergedSteps::head - 2 * std::size_t{program[MergedSteps::copies]}) / merged::step_numbers;
  }
  if (each == 0 || nodes.size() % each != 0)
    throw merged_.error(nodes.front(), merged_.describe(number) + " has " + counted(nodes.size(), "node") +
                                           ", which is not a multiple of the " + std::to_string(each) +
                                           " of its program");
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const IntValue instance = int_value(attributes(nodes[k]), attr::merged_instance);
    if (k == 0 && instance) call.instance = static_cast<std::uint64_t>(instance.value);
    const std::uint64_t wanted = call.instance + k / each;
    if (instance && static_cast<std::uint64_t>(instance.value) == wanted) continue;
    if (call.program == no_index) return;  // its instances may have any length
    throw merged_.error(nodes[k], "merged_instance is not " + std::to_string(wanted) + ", as expected in " +
                                      merged_.describe(number));
  }
  for (std::size_t k = 0; k < nodes.size(); k += each) {
    read_part(number, std::span(nodes).subspan(k, each));
    ++call.parts;
  }
}

void CallReader::read_part(std::uint32_t number, std::span<const std::uint32_t> nodes) {
  peers_.clear();
  peer_numbers_.clear();
  sizes_.clear();
  words_.clear();
  const NodeId first = table_.nodes[nodes.front()].id;
  const auto is_message = [&](std::uint32_t i) { return table_.nodes[i].type != NodeType::comp; };
  TagRange tags;
  for (const std::uint32_t i : nodes) {
    const NodeType type = table_.nodes[i].type;
    if (type != NodeType::comp && type != NodeType::comm_send && type != NodeType::comm_recv)
      throw merged_.error(i, "is neither a message nor a computation, in " + merged_.describe(number));
    if (!is_message(i)) continue;
    const IntValue tag = int_value(attributes(i), attr::comm_tag);
    if (!tag) throw merged_.error(i, "its comm_tag is missing, in " + merged_.describe(number));
    tags.add(tag.value);
  }
  MergedPart part{.first_tag = tags.first <= tags.last ? tags.first : 0};
  for (const std::uint32_t i : nodes) {
    const Node& n = table_.nodes[i];
    words_.push_back(static_cast<std::uint32_t>(n.type));
    if (is_message(i)) {
      read_message(i, words_);
      const std::int64_t tag = int_value(attributes(i), attr::comm_tag).value - part.first_tag;
      if (tag > UINT32_MAX)
        throw merged_.error(i, "its comm_tag is too far from the other tags of " + merged_.describe(number));
      words_.push_back(static_cast<std::uint32_t>(tag));
    }
    for (const auto deps : {table_.data_deps(n), table_.ctrl_deps(n)}) {
      const std::size_t count = words_.size();
      words_.push_back(0);
      for (const NodeId id : deps) {
        if (merged_.of_id(id) != number) continue;
        if (id < first || id - first >= nodes.size())
          throw merged_.error(i, "depends on another instance of " + merged_.describe(number));
        words_.push_back(static_cast<std::uint32_t>(id - first));
        ++words_[count];
      }
    }
  }
  part.shape = out_.lists.add(words_);
  part.peers = out_.lists.add(peers_);
  part.sizes = out_.lists.add(sizes_);
  out_.parts.push_back(part);
  tags_.push_back(tags);
}

void CallReader::read_message(std::uint32_t node, std::vector<std::uint32_t>& words) {
  const auto attrs = attributes(node);
  const bool sends = table_.nodes[node].type == NodeType::comm_send;
  const IntValue peer = int_value(attrs, sends ? attr::comm_dst : attr::comm_src);
  const IntValue size = int_value(attrs, attr::comm_size);
  if (!peer || peer.value < 0 || peer.value > INT32_MAX || !size || size.value < 0)
    throw merged_.error(
        node, "its peer or its comm_size is missing or out of range, in " + merged_.describe(merged_.of(node)));
  const auto rank = static_cast<std::uint32_t>(peer.value);
  const auto [at, added] = peer_numbers_.try_emplace(rank, static_cast<std::uint32_t>(peers_.size()));
  if (added) peers_.push_back(rank);
  words.push_back(at->second);
  constexpr unsigned half = 32;
  sizes_.push_back(static_cast<std::uint32_t>(size.value));
  sizes_.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(size.value) >> half));
}

// Checks that nodes which depend on a collective depend on all of its last nodes.
void CallReader::check_uses() {
  const auto ignore = [](NodeId) {};
  for (std::uint32_t i = 0; i < table_.nodes.size(); ++i) {
    try {
      merged_.fold(i, table_.data_deps(table_.nodes[i]), merged_.of(i), ignore);
      merged_.fold(i, table_.ctrl_deps(table_.nodes[i]), merged_.of(i), ignore);
    } catch (const Error& e) {
      report(e);
    }
  }
}

// Checks that instances cannot receive each other's messages. Disjoint tag ranges are safe without further checks.
void CallReader::check_tags() {
  std::vector<TagRange> ranges = tags_;
  TagRange& outside = ranges.emplace_back();
  for (std::uint32_t i = 0; i < table_.nodes.size(); ++i) {
    const NodeType type = table_.nodes[i].type;
    if (merged_.of(i) != no_index || (type != NodeType::comm_send && type != NodeType::comm_recv)) continue;
    if (const IntValue tag = int_value(attributes(i), attr::comm_tag)) outside.add(tag.value);
  }
  std::erase_if(ranges, [](const TagRange& r) { return r.first > r.last; });
  std::ranges::sort(ranges, {}, &TagRange::first);
  for (std::size_t k = 1; k < ranges.size(); ++k) {
    if (ranges[k].first > ranges[k - 1].last) {
      ranges[k].last = std::max(ranges[k].last, ranges[k - 1].last);
      continue;
    }
    return find_shared_tag();
  }
}

void CallReader::find_shared_tag() {
  struct Use {
    NodeType type;
    std::int64_t peer;
    std::int64_t tag;
    std::int64_t call;      // -1: of no merged collective
    std::int64_t instance;  // of the call
    std::uint32_t node;
    auto operator<=>(const Use&) const = default;
  };
  std::vector<Use> uses;
  for (std::uint32_t i = 0; i < table_.nodes.size(); ++i) {
    const NodeType type = table_.nodes[i].type;
    if (type != NodeType::comm_send && type != NodeType::comm_recv) continue;
    const auto attrs = attributes(i);
    const IntValue peer = int_value(attrs, type == NodeType::comm_send ? attr::comm_dst : attr::comm_src);
    const IntValue tag = int_value(attrs, attr::comm_tag);
    const IntValue instance = int_value(attrs, attr::merged_instance);
    const std::uint32_t call = merged_.of(i);
    if (peer && tag)
      uses.push_back({type, peer.value, tag.value, call == no_index ? -1 : std::int64_t{call}, instance.value, i});
  }
  std::ranges::sort(uses);
  for (std::size_t k = 1; k < uses.size(); ++k) {
    const Use& a = uses[k - 1];
    const Use& b = uses[k];
    if (a.type != b.type || a.peer != b.peer || a.tag != b.tag) continue;
    if (a.call == b.call && (a.call < 0 || a.instance == b.instance)) continue;
    const std::uint32_t other = merged_.of(a.node);
    report(merged_.error(b.node, "has tag " + std::to_string(b.tag) + " and the same ranks as node " +
                                     std::to_string(table_.nodes[a.node].id) +
                                     (other == no_index ? "" : " of " + merged_.describe(other)) + "; " +
                                     merged_.describe(merged_.of(b.node)) +
                                     " and others could receive each other's messages"));
  }
}

}  // namespace

MergedCalls merged_calls(const Trace& trace, Diagnostics& diagnostics) {
  return CallReader(trace, diagnostics).run();
}

}  // namespace convert
