// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/master/layout.h"
#include "formats/master/master.h"

namespace convert {
namespace master_file {
namespace {

using blocks::unzigzag;

constexpr std::uint64_t most_values = std::numeric_limits<std::uint32_t>::max();
// Maximum number of ranks of a set: a listed rank takes memory.
constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24U;

class Reader {
 public:
  explicit Reader(Input& input) : blocks_(input, kind) {}

  MasterSet read() {
    while (const auto block = blocks_.next()) {
      Section& section = sections_[block->name];
      if (section.bytes.empty()) section.offset = block->offset;
      blocks_.hold(block->payload.size());
      section.bytes += block->payload;
    }
    begin("groups");
    set_.groups = text();
    end();
    read_texts();
    read_shapes();
    read_classes();
    read_order();
    check_ranks();
    return std::move(set_);
  }

 private:
  struct Section {
    std::uint64_t offset = 0;
    std::string bytes;
  };

  [[nodiscard]] Error damaged(const std::string& what) const {
    return blocks_.damaged(offset_, "section " + section_ + ' ' + what);
  }
  void begin(const std::string& section) {
    section_ = section;
    offset_ = sections_[section].offset;
    bytes_ = blocks::Bytes(sections_[section].bytes);
  }
  void end() {
    if (bytes_.failed() || !bytes_.empty()) throw damaged("has a wrong length");
    sections_.erase(section_);
  }
  std::uint64_t number() {
    const std::uint64_t value = bytes_.number();
    if (bytes_.failed()) throw damaged("is truncated");
    return value;
  }
  std::uint64_t number_up_to(std::uint64_t most, const char* what) {
    const std::uint64_t value = number();
    if (value > most) throw damaged(std::string("has ") + what + " that is out of range");
    return value;
  }
  // Reads the number of the elements that follow; each takes at least one byte.
  std::uint64_t count() { return number_up_to(bytes_.size(), "a count"); }
  std::string_view text() {
    const std::string_view t = bytes_.text();
    if (bytes_.failed()) throw damaged("is truncated");
    return t;
  }

  // Iterator over the numbers of a list.
  class List {
   public:
    List(char code, std::string_view bytes) : delta_(code == static_cast<char>(Code::delta)), bytes_(bytes) {}
    std::uint64_t next() {
      const std::uint64_t value = unzigzag(bytes_.number());
      return last_ = delta_ ? last_ + value : value;
    }
    [[nodiscard]] bool bad() const { return bytes_.failed(); }
    [[nodiscard]] bool bad_at_end() const { return bytes_.failed() || !bytes_.empty(); }

   private:
    bool delta_;
    blocks::Bytes bytes_;
    std::uint64_t last_ = 0;
  };
  List list() {
    const std::string_view code = bytes_.bytes(1);
    if (bytes_.failed()) throw damaged("is truncated");
    if (code[0] != static_cast<char>(Code::plain) && code[0] != static_cast<char>(Code::delta))
      throw damaged("has a list with an unknown code");
    return {code[0], text()};
  }
  template <class Number = std::uint64_t>
  std::vector<Number> numbers(std::uint64_t count, std::uint64_t most, const char* what) {
    List from = list();
    std::vector<Number> out;
    blocks_.hold(count * sizeof(Number));
    out.reserve(count);
    for (std::uint64_t i = 0; i < count && !from.bad(); ++i) {
      const std::uint64_t value = from.next();
      if (value > most) throw damaged(std::string("has ") + what + " that is out of range");
      out.push_back(static_cast<Number>(value));
    }
    if (from.bad_at_end()) throw damaged("has a list of wrong length");
    return out;
  }
  NumberRuns runs() {
    constexpr auto any = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t n = count();
    const auto first = numbers(n, any, ""), step = numbers(n, any, "");
    const auto counts = numbers(n, most_ranks, "a count of ranks");
    NumberRuns out;
    for (std::size_t i = 0; i < n; ++i) {
      if (counts[i] == 0) throw damaged("has an empty run");
      out.add_run(first[i], step[i], counts[i]);
    }
    if (out.size() > most_ranks) throw damaged("exceeds the maximum number of ranks");
    return out;
  }

