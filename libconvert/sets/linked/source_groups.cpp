// SPDX-License-Identifier: MIT
// Process groups of a source: from a groups file, carried by its format, or announced by its ranks.
#include <algorithm>
#include <numeric>

#include "config/groups.h"
#include "core/master/master_set.h"
#include "core/units.h"
#include "formats/pytorch/process_groups.h"
#include "io/set_path.h"
#include "sets/readers.h"
#include "sets/source.h"
#include "util/in_turn.h"

namespace convert {

void TraceSource::add_linked_groups(const std::string& file, Rank rank,
                                    const std::vector<GroupTable::Group>& groups) {
  const std::lock_guard lock(groups_mutex_);
  linked_ranks_ = std::max(linked_ranks_, rank + 1);
  for (const GroupTable::Group& group : groups) {
    const auto [at, added] = linked_groups_.try_emplace(group.id, LinkedGroup{group});
    at->second.users.insert(rank);
    GroupTable::Group& known = at->second.group;
    if (added) continue;
    known.size = std::max(known.size, group.size);
    const bool same = known.name == group.name;
    if (same && known.ranks.empty()) known.ranks = group.ranks;
    if (same && (group.ranks.empty() || known.ranks == group.ranks)) continue;
    diagnostics_.warning(
        {.file = file}, "groups",
        "process group '" + group.name + "' has different ranks or a different name in another file",
        format_->linked
            ? std::vector<std::string>{"hint: torch.distributed.split_group may give different groups the same "
                                       "name; new_group does not"}
            : std::vector<std::string>{});
  }
}

void TraceSource::take_groups(const TraceReader& reader, const Trace& head) {
  if (!format_->tells_groups) return;
  std::vector<GroupTable::Group> groups;
  for (const ProcessGroup& g : reader.groups())
    groups.push_back({.id = parse_int(g.name).value_or(0), .name = g.name, .ranks = g.ranks, .size = g.size});
  in_turn([this, name = head.name, rank = head.rank, groups = std::move(groups)] {
    add_linked_groups(name, rank, groups);
  });
}

// Opens a file ahead of reading. Findings go to `unheard`, because the later reading reports them.
std::unique_ptr<TraceReader> TraceSource::look_at(std::size_t i, Diagnostics& unheard) const {
  const InputSet::File& file = inputs_.files()[i];
  const Rank rank = options_.rank.value_or(static_cast<Rank>(i));
  return std::make_unique<KnownFileReader>(
      *format_, options_.from.has_value(), open_input(file.path), [&](std::unique_ptr<Input> input) {
        return std::make_unique<FileReader>(*format_, InputItem{std::move(input), file.rank}, rank,
                                            ranks_of_files(), choice_.options, false, unheard);
      });
}

// Reads all files for their groups; the reading of the ranks reports findings.
void TraceSource::read_groups_ahead() {
  Diagnostics unheard;
  for (std::size_t i = 0; i < inputs_.files().size(); ++i) {
    const auto reader = look_at(i, unheard);
    Trace head;
    if (reader->next_rank(head)) take_groups(*reader, head);
  }
  groups_known_ = true;
}

// Returns whether the ranks of a set may announce its groups, because nothing else states them.
bool TraceSource::may_announce_groups() {
  return format_->file_per_rank && !format_->tells_groups && !format_->linked && inputs_.files().size() > 1 &&
         !inputs_.groups() && carried_groups_.empty();
}

// Chakra's converter turns PyTorch's lists of groups into METADATA nodes, which are among the first nodes of a
// rank.
void TraceSource::read_announced_groups() {
  constexpr std::size_t looked_at = 4096;
  Diagnostics unheard;
  for (std::size_t i = 0; i < inputs_.files().size(); ++i) {
    Trace trace;
    try {
      const auto reader = look_at(i, unheard);
      if (!reader->next_rank(trace)) return;
      (void)reader->next_nodes(trace, looked_at);
    } catch (const Error&) {
      return;  // reading the rank reports the error
    }
    const GroupTable groups(process_groups(trace, nullptr));
    if (i == 0 && groups.all().empty()) return;
    add_linked_groups(trace.name, trace.rank, groups.all());
  }
}

void TraceSource::take_metadata(const Metadata& metadata) {
  const GroupNames names = group_names_of(metadata);
  const std::lock_guard lock(groups_mutex_);
  for (const auto& [id, name] : names) {
    std::string& known = group_names_.try_emplace(id, name).first->second;
    known = std::min(known, name);  // independent of the order of threads
  }
  if (!metadata_) metadata_ = metadata;
}

GroupNames TraceSource::group_names() const {
  const std::lock_guard lock(groups_mutex_);
  GroupNames names = group_names_;
  for (const auto& [id, linked] : linked_groups_) names.try_emplace(id, linked.group.description);
  return names;
}

std::optional<Metadata> TraceSource::metadata() const {
  const std::lock_guard lock(groups_mutex_);
  return metadata_;
}

bool TraceSource::has_subgroups() const {
  if (!groups_come_late()) return SetSource::has_subgroups();
  const std::lock_guard lock(groups_mutex_);
  return std::any_of(linked_groups_.begin(), linked_groups_.end(), [](const auto& g) { return g.first != 0; });
}

// Profilers truncate long lists of ranks, and PyTorch's default group has none. Ranks that use a group belong to
// it.
std::vector<std::uint32_t> TraceSource::members(const LinkedGroup& linked) const {
  const GroupTable::Group& group = linked.group;
  if (!group.ranks.empty()) return group.ranks;
  constexpr std::uint32_t most_listed = 1 << 20;  // sizes are unverified, and a list takes memory
  const std::uint32_t all = std::max(group.size, linked_ranks_);
  if ((group.id == 0 || group.size == world()) && all <= most_listed) {
    std::vector<std::uint32_t> ranks(all);
    std::iota(ranks.begin(), ranks.end(), 0U);
    return ranks;
  }
  if (group.size > linked.users.size() && !std::exchange(linked.told, true)) {
    diagnostics_.warning({.file = base_name()}, "groups",
                         "no file lists the " + counted(group.size, "rank") + " of process group '" + group.name +
                             "': using the linked ranks that use it, " + std::to_string(linked.users.size()),
                         {"hint: link the other ranks of the group too"});
  }
  return {linked.users.begin(), linked.users.end()};
}

std::optional<InputSet::Groups> TraceSource::groups() const {
  if (inputs_.groups()) return inputs_.groups();
  if (master() != nullptr && !master()->groups.empty()) return InputSet::Groups{first_file_, master()->groups};
  if (!carried_groups_.empty()) return InputSet::Groups{carried_by_, carried_groups_ + "\n"};
  const std::lock_guard lock(groups_mutex_);
  if (linked_groups_.empty()) return std::nullopt;
  std::vector<CommGroup> list;
  for (const auto& [id, linked] : linked_groups_) {
    const bool is_world = id == 0 && linked.group.ranks.empty() && world();  // which needs no list
    if (!is_world) list.push_back({.id = id, .ranks = members(linked)});
  }
  if (list.empty()) return std::nullopt;
  return InputSet::Groups{base_name() + std::string(groups_suffix), groups_text(list)};
}

}  // namespace convert
