// SPDX-License-Identifier: MIT
#include "passes/anonymize/names.h"

#include <functional>

#include "graph/iteration_name.h"

namespace convert {

std::string hashed_part(std::string_view name) {
  const auto mark = iteration_in_name(name);
  if (!mark) return std::string(name);
  if (mark->begins) return {};
  return std::string(name.substr(0, mark->at)).append(name.substr(mark->at + mark->digits));
}

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

std::string_view NameHider::keyed(std::string_view name) {
  Known& known = known_[std::hash<std::string_view>()(name) & (known_.size() - 1)];
  if (known.name == name) return known.hidden;
  // Where names push each other out there is room for more.
  if (!known.name.empty() && ++pushed_out_ > known_.size() && known_.size() < most_known) {
    known_.assign(4 * known_.size(), {});
    pushed_out_ = 0;
    return keyed(name);
  }
  known.name = name;
  known.hidden = keyed_name(hash_, name);
  return known.hidden;
}

std::string NameHider::number(std::string_view name) const {
  const auto at = numbers_.find(std::string(name));
  return at == numbers_.end() ? std::string() : std::to_string(at->second);
}

std::string_view NameHider::hide(std::string_view name, NodeType type) {
  const auto mark = iteration_in_name(name);
  if (mark && mark->begins) return text_ = "ProfilerStep#" + std::to_string(mark->number);
  if (mark && how_ == HiddenNames::keyed) {
    rest_ = name.substr(0, mark->at);
    rest_ += name.substr(mark->at + mark->digits);
    name = rest_;
  }
  if (how_ == HiddenNames::keyed && !mark) return keyed(name);
  text_ = how_ == HiddenNames::keyed  ? keyed(name)
          : how_ == HiddenNames::type ? node_type_name(type)
                                      : number(name);
  if (mark) text_ += " iteration " + std::to_string(mark->number);
  return text_;
}

}  // namespace convert
