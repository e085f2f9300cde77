// SPDX-License-Identifier: MIT
#include "passes/anonymize/anonymize.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/link_way.h"
#include "core/collective.h"
#include "core/units.h"
#include "core/world_size.h"
#include "passes/anonymize/chains.h"
#include "passes/anonymize/ids.h"
#include "passes/anonymize/kept.h"
#include "passes/anonymize/link_order.h"
#include "passes/anonymize/permute.h"
#include "passes/dep_rules.h"
#include "passes/provenance.h"

namespace convert {
namespace {

constexpr std::uint64_t us_in_ns = 1000;
const Name anonymized_by{std::string_view("anonymized")};

// Returns whether `text` is a version number; a version number contains no words.
bool is_version(std::string_view text) {
  constexpr std::size_t longest = 16;
  return text.find_first_not_of("0123456789.") == std::string_view::npos && text.size() <= longest;
}

std::string plain_version(const std::string& version) {
  return is_version(version) ? version : std::string(schema_version);
}

// Returns `text` if it is a schema of PyTorch or of Chakra's converter, such as 1.1.1-chakra.0.0.4. Returns a bare
// version for any other text.
std::string plain_schema(std::string_view text) {
  constexpr std::string_view chakra = "-chakra.";
  const std::size_t at = std::min(text.find(chakra), text.size());
  const bool plain =
      is_version(text.substr(0, at)) && (at == text.size() || is_version(text.substr(at + chakra.size())));
  return std::string(plain ? text : schema_version);
}

void keep_collective(const Metadata& from, Metadata& to) {
  const auto text = string_value(from.table, from.table.attrs, attr::collective);
  if (!text) return;
  const auto known = parse_collective(*text, in_algorithms);
  to.table.add_string(attr::collective, known ? name(*known) : name(Collective::custom));
}

bool is_step_word(std::string_view text) {
  return text == msccl::copy_step || parse_step_type(text) || parse_buffer(text);
}

void renumber_rank(const SetFacts& facts, Attr& a) {
  const IntValue v = int_value(&a);
  if (v && v.value >= 0 && v.value <= largest_rank) a.bits = facts.rank(static_cast<Rank>(v.value));
}

void set_text(NodeTable& nodes, Attr& a, std::string_view text) {
  const Text t = nodes.add_text(text);
  a.bits = t.offset;
  a.size = t.size;
}

}  // namespace

void AnonymizeCounts::add(const AnonymizeCounts& other) {
  nodes += other.nodes;
  dropped += other.dropped;
  wrong_kind += other.wrong_kind;
  merged += other.merged;
  turns += other.turns;
  kept |= other.kept;
  durations = durations || other.durations;
}

RankAnonymizer::RankAnonymizer(const AnonymizePlan& plan, NameHider& names, bool names_others)
    : plan_(plan),
      names_others_(names_others),
      names_(names),
      times_(plan.options, plan.hash),
      starts_(plan.options.starts && !plan.options.changes_times()),
      changes_times_(plan.options.changes_times() || plan.options.scale != 1) {}

bool RankAnonymizer::is_kept(Name name) const {
  const std::vector<Name>& keep = plan_.options.keep;
  return !keep.empty() && std::ranges::find(keep, name) != keep.end();
}

void RankAnonymizer::head(Trace& trace) {
  rank_ = trace.rank;
  base_ns_ = recorded_base_ns(trace.metadata);
  Metadata out;
  out.version = plain_version(trace.metadata.version);
  keep_collective(trace.metadata, out);
  if (const auto ranks = world_size(trace.metadata)) set_world_size(out, *ranks);
  const std::string network = scheduled_network_of(trace.metadata);
  scheduled_ = !network.empty();
  // A network with permuted NPU numbers has another id.
  if (scheduled_ && !plan_.options.permute_ranks && !is_kept(scheduled_network))
    out.table.add_string(scheduled_network, network);
  const std::string forwarding = scheduled_forwarding_of(trace.metadata);
  if (scheduled_ && !forwarding.empty() && !is_kept(scheduled_forwarding))
    out.table.add_string(scheduled_forwarding, forwarding);
  // Without the schema, validation reports dependencies on the process node, which Chakra's converter omits.
  const auto schema = string_value(trace.metadata.table, trace.metadata.table.attrs, attr::schema);
  if (schema && !is_kept(attr::schema)) out.table.add_string(attr::schema, plain_schema(*schema));
  for (const Attr& a : trace.metadata.table.attrs) {
    if (!is_kept(a.name)) continue;
    out.table.add_copy(trace.metadata.table, a);
    out.table.attrs.back().extra = 0;
  }
  if (!plan_.options.note.empty()) out.table.add_string(anonymized_by, plan_.options.note);
  trace.metadata = std::move(out);
  if (names_others_) trace.rank = plan_.facts.rank(trace.rank);
}

// Adds link_scope to sends that have only merged_instance as the scope of their sequence numbers, as
// merged_instance is dropped.
void RankAnonymizer::tell_scopes(NodeTable& nodes) const {
  if (scheduled_ && !is_kept(attr::merged_instance)) tell_turn_scopes(nodes);
}

bool RankAnonymizer::takes_batches(const RankSurvey& survey) const {
  return survey.ids && !plan_.options.merge_chains && !drops_turns();
}

void RankAnonymizer::batch(NodeTable& nodes, const DenseIds& ids) {
  counts_.nodes += nodes.nodes.size();
  tell_scopes(nodes);
  IdNumbers(ids).renumber(nodes);
  change(nodes);
}

void RankAnonymizer::merge(NodeTable& nodes) {
  if (drops_turns()) wait_in_turn(nodes);
  tell_scopes(nodes);
  if (!plan_.options.merge_chains) return;
  filter(nodes);
  counts_.merged += merge_chains(nodes);
}

void RankAnonymizer::whole(NodeTable& nodes) {
  counts_.nodes += nodes.nodes.size();
  merge(nodes);
  IdNumbers(nodes).renumber(nodes);
  change(nodes);
}

AttributeRole RankAnonymizer::role(const Attr& a) {
  if (!plan_.options.keep.empty() && is_kept(a.name)) return AttributeRole::kept;
  const AttributeRole role = role_of(a.name);
  const bool turns = is_link_order(role) && plan_.options.permute_ranks;
  const bool goes = turns || (role == AttributeRole::tensors && plan_.options.merge_chains);
  counts_.turns += turns && scheduled_ && a.name == attr::link_seq ? 1 : 0;
  if (role == AttributeRole::none || goes) {
    ++counts_.dropped;
    return AttributeRole::none;
  }
  if (fits(role, a.kind)) return role;
  ++counts_.wrong_kind;
  return AttributeRole::none;
}

// Moves the kept attributes to the beginning of the node's range.
void RankAnonymizer::filter(NodeTable& nodes) {
  for (Node& n : nodes.nodes) {
    std::uint32_t left = 0;
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) {
      const Attr a = nodes.attrs[n.attrs.begin + k];
      if (role(a) != AttributeRole::none) nodes.attrs[n.attrs.begin + left++] = a;
    }
    n.attrs.count = left;
  }
}

