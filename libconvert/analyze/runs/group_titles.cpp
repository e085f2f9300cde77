// SPDX-License-Identifier: MIT
#include "analyze/runs/group_titles.h"

#include <tuple>
#include <utility>

namespace convert {
namespace {

// Key of equivalent groups.
struct Shape {
  std::string name{};
  std::uint32_t npus = 0;
  std::vector<std::pair<Collective, std::int64_t>> calls{};  // operation and size, if groups have no name
  auto operator<=>(const Shape&) const = default;
};

}  // namespace

GroupTitles::GroupTitles(const Run& run) {
  std::map<std::int64_t, Shape> shapes;
  for (const Run::Group& g : run.groups) groups_[g.group].name = run.texts[g.name];
  for (const Run::Call& c : run.calls) {
    Shape& shape = shapes[c.group];
    shape.npus = c.npus;
    shape.name = groups_[c.group].name;
    if (shape.name.empty()) shape.calls.emplace_back(c.op, c.size_bytes);
  }
  std::erase_if(groups_, [&](const auto& group) { return !shapes.contains(group.first); });
  std::map<Shape, std::int64_t> first;
  for (auto& [id, shape] : shapes) {
    if (id == 0) shape.name = "(all ranks)";  // has no equivalent
    Group& group = groups_[id];
    group.representative = first.try_emplace(std::move(shape), id).first->second;
    if (group.representative != id) ++groups_.at(group.representative).alike;
  }
}

std::int64_t GroupTitles::representative(std::int64_t group) const {
  const auto at = groups_.find(group);
  return at == groups_.end() ? group : at->second.representative;
}

std::size_t GroupTitles::alike(std::int64_t group) const {
  const auto at = groups_.find(representative(group));
  return at == groups_.end() ? 1 : at->second.alike;
}

std::string GroupTitles::title(std::int64_t group) const {
  const std::int64_t id = representative(group);
  const std::size_t n = alike(id);
  const auto at = groups_.find(id);
  if (id == 0) return "(all ranks)";
  if (at != groups_.end() && !at->second.name.empty())
    return at->second.name + (n == 1 ? "" : " (" + std::to_string(n) + " groups)");
  return std::to_string(id) + (n == 1 ? "" : " (+ " + std::to_string(n - 1) + " like it)");
}

std::string GroupTitles::title_alone(std::int64_t group) const {
  const auto at = groups_.find(group);
  if (group == 0) return "(all ranks)";
  if (at == groups_.end() || at->second.name.empty()) return std::to_string(group);
  return group < 0 || alike(group) == 1 ? at->second.name
                                        : at->second.name + " (group " + std::to_string(group) + ")";
}

std::vector<std::int64_t> GroupTitles::groups() const {
  std::vector<std::int64_t> ids;
  for (const auto& [id, group] : groups_) ids.push_back(id);
  return ids;
}

}  // namespace convert
