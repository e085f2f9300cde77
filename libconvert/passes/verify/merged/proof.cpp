// SPDX-License-Identifier: MIT
#include "passes/verify/merged/proof.h"

#include <algorithm>
#include <compare>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/algorithm/chunk_bytes.h"
#include "core/collective.h"
#include "core/units.h"
#include "passes/provenance.h"
#include "passes/rules/whole_set/collective_groups.h"
#include "passes/verify/merged/instance.h"
#include "passes/verify/postcondition.h"

namespace convert {
namespace {

struct RankCalls {
  Rank rank = 0;
  std::string file;
  std::vector<MergedCall> calls;
  std::vector<MergedPart> parts;
};

// A collective on one rank, as a member of the group's meeting.
struct Meeting {
  std::uint32_t group;
  std::uint64_t instance;
  std::uint32_t rank;  // index
  std::uint32_t call;
};

// Members of a group that do not take part in collectives.
struct Lacking {
  std::uint32_t group = 0;
  std::vector<std::uint32_t> places{};  // the first missing members
  std::size_t count = 0;
  auto operator<=>(const Lacking&) const = default;
};
constexpr std::size_t most_named = 8;

// Returns the collective that programs for a type claim to compute.
std::optional<Collective> claim_for(std::int64_t type) {
  const Collective c = without_block(collective_of(type));
  return has_postcondition(c) ? std::optional(c) : std::nullopt;
}

}  // namespace

struct MergedProof::State {
  std::vector<RankCalls> ranks;
  NumberLists lists;
  std::vector<std::string> texts{""};
  std::map<std::string, std::uint32_t> text_ids{{"", 0}};
  Counts counts;

  const GroupLists* groups = nullptr;
  std::optional<Collective> collective;
  Diagnostics* diagnostics = nullptr;
  std::set<std::uint64_t> broken;                      // instances with a reported rank
  std::map<std::uint32_t, MergedInstance> structures;  // by their list
  std::set<std::uint32_t> sized;                       // lists: structures whose sizes were checked
  bool warned_of_places = false;
  // the first collective with missing members, and their number
  std::map<Lacking, std::pair<Meeting, std::uint64_t>> lacking;

  [[nodiscard]] const MergedCall& call(const Meeting& m) const { return ranks[m.rank].calls[m.call]; }
  [[nodiscard]] std::string describe(const Meeting& m) const {
    const MergedCall& c = call(m);
    return "merged collective " + std::to_string(c.id) + " (" + texts[c.name] + ") of " +
           (texts[c.group] == "0" ? std::string("all ranks") : rules::group_text(texts[c.group]));
  }
  void error(const Meeting& m, const std::string& what) const {
    const RankCalls& r = ranks[m.rank];
    diagnostics->error({.file = r.file, .rank = r.rank, .node = static_cast<std::int64_t>(call(m).first_node)},
                       "provenance", describe(m) + what);
  }
  // Returns the ranks of a group in list order, or null if the list is unknown.
  [[nodiscard]] const std::vector<Rank>* listed(const std::string& group) const {
    if (groups == nullptr) return nullptr;
    const auto at = groups->find(group);
    return at == groups->end() ? nullptr : &at->second;
  }
  // Returns a word of a call's program.
  [[nodiscard]] std::uint32_t program(const Meeting& m, std::size_t word) const {
    return lists.get(call(m).program)[word];
  }