void RankAnonymizer::change(NodeTable& nodes) {
  const bool sizes = plan_.options.changes_sizes();
  for (Node& n : nodes.nodes) {
    n.inputs = n.outputs = n.extra = 0;
    change_times(nodes, n);
    if (names_others_ && !plan_.facts.ranks.empty()) permute_splits(plan_.facts, nodes, n);
    change_attributes(nodes, n);
    if (sizes) plan_.sizes.change(nodes, n);
    if (n.name.size != 0) n.name = nodes.add_text(names_.hide(nodes.name(n), n.type));
    ++place_;
  }
}

// Returns a start relative to the first start of the set.
std::uint64_t RankAnonymizer::shifted(std::int64_t begin_ns) const {
  return times_.changed_start(
      static_cast<std::uint64_t>(std::max<std::int64_t>(begin_ns - plan_.facts.first_ns, 0)));
}

// Changes the time fields of a node, and computes the start and the factor for its time attributes.
void RankAnonymizer::change_times(const NodeTable& nodes, Node& node) {
  begin_ns_ = starts_ && plan_.facts.has_starts ? recorded_time(nodes, node, base_ns_).begin_ns : no_time;
  if (node.start_us != 0) node.start_us = begin_ns_ == no_time ? 0 : shifted(begin_ns_) / us_in_ns;
  counts_.durations = counts_.durations || node.duration_us != 0;
  if (!changes_times_) return;
  factor_ = times_.factor(rank_, place_);
  node.duration_us = times_.changed(node.duration_us, factor_);
}

