// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "formats/json/head.h"
#include "formats/json/json.h"
#include "formats/json/objects.h"
#include "formats/json/tokens.h"
#include "formats/json/window.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t window_bytes = std::size_t{256} << 10U;
constexpr std::size_t largest_object = 0xffffffffU - 65536;  // index limit of simdjson
constexpr const char* one_a_line =
    "; JSON lines have one object per line: read a document with -f json, or convert it with jq -c "
    ".";

// Common base of both readers: a text read through a window, and positions in it.
class JsonReaderBase : public TraceReader {
 protected:
  explicit JsonReaderBase(const ReadContext& context)
      : input_(context.input), default_rank_(context.rank), window_(open(input_, {})), reading_(window_.get()) {}

  static std::unique_ptr<JsonWindow> open(Input& input, JsonPlace begin) {
    return std::make_unique<JsonWindow>(input, window_bytes, largest_object, begin);
  }

  // Runs `work` and adds the location in reading_ to every failure.
  template <typename Work>
  auto guarded(const Work& work) {
    try {
      return work();
    } catch (const BadJson& e) {
      throw input_error(reading_->locate(e.at), e.what);
    } catch (const Error& e) {
      if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
      throw input_error(reading_->locate(reading_->last_item()), e.what());
    }
  }

  void begin_rank(Trace& out, Rank rank, const Location& where) {
    if (!ranks_.insert(rank).second) throw input_error(where, "rank " + std::to_string(rank) + " is given twice");
    rank_ = rank;
    out.rank = rank;
    out.name = input_.name();
    clear_nodes(out);
  }

  static void clear_nodes(Trace& out) {
    out.nodes.clear();
    out.nodes.positions_are_lines = true;
  }

  // Consumes an object that has only the member "groups". Consumes nothing and returns false if there is another
  // value.
  static bool take_groups(JsonCursor& in) {
    const JsonCursor begin = in;
    if (in.take('{') && in.peek() == '"' && in.string() == "groups") {
      in.expect(':');
      (void)in.skip();
      in.expect('}');
      return true;
    }
    in = begin;
    return false;
  }

  Input& input_;
  std::optional<Rank> default_rank_;
  Rank rank_ = 0;
  std::unique_ptr<JsonWindow> window_;
  const JsonWindow* reading_;
  JsonObjects objects_;

 private:
  std::set<Rank> ranks_;
};

// Reader of jsonl: one node per line; a line with the metadata of a rank precedes its nodes. The first line may
// hold groups.
class JsonLinesReader final : public JsonReaderBase {
  template <typename Work>
  auto guarded_lines(const Work& work) {
    return guarded([&] {
      try {
        return work();
      } catch (const BadJson& e) {
        // The malformed text may be a value over several lines, as in pretty-printed JSON.
        const std::string_view text = window_->text_from(window_->place_of(window_->last_item()).offset);
        if (text.starts_with('[')) throw BadJson{e.at, e.what + one_a_line};
        const std::size_t end = text.find('\n');
        if (end >= static_cast<std::size_t>(std::max(e.at, text.data()) - text.data())) throw;
        if (text.find_first_not_of(json_space, end) == std::string_view::npos) throw;
        throw BadJson{text.data(), std::string("an object that does not end in its line") + one_a_line};
      }
    });
  }

  // Consumes with `work` an object, which must be on a separate line. If `work` returns a false value, the cursor
  // does not move.
  template <typename Work>
  auto take_line(const Work& work) {
    return window_->item([&](JsonCursor& in) {
      const JsonCursor begin = in;
      const std::uint64_t line = window_->line_of(in.here());
      if (line == last_line_) throw BadJson{in.here(), "more text after the object"};
      auto taken = work(in);
      if (!taken) {
        in = begin;
        return taken;
      }
      if (window_->line_of(in.last()) != line) {
        throw BadJson{begin.here(), std::string("an object that does not end in its line") + one_a_line};
      }
      last_line_ = line;
      return taken;
    });
  }

 public:
  explicit JsonLinesReader(const ReadContext& context) : JsonReaderBase(context) {}

