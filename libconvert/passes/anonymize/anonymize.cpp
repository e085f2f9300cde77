// SPDX-License-Identifier: MIT
#include "passes/anonymize/anonymize.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/collective.h"
#include "core/units.h"
#include "core/world_size.h"
#include "passes/anonymize/chains.h"
#include "passes/anonymize/ids.h"
#include "passes/anonymize/kept.h"
#include "passes/anonymize/permute.h"

namespace convert {
namespace {

constexpr std::uint64_t us_in_ns = 1000;
const Name anonymized_by{std::string_view("anonymized")};

// Returns a version that can hold no words.
std::string plain_version(const std::string& version) {
  constexpr std::size_t longest = 16;
  const bool plain = version.find_first_not_of("0123456789.") == std::string::npos && version.size() <= longest;
  return plain ? version : std::string(schema_version);
}

void keep_collective(const Metadata& from, Metadata& to) {
  const auto text = string_value(from.table, from.table.attrs, attr::collective);
  if (!text) return;
  const auto known = parse_collective(*text, in_algorithms);
  to.table.add_string(attr::collective, known ? name(*known) : name(Collective::custom));
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
}

RankAnonymizer::RankAnonymizer(const AnonymizePlan& plan, bool names_others)
    : plan_(plan),
      names_others_(names_others),
      names_(plan.options.names, plan.hash, plan.facts.names),
      times_(plan.options, plan.hash) {}

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
  for (const Attr& a : trace.metadata.table.attrs) {
    if (!is_kept(a.name)) continue;
    out.table.add_copy(trace.metadata.table, a);
    out.table.attrs.back().extra = 0;
  }
  if (!plan_.options.note.empty()) out.table.add_string(anonymized_by, plan_.options.note);
  trace.metadata = std::move(out);
  if (names_others_) trace.rank = plan_.facts.rank(trace.rank);
}

bool RankAnonymizer::takes_batches(const RankSurvey& survey) const {
  return survey.ids && !plan_.options.merge_chains;
}

void RankAnonymizer::batch(NodeTable& nodes, const DenseIds& ids) {
  filter(nodes);
  IdNumbers(ids).renumber(nodes);
  change(nodes);
}

void RankAnonymizer::whole(NodeTable& nodes) {
  filter(nodes);
  if (plan_.options.merge_chains) counts_.merged += merge_chains(nodes);
  IdNumbers(nodes).renumber(nodes);
  change(nodes);
}

// Leaves the attributes that stay, at the beginning of the node's.
void RankAnonymizer::filter(NodeTable& nodes) {
  counts_.nodes += nodes.nodes.size();
  for (Node& n : nodes.nodes) {
    n.inputs = n.outputs = n.extra = 0;
    std::uint32_t left = 0;
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) {
      Attr a = nodes.attrs[n.attrs.begin + k];
      const AttributeRole role = role_of(a.name);
      const bool merging = plan_.options.merge_chains && role == AttributeRole::tensors;
      if (!is_kept(a.name) && (role == AttributeRole::none || merging)) {
        ++counts_.dropped;
      } else if (!is_kept(a.name) && !fits(role, a.kind)) {
        ++counts_.wrong_kind;
      } else {
        a.extra = 0;
        nodes.attrs[n.attrs.begin + left++] = a;
      }
    }
    n.attrs.count = left;
  }
}

void RankAnonymizer::change(NodeTable& nodes) {
  for (Node& n : nodes.nodes) {
    change_times(nodes, n);
    if (plan_.options.changes_sizes()) plan_.sizes.change(nodes, n);
    change_attributes(nodes, n);
    if (n.name.size != 0) n.name = nodes.add_text(names_.hide(nodes.name(n), n.type));
    ++place_;
  }
  if (names_others_) rename_others(plan_.facts, nodes);
}

