// SPDX-License-Identifier: MIT
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "profile/json/fields.h"
#include "profile/json/json.h"
#include "util/utf8.h"

namespace convert {
namespace {

namespace ondemand = simdjson::ondemand;

class ProfileReader {
 public:
  // `begin`: the file, and the line at which the text begins; 0: the first line.
  ProfileReader(std::string_view text, const Location& begin) : begin_(begin), padded_(text) {}

  WorkloadProfile read() {
    WorkloadProfile profile;
    try {
      doc_ = parser_.iterate(padded_).value();
      begun_ = true;
      ondemand::object members = doc_.get_object().value();
      read_head(members, profile);
      read_tables(members, profile);
      check_end();
    } catch (const simdjson::simdjson_error& e) {
      if (e.error() == simdjson::MEMALLOC) throw std::bad_alloc();
      throw malformed(e.error());
    }
    return profile;
  }

 private:
  void read_head(ondemand::object& members, WorkloadProfile& profile) {
    std::string_view kind;
    if (members.find_field("kind").get(kind) != simdjson::SUCCESS || kind != profile_kind)
      throw failure("not a profile of et-profile: it does not begin with \"kind\":\"" + std::string(profile_kind) +
                    "\"");
    const std::int64_t version = members.find_field("version").get_int64().value();
    if (version != WorkloadProfile::version)
      throw failure("the profile has version " + std::to_string(version) + "; this program reads version " +
                    std::to_string(WorkloadProfile::version) + "; create it again with this et-profile");
    here_ = "k";
    number(profile.k, members.find_field("k").value());
  }

  void read_tables(ondemand::object& members, WorkloadProfile& profile) {
    tables(profile, [&](std::string_view name, auto& rows) {
      here_ = name;
      ondemand::value value = members.find_field(name).value();
      read(rows, value);
    });
  }

  // The object and the text must end after the last table.
  void check_end() {
    const char* at = nullptr;
    if (doc_.current_location().get(at) != simdjson::SUCCESS)
      throw failure_at(padded_.size(), "the profile ends here, but is incomplete");
    std::string_view rest(at, static_cast<std::size_t>(padded_.data() + padded_.size() - at));
    constexpr std::string_view space = " \t\r\n";
    const std::size_t close = rest.find_first_not_of(space);
    if (close == std::string_view::npos || rest[close] != '}' ||
        rest.find_first_not_of(space, close + 1) != std::string_view::npos)
      throw failure("unexpected text after the profile");
  }

  template <class T>
  void number(T& to, ondemand::value value) {
    const auto out_of_range = [&] { return failure("a number is out of range"); };
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      to = value.get_uint64().value();
    } else {
      const std::int64_t n = value.get_int64().value();
      if constexpr (std::is_same_v<T, std::uint32_t>) {
        if (n < -1 || n >= static_cast<std::int64_t>(no_index)) throw out_of_range();
      } else if (n < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
                 n > static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
        throw out_of_range();
      }
      to = static_cast<T>(n);
    }
  }