  bool next_rank(Trace& out) override {
    return guarded_lines([&] {
      if (!window_->begun()) {
        window_->begin();
        if (window_->at_end(false)) throw input_error({.file = input_.name()}, "an empty file is not a trace");
        (void)take_line([](JsonCursor& in) { return take_groups(in); });
        at_head_ = true;
      }
      Trace skipped;
      while (read_nodes(skipped, std::numeric_limits<std::size_t>::max())) {
      }
      at_head_ = false;
      if (window_->at_end(false)) {
        if (!rank_begun_) throw input_error({.file = input_.name()}, "an empty file is not a trace");
        return false;
      }
      rank_begun_ = true;
      out.metadata = {};
      Location where;
      const std::optional<Rank> rank = *take_line([&](JsonCursor& in) {
        const JsonPlace place = window_->place_of(in.here());
        where = window_->locate(in.here());
        if (is_json_node(window_->text_from(place.offset))) {
          throw BadJson{in.here(),
                        "a node before the line {\"rank\":…,\"metadata\":{…}} of its rank; a filter must keep "
                        "that line, as grep -e '\"metadata\"' -e COMM does"};
        }
        return std::optional(objects_.head(in, out.metadata));
      });
      begin_rank(out, rank.value_or(default_rank_.value_or(0)), where);
      return true;
    });
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    return guarded_lines([&] { return read_nodes(out, max_nodes); });
  }

 private:
  bool read_nodes(Trace& out, std::size_t max_nodes) {
    clear_nodes(out);
    std::size_t bytes = 0;
    while (!at_head_ && out.nodes.nodes.size() < max_nodes && bytes < batch_bytes && !window_->at_end(false)) {
      at_head_ = !take_line([&](JsonCursor& in) {
        const char* const begin = in.here();
        if (!objects_.node(in, rank_, out.nodes)) return false;
        bytes += static_cast<std::size_t>(in.last() - begin);
        return true;
      });
      if (!at_head_) out.nodes.positions.push_back(last_line_);
    }
    return !out.nodes.nodes.empty();
  }

  bool rank_begun_ = false;
  bool at_head_ = false;         // the next item is the head of a rank
  std::uint64_t last_line_ = 0;  // line of the last object
};

