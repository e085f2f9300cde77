// SPDX-License-Identifier: MIT
#include "anonymize/proof.h"

#include <algorithm>
#include <utility>

#include "anonymize/texts.h"
#include "core/algorithm/algorithm.h"
#include "core/algorithm/link_way.h"
#include "core/collective.h"
#include "core/units.h"
#include "formats/format.h"
#include "passes/anonymize/kept.h"
#include "sets/check.h"
#include "util/parallel.h"

namespace tools {

using namespace convert;

namespace {

// Texts and numbers of one rank.
struct RankContents {
  TextsOfSet texts{};
  SetNumbers numbers{};
};
struct RankFound {
  std::vector<std::uint32_t> in_bytes{}, in_texts{};
  std::uint64_t bytes = 0;
  TextsOfSet kept{};  // of attributes that the user keeps
  SetNumbers numbers{};
};

Trace read_rank(SetSource& set, std::size_t i) {
  Trace trace;
  const auto reader = set.open_rank(i);
  (void)reader->next_rank(trace);
  read_nodes(*reader, trace);
  return trace;
}

RankContents contents_of(const Trace& trace) {
  RankContents out;
  out.texts.add_head(trace);
  out.texts.add_nodes(trace.nodes);
  out.numbers.add(trace.nodes);
  return out;
}

std::string encoded(const Trace& trace) {
  const auto writer = find_format("chakra").write({});
  std::string bytes;
  writer->begin_rank(trace, 0, false, bytes);
  writer->nodes(trace, bytes);
  writer->end_rank(bytes);
  return bytes;
}

void add_kept(const AttrTable& table, std::span<const Attr> attrs, const std::vector<Name>& keep, TextsOfSet& to) {
  for (const Attr& a : attrs) {
    if (std::ranges::find(keep, a.name) == keep.end()) continue;
    to.add(a.name.view());
    if (!is_text(a.kind)) continue;
    if (!is_list(a.kind)) to.add(table.string(a));
    if (!is_list(a.kind)) continue;
    for (const Text t : table.string_list(a)) to.add(table.view(t));
  }
}

RankFound search_rank(const Trace& trace, const TextSearch& search, const std::vector<Name>& keep) {
  const std::string bytes = encoded(trace);
  RankFound out{.in_bytes = search.find(bytes), .bytes = bytes.size()};
  if (!out.in_bytes.empty()) out.in_texts = search.find(texts_of(trace));
  add_kept(trace.metadata.table, trace.metadata.table.attrs,
           {scheduled_network, scheduled_forwarding, attr::schema}, out.kept);
  if (!keep.empty()) {
    add_kept(trace.metadata.table, trace.metadata.table.attrs, keep, out.kept);
    for (const Node& n : trace.nodes.nodes) add_kept(trace.nodes, trace.nodes.attributes(n), keep, out.kept);
  }
  out.numbers.add(trace.nodes);
  return out;
}

// Returns the words of the format. A text that is part of a word of the format reveals nothing.
std::string vocabulary(const AnonymizeOptions& options) {
  std::string words = "world_size\nanonymized\netkit\nProfilerStep# iteration \n" + options.note + '\n';
  for (std::uint32_t i = 0; i < attr::count; ++i) {
    if (role_of(Name(i)) != AttributeRole::none) words.append(Name(i).view()) += '\n';
  }
  words.append(attr::collective.view()) += '\n';
  for (const std::string_view name : collective_names) words.append(name) += '\n';
  for (const std::string_view name : step_type_names) words.append(name) += '\n';
  constexpr std::int32_t types = 8;
  for (std::int32_t t = 0; t < types; ++t) words.append(node_type_name(NodeType{t})) += '\n';
  return words;
}

// Marks of iterations are vocabulary, with any number.
bool is_mark(std::string_view text) {
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  const std::string_view word = text.substr(0, digits);
  return word == "ProfilerStep#" || word == "iteration ";
}

class TextProver {
 public:
  TextProver(const TextsOfSet& texts, const AnonymizeOptions& options)
      : search_(texts),
        options_(options),
        vocabulary_(vocabulary(options)),
        in_bytes_(search_.size()),
        in_texts_(search_.size()) {}

