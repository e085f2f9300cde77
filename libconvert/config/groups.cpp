// SPDX-License-Identifier: MIT
#include "config/groups.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "config/json_map.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "util/json_writer.h"

namespace convert {
namespace {

class GroupsReader {
 public:
  GroupsReader(const std::string& file, std::string_view text, std::optional<std::uint32_t> ranks,
               const std::string& network)
      : source_{.file = file,
                .text = text,
                .rule = "groups",
                .noun = "groups file",
                .shape = R"(a JSON object is expected, such as {"1": [0, 1]})",
                .max_bytes = max_groups_bytes},
        ranks_(ranks),
        network_(network) {}

  std::vector<CommGroup> read() {
    read_json_map(source_, [this](const JsonMember& member) {
      CommGroup group{.id = read_id(member.key)};
      read_ranks(member, group);
      groups_.push_back(std::move(group));
    });
    return std::move(groups_);
  }

 private:
  std::int64_t read_id(const JsonToken& key) {
    const auto id = parse_plain(key.text, INT64_MAX);
    if (!id) throw source_.failure(key, "a group id must be a non-negative integer, not " + shown(key));
    const auto [before, is_new] = key_of_id_.try_emplace(static_cast<std::int64_t>(*id), key);
    if (!is_new) {
      throw source_.failure(key, "group " + std::to_string(*id) + " is repeated; first given in line " +
                                     std::to_string(source_.line_of(before->second)));
    }
    return before->first;
  }

  void read_ranks(const JsonMember& member, CommGroup& group) const {
    const std::string of_group = "group " + std::to_string(group.id);
    if (member.value.kind != JsonToken::Kind::list) {
      throw source_.failure(member.value, of_group + " must be a list of ranks, such as [0, 1]");
    }
    std::unordered_set<std::uint32_t> seen;
    for (const JsonToken& item : member.items) {
      const auto number = parse_plain(item.raw, UINT32_MAX);
      if (!number)
        throw source_.failure(item, of_group + ": a rank must be a non-negative integer, not " + shown(item));
      const auto rank = static_cast<std::uint32_t>(*number);
      if (ranks_ && rank >= *ranks_) {
        const std::string has = network_.empty() ? "the set has " + counted(*ranks_, "rank")
                                                 : "the network " + network_ + " has " + counted(*ranks_, "NPU");
        throw source_.failure(item, of_group + " names rank " + std::to_string(rank) + ", but " + has);
      }
      if (!seen.insert(rank).second) {
        throw source_.failure(item, of_group + " names rank " + std::to_string(rank) + " twice");
      }
      group.ranks.push_back(rank);
    }
  }

  JsonSource source_;
  std::optional<std::uint32_t> ranks_;
  const std::string& network_;
  std::vector<CommGroup> groups_;
  std::unordered_map<std::int64_t, JsonToken> key_of_id_;
};

}  // namespace

std::string groups_text(std::span<const CommGroup> groups) {
  std::string json;
  JsonWriter w(json);
  w.begin_object();
  for (const CommGroup& group : groups) {
    w.line(1).key(std::to_string(group.id)).begin_array();
    for (const std::uint32_t r : group.ranks) w.value(r);
    w.end_array();
  }
  w.line().end_object();
  json += '\n';
  return json;
}

std::vector<CommGroup> parse_groups(const std::string& file, std::string_view text,
                                    std::optional<std::uint32_t> ranks, const std::string& network) {
  return GroupsReader(file, text, ranks, network).read();
}

}  // namespace convert