// Reader of json: one object {"rank", "metadata", "nodes"} with its keys in any order, or an array of such objects.
// Nodes are decoded on demand. If nodes precede rank and metadata, the rest of the text is held in memory.
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
      const bool at_end = many_ ? window_->take(']') : !first;
      if (at_end) {
        if (!window_->at_end(true)) throw BadJson{window_->cursor().here(), "more text after the trace"};
        many_ = false;
        return false;
      }
      if (many_ && !first) window_->expect(',');
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
    window_->begin();
    if (window_->at_end(false)) throw input_error({.file = input_.name()}, "an empty file is not a trace");
    many_ = window_->take('[');
    if (many_ && window_->peek() == '{' && window_->item(take_groups) && window_->peek() != ']')
      window_->expect(',');
  }

  void begin_trace(Trace& out) {
    keys_ = JsonKeys(members);
    given_rank_.reset();
    first_member_ = true;
    out.metadata = {};
    (void)window_->peek();
    const JsonPlace start = window_->place_of(window_->cursor().here());
    const Location where = window_->locate(window_->cursor().here());
    window_->expect('{');
    if (read_head(start, out)) {
      std::string what = "a trace without 'nodes'";
      if (!many_ && !window_->at_end(true)) {
        what += window_->line_of(window_->cursor().last()) == start.line
                    ? "; more objects follow, one per line: use -f jsonl"
                    : "; more objects follow: convert them to JSON lines with jq -c . and use -f jsonl";
      }
      throw input_error(where, what);
    }
    if (!keys_.seen(rank_key) || !keys_.seen(metadata_key)) look_ahead(out);
    if (!given_rank_ && many_) throw input_error(where, "each of several traces requires a 'rank'");
    begin_rank(out, given_rank_.value_or(default_rank_.value_or(0)), where);
    window_->expect('[');
    in_nodes_ = first_node_ = true;
  }

  // Calls read_members(). If the text at `start` is not a trace, reports what it is.
  bool read_head(const JsonPlace& start, Trace& out) {
    try {
      return read_members(*window_, out);
    } catch (const BadJson&) {
      const std::string_view text = window_->text_from(start.offset);
      if (is_json_node(text)) {
        throw BadJson{text.data(),
                      std::string("a node instead of a trace {\"rank\":…,\"metadata\":{…},\"nodes\":[…]}") +
                          (many_ ? "" : "; use -f jsonl for nodes on lines after the line of their rank")};
      }
      if (JsonHead head(text); !many_ && head.open('{') && head.key() == "groups") {
        throw BadJson{text.data(), "groups on a separate line; use -f jsonl"};
      }
      throw;
    }
  }

  // Reads members of a trace. Returns true at its end, false if it stopped at the nodes.
  bool read_members(JsonWindow& text, Trace& out) {
    while (!text.take('}')) {
      if (!std::exchange(first_member_, false)) text.expect(',');
      const std::size_t member = text.item([&](JsonCursor& in) {
        const std::string_view key = in.string();
        in.expect(':');
        return keys_.index(unescaped(key, key_text_));
      });
      if (member == nodes_key) {
        if (text.peek() != '[') throw BadJson{text.cursor().here(), "'nodes' must be an array"};
        return false;
      }
      text.item([&](JsonCursor& in) {
        if (member == rank_key) {
          given_rank_ = json_integer<std::uint32_t>(in.scalar(), members[rank_key]);
        } else {
          objects_.metadata(in, out.metadata);
        }
      });
    }
    return true;
  }

  // Reads the members after the nodes, which come next in the text.
  void look_ahead(Trace& out) {
    if (held_ == nullptr) {
      held_begin_ = window_->place_of(window_->cursor().here());
      text_ = window_->take_rest();
      held_ = memory_input(input_.name(), text_);
      window_ = open(*held_, held_begin_);
      reading_ = window_.get();
      window_->begin();
    }
    const JsonPlace nodes = window_->place_of(window_->cursor().here());
    rest_ = memory_input(input_.name(), std::string_view(text_).substr(nodes.offset - held_begin_.offset));
    ahead_ = open(*rest_, nodes);
    reading_ = ahead_.get();
    ahead_->begin();
    ahead_->expect('[');
    if (!ahead_->take(']')) {
      do {
        ahead_->item([](JsonCursor& in) { return in.skip(); });
      } while (ahead_->take(','));
      ahead_->expect(']');
    }
    (void)read_members(*ahead_, out);
    reading_ = window_.get();
  }

  bool read_nodes(Trace& out, std::size_t max_nodes) {
    clear_nodes(out);
    std::size_t bytes = 0;
    while (in_nodes_ && out.nodes.nodes.size() < max_nodes && bytes < batch_bytes) {
      if (window_->take(']')) {
        end_nodes(out);
        break;
      }
      if (!std::exchange(first_node_, false)) window_->expect(',');
      (void)window_->peek();
      window_->item([&](JsonCursor& in) {
        const char* const begin = in.here();
        if (!objects_.node(in, rank_, out.nodes)) throw BadJson{begin, "a node with a key 'metadata'"};
        out.nodes.positions.push_back(window_->line_of(begin));
        bytes += static_cast<std::size_t>(in.last() - begin);
      });
    }
    return !out.nodes.nodes.empty();
  }

  void end_nodes(Trace& out) {
    in_nodes_ = false;
    if (ahead_ == nullptr) {
      (void)read_members(*window_, out);  // only the end is valid: any further key is repeated or unknown
      return;
    }
    while (!window_->take('}')) {
      window_->expect(',');
      window_->item([](JsonCursor& in) {
        (void)in.string();
        in.expect(':');
        return in.skip();
      });
    }
    ahead_.reset();
  }

  JsonKeys keys_{members};
  std::string key_text_;
  bool begun_ = false;
  bool many_ = false;
  bool in_nodes_ = false;
  bool first_node_ = true;
  bool first_member_ = true;
  std::optional<Rank> given_rank_;
  // Used if more must be known than the window has shown: the text from a position on, and the members of the
  // current trace after its nodes.
  std::string text_;
  JsonPlace held_begin_;
  std::unique_ptr<Input> held_;
  std::unique_ptr<Input> rest_;
  std::unique_ptr<JsonWindow> ahead_;
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

// Looks at the head of the input, and at more of it while the groups may continue.
std::string peek_json_groups(Input& input) {
  constexpr std::size_t most = std::size_t{64} << 20U;
  for (std::size_t size = 4096;; size *= 2) {
    const std::string_view head = input.peek(size);
    JsonHead in(head);
    (void)in.open('[');
    if (!in.open('{')) return {};
    const auto key = in.key();
    if (key && *key != "groups") return {};
    if (key) {
      const std::string_view groups = in.skip();
      if (in.close('}')) return std::string(groups);
    }
    if (head.size() < size || size >= most) return {};  // the reader reports the defect
  }
}

std::unique_ptr<TraceReader> make_json_reader(const ReadContext& context) {
  return std::make_unique<JsonDocumentReader>(context);
}

std::unique_ptr<TraceReader> make_json_lines_reader(const ReadContext& context) {
  return std::make_unique<JsonLinesReader>(context);
}

}  // namespace convert
