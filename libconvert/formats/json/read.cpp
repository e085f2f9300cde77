// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "formats/json/head.h"
#include "formats/json/json.h"
#include "formats/json/objects.h"
#include "formats/json/tokens.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t max_line = 0xffffffffU - 1024;  // what JsonObjects takes
constexpr std::size_t read_at_once = std::size_t{64} << 10U;

// Holds what both readers share: a text in memory, and where things stand in it.
class JsonReaderBase : public TraceReader {
 protected:
  explicit JsonReaderBase(const ReadContext& context) : input_(context.input), default_rank_(context.rank) {}

  // Begins to read text_, which stands in the file from line `line` on.
  void begin_text(std::uint64_t line) {
    text_.reserve(text_.size() + JsonObjects::padding());
    first_line_ = counted_line_ = line;
    counted_to_ = text_.data();
  }

  // Returns the line of a place in text_; places must not go back.
  std::uint64_t line_of(const char* at) {
    counted_line_ += static_cast<std::uint64_t>(std::count(counted_to_, at, '\n'));
    counted_to_ = at;
    return counted_line_;
  }

  [[nodiscard]] Location locate(const char* at) const {
    Location where{.file = input_.name(), .line = static_cast<std::uint32_t>(first_line_)};
    const char* const begin = text_.data();
    if (at == nullptr || at < begin || at > begin + text_.size()) return where;
    const std::string_view before(begin, static_cast<std::size_t>(at - begin));
    where.line += static_cast<std::uint32_t>(std::ranges::count(before, '\n'));
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    where.column = static_cast<std::uint32_t>(before.size() - line_start + 1);
    return where;
  }

  // Runs `work` and gives every failure its place.
  template <typename Work>
  auto guarded(Work work) {
    try {
      return work();
    } catch (const BadJson& e) {
      throw input_error(locate(e.at), e.what);
    } catch (const Error& e) {
      if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
      throw input_error(locate(counted_to_), e.what());
    }
  }

  void begin_rank(Trace& out, Rank rank, const char* at) {
    if (!ranks_.insert(rank).second) throw BadJson{at, "rank " + std::to_string(rank) + " is given twice"};
    rank_ = rank;
    out.rank = rank;
    out.name = input_.name();
  }

  static void clear_nodes(Trace& out) {
    out.nodes.clear();
    out.nodes.positions_are_lines = true;
  }

  Input& input_;
  std::optional<Rank> default_rank_;
  Rank rank_ = 0;
  std::string text_;
  JsonObjects objects_;

 private:
  std::uint64_t first_line_ = 1;
  std::uint64_t counted_line_ = 1;
  const char* counted_to_ = nullptr;
  std::set<Rank> ranks_;
};

// Walks over a JSON text without looking into objects: these are for JsonObjects.
class Scanner {
 public:
  Scanner() = default;
  explicit Scanner(std::string_view text) : p_(text.data()), end_(p_ + text.size()) {}

  [[nodiscard]] const char* at() const { return p_; }
  void go(const char* at) { p_ = at; }

  void space() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t')) ++p_;
  }
  [[nodiscard]] bool done() {
    space();
    return p_ == end_;
  }
  [[nodiscard]] char peek() {
    if (done()) throw BadJson{p_, "truncated JSON: the text ends inside an object or array"};
    return *p_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++p_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw BadJson{p_, "malformed JSON: expected '" + std::string(1, c) + "'"};
  }
  // Takes a key and returns it without its quotes.
  std::string_view key() {
    if (peek() != '"') throw BadJson{p_, "malformed JSON: expected a key in quotes"};
    const char* const begin = p_ + 1;
    skip_string();
    return {begin, static_cast<std::size_t>(p_ - 1 - begin)};
  }
  // Takes any value and returns its text: a scalar, or an object or array with its brackets.
  std::string_view value() {
    const char first = peek();
    const char* const begin = p_;
    if (first == '"') {
      skip_string();
    } else if (first == '{' || first == '[') {
      skip_brackets();
    } else {
      while (p_ != end_ && std::string_view(",:]} \n\r\t\"").find(*p_) == std::string_view::npos) ++p_;
    }
    return {begin, static_cast<std::size_t>(p_ - begin)};
  }

 private:
  void skip_string() {
    const char* const begin = p_++;
    for (;;) {
      const auto* quote = static_cast<const char*>(std::memchr(p_, '"', static_cast<std::size_t>(end_ - p_)));
      if (quote == nullptr) throw BadJson{begin, "truncated JSON: the text ends inside a string"};
      const char* escape = quote;
      while (escape[-1] == '\\') --escape;
      p_ = quote + 1;
      if ((quote - escape) % 2 == 0) return;
    }
  }

  void skip_brackets() {
    const char* const begin = p_;
    std::size_t depth = 0;
    while (p_ != end_) {
      const char c = *p_;
      if (c == '"') {
        skip_string();
        continue;
      }
      ++p_;
      if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return;
      }
    }
    throw BadJson{begin, "truncated JSON: the text ends inside this object or array"};
  }

  const char* p_ = nullptr;
  const char* end_ = nullptr;
};