  void prove(std::span<const Meeting> found);
  [[nodiscard]] bool agree(std::span<const Meeting> members) const;
  [[nodiscard]] bool in_place(std::span<const Meeting> members);
  [[nodiscard]] bool prove_part(std::span<const Meeting> members, std::uint32_t part);
  void warn_of_places(const Meeting& m) const;
  void report_lacking() const;
};

MergedProof::MergedProof() : state_(std::make_unique<State>()) {}
MergedProof::~MergedProof() = default;

void MergedProof::add(MergedCalls&& rank) {
  State& s = *state_;
  std::vector<std::uint32_t> list_of(rank.lists.size());
  for (std::uint32_t i = 0; i < rank.lists.size(); ++i) list_of[i] = s.lists.add(rank.lists.get(i));
  std::vector<std::uint32_t> text_of;
  for (std::string& text : rank.texts) {
    const auto [at, added] = s.text_ids.try_emplace(text, static_cast<std::uint32_t>(s.texts.size()));
    if (added) s.texts.push_back(std::move(text));
    text_of.push_back(at->second);
  }
  const auto list = [&](std::uint32_t& id) { id = id == no_index ? no_index : list_of[id]; };
  for (MergedCall& c : rank.calls) {
    list(c.program);
    for (std::uint32_t* text : {&c.name, &c.group, &c.why_not}) *text = text_of[*text];
  }
  for (MergedPart& p : rank.parts) {
    for (std::uint32_t* id : {&p.shape, &p.peers, &p.sizes}) list(*id);
  }
  s.counts.other_nodes += rank.other_nodes;
  s.ranks.push_back({rank.rank, std::move(rank.file), std::move(rank.calls), std::move(rank.parts)});
}

MergedProof::Counts MergedProof::run(const GroupLists* groups, std::optional<Collective> collective,
                                     Diagnostics& diagnostics) {
  State& s = *state_;
  s.groups = groups;
  s.collective = collective;
  s.diagnostics = &diagnostics;
  std::vector<Meeting> meetings;
  for (std::uint32_t r = 0; r < s.ranks.size(); ++r) {
    for (std::uint32_t c = 0; c < s.ranks[r].calls.size(); ++c) {
      const MergedCall& call = s.ranks[r].calls[c];
      if (call.broken) s.broken.insert(call.instance);
      if (!call.broken) meetings.push_back({call.group, call.instance, r, c});
    }
  }
  // Sort by instance, independent of the names of groups.
  std::ranges::sort(meetings, [&](const Meeting& a, const Meeting& b) {
    return std::tie(a.instance, s.texts[a.group], s.ranks[a.rank].rank, a.call) <
           std::tie(b.instance, s.texts[b.group], s.ranks[b.rank].rank, b.call);
  });
  std::set<std::uint64_t> alone = s.broken;  // instances without a valid part
  for (std::size_t k = 0; k < meetings.size();) {
    std::size_t end = k + 1;
    while (end < meetings.size() && meetings[end].group == meetings[k].group &&
           meetings[end].instance == meetings[k].instance)
      ++end;
    ++s.counts.collectives;
    alone.erase(meetings[k].instance);
    s.prove(std::span(meetings).subspan(k, end - k));
    k = end;
  }
  s.counts.collectives += alone.size();
  s.report_lacking();
  return s.counts;
}

// Returns whether all members agree on the collective and its replacement.
bool MergedProof::State::agree(std::span<const Meeting> members) const {
  const MergedCall& first = call(members.front());
  const auto said = [&](const Meeting& m) {
    const MergedCall& c = call(m);
    return std::tuple(c.type, c.bytes, c.root, c.parts, program(m, MergedSteps::places),
                      program(m, MergedSteps::collective));
  };
  for (const Meeting& m : members) {
    if (said(m) == said(members.front())) continue;
    const auto& a = ranks[members.front().rank];
    error(m, " differs in type, size, root, instances or algorithm from node " + std::to_string(first.first_node) +
                 " of rank " + std::to_string(a.rank) + ", which belongs to the same collective");
    return false;
  }
  return true;
}

void MergedProof::State::warn_of_places(const Meeting& m) const {
  const RankCalls& r = ranks[m.rank];
  diagnostics->warning(
      {.file = r.file, .rank = r.rank, .node = static_cast<std::int64_t>(call(m).first_node)}, "groups",
      describe(m) + ": the group is not listed, so the positions of its ranks in the algorithm are not proved",
      {"hint: list its ranks in PREFIX.groups.json"});
}

// Returns whether each member has its position in the group's list.
bool MergedProof::State::in_place(std::span<const Meeting> members) {
  const std::string& group = texts[members.front().group];
  const std::vector<Rank>* const list = group == "0" ? nullptr : listed(group);
  if (list == nullptr && group != "0") {
    if (!std::exchange(warned_of_places, true)) warn_of_places(members.front());
    return true;
  }
  for (const Meeting& m : members) {
    const std::uint32_t place = program(m, MergedSteps::place);
    const Rank rank = ranks[m.rank].rank;
    if (list != nullptr ? place < list->size() && (*list)[place] == rank : place == rank) continue;
    error(m, " is executed by rank " + std::to_string(rank) + " as rank " + std::to_string(place) +
                 " of the algorithm, which is not its position in the group");
    return false;
  }
  return true;
}

void MergedProof::State::prove(std::span<const Meeting> found) {
  for (const Meeting& m : found) {
    if (call(m).why_not != 0) return error(m, " is not proved: " + texts[call(m).why_not]);
  }
  if (!agree(found)) return;
  std::vector<Meeting> members(found.begin(), found.end());
  std::ranges::sort(members, {}, [&](const Meeting& m) { return program(m, MergedSteps::place); });
  const std::uint32_t places = program(members.front(), MergedSteps::places);
  for (std::size_t k = 1; k < members.size(); ++k) {
    const std::uint32_t place = program(members[k], MergedSteps::place);
    if (program(members[k - 1], MergedSteps::place) != place) continue;
    return error(members[k], " is executed by ranks " + std::to_string(ranks[members[k - 1].rank].rank) + " and " +
                                 std::to_string(ranks[members[k].rank].rank) + ", both as rank " +
                                 std::to_string(place) + " of the algorithm");
  }
  if (members.size() != places) {
    if (broken.contains(members.front().instance)) return;
    Lacking lacks{.group = members.front().group, .places = {}, .count = places - members.size()};
    for (std::uint32_t k = 0, place = 0; place < places && lacks.places.size() < most_named; ++place) {
      if (k < members.size() && program(members[k], MergedSteps::place) == place) {
        ++k;
      } else {
        lacks.places.push_back(place);
      }
    }
    ++lacking.try_emplace(std::move(lacks), members.front(), 0).first->second.second;
    return;
  }
  if (!in_place(members)) return;
  bool proved = true;
  for (std::uint32_t part = 0; part < call(members.front()).parts && proved; ++part) {
    proved = prove_part(members, part);
  }
  counts.proved += proved ? 1 : 0;
}

bool MergedProof::State::prove_part(std::span<const Meeting> members, std::uint32_t part) {
  const MergedCall& first = call(members.front());
  const auto wanted = collective ? collective : claim_for(first.type);
  if (!wanted) {
    error(members.front(), " is not proved: the required result of a " +
                               std::string(name(collective_of(first.type))) + " is unknown");
    return false;
  }
  InstanceOfRanks instance{.collective = *wanted, .lists = &lists};
  instance.bytes = first.bytes;
  if (states_part(collective_of(first.type)) &&
      __builtin_mul_overflow(first.bytes, static_cast<std::int64_t>(members.size()), &instance.bytes)) {
    error(members.front(), " has 2^63 bytes or more");
    return false;
  }
  instance.bytes = part_bytes(instance.bytes, first.parts, part);
  for (const Meeting& m : members) {
    const RankCalls& r = ranks[m.rank];
    const MergedCall& c = call(m);
    const MergedPart& p = r.parts[c.first_part + part];
    const std::size_t nodes = (lists.get(c.program).size() - MergedSteps::head) / merged::step_numbers;
    instance.places.push_back({.rank = r.rank,
                               .file = &r.file,
                               .first_node = c.first_node + part * nodes,
                               .program = c.program,
                               .part = p});
    if (static_cast<std::int64_t>(r.rank) == first.root)
      instance.root = static_cast<std::int32_t>(instance.places.size() - 1);
  }
  if (first.root >= 0 && instance.root < 0) {
    error(members.front(), " has rank " + std::to_string(first.root) + " as its root, which does not take part");
    return false;
  }
  instance.index();
  const std::string subject =
      describe(members.front()) + (first.parts > 1
                                       ? ", instance " + std::to_string(part) + " of " + std::to_string(first.parts)
                                       : std::string());
  std::vector<std::uint32_t> key;
  if (!instance.key(key)) {
    error(members.front(), ": it sends to or receives from ranks that do not take part");
    return false;
  }
  const std::uint32_t structure = lists.add(key);
  auto known = structures.find(structure);
  if (known == structures.end()) {
    if (!MergedInstance::prove(instance, subject, *diagnostics)) return false;
    known = structures.emplace(structure, MergedInstance()).first;
  }
  key = {structure, static_cast<std::uint32_t>(instance.bytes), static_cast<std::uint32_t>(instance.bytes >> 32)};
  for (const InstanceOfRanks::Place& p : instance.places) key.push_back(p.part.sizes);
  const std::uint32_t sizes = lists.add(key);
  if (sized.contains(sizes)) return true;
  if (!known->second.check_sizes(instance, subject, *diagnostics)) return false;
  sized.insert(sizes);
  return true;
}

void MergedProof::State::report_lacking() const {
  for (const auto& [lacks, found] : lacking) {
    const auto& [first, count] = found;
    const std::vector<Rank>* const list = listed(texts[lacks.group]);
    std::string names;
    for (const std::uint32_t place : lacks.places) {
      const std::uint32_t rank = list != nullptr && place < list->size() ? (*list)[place] : place;
      names += (names.empty() ? "" : ", ") + std::to_string(rank);
    }
    if (lacks.count > lacks.places.size()) names += ", …";
    const bool several = lacks.count > 1;
    error(first, std::string(count > 1 ? " and " + counted(count - 1, "other") + " are not proved: "
                                       : " is not proved: ") +
                     (list != nullptr || texts[lacks.group] == "0" ? "rank" : "member") + (several ? "s " : " ") +
                     names + (several ? " are missing" : " is missing"));
  }
}

}  // namespace convert
