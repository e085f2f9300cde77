// SPDX-License-Identifier: MIT
#include "sets/numbered/drafts.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "io/set_path.h"
#include "sets/numbered/rounds.h"
#include "util/parallel.h"

namespace convert {
namespace {

WrittenSetFacts facts_of(const SetSource& source, Rank ranks) {
  WrittenSetFacts facts{.ranks = ranks};
  if (const auto found = source.groups()) facts.groups = parse_groups(found->name, found->json, std::nullopt);
  std::ranges::sort(facts.groups, {}, &CommGroup::id);
  return facts;
}

Rank rank_of_draft(const std::unique_ptr<RankDraft>& draft) { return draft->rank; }

}  // namespace

std::vector<Rank> write_drafts(SetSource& source, const SetWriter& writer, unsigned jobs, DraftOrder order,
                               const std::function<void(Rank, std::string_view)>& put, Diagnostics& diagnostics) {
  const auto write = [&](RankDraft& draft, const WrittenSetFacts& facts) {
    std::string text;
    writer.write(draft, facts, text);
    put(draft.rank, text);
  };
  std::optional<WrittenSetFacts> early;
  if (order == DraftOrder::any && !source.groups_come_late() && source.independent_ranks() != 0)
    early = facts_of(source, static_cast<Rank>(source.independent_ranks()));
  std::vector<std::unique_ptr<RankDraft>> drafts;
  const auto draft_one = [&](const Trace& trace, std::span<const std::uint32_t> rounds) {
    auto draft = writer.draft(trace, rounds);
    if (early) write(*draft, *early);
    return draft;
  };
  const auto keep = [&](std::unique_ptr<RankDraft>&& draft) { drafts.push_back(std::move(draft)); };
  if (source.groups_come_late() || source.tells_order()) {  // recordings have times
    const auto draft_read = [&](TraceReader& reader, Trace& trace) {
      read_nodes(reader, trace);
      return draft_one(trace, {});
    };
    source.for_each_rank(jobs, draft_read, keep);
  } else {
    const KeptRanks kept(source, jobs);
    const SetRounds rounds(kept, source, jobs, diagnostics);
    if (early) early->first_ns = rounds.first_ns();
    const auto draft_kept = [&](std::size_t i) {
      const Trace trace = kept.read(i);
      return draft_one(trace, rounds.of(trace.rank));
    };
    for_each_ordered(jobs, kept.size(), draft_kept,
                     [&](std::size_t, std::unique_ptr<RankDraft>&& draft) { keep(std::move(draft)); });
  }
  std::ranges::sort(drafts, {}, rank_of_draft);
  const auto twice = std::ranges::adjacent_find(drafts, {}, rank_of_draft);
  if (twice != drafts.end())
    throw input_error({.file = source.base_name()}, "rank " + std::to_string((*twice)->rank) + " is repeated");
  if (!early) {
    WrittenSetFacts facts = facts_of(source, drafts.empty() ? 0 : drafts.back()->rank + 1);
    for (const auto& draft : drafts) {
      if (draft->first_ns == no_time) continue;
      facts.first_ns = facts.first_ns == 0 ? draft->first_ns : std::min(facts.first_ns, draft->first_ns);
    }
    const auto write_one = [&](std::size_t i) {
      write(*drafts[i], facts);
      return i;
    };
    for_each_ordered(order == DraftOrder::any ? jobs : 1, drafts.size(), write_one,
                     [](std::size_t, std::size_t) {});
  }
  writer.finish(drafts, diagnostics);
  std::vector<Rank> ranks;
  for (const auto& draft : drafts) ranks.push_back(draft->rank);
  return ranks;
}

void require_own_folder(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  if (!std::filesystem::is_directory(path, error)) throw usage_error(path + " is a file; use a directory");
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!numbered_rank(name))
      throw usage_error(path + " contains files that do not belong to a set, such as " + name +
                        "; use another directory, or --force");
  }
  if (error) throw system_error(path, error.value());
}

}  // namespace convert