void RankAnonymizer::change_attributes(NodeTable& nodes, Node& node) {
  std::uint32_t left = 0;
  for (std::uint32_t k = 0; k < node.attrs.count; ++k) {
    Attr& a = nodes.attrs[node.attrs.begin + k];
    a.extra = 0;
    if (!change_attribute(nodes, a)) continue;
    if (left != k) nodes.attrs[node.attrs.begin + left] = a;
    if (a.name.index() < attr::count) counts_.kept.set(a.name.index());
    ++left;
  }
  node.attrs.count = left;
}

// Returns false if the attribute is to be dropped.
bool RankAnonymizer::change_attribute(NodeTable& nodes, Attr& a) {
  switch (role(a)) {
    case AttributeRole::none: return false;
    case AttributeRole::thread: a.bits = thread(static_cast<std::int64_t>(a.bits)); break;
    case AttributeRole::tensors: change_tensors(nodes, a); break;
    case AttributeRole::step:
      if (is_step_word(nodes.string(a))) break;
      ++counts_.wrong_kind;
      return false;
    case AttributeRole::rules:
      if (is_dep_rules(nodes.string(a))) break;
      ++counts_.wrong_kind;
      return false;
    case AttributeRole::group:
      if (names_others_) rename_group(nodes, a);
      break;
    case AttributeRole::rank:
      if (names_others_ && !plan_.facts.ranks.empty()) renumber_rank(plan_.facts, a);
      break;
    case AttributeRole::start:
      if (!starts_) return false;
      if (const IntValue v = int_value(&a); v && v.value >= 0)
        set_number(a, static_cast<std::int64_t>(begin_ns_ == no_time ? 0 : shifted(begin_ns_)));
      break;
    case AttributeRole::duration:
    case AttributeRole::delay:
      if (const IntValue v = int_value(&a); changes_times_ && v && v.value > 0)
        set_number(a, static_cast<std::int64_t>(times_.changed(static_cast<std::uint64_t>(v.value), factor_)));
      break;
    default: break;
  }
  return true;
}

// Numbers threads in order of first appearance.
std::uint64_t RankAnonymizer::thread(std::int64_t before) {
  const auto at = threads_.try_emplace(before, threads_.size()).first;
  return at->second;
}

// Caches the last group, as consecutive calls often use the same group.
void RankAnonymizer::rename_group(NodeTable& nodes, Attr& a) {
  const std::string_view before = nodes.string(a);
  if (before != last_group_ || new_group_ == nullptr) {
    last_group_ = before;
    new_group_ = &plan_.facts.groups.name(last_group_);
  }
  set_text(nodes, a, *new_group_);
}

// Hides tensor names as node names are hidden. Empties a list that does not consist of names and bytes, as it may
// contain words.
void RankAnonymizer::change_tensors(NodeTable& nodes, Attr& list) {
  const std::uint32_t count = list.size;
  std::vector<Text> texts;
  bool good = count % 2 == 0;
  for (std::uint32_t i = 0; i < count && good; i += 2) {
    const auto bytes = listed_bytes(nodes, list, i / 2);
    good = bytes.has_value();
    if (!good) break;
    texts.push_back(nodes.add_text(names_.keyed(nodes.view(nodes.texts[list.bits + i]))));
    texts.push_back(nodes.add_text(std::to_string(plan_.sizes.of_tensor(*bytes))));
  }
  if (!good) {
    ++counts_.wrong_kind;
    texts.clear();
  }
  list.bits = nodes.texts.size();
  list.size = static_cast<std::uint32_t>(texts.size());
  nodes.texts.insert(nodes.texts.end(), texts.begin(), texts.end());
}

void rename_others(const SetFacts& facts, NodeTable& nodes) {
  for (const Node& n : nodes.nodes) {
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) {
      Attr& a = nodes.attrs[n.attrs.begin + k];
      if (a.name == attr::pg_name && a.kind == Kind::string_val)
        set_text(nodes, a, facts.groups.name(std::string(nodes.string(a))));
    }
  }
}

}  // namespace convert
