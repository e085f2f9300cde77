// SPDX-License-Identifier: MIT
#include "sets/world_sizes.h"

namespace convert {

void WorldSizes::add(Rank rank, const std::string& file, std::optional<Rank> world) {
  if (!world) return;
  const std::lock_guard lock(mutex_);
  Said said{.by = {rank, file}, .world = *world};
  if (!first_) {
    first_ = std::move(said);
  } else if (said.by < first_->by) {
    if (said.world != first_->world) other_ = std::move(first_);
    first_ = std::move(said);
  } else if (said.world != first_->world && (!other_ || said.by < other_->by)) {
    other_ = std::move(said);
  }
}

std::optional<Rank> WorldSizes::first() const {
  const std::lock_guard lock(mutex_);
  return first_ ? std::optional(first_->world) : std::nullopt;
}

std::string WorldSizes::first_file() const {
  const std::lock_guard lock(mutex_);
  return first_ ? first_->by.second : "";
}

bool WorldSizes::differ() const {
  const std::lock_guard lock(mutex_);
  return other_.has_value();
}

void WorldSizes::warn_if_they_differ(Diagnostics& diagnostics) const {
  const std::lock_guard lock(mutex_);
  if (!other_) return;
  const auto& [first_rank, first_file] = first_->by;
  const auto& [other_rank, other_file] = other_->by;
  diagnostics.warning({.file = other_file}, "groups",
                      "the metadata of rank " + std::to_string(other_rank) + " states world_size " +
                          std::to_string(other_->world) + ", but the metadata of rank " +
                          std::to_string(first_rank) + (first_file == other_file ? "" : " (" + first_file + ")") +
                          " states " + std::to_string(first_->world) + ": they belong to different sets");
}

}  // namespace convert