  void read_texts() {
    begin("texts");
    for (std::uint64_t n = count(); n > 0; --n) {
      const std::string_view t = text();
      blocks_.hold(t.size() + 32);
      const std::uint32_t next = set_.texts.size();
      if (set_.texts.add(t) != next) throw damaged("has a duplicate text");
    }
    end();
  }

  void read_shapes() {
    begin("shapes");
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    for (std::uint64_t n = count(); n > 0; --n) {
      const std::uint64_t flags = number_up_to(15, "a flag");
      NodeShape s{.metadata = (flags & is_metadata) != 0,
                  .inputs = (flags & has_inputs) != 0,
                  .outputs = (flags & has_outputs) != 0,
                  .extra = (flags & has_extra) != 0,
                  .attrs = {}};
      const auto type = static_cast<std::int64_t>(unzigzag(number()));
      if (type != static_cast<std::int32_t>(type)) throw damaged("has a type that is out of range");
      s.type = static_cast<NodeType>(type);
      s.data_deps = static_cast<std::uint32_t>(number_up_to(most, "a count"));
      s.ctrl_deps = static_cast<std::uint32_t>(number_up_to(most, "a count"));
      for (std::uint64_t attrs = count(); attrs > 0; --attrs) s.attrs.push_back(attribute());
      blocks_.hold(sizeof(NodeShape) + s.attrs.size() * sizeof(NodeShape::Attribute));
      const std::uint32_t next = set_.shapes.size();
      if (set_.shapes.add(s) != next) throw damaged("has a duplicate shape");
    }
    end();
  }
  NodeShape::Attribute attribute() {
    NodeShape::Attribute a{.name = Name(text())};
    const std::uint64_t kind = number();
    a.extra = kind % 2 != 0;
    a.kind = static_cast<Kind>(std::min<std::uint64_t>(kind / 2, 255));
    if (a.kind != Kind::none && kind_name(a.kind).empty()) throw damaged("has an attribute of an unknown kind");
    if (is_list(a.kind))
      a.size = static_cast<std::uint32_t>(
          number_up_to(std::numeric_limits<std::uint32_t>::max() - 1, "the size of a list"));
    return a;
  }

  // Reads the values of nodes, or of metadata, with these shapes.
  RankValues values(const std::vector<std::uint32_t>& shapes, std::uint64_t ranks) {
    std::uint64_t size = 0;
    for (const std::uint32_t s : shapes) size += value_counts_[s];
    // Each value takes at least one byte.
    if (size > std::min<std::uint64_t>(most_values, bytes_.size())) throw damaged("is truncated");
    blocks_.hold(size * sizeof(std::uint64_t));
    RankValues out;
    FieldTable fields(set_.shapes);
    std::vector<List> lists;
    std::vector<std::uint32_t> field_of;  // by value
    for (const std::uint32_t s : shapes) {
      for (const auto& part : fields.parts(s)) {
        while (lists.size() <= part.field) lists.push_back(list());
        List& from = lists[part.field];
        for (std::uint32_t i = 0; i < part.count; ++i) out.first.push_back(from.next());
        field_of.insert(field_of.end(), part.count, part.field);
      }
    }
    if (std::ranges::any_of(lists, &List::bad_at_end)) throw damaged("has more values than its nodes");
    read_rules(out, ranks);
    read_own(out, field_of, lists.size(), ranks);
    return out;
  }
  void read_rules(RankValues& out, std::uint64_t ranks) {
    for (std::uint64_t n = count(); n > 0; --n) {
      out.rules.push_back(runs());
      if (out.rules.back().size() != ranks) throw damaged("has a rule for a wrong number of ranks");
    }
    const std::uint64_t varying = count();
    const auto which = indices(varying, out.first.size());
    const auto rule = numbers<std::uint32_t>(varying, out.rules.size() - 1, "a rule");
    if (varying > 0 && out.rules.empty()) throw damaged("has no rules");
    for (std::size_t i = 0; i < varying; ++i) out.varying.push_back({which[i], rule[i]});
  }
  // Reads ascending indices of values.
  std::vector<std::uint32_t> indices(std::uint64_t count, std::size_t size) {
    auto out = numbers<std::uint32_t>(count, size - 1, "a value");
    if (count > 0 && size == 0) throw damaged("has a value that is out of range");
    if (std::ranges::adjacent_find(out, std::greater_equal<>()) != out.end())
      throw damaged("has values that are not ascending");
    return out;
  }
  void read_own(RankValues& out, const std::vector<std::uint32_t>& field_of, std::size_t fields,
                std::uint64_t ranks) {
    const std::uint64_t n = count();
    out.own = indices(n, out.first.size());
    std::vector<std::vector<std::uint32_t>> by_field(fields);
    for (std::uint32_t i = 0; i < n; ++i) by_field[field_of[out.own[i]]].push_back(i);
    if (n == 0) return;
    if (n * (ranks - 1) > bytes_.size()) throw damaged("is truncated");
    blocks_.hold(n * (ranks - 1) * sizeof(std::uint64_t));
    out.own_differences.resize(n * (ranks - 1));
    for (std::size_t row = 0; row < out.own_differences.size(); row += n) {
      for (const auto& of_field : by_field) {
        if (of_field.empty()) continue;
        List from = list();
        for (const std::uint32_t i : of_field) out.own_differences[row + i] = from.next();
        if (from.bad_at_end()) throw damaged("has a list of wrong length");
      }
    }
  }

