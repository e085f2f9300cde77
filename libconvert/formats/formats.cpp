// SPDX-License-Identifier: MIT
// Table of formats, generated from formats.def, and format lookup.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "formats/format.h"
#include "util/utf8.h"

namespace convert {

#define FORMAT(id) extern const Format id##_format;
#include "formats/formats.def"
#undef FORMAT

namespace {

const std::array table = {
#define FORMAT(id) &id##_format,
#include "formats/formats.def"
#undef FORMAT
};

std::string join_keys(const std::vector<FormatOption>& options) {
  std::string out;
  for (const FormatOption& o : options) out += (out.empty() ? "" : ", ") + std::string(o.key);
  return out;
}

// Implemented by sets/sink.cpp.
constexpr std::array<FormatOption, 1> common_options = {{{"compress", "gz|zst|none", "compress the output"}}};

void check_options(const Format& format, Direction direction, const FormatOptions& options) {
  const auto& known = direction == Direction::read ? format.read_options : format.write_options;
  const char* verb = direction == Direction::read ? "reading" : "writing";
  for (const auto& [key, value] : options.all()) {
    const auto same = [&key = key](const FormatOption& o) { return o.key == key; };
    const bool common = direction == Direction::write && std::ranges::any_of(common_options, same);
    const auto option = std::ranges::find_if(known, same);
    if (option != known.end() && option->value == "BYTES") (void)options.get_bytes(key);
    if (!common && option == known.end()) {
      std::vector<FormatOption> all = known;
      if (direction == Direction::write) all.insert(all.end(), common_options.begin(), common_options.end());
      throw usage_error(std::string(verb) + ' ' + std::string(format.name) + ": unknown option '" + key + "'; " +
                        (all.empty() ? "the format has no options" : "known: " + join_keys(all)));
    }
  }
}

}  // namespace

std::optional<TraceReader::Encoded> TraceReader::peek_encoded(std::size_t /*most*/) { return std::nullopt; }
void TraceReader::skip_encoded(const Encoded& /*shown*/, std::uint64_t /*nodes*/) {}
TraceReader::Taken TraceReader::take_encoded(const Take& /*take*/) { return Taken::none; }

void TraceWriter::begin_set(bool /*many*/, std::string& /*out*/) {}
void TraceWriter::end_rank(std::string& /*out*/) {}
void TraceWriter::end_set(bool /*many*/, std::string& /*out*/) {}

std::optional<std::string> FormatOptions::get(std::string_view key) const {
  for (const auto& [k, v] : values_) {
    if (k == key) return v;
  }
  return std::nullopt;
}

void FormatOptions::set_default(std::string_view key, std::string_view value) {
  if (!get(key)) values_.emplace_back(key, value);
}

std::optional<std::int64_t> FormatOptions::get_bytes(std::string_view key) const {
  const auto text = get(key);
  if (!text) return std::nullopt;
  const auto bytes = parse_bytes(*text);
  if (!bytes)
    throw usage_error(std::string(key) + "=" + *text + ": not a size in bytes (examples: 4096, 64KiB, 1MB)");
  return bytes;
}

std::span<const Format* const> all_formats() { return table; }

std::span<const FormatOption> common_write_options() { return common_options; }

const Format& find_format(std::string_view name) {
  std::vector<std::string> names;
  for (const Format* f : table) {
    if (f->name == name) return *f;
    names.emplace_back(f->name);
  }
  const std::string near = nearest(name, names);
  throw usage_error("unknown format '" + std::string(name) + "'" +
                    (near.empty() ? "; see --list-formats" : "; did you mean '" + near + "'?"));
}

const Format* format_by_suffix(std::string_view path, Direction direction) {
  path = without_compression_suffix(path);
  const Format* best = nullptr;
  std::pair<bool, std::size_t> rank;  // supports the direction; length of the suffix
  for (const Format* f : table) {
    for (const std::string_view suffix : f->suffixes) {
      const std::pair own(direction == Direction::read ? f->can_read() : f->can_write(), suffix.size());
      if (path.ends_with(suffix) && own > rank) std::tie(best, rank) = std::pair(f, own);
    }
  }
  return best;
}

const Format* detect_format(std::string_view head, std::string_view name) {
  head = without_mark(head);
  const Format* by_content = nullptr;
  int matches = 0;
  for (const Format* f : table) {
    if (f->can_read() && f->sniff != nullptr && f->sniff(head)) {
      ++matches;
      if (by_content == nullptr) by_content = f;
    }
  }
  if (matches == 1) return by_content;
  if (name.ends_with(')')) name.remove_suffix(1);  // a member of a tar is named ARCHIVE(MEMBER)
  const Format* by_name = format_by_suffix(name, Direction::read);
  if (by_name != nullptr && by_name->can_read() &&
      (matches == 0 || by_name->sniff == nullptr || by_name->sniff(head))) {
    return by_name;
  }
  return by_content;
}

FormatChoice parse_format_choice(std::string_view text, Direction direction) {
  const std::size_t comma = text.find(',');
  const Format& format = find_format(text.substr(0, comma));
  if (direction == Direction::read && !format.can_read()) {
    throw usage_error("format '" + std::string(format.name) + "' can only be written");
  }
  if (direction == Direction::write && !format.can_write()) {
    throw usage_error("format '" + std::string(format.name) + "' can only be read");
  }
  std::vector<std::pair<std::string, std::string>> values;
  std::string_view rest = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find(',');
    const std::string_view item = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw usage_error("'" + std::string(item) + "' after format '" + std::string(format.name) +
                        "' is not KEY=VALUE");
    }
    std::string key(item.substr(0, equals));
    const bool twice = std::ranges::any_of(values, [&](const auto& v) { return v.first == key; });
    if (twice) throw usage_error("format option '" + key + "' is given twice");
    values.emplace_back(std::move(key), item.substr(equals + 1));
  }
  FormatChoice choice{&format, FormatOptions(std::move(values))};
  check_options(format, direction, choice.options);
  return choice;
}

FormatChoice written_format(const std::optional<std::string>& to, const std::optional<std::string>& path) {
  const std::string_view name = path && *path != "-" ? without_compression_suffix(*path) : std::string_view{};
  FormatChoice choice;
  if (to) {
    choice = parse_format_choice(*to, Direction::write);
  } else {
    const Format* const by_suffix = format_by_suffix(name, Direction::write);
    choice.format = by_suffix != nullptr ? by_suffix : &find_format("chakra");
    if (!choice.format->can_write())
      throw usage_error("format '" + std::string(choice.format->name) + "' can only be read");
  }
  for (const SuffixOption& said : choice.format->suffix_options) {
    if (name.ends_with(said.suffix)) choice.options.set_default(said.key, said.value);
  }
  return choice;
}

}  // namespace convert
