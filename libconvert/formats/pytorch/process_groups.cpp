// SPDX-License-Identifier: MIT
#include "formats/pytorch/process_groups.h"

#include <simdjson.h>

#include <string>

namespace convert {
namespace {

void add_groups(simdjson::dom::element list, std::vector<ProcessGroup>& to) {
  simdjson::dom::array groups;
  if (list.get(groups) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element g : groups) {
    ProcessGroup group;
    std::string_view text;
    std::uint64_t number = 0;
    if (g["pg_name"].get(text) == simdjson::SUCCESS) {
      group.name = text;
    } else if (g["pg_name"].get(number) == simdjson::SUCCESS) {
      group.name = std::to_string(number);
    } else {
      continue;
    }
    if (g["pg_desc"].get(text) == simdjson::SUCCESS) group.description = text;
    for (const char* key : {"pg_size", "group_size"}) {
      if (g[key].get(number) == simdjson::SUCCESS && number <= 0x7fffffffU) {
        group.size = static_cast<std::uint32_t>(number);
      }
    }
    simdjson::dom::array ranks;
    bool sound = g["ranks"].get(ranks) == simdjson::SUCCESS;
    if (sound) {
      for (const simdjson::dom::element r : ranks) {
        sound = sound && r.get(number) == simdjson::SUCCESS && number <= 0x7fffffffU;
        if (sound) group.ranks.push_back(static_cast<std::uint32_t>(number));
      }
    }
    if (!sound) group.ranks.clear();
    to.push_back(std::move(group));
  }
}

// Returns the string in the text that Python's str() returns for a list of one string.
std::string string_in(std::string_view list) {
  std::string out;
  if (list.size() < 4) return out;
  list = list.substr(2, list.size() - 4);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size() && (list[i + 1] == '\\' || list[i + 1] == '\'')) ++i;
    out += list[i];
  }
  return out;
}

simdjson::simdjson_result<simdjson::dom::element> distributed_info(const Profile& device,
                                                                   simdjson::dom::parser& parser) {
  const auto text = string_value(device.metadata, device.metadata.attrs, Name("distributedInfo"));
  if (!text) return simdjson::NO_SUCH_FIELD;
  return parser.parse(text->data(), text->size());
}

std::int64_t told(const Profile& device, std::string_view key) {
  simdjson::dom::parser parser;
  std::int64_t value = -1;
  return distributed_info(device, parser)[key].get(value) == simdjson::SUCCESS ? value : -1;
}

}  // namespace

std::vector<ProcessGroup> process_groups(const Trace& host, const Profile* device) {
  std::vector<ProcessGroup> groups;
  simdjson::dom::parser parser;
  for (const Node& n : host.nodes.nodes) {
    if (n.inputs == 0 || !announces_groups(host.nodes.name(n))) continue;
    const std::string text = string_in(host.nodes.view(host.nodes.io[n.inputs - 1].values));
    simdjson::dom::element list;
    if (parser.parse(text).get(list) == simdjson::SUCCESS) add_groups(list, groups);
  }
  if (device != nullptr) {
    simdjson::dom::element list;
    if (distributed_info(*device, parser)["pg_config"].get(list) == simdjson::SUCCESS) add_groups(list, groups);
  }
  return groups;
}

std::int64_t profiled_rank(const Profile& device) { return told(device, "rank"); }

std::int64_t profiled_world_size(const Profile& device) { return told(device, "world_size"); }

}  // namespace convert
