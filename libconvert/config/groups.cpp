// SPDX-License-Identifier: MIT
#include "config/groups.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/diagnostic.h"

namespace convert {
namespace {

using simdjson::ondemand::array;
using simdjson::ondemand::document;
using simdjson::ondemand::field;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

constexpr std::size_t max_text = 0xffffffffU - simdjson::SIMDJSON_PADDING;  // what simdjson can index

// A whole decimal integer from 0 in its one spelling, "7" and not "07" or "7.0".
template <typename T>
std::optional<T> integer_of(std::string_view digits) {
  T n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  const bool is_plain = !digits.empty() && digits[0] != '-' && (digits[0] != '0' || digits.size() == 1);
  if (!is_plain || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return n;
}

// What a message shows of the text.
std::string shown(std::string_view token) {
  constexpr std::size_t most = 40;
  return token.size() <= most ? std::string(token) : std::string(token.substr(0, most)) + "…";
}

class GroupsReader {
 public:
  GroupsReader(const std::string& file, std::string_view text, std::optional<std::uint32_t> ranks)
      : file_(file), text_(text), padded_(text), ranks_(ranks) {}

  std::vector<CommGroup> read();

 private:
  [[nodiscard]] Error failure(std::size_t offset, const std::string& message) const;
  // `at` points into padded_, or is null.
  [[nodiscard]] Error failure(const char* at, const std::string& message) const;
  [[nodiscard]] Error malformed(simdjson::error_code error, const char* at) const;
  void read_groups(object groups);
  std::int64_t read_id(field& f);
  void read_ranks(value& v, CommGroup& group);

  const std::string& file_;
  std::string_view text_;
  simdjson::padded_string padded_;
  std::optional<std::uint32_t> ranks_;
  std::vector<CommGroup> groups_;
  std::unordered_map<std::int64_t, const char*> place_of_id_;
};

Error GroupsReader::failure(std::size_t offset, const std::string& message) const {
  const std::string_view before = text_.substr(0, offset);
  const auto lines = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return input_error(
      {.file = file_, .line = lines + 1, .column = static_cast<std::uint32_t>(before.size() - line_start + 1)},
      message, "groups");
}

Error GroupsReader::failure(const char* at, const std::string& message) const {
  const bool is_inside = at != nullptr && at >= padded_.data() && at <= padded_.data() + padded_.size();
  return failure(is_inside ? static_cast<std::size_t>(at - padded_.data()) : text_.size(), message);
}

// Errors that simdjson finds before it looks at values have no place of their own.
Error GroupsReader::malformed(simdjson::error_code error, const char* at) const {
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  std::size_t offset = at != nullptr ? static_cast<std::size_t>(at - padded_.data()) : text_.size();
  if (error == simdjson::UTF8_ERROR) {
    const auto* const first = std::find_if(text_.begin(), text_.end(), [](char c) { return (c & 0x80) != 0; });
    offset = static_cast<std::size_t>(first - text_.begin());
  } else if (error == simdjson::UNCLOSED_STRING) {
    offset = text_.rfind('"');
  }
  return failure(std::min(offset, text_.size()), std::string("malformed JSON: ") + simdjson::error_message(error));
}

std::int64_t GroupsReader::read_id(field& f) {
  const char* const at = f.key().raw() - 1;  // the quotation mark
  const std::string_view key = f.unescaped_key().value();
  const std::optional<std::int64_t> id = integer_of<std::int64_t>(key);
  if (!id) throw failure(at, "a group's id must be an integer from 0, not \"" + shown(key) + "\"");
  const auto [before, is_new] = place_of_id_.try_emplace(*id, at);
  if (!is_new) {
    const Error first = failure(before->second, {});
    throw failure(at, "group " + std::to_string(*id) + " is given twice; first in line " +
                          std::to_string(first.where().line));
  }
  return *id;
}

void GroupsReader::read_ranks(value& v, CommGroup& group) {
  const std::string of_group = "group " + std::to_string(group.id);
  const char* const start = v.raw_json_token().data();
  if (v.type().value() != simdjson::ondemand::json_type::array) {
    throw failure(start, of_group + " must be a list of ranks, such as [0, 1]");
  }
  array list = v.get_array().value();
  std::unordered_set<std::uint32_t> seen;
  for (auto element : list) {
    value item = element.value();
    std::string_view token = item.raw_json_token();
    token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
    const std::optional<std::uint32_t> rank = integer_of<std::uint32_t>(token);
    if (!rank) {
      throw failure(token.data(), of_group + ": a rank must be an integer from 0, not " + shown(token));
    }
    if (ranks_ && *rank >= *ranks_) {
      throw failure(token.data(), of_group + " names rank " + std::to_string(*rank) + ", but the set has " +
                                      std::to_string(*ranks_) + (*ranks_ == 1 ? " rank" : " ranks"));
    }
    if (!seen.insert(*rank).second) {
      throw failure(token.data(), of_group + " names rank " + std::to_string(*rank) + " twice");
    }
    group.ranks.push_back(*rank);
  }
}

void GroupsReader::read_groups(object groups) {
  for (auto member : groups) {
    field f = std::move(member).take_value();
    CommGroup group{.id = read_id(f)};
    read_ranks(f.value(), group);
    groups_.push_back(std::move(group));
  }
}

std::vector<CommGroup> GroupsReader::read() {
  static const std::string shape = R"(a JSON object is expected, such as {"0": [0, 1]})";
  const std::size_t begin = text_.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) throw failure(std::size_t{0}, "empty; " + shape);
  if (text_[begin] != '{') throw failure(begin, shape);
  if (text_.size() > max_text) throw failure(std::size_t{0}, "larger than 4 GiB");
  simdjson::ondemand::parser parser;
  document doc;
  try {
    doc = parser.iterate(padded_).value();
    read_groups(doc.get_object().value());
    const char* rest = nullptr;
    if (doc.current_location().get(rest) == simdjson::SUCCESS) throw failure(rest, "more text behind the object");
  } catch (const simdjson::simdjson_error& e) {
    const char* at = nullptr;
    if (!doc.is_alive() || doc.current_location().get(at) != simdjson::SUCCESS) at = nullptr;
    throw malformed(e.error(), at);
  }
  return std::move(groups_);
}

}  // namespace

std::vector<CommGroup> parse_groups(const std::string& file, std::string_view text,
                                    std::optional<std::uint32_t> ranks) {
  return GroupsReader(file, text, ranks).read();
}

}  // namespace convert
