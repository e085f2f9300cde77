// SPDX-License-Identifier: MIT
#include "config/json_map.h"

#include <simdjson.h>

#include <algorithm>
#include <new>
#include <utility>

#include "util/utf8.h"

namespace convert {
namespace {

using simdjson::ondemand::array;
using simdjson::ondemand::document;
using simdjson::ondemand::field;
using simdjson::ondemand::object;
using simdjson::ondemand::value;
using TokenKind = JsonToken::Kind;

constexpr std::string_view space_in_json = " \t\r\n";

// Returns the offset of text after the object at the beginning of `text`, or npos.
std::size_t find_rest(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (text[i] == '{' || text[i] == '[') {
      ++depth;
    } else if ((text[i] == '}' || text[i] == ']') && --depth == 0) {
      return text.find_first_not_of(space_in_json, i + 1);
    }
  }
  return std::string_view::npos;
}

std::string size_name(std::size_t bytes) {
  return bytes >= 1 << 30 ? std::to_string((bytes + (1 << 30) - 1) >> 30) + " GiB"
                          : std::to_string(bytes >> 20) + " MiB";
}

class JsonMapReader {
 public:
  JsonMapReader(const JsonSource& source, const std::function<void(const JsonMember&)>& take)
      : source_(source), take_(take), padded_(source.text) {}

  void read() {
    simdjson::ondemand::parser parser;
    document doc;
    try {
      doc = parser.iterate(padded_).value();
      object members = doc.get_object().value();
      for (auto member : members) read_member(std::move(member).take_value());
      const char* rest = nullptr;
      if (doc.current_location().get(rest) == simdjson::SUCCESS) {
        throw source_.failure(offset_of(rest), "unexpected text after the object");
      }
    } catch (const simdjson::simdjson_error& e) {
      const char* at = nullptr;
      if (!doc.is_alive() || doc.current_location().get(at) != simdjson::SUCCESS) at = nullptr;
      throw malformed(e.error(), at);
    }
  }

 private:
  // `at` points into padded_, or is null.
  [[nodiscard]] std::size_t offset_of(const char* at) const {
    const bool is_inside = at != nullptr && at >= padded_.data() && at <= padded_.data() + padded_.size();
    return is_inside ? static_cast<std::size_t>(at - padded_.data()) : source_.text.size();
  }

  // Errors that simdjson finds before it looks at values have no location.
  [[nodiscard]] Error malformed(simdjson::error_code error, const char* at) const {
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    const std::string_view text = source_.text;
    std::size_t offset = offset_of(at);
    if (error == simdjson::UTF8_ERROR) {
      const auto* const first = std::find_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
      offset = static_cast<std::size_t>(first - text.begin());
    } else if (error == simdjson::UNCLOSED_STRING) {
      offset = text.rfind('"');
    } else if (const std::size_t rest = find_rest(text);
               error == simdjson::INCOMPLETE_ARRAY_OR_OBJECT && rest != std::string_view::npos) {
      return source_.failure(rest, "unexpected text after the object");
    }
    return source_.failure(std::min(offset, text.size()),
                           std::string("malformed JSON: ") + simdjson::error_message(error));
  }

  [[nodiscard]] JsonToken read_key(field& f) const {
    const std::size_t begin = offset_of(f.key().raw() - 1);  // the quotation mark
    std::size_t end = begin + 1;
    while (source_.text[end] != '"') end += source_.text[end] == '\\' ? 2 : 1;
    const std::string_view text = f.unescaped_key().value();
    return {TokenKind::string, source_.text.substr(begin, end + 1 - begin), std::string(text)};
  }

  [[nodiscard]] JsonToken read_token(value& v) const {
    const std::string_view found = v.raw_json_token();
    std::string_view raw = source_.text.substr(offset_of(found.data()), found.size());
    raw = raw.substr(0, raw.find_last_not_of(space_in_json) + 1);
    if (raw.starts_with('[')) return {TokenKind::list, raw, {}};
    if (raw.starts_with('{')) return {TokenKind::map, raw, {}};
    if (raw.starts_with('"')) return {TokenKind::string, raw, std::string(v.get_string().value())};
    return {TokenKind::plain, raw, {}};
  }

  void read_member(field f) {
    JsonMember member{.key = read_key(f), .value = {}, .items = {}};
    value v = f.value();
    member.value = read_token(v);
    const JsonToken* nested = member.value.kind == TokenKind::map ? &member.value : nullptr;
    if (member.value.kind == TokenKind::list) {
      array list = v.get_array().value();
      for (auto element : list) {
        value item = element.value();
        member.items.push_back(read_token(item));
        const TokenKind kind = member.items.back().kind;
        if (kind == TokenKind::list || kind == TokenKind::map) {
          nested = &member.items.back();
          break;
        }
      }
    }
    take_(member);
    if (nested != nullptr) {
      throw source_.failure(*nested,
                            nested->kind == TokenKind::map ? "unexpected map" : "unexpected list in a list");
    }
  }

  const JsonSource& source_;
  const std::function<void(const JsonMember&)>& take_;
  simdjson::padded_string padded_;
};

}  // namespace

std::string shown(const JsonToken& token) {
  constexpr std::size_t most = 40;
  if (token.kind != JsonToken::Kind::string) return cut_text(token.raw, most);
  return "\"" + cut_text(token.raw.substr(1, token.raw.size() - 2), most) + "\"";
}

Error JsonSource::failure(std::size_t offset, const std::string& message) const {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return input_error(
      {.file = file, .line = lines + 1, .column = static_cast<std::uint32_t>(before.size() - line_start + 1)},
      message, std::string(rule));
}

Error JsonSource::failure(const JsonToken& at, const std::string& message) const {
  return failure(static_cast<std::size_t>(at.raw.data() - text.data()), message);
}

std::uint32_t JsonSource::line_of(const JsonToken& token) const { return failure(token, {}).where().line; }

void read_json_map(JsonSource source, const std::function<void(const JsonMember&)>& take) {
  source.text = without_mark(source.text);
  if (source.text.size() > source.max_bytes) {
    throw input_error({.file = source.file},
                      "larger than " + size_name(source.max_bytes) + ", the " + std::string(source.noun) + " limit",
                      std::string(source.rule));
  }
  const std::size_t begin = source.text.find_first_not_of(space_in_json);
  if (begin == std::string_view::npos) throw source.failure(std::size_t{0}, "empty; " + std::string(source.shape));
  if (source.text[begin] != '{') throw source.failure(begin, std::string(source.shape));
  JsonMapReader(source, take).read();
}

}  // namespace convert
