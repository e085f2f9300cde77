// SPDX-License-Identifier: MIT
#include "sets/groups/defined.h"

#include <string>

#include "io/groups_file.h"
#include "io/set_path.h"
#include "passes/link/communication.h"
#include "passes/rules/rules.h"
#include "passes/rules/whole_set/collective_groups.h"
#include "sets/check.h"

namespace convert {
namespace {

// Returns the groups file of the set that the rank in `file` belongs to.
std::optional<InputSet::Groups> groups_beside(const std::string& file) {
  if (!convert::rank_of(file)) return std::nullopt;
  const std::string folder = file.substr(0, file.size() - file_name_part(file).size());
  return groups_file_of(folder + base_of_file(file));
}

// Returns the announced groups; a group of unknown ranks contains the rank that announces it.
std::optional<GroupLists> announced_lists(const std::vector<ProcessGroup>& announced, Rank rank) {
  if (announced.empty()) return std::nullopt;
  GroupLists lists;
  const GroupTable table(announced);
  for (const GroupTable::Group& g : table.all())
    lists.emplace(std::to_string(g.id), g.ranks.empty() ? std::vector<Rank>{rank} : g.ranks);
  return lists;
}

}  // namespace

void warn_of_undefined_groups(std::span<const TraceSummary> ranks, Diagnostics& diagnostics) {
  for (const TraceSummary& s : ranks) {
    for (const GroupUse& use : s.collectives) {
      if (use.group.empty() || use.calls.empty()) continue;
      const CollectiveNode& c = use.calls.front();
      diagnostics.warning(
          s.location(c), "groups",
          "rank " + std::to_string(s.rank) + ' ' + s.named(c) + " is a collective of " +
              rules::group_text(use.group) +
              ", and there is no groups file: assuming that exactly the ranks that use a group are in it",
          {"hint: list them in PREFIX.groups.json"});
      return;
    }
  }
}

void check_groups_of_rank(const SetSource& source, const TraceSummary& rank, std::optional<Rank> world,
                          const std::vector<ProcessGroup>& announced, const RuleSet& enabled,
                          Diagnostics& diagnostics) {
  if (source.groups_come_late()) return;  // such ranks define their groups
  std::optional<InputSet::Groups> file = source.groups();
  if (!file) file = groups_beside(rank.name);
  std::optional<Error> defect;
  std::optional<GroupLists> lists = group_lists(file, world, defect);
  if (!file) lists = announced_lists(announced, rank.rank);
  if (lists && enabled.has(Rule::collectives)) rules::check_memberships(rank, *lists, diagnostics);
  if (!enabled.has(Rule::groups)) return;
  if (defect) {
    report_unreadable(*defect, diagnostics);
  } else if (!lists) {
    warn_of_undefined_groups({&rank, 1}, diagnostics);
  }
}

}  // namespace convert