  // Searches the ranks of the set; returns the numbers of the set.
  SetNumbers run(SetSource& set, unsigned jobs) {
    SetNumbers numbers;
    for_each_ordered(
        jobs, set.independent_ranks(),
        [&](std::size_t i) { return search_rank(read_rank(set, i), search_, options_.keep); },
        [&](std::size_t, RankFound&& found) {
          for (const std::uint32_t t : found.in_bytes) in_bytes_[t] = true;
          for (const std::uint32_t t : found.in_texts) in_texts_[t] = true;
          bytes_ += found.bytes;
          kept_.add(std::move(found.kept));
          numbers.add(found.numbers);
        });
    return numbers;
  }

  TextProof finish() {
    TextProof proof{.searched = search_.size(), .left_out = search_.left_out(), .bytes = bytes_};
    for (std::uint32_t t = 0; t < search_.size(); ++t) {
      const std::string& text = search_.text(t);
      if (!in_bytes_[t]) continue;
      if (vocabulary_.find(text) != std::string::npos || is_mark(text) || kept_.all().contains(text)) {
        ++proof.in_vocabulary;
      } else if (in_texts_[t]) {
        proof.survive.push_back(text);
      } else {
        ++proof.in_numbers;
      }
    }
    return proof;
  }

 private:
  TextSearch search_;
  const AnonymizeOptions& options_;
  std::string vocabulary_;
  std::vector<bool> in_bytes_, in_texts_;
  TextsOfSet kept_;
  std::uint64_t bytes_ = 0;
};

using Findings = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;
Findings findings_of(SetSource& set, unsigned jobs) {
  constexpr std::size_t most = 1'000'000;
  Diagnostics diagnostics(most);
  (void)check(set, {.collective = {}, .jobs = jobs}, diagnostics);
  Findings out;
  for (const Diagnostic& d : diagnostics.all()) {
    auto& [errors, warnings] = out[d.rule];
    ++(d.severity == Severity::error ? errors : warnings);
  }
  return out;
}

std::map<std::string, RuleVerdict> compare_verdicts(KeptSet& before, AnonymizedSet& after, unsigned jobs) {
  std::map<std::string, RuleVerdict> out;
  for (const auto& [rule, counts] : findings_of(before, jobs))
    std::tie(out[rule].errors_before, out[rule].warnings_before) = counts;
  for (const auto& [rule, counts] : findings_of(after, jobs))
    std::tie(out[rule].errors_after, out[rule].warnings_after) = counts;
  return out;
}

std::string network_for(const std::string& given, std::size_t ranks) {
  if (!given.empty()) return given;
  return ranks < 2 ? "ideal" : "switch:" + std::to_string(ranks) + ",bw=50GB/s,lat=500ns";
}

}  // namespace

std::vector<std::string> AnonymityProof::failures() const {
  std::vector<std::string> out;
  for (const ReplayProof& r : replays) {
    if (!r.holds()) out.push_back("the replay " + (r.how == "as recorded" ? r.how : "on " + r.how) + " differs");
  }
  for (const auto& [rule, v] : verdicts) {
    if (v.worse()) out.push_back("there are new findings of rule " + rule);
  }
  if (!texts.survive.empty())
    out.push_back(counted(texts.survive.size(), "text") + " of the input can be read, such as '" +
                  texts.survive.front() + "'");
  return out;
}

AnonymityProof prove_anonymity(KeptSet& before, AnonymizedSet& after, const ProofOptions& options) {
  AnonymityProof proof;
  const std::size_t ranks = before.independent_ranks();
  proof.replays = prove_replays(before, after, network_for(options.network, ranks), options.jobs);
  proof.verdicts = compare_verdicts(before, after, options.jobs);
  RankContents contents;
  for (const std::string& name : options.names) contents.texts.add(name);
  for_each_ordered(
      options.jobs, ranks, [&](std::size_t i) { return contents_of(read_rank(before, i)); },
      [&](std::size_t, RankContents&& rank) {
        contents.texts.add(std::move(rank.texts));
        contents.numbers.add(rank.numbers);
      });
  TextProver prover(contents.texts, after.plan().options);
  const SetNumbers numbers = prover.run(after, options.jobs);
  proof.texts = prover.finish();
  proof.numbers = compare_numbers(contents.numbers, numbers);
  return proof;
}

}  // namespace tools