  void read_classes() {
    // At least one node has each shape, and its values take one byte each.
    const std::uint64_t most = sections_["classes"].bytes.size();
    for (std::uint32_t s = 0; s < set_.shapes.size(); ++s) {
      value_counts_.push_back(ShapeSet::value_count(set_.shapes[s]));
      if (value_counts_.back() > most) throw blocks_.damaged(0, "a shape has more values than the file contains");
    }
    begin("classes");
    for (std::uint64_t n = count(); n > 0; --n) set_.classes.push_back(rank_class());
    end();
  }
  RankClass rank_class() {
    RankClass c;
    c.ranks = runs();
    if (c.ranks.size() == 0) throw damaged("has a class without ranks");
    const std::uint64_t shapes = set_.shapes.size();
    c.metadata_shape = shape(number(), true);
    c.metadata = values({c.metadata_shape}, c.ranks.size());
    const std::uint64_t nodes = count();
    c.shapes = numbers<std::uint32_t>(nodes, shapes - 1, "a shape");
    for (const std::uint32_t s : c.shapes) (void)shape(s, false);
    c.values = values(c.shapes, c.ranks.size());
    return c;
  }
  std::uint32_t shape(std::uint64_t s, bool metadata) const {
    if (s >= set_.shapes.size() || set_.shapes[static_cast<std::uint32_t>(s)].metadata != metadata)
      throw damaged("has a shape that is out of range");
    return static_cast<std::uint32_t>(s);
  }

  void read_order() {
    begin("order");
    const std::uint64_t n = count();
    const auto of_class = numbers<std::uint32_t>(n, set_.classes.size() - 1, "a class");
    if (n == 0 || set_.classes.empty()) throw damaged("has no ranks");
    const auto counts = numbers(n, most_ranks, "a count of ranks");
    std::vector<std::uint64_t> taken(set_.classes.size());
    for (std::size_t i = 0; i < n; ++i) {
      set_.add_to_order(of_class[i], counts[i]);
      taken[of_class[i]] += counts[i];
      if (counts[i] == 0 || set_.ranks() > most_ranks) throw damaged("has a count of ranks that is out of range");
    }
    for (std::size_t c = 0; c < taken.size(); ++c) {
      if (taken[c] != set_.classes[c].ranks.size()) throw damaged("has ranks that differ from the classes");
    }
    end();
  }

  void check_ranks() {
    std::vector<Rank> all;
    for (const RankClass& c : set_.classes) {
      for (std::uint64_t i = 0; i < c.ranks.size(); ++i) {
        if (c.ranks[i] > largest_rank) throw damaged("has a rank that is out of range");
        all.push_back(static_cast<Rank>(c.ranks[i]));
      }
    }
    std::ranges::sort(all);
    if (const auto twice = std::ranges::adjacent_find(all); twice != all.end())
      throw damaged("has rank " + std::to_string(*twice) + " twice");
  }

  blocks::Reader blocks_;
  std::map<std::string, Section> sections_;
  MasterSet set_;
  std::vector<std::uint64_t> value_counts_;  // by shape
  // State of the section being read:
  std::string section_;
  std::uint64_t offset_ = 0;
  blocks::Bytes bytes_{""};
};

}  // namespace
}  // namespace master_file

MasterSet read_master(Input& input) { return master_file::Reader(input).read(); }

}  // namespace convert