// Takes an object {"groups": …} with nothing else in it and returns the value. Takes and returns nothing if
// something else stands here.
std::optional<std::string_view> take_groups(Scanner& scan) {
  const char* const begin = scan.at();
  if (scan.take('{') && scan.peek() == '"' && scan.key() == "groups") {
    scan.expect(':');
    const std::string_view groups = scan.value();
    scan.expect('}');
    return groups;
  }
  scan.go(begin);
  return std::nullopt;
}

// Reads one node a line; before the nodes of a rank stands a line with its metadata. The first line may hold
// groups.
class JsonLinesReader final : public JsonReaderBase {
  template <typename Work>
  auto guarded_line(Work work) {
    return guarded([&] {
      try {
        return work();
      } catch (const BadJson& e) {
        if (!goes_on()) throw;
        throw BadJson{e.at, e.what +
                                "; JSON lines are one object per line: read a document with -f json, or put "
                                "each object on its line with jq -c ."};
      }
    });
  }

 public:
  explicit JsonLinesReader(const ReadContext& context) : JsonReaderBase(context) {}

  bool next_rank(Trace& out) override {
    return guarded_line([&] {
      Trace skipped;
      while (read_nodes(skipped, std::numeric_limits<std::size_t>::max())) {
      }
      if (!at_head_) {
        if (rank_begun_ || !first_line()) {
          if (!rank_begun_) throw input_error({.file = input_.name()}, "an empty file is not a trace");
          return false;
        }
      }
      at_head_ = false;
      rank_begun_ = true;
      out.metadata = {};
      if (is_json_node(text_)) {
        throw BadJson{
            text_.data(),
            "a node, but a rank begins with its line {\"rank\":…,\"metadata\":{…}}; a filter that dropped "
            "that line is to keep it, as grep -e '\"metadata\"' -e COMM does"};
      }
      const std::optional<Rank> rank = objects_.head(text_, out.metadata);
      begin_rank(out, rank.value_or(default_rank_.value_or(0)), text_.data());
      clear_nodes(out);
      return true;
    });
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    return guarded_line([&] { return read_nodes(out, max_nodes); });
  }

 private:
  // Returns whether the line is part of a value over several lines, as in JSON made for reading.
  bool goes_on() {
    const std::size_t first = text_.find_first_not_of(" \t\r");
    const std::size_t last = text_.find_last_not_of(" \t\r");
    if (first == std::string::npos) return false;
    if (text_[first] == '[') return true;
    return std::string_view("{[,:").find(text_[last]) != std::string_view::npos && !input_.peek(1).empty();
  }

  // Moves to the first line, or to the second if the first one holds the groups.
  bool first_line() {
    if (input_.peek(byte_order_mark.size()).starts_with(byte_order_mark)) input_.skip(byte_order_mark.size());
    if (!next_line()) return false;
    Scanner scan(text_);
    if (!take_groups(scan)) return true;
    if (!scan.done()) throw BadJson{scan.at(), "more text behind the groups"};
    return next_line();
  }

