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

namespace convert {
namespace {

namespace ondemand = simdjson::ondemand;

class ProfileReader {
 public:
  // `begin`: the file, and the line in it where the text begins; 0: the first.
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
      throw failure(std::string("this is no profile: ") + simdjson::error_message(e.error()));
    }
    return profile;
  }

 private:
  void read_head(ondemand::object& members, WorkloadProfile& profile) {
    std::string_view kind;
    if (members.find_field("kind").get(kind) != simdjson::SUCCESS || kind != profile_kind)
      throw failure("this is no profile of et-profile: it does not begin with \"kind\":\"" +
                    std::string(profile_kind) + "\"");
    const std::int64_t version = members.find_field("version").get_int64().value();
    if (version != WorkloadProfile::version)
      throw failure("the profile has version " + std::to_string(version) + "; this program reads version " +
                    std::to_string(WorkloadProfile::version) + ": make it again with this et-profile");
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

  // The object, and the text, must end behind the last table.
  void check_end() {
    const char* at = nullptr;
    if (doc_.current_location().get(at) != simdjson::SUCCESS) throw failure("the profile does not end");
    std::string_view rest(at, static_cast<std::size_t>(padded_.data() + padded_.size() - at));
    constexpr std::string_view space = " \t\r\n";
    const std::size_t close = rest.find_first_not_of(space);
    if (close == std::string_view::npos || rest[close] != '}' ||
        rest.find_first_not_of(space, close + 1) != std::string_view::npos)
      throw failure("more stands here than a profile has");
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
    if (at != end) throw failure("a row has more parts than it should");
  }
  template <class T, class At, class End>
  void read_part(T& part, At& at, const End& end) {
    if (!(at != end)) throw failure("a row has fewer parts than it should");
    read(part, (*at).value());
    ++at;
  }

  // Returns an error at the line where reading is.
  [[nodiscard]] Error failure(const std::string& message) {
    Location where = begin_;
    const char* at = nullptr;
    if (begun_ && doc_.current_location().get(at) == simdjson::SUCCESS)
      where.line = std::max(begin_.line, 1U) +
                   static_cast<std::uint32_t>(std::count(static_cast<const char*>(padded_.data()), at, '\n'));
    return input_error(where, (here_.empty() ? "" : std::string(here_) + ": ") + message, "profile");
  }

  const Location& begin_;
  ondemand::parser parser_;
  ondemand::document doc_;
  bool begun_ = false;  // else there is no place to ask for
  simdjson::padded_string padded_;
  std::string_view here_;  // the table
};

// Returns how long the JSON object is that the text begins with; all of the text if it does not end in it.
std::size_t object_length(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    i = text.find_first_of(in_string ? "\"\\" : "\"{}", i);
    if (i == std::string_view::npos) break;
    switch (text[i]) {
      case '\\': ++i; break;  // what follows does not end the string
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
    if (!text.empty() && text.front() != '{') throw input_error(begin, "no profile stands here", "profile");
  } while (!text.empty());
  return profiles;
}

}  // namespace convert
