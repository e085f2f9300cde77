// SPDX-License-Identifier: MIT
#include "passes/anonymize/names.h"

#include "passes/iterations/iterations.h"

namespace convert {
namespace {

// Returns what a name says of iterations, in words of its own.
std::string mark_of(std::string_view name) {
  const auto mark = iteration_mark(name);
  if (!mark) return {};
  return (mark->begins ? "ProfilerStep#" : " iteration ") + std::to_string(mark->number);
}

}  // namespace

std::string keyed_name(const KeyedHash& hash, std::string_view name) {
  constexpr std::size_t bytes = 6;
  if (name.empty()) return {};
  const auto digest = hash(name);
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) {
    out += "0123456789abcdef"[digest.at(i) >> 4U];
    out += "0123456789abcdef"[digest.at(i) & 15U];
  }
  return out;
}

std::string NameHider::hidden(std::string_view name, NodeType type) const {
  const std::string mark = mark_of(name);
  if (mark.starts_with('P')) return mark;
  switch (how_) {
    case HiddenNames::keyed: return keyed_name(hash_, name) + mark;
    case HiddenNames::type: return std::string(node_type_name(type)) + mark;
    default: break;
  }
  const auto at = numbers_.find(std::string(name));
  return (at == numbers_.end() ? std::string() : std::to_string(at->second)) + mark;
}

std::string_view NameHider::hide(std::string_view name, NodeType type) {
  if (how_ == HiddenNames::type) return text_ = hidden(name, type);
  const std::uint32_t i = known_.add(name);
  if (i == hidden_.size()) hidden_.push_back(pool_.add_text(hidden(name, type)));
  return pool_.view(hidden_[i]);
}

}  // namespace convert