  template <class T>
  void read(T& to, ondemand::value value) {
    if constexpr (std::is_same_v<T, bool>) {
      to = value.get_bool().value();
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> n{};
      number(n, value);
      to = static_cast<T>(n);
    } else if constexpr (std::is_floating_point_v<T>) {
      to = static_cast<T>(value.get_double().value());
    } else if constexpr (std::is_integral_v<T>) {
      number(to, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      to = std::string(value.get_string().value());
    } else {
      read_parts(to, value.get_array().value());
    }
  }
  template <class T>
  void read_parts(std::vector<T>& list, ondemand::array items) {
    for (auto item : items) read(list.emplace_back(), item.value());
  }
  template <class T, std::size_t n>
  void read_parts(std::array<T, n>& list, ondemand::array items) {
    std::size_t i = 0;
    for (auto item : items) {
      if (i == n) throw failure("more than " + std::to_string(n) + " rows");
      read(list.at(i++), item.value());
    }
    if (i < n) throw failure("fewer than " + std::to_string(n) + " rows");
  }
  template <class T>
  void read_parts(T& x, ondemand::array items) {
    auto at = items.begin().value();
    const auto end = items.end().value();
    fields(x, [&](auto&... part) { (read_part(part, at, end), ...); });
    if (at != end) throw failure("a row has too many values");
  }
  template <class T, class At, class End>
  void read_part(T& part, At& at, const End& end) {
    if (!(at != end)) throw failure("a row has too few values");
    read(part, (*at).value());
    ++at;
  }

  // Returns an error at the current line of the reader, or at the start of the profile.
  [[nodiscard]] Error failure(const std::string& message) {
    const char* at = nullptr;
    const bool is_known = begun_ && doc_.current_location().get(at) == simdjson::SUCCESS;
    return failure_at(is_known ? static_cast<std::size_t>(at - padded_.data()) : 0, message);
  }
  [[nodiscard]] Error failure_at(std::size_t offset, const std::string& message) const {
    const std::string_view before = std::string_view(padded_).substr(0, offset);
    Location where = begin_;
    where.line = std::max(begin_.line, 1U) + static_cast<std::uint32_t>(std::ranges::count(before, '\n'));
    return input_error(where, (here_.empty() ? "" : std::string(here_) + ": ") + message, "profile");
  }

  // Returns the error for a text that simdjson rejects.
  [[nodiscard]] Error malformed(simdjson::error_code code) {
    const std::string_view text = padded_;
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    if (begin == text.size()) return failure_at(0, "the file is empty; a profile of et-profile is required");
    if (text[begin] != '{') return failure_at(begin, "not a profile of et-profile: it does not begin with {");
    if (const std::size_t at = find_invalid_utf8(text); at != std::string_view::npos)
      return failure_at(at, "the text is not UTF-8");
    switch (code) {
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      case simdjson::UNCLOSED_STRING: return failure_at(text.size(), "the profile ends here, but is incomplete");
      case simdjson::NO_SUCH_FIELD: return failure("a table of the profile is missing");
      case simdjson::INCORRECT_TYPE: return failure("a value has the wrong type");
      default: return failure("malformed JSON");
    }
  }

  const Location& begin_;
  ondemand::parser parser_;
  ondemand::document doc_;
  bool begun_ = false;  // simdjson has a current location
  simdjson::padded_string padded_;
  std::string_view here_;  // name of the current table
};

// Returns the length of the JSON object at the start of the text; the length of the text if the object does not
// end.
std::size_t object_length(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    i = text.find_first_of(in_string ? "\"\\" : "\"{}", i);
    if (i == std::string_view::npos) break;
    switch (text[i]) {
      case '\\': ++i; break;  // the next character does not end the string
      case '"': in_string = !in_string; break;
      case '{': ++depth; break;
      default:
        if (depth <= 1) return i + 1;
        --depth;
    }
  }
  return text.size();
}

WorkloadProfile parse_at(std::string_view text, const Location& begin) {
  WorkloadProfile profile = ProfileReader(text, begin).read();
  check_profile(profile, begin);
  return profile;
}

}  // namespace

WorkloadProfile parse_profile(std::string_view text, const std::string& file) {
  return parse_at(text, {.file = file});
}

std::vector<WorkloadProfile> parse_profiles(std::string_view text, const std::string& file) {
  std::vector<WorkloadProfile> profiles;
  Location begin{.file = file};
  do {
    const std::size_t length = object_length(text);
    profiles.push_back(parse_at(text.substr(0, length), begin));
    const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", length), text.size());
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(next), '\n');
    begin.line = std::max(begin.line, 1U) + static_cast<std::uint32_t>(lines);
    text.remove_prefix(next);
    if (!text.empty() && text.front() != '{') throw input_error(begin, "expected a profile", "profile");
  } while (!text.empty());
  return profiles;
}

}  // namespace convert