  bool read_nodes(Trace& out, std::size_t max_nodes) {
    clear_nodes(out);
    if (!rank_begun_ || at_head_) return false;
    std::size_t bytes = 0;
    while (out.nodes.nodes.size() < max_nodes && bytes < batch_bytes && next_line()) {
      bytes += text_.size();
      if (!objects_.node(text_, rank_, out.nodes)) {
        at_head_ = true;
        break;
      }
      out.nodes.positions.push_back(line_);
    }
    return !out.nodes.nodes.empty();
  }

  // Moves to the next line that is not blank; false at the end. Memory grows with the line, not with the file.
  bool next_line() {
    do {
      std::size_t searched = 0;
      std::size_t end = std::string_view::npos;
      std::string_view view = input_.peek(read_at_once);
      for (;;) {
        end = view.find('\n', searched);
        if (end != std::string_view::npos || view.size() > max_line) break;
        searched = view.size();
        view = input_.peek(2 * view.size());
        if (view.size() == searched) break;
      }
      if (view.empty()) return false;
      ++line_;
      text_.assign(view.substr(0, end));
      begin_text(line_);
      if (text_.size() > max_line) throw BadJson{nullptr, "a line of 4 GiB or more"};
      input_.skip(text_.size() + (end == std::string_view::npos ? 0 : 1));
    } while (text_.find_first_not_of(" \t\r") == std::string::npos);
    return true;
  }

  std::uint64_t line_ = 0;
  bool rank_begun_ = false;
  bool at_head_ = false;  // text_ is the head of the next rank
};

// Reads one object {"rank", "metadata", "nodes"} in any order, or an array of them. The whole text is in memory;
// nodes are decoded when they are asked for.
class JsonDocumentReader final : public JsonReaderBase {
 public:
  explicit JsonDocumentReader(const ReadContext& context) : JsonReaderBase(context) {}

  bool next_rank(Trace& out) override {
    return guarded([&] {
      if (!begun_) {
        load();
      } else {
        Trace skipped;
        while (read_nodes(skipped, std::numeric_limits<std::size_t>::max())) {
        }
      }
      const bool first = !std::exchange(begun_, true);
      const bool at_end = many_ ? scan_.take(']') : !first;
      if (at_end) {
        if (!scan_.done()) throw BadJson{scan_.at(), "more text behind the trace"};
        many_ = false;
        return false;
      }
      if (many_ && !first) scan_.expect(',');
      begin_trace(out);
      return true;
    });
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    return guarded([&] { return read_nodes(out, max_nodes); });
  }

 private:
  enum Member : std::size_t { rank_key, metadata_key, nodes_key };
  static constexpr std::array<std::string_view, 3> members{"rank", "metadata", "nodes"};

  void load() {
    text_ = input_.read_rest(JsonObjects::padding(), Held::text);
    begin_text(1);
    scan_ = Scanner(without_mark(text_));
    if (scan_.done()) throw input_error({.file = input_.name()}, "an empty file is not a trace");
    many_ = scan_.take('[');
    if (many_ && scan_.peek() == '{' && take_groups(scan_) && scan_.peek() != ']') scan_.expect(',');
  }

  void begin_trace(Trace& out) {
    const char* const start = scan_.at();
    keys_ = JsonKeys(members);
    given_rank_.reset();
    nodes_ = resume_ = nullptr;
    first_member_ = true;
    out.metadata = {};
    clear_nodes(out);
    scan_.expect('{');
    if (read_head(start, out)) {
      if (nodes_ == nullptr) {
        std::string what = "a trace without 'nodes'";
        const bool is_line = std::find(start, scan_.at(), '\n') == scan_.at();
        if (!many_ && !scan_.done()) {
          what += is_line ? "; more objects follow, one a line: -f jsonl reads them"
                          : "; more objects follow: jq -c . makes JSON lines of them, for -f jsonl";
        }
        throw BadJson{start, std::move(what)};
      }
      resume_ = scan_.at();  // the nodes came before the rest: back to them
      scan_.go(nodes_);
    }
    if (!given_rank_ && many_) throw BadJson{start, "each of several traces needs a 'rank'"};
    begin_rank(out, given_rank_.value_or(default_rank_.value_or(0)), start);
    scan_.expect('[');
    in_nodes_ = first_node_ = true;
  }

