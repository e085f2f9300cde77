// SPDX-License-Identifier: MIT
#include "passes/anonymize/names.h"

#include <algorithm>
#include <functional>

#include "graph/iteration_name.h"

namespace convert {
namespace {

constexpr std::string_view marked = " iteration ";
constexpr std::size_t no_number = std::string_view::npos;

KeyedDigits keyed_digits(const KeyedHash& hash, std::string_view name) {
  const auto digest = hash(name);
  KeyedDigits out{};
  for (std::size_t i = 0; i < out.size() / 2; ++i) {
    out.at(2 * i) = "0123456789abcdef"[digest.at(i) >> 4U];
    out.at(2 * i + 1) = "0123456789abcdef"[digest.at(i) & 15U];
  }
  return out;
}

}  // namespace

std::string hashed_part(std::string_view name) {
  const auto mark = iteration_in_name(name);
  if (!mark) return std::string(name);
  if (mark->begins) return {};
  return std::string(name.substr(0, mark->at)).append(name.substr(mark->at + mark->digits));
}

std::string keyed_name(const KeyedHash& hash, std::string_view name) {
  if (name.empty()) return {};
  const KeyedDigits digits = keyed_digits(hash, name);
  return {digits.data(), digits.size()};
}

// Returns the number of digits of the iteration number in `name`, if `name` without them equals `known` and the
// number is written as put() writes it. Returns `no_number` otherwise.
std::size_t NameHider::number_size(const Known& known, std::string_view name) const {
  constexpr std::size_t longest = 18;
  const std::string_view text = texts_.view(known.text);
  const std::size_t size = name.size() - text.size();
  if (size > (known.numbered ? longest : 0)) return no_number;  // also if the name is shorter
  if (!known.numbered) return name == text ? 0 : no_number;
  if (size == 0 || !name.starts_with(text.substr(0, known.at)) || !name.ends_with(text.substr(known.at)))
    return no_number;
  const std::string_view number = name.substr(known.at, size);
  const bool digits = std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return digits && (number[0] != '0' || size == 1) ? size : no_number;
}

// Clears the cache if it has too many names.
std::uint32_t NameHider::find_or_hash(std::string_view text, std::size_t at, bool numbered) {
  if (known_.size() == most_known || texts_.text.size() > most_text) {
    std::ranges::fill(guesses_, no_index);
    known_.clear();
    texts_.text.clear();
    index_ = {};
  }
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  const auto next = static_cast<std::uint32_t>(known_.size());
  const auto same = [&](std::uint32_t i) {
    const Known& known = known_[i];
    return known.hash == hash && known.at == at && known.numbered == numbered && texts_.view(known.text) == text;
  };
  const std::uint32_t found = index_.find_or_add(hash, next, same, [&](std::uint32_t i) { return known_[i].hash; });
  if (found == next)
    known_.push_back({.text = texts_.add_text(text),
                      .at = static_cast<std::uint32_t>(at),
                      .hash = hash,
                      .numbered = numbered,
                      .digits = keyed_digits(hash_, text)});
  return found;
}

std::string_view NameHider::put(const Known& known, std::string_view number) {
  char* end = std::ranges::copy(known.digits, out_.data()).out;
  if (known.numbered) {
    end = std::ranges::copy(marked, end).out;
    end = std::ranges::copy(number, end).out;
  }
  return {out_.data(), end};
}

std::string_view NameHider::keyed(std::string_view name) {
  if (name.empty()) return {};
  return put(known_[find_or_hash(name, name.size(), false)], {});
}

std::string_view NameHider::plain(std::string_view name, NodeType type) {
  const auto mark = iteration_in_name(name);
  if (mark && mark->begins) return text_ = "ProfilerStep#" + std::to_string(mark->number);
  if (how_ == HiddenNames::type) {
    text_ = node_type_name(type);
  } else {
    const auto at = numbers_.find(std::string(name));
    text_ = at == numbers_.end() ? std::string() : std::to_string(at->second);
  }
  if (mark) text_.append(marked) += std::to_string(mark->number);
  return text_;
}

std::string_view NameHider::hide(std::string_view name, NodeType type) {
  if (how_ != HiddenNames::keyed) return plain(name, type);
  if (name.empty()) return {};
  constexpr std::uint32_t spread = 0x9e3779b1;
  std::uint32_t& guess = guesses_[((one_before_ * spread + last_) * spread) >> (32U - guess_bits)];
  one_before_ = last_;
  if (guess < known_.size()) {
    const Known& known = known_[guess];
    const std::size_t size = number_size(known, name);
    if (size != no_number) {
      last_ = guess;
      return put(known, name.substr(known.at, size));
    }
  }
  const auto mark = iteration_in_name(name);
  if (mark && mark->begins) return plain(name, type);
  if (!mark) {
    guess = last_ = find_or_hash(name, name.size(), false);
    return put(known_[guess], {});
  }
  text_ = name.substr(0, mark->at);
  text_ += name.substr(mark->at + mark->digits);
  guess = last_ = find_or_hash(text_, mark->at, true);
  return put(known_[guess], std::to_string(mark->number));
}

}  // namespace convert