// Returns a start as the set counts it.
std::uint64_t RankAnonymizer::shifted(std::int64_t begin_ns) const {
  return times_.changed_start(
      static_cast<std::uint64_t>(std::max<std::int64_t>(begin_ns - plan_.facts.first_ns, 0)));
}

void RankAnonymizer::change_times(NodeTable& nodes, Node& node) {
  const bool starts = plan_.options.starts && !plan_.options.changes_times();
  const RecordedTime time = starts ? recorded_time(nodes, node, base_ns_) : RecordedTime();
  const bool told = time.begin_ns != no_time;
  if (node.start_us != 0) node.start_us = told ? shifted(time.begin_ns) / us_in_ns : 0;
  const bool changes = plan_.options.changes_times() || plan_.options.scale != 1;
  const double factor = changes ? times_.factor(rank_, place_) : 1;
  if (changes) node.duration_us = times_.changed(node.duration_us, factor);
  std::uint32_t left = 0;
  for (std::uint32_t k = 0; k < node.attrs.count; ++k) {
    Attr a = nodes.attrs[node.attrs.begin + k];
    const AttributeRole role = role_of(a.name);
    const IntValue value = int_value(&a);
    if (role == AttributeRole::start && !is_kept(a.name)) {
      if (!starts) continue;
      if (value && value.value >= 0) set_number(a, static_cast<std::int64_t>(told ? shifted(time.begin_ns) : 0));
    } else if (changes && value && value.value > 0 &&
               (role == AttributeRole::duration || role == AttributeRole::delay)) {
      set_number(a, static_cast<std::int64_t>(times_.changed(static_cast<std::uint64_t>(value.value), factor)));
    }
    nodes.attrs[node.attrs.begin + left++] = a;
  }
  node.attrs.count = left;
}

void RankAnonymizer::change_attributes(NodeTable& nodes, const Node& node) {
  for (std::uint32_t k = 0; k < node.attrs.count; ++k) {
    Attr& a = nodes.attrs[node.attrs.begin + k];
    const AttributeRole role = role_of(a.name);
    if (is_kept(a.name) || (role != AttributeRole::thread && role != AttributeRole::tensors)) continue;
    if (role == AttributeRole::tensors) {
      change_tensors(nodes, a);
      continue;
    }
    const auto thread = static_cast<std::int64_t>(a.bits);
    const auto at = std::ranges::find(threads_, thread);
    a.bits = static_cast<std::uint64_t>(at - threads_.begin());
    if (at == threads_.end()) threads_.push_back(thread);
  }
}

// Gives tensors names as nodes have them. What is no list of names and bytes is emptied: it may hold words.
void RankAnonymizer::change_tensors(NodeTable& nodes, Attr& list) {
  const std::uint32_t count = list.size;
  std::vector<Text> texts;
  bool good = count % 2 == 0;
  for (std::uint32_t i = 0; i < count && good; i += 2) {
    const std::string name = keyed_name(plan_.hash, nodes.view(nodes.texts[list.bits + i]));
    const auto bytes = parse_plain(nodes.view(nodes.texts[list.bits + i + 1]), INT64_MAX);
    good = bytes.has_value();
    if (!good) break;
    texts.push_back(nodes.add_text(name));
    texts.push_back(nodes.add_text(std::to_string(plan_.sizes.changed(static_cast<std::int64_t>(*bytes)))));
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
    if (!facts.ranks.empty()) permute_splits(facts, nodes, n);
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) {
      Attr& a = nodes.attrs[n.attrs.begin + k];
      const AttributeRole role = role_of(a.name);
      if (role == AttributeRole::group && a.kind == Kind::string_val) {
        const std::string name(facts.groups.name(nodes.string(a)));
        set_text(nodes, a, name);
      } else if (const IntValue v = int_value(&a);
                 role == AttributeRole::rank && v && v.value >= 0 && v.value <= largest_rank) {
        a.bits = facts.rank(static_cast<Rank>(v.value));
      }
    }
  }
}

}  // namespace convert