  // Calls read_members(), and reports what stands at `start` in place of a trace.
  bool read_head(const char* start, Trace& out) {
    try {
      return read_members(out);
    } catch (const BadJson&) {
      const std::string_view text(start, static_cast<std::size_t>(text_.data() + text_.size() - start));
      Scanner scan(text);
      if (is_json_node(text)) {
        throw BadJson{start,
                      std::string("a node, but a trace is {\"rank\":…,\"metadata\":{…},\"nodes\":[…]}") +
                          (many_ ? "" : "; nodes one a line, behind the line of their rank, are for -f jsonl")};
      }
      if (!many_ && take_groups(scan)) throw BadJson{start, "groups in a line of their own: -f jsonl reads such"};
      throw;
    }
  }

  // Reads members of a trace. Returns true at its end, false if it stopped at the nodes because all else is known.
  bool read_members(Trace& out) {
    while (!scan_.take('}')) {
      if (!std::exchange(first_member_, false)) scan_.expect(',');
      const std::string_view key = scan_.key();
      scan_.expect(':');
      const std::size_t member = keys_.index(key);
      const char first = scan_.peek();
      if (member == nodes_key) {
        if (first != '[') throw BadJson{scan_.at(), "'nodes' must be an array"};
        nodes_ = scan_.at();
        if (keys_.seen(rank_key) && keys_.seen(metadata_key)) return false;
      }
      const std::string_view value = scan_.value();
      if (member == rank_key) given_rank_ = json_integer<std::uint32_t>(value, key);
      if (member == metadata_key) objects_.metadata(value, out.metadata);
    }
    return true;
  }

  bool read_nodes(Trace& out, std::size_t max_nodes) {
    clear_nodes(out);
    const char* const start = scan_.at();
    while (in_nodes_ && out.nodes.nodes.size() < max_nodes &&
           static_cast<std::size_t>(scan_.at() - start) < batch_bytes) {
      if (scan_.take(']')) {
        end_nodes(out);
        break;
      }
      if (!std::exchange(first_node_, false)) scan_.expect(',');
      scan_.space();
      const std::string_view text = scan_.value();
      out.nodes.positions.push_back(line_of(text.data()));
      if (!objects_.node(text, rank_, out.nodes)) throw BadJson{text.data(), "a node with a key 'metadata'"};
    }
    return !out.nodes.nodes.empty();
  }

  void end_nodes(Trace& out) {
    in_nodes_ = false;
    if (resume_ != nullptr) {
      scan_.go(resume_);
    } else {
      (void)read_members(out);  // nothing but the end: any further key is a repetition or unknown
    }
  }

  Scanner scan_;
  JsonKeys keys_{members};
  bool begun_ = false;
  bool many_ = false;
  bool in_nodes_ = false;
  bool first_node_ = true;
  bool first_member_ = true;
  std::optional<Rank> given_rank_;
  const char* nodes_ = nullptr;   // where the current trace's nodes begin
  const char* resume_ = nullptr;  // where the current trace ends, if the nodes were not last
};

}  // namespace

bool is_json_node(std::string_view line) {
  JsonHead in(line);
  if (!in.open('{')) return false;
  while (const auto key = in.key()) {
    const std::string_view value = in.skip();
    if (*key == "type") return value.ends_with("_NODE\"");
  }
  return false;
}

// Looks at the head of the input, at more of it as long as the groups may go on.
std::string peek_json_groups(Input& input) {
  constexpr std::size_t most = std::size_t{64} << 20U;
  for (std::size_t size = 4096;; size *= 2) {
    const std::string_view head = input.peek(size);
    try {
      Scanner scan(without_mark(head));
      (void)scan.take('[');
      return std::string(take_groups(scan).value_or(std::string_view{}));
    } catch (const BadJson&) {
      if (head.size() < size || size >= most) return {};  // the reader says what is wrong
    }
  }
}

std::unique_ptr<TraceReader> make_json_reader(const ReadContext& context) {
  return std::make_unique<JsonDocumentReader>(context);
}

std::unique_ptr<TraceReader> make_json_lines_reader(const ReadContext& context) {
  return std::make_unique<JsonLinesReader>(context);
}

}  // namespace convert
