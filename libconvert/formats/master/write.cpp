// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include "formats/master/layout.h"
#include "formats/master/master.h"

namespace convert {
namespace master_file {
namespace {

using blocks::append_number;
using blocks::append_text;
using blocks::zigzag;

// Collects a section and writes it block by block.
class Section {
 public:
  Section(blocks::Writer& out, std::string_view name) : out_(out), name_(name) {}

  void number(std::uint64_t value) { append_number(bytes_, value); }
  void text(std::string_view text) {
    append_text(bytes_, text);
    cut(block_bytes);
  }
  void numbers(std::span<const std::uint64_t> values) {
    std::string plain, delta;
    std::uint64_t before = 0;
    for (const std::uint64_t value : values) {
      append_number(plain, zigzag(value));
      append_number(delta, zigzag(value - before));
      before = value;
    }
    const bool differences = delta.size() < plain.size();
    bytes_ += static_cast<char>(differences ? Code::delta : Code::plain);
    text(differences ? delta : plain);
  }
  void runs(const NumberRuns& runs) {
    std::vector<std::uint64_t> first, step, count;
    for (std::size_t i = 0; i < runs.runs().size(); ++i) {
      first.push_back(runs.runs()[i].first);
      step.push_back(runs.runs()[i].step);
      count.push_back(runs.count_of(i));
    }
    number(first.size());
    for (const auto* list : {&first, &step, &count}) numbers(*list);
  }
  void finish() {
    while (!bytes_.empty()) cut(1);
  }

 private:
  void cut(std::size_t least) {
    std::size_t at = 0;
    while (at < bytes_.size() && bytes_.size() - at >= least) {
      const std::size_t size = std::min(bytes_.size() - at, out_.dense() ? blocks::small_block_bytes : block_bytes);
      out_.block(name_, 1, std::string_view(bytes_).substr(at, size));
      at += size;
    }
    bytes_.erase(0, at);
  }

  blocks::Writer& out_;
  std::string_view name_;
  std::string bytes_;
};

void add_shape(Section& to, const NodeShape& s) {
  to.number((s.metadata ? is_metadata : 0U) | (s.inputs ? has_inputs : 0U) | (s.outputs ? has_outputs : 0U) |
            (s.extra ? has_extra : 0U));
  to.number(zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(s.type))));
  to.number(s.data_deps);
  to.number(s.ctrl_deps);
  to.number(s.attrs.size());
  for (const NodeShape::Attribute& a : s.attrs) {
    to.text(a.name.view());
    to.number(static_cast<std::uint64_t>(a.kind) << 1U | (a.extra ? 1U : 0U));
    if (is_list(a.kind)) to.number(a.size);
  }
}

void add_values(Section& to, const RankValues& values, std::span<const std::uint32_t> shapes, FieldTable& fields) {
  std::vector<std::vector<std::uint64_t>> lists;
  std::vector<std::vector<std::uint32_t>> own;  // by field: indices into values.own
  std::size_t at = 0, next_own = 0;
  for (const std::uint32_t shape : shapes) {
    for (const auto& part : fields.parts(shape)) {
      lists.resize(std::max<std::size_t>(lists.size(), part.field + std::size_t{1}));
      own.resize(lists.size());
      for (std::uint32_t i = 0; i < part.count; ++i, ++at) {
        lists[part.field].push_back(values.first[at]);
        if (next_own < values.own.size() && values.own[next_own] == at)
          own[part.field].push_back(static_cast<std::uint32_t>(next_own++));
      }
    }
  }
  for (const auto& list : lists) to.numbers(list);
  std::vector<std::uint64_t> which, rule;
  for (const RankValues::Varying& v : values.varying) {
    which.push_back(v.value);
    rule.push_back(v.rule);
  }
  to.number(values.rules.size());
  for (const NumberRuns& r : values.rules) to.runs(r);
  to.number(which.size());
  to.numbers(which);
  to.numbers(rule);
  to.number(values.own.size());
  to.numbers(std::vector<std::uint64_t>(values.own.begin(), values.own.end()));
  for (std::size_t row = 0; row < values.own_differences.size(); row += values.own.size()) {
    for (const auto& of_field : own) {
      std::vector<std::uint64_t> differences;
      for (const std::uint32_t i : of_field) differences.push_back(values.own_differences[row + i]);
      if (!differences.empty()) to.numbers(differences);
    }
  }
}

void add_class(Section& to, const RankClass& c, const ShapeSet& shapes) {
  to.runs(c.ranks);
  to.number(c.metadata_shape);
  FieldTable of_metadata(shapes), of_nodes(shapes);
  add_values(to, c.metadata, std::span(&c.metadata_shape, 1), of_metadata);
  to.number(c.shapes.size());
  to.numbers(std::vector<std::uint64_t>(c.shapes.begin(), c.shapes.end()));
  add_values(to, c.values, c.shapes, of_nodes);
}

}  // namespace
}  // namespace master_file

void write_master(const MasterSet& set, Output& out) {
  using namespace master_file;
  blocks::Writer writer(out, kind);
  {
    Section texts(writer, "texts");
    texts.number(set.texts.size());
    for (std::uint32_t i = 0; i < set.texts.size(); ++i) texts.text(set.texts[i]);
    texts.finish();
  }
  {
    Section shapes(writer, "shapes");
    shapes.number(set.shapes.size());
    for (std::uint32_t i = 0; i < set.shapes.size(); ++i) add_shape(shapes, set.shapes[i]);
    shapes.finish();
  }
  {
    Section classes(writer, "classes");
    classes.number(set.classes.size());
    for (const RankClass& c : set.classes) add_class(classes, c, set.shapes);
    classes.finish();
  }
  {
    Section order(writer, "order");
    std::vector<std::uint64_t> of_class, count;
    for (std::size_t i = 0; i < set.order().size(); ++i) {
      const auto& stretch = set.order()[i];
      const bool last = i + 1 == set.order().size();
      of_class.push_back(stretch.of_class);
      count.push_back((last ? set.ranks() : set.order()[i + 1].first_place) - stretch.first_place);
    }
    order.number(of_class.size());
    order.numbers(of_class);
    order.numbers(count);
    order.finish();
  }
  {
    Section groups(writer, "groups");
    groups.text(set.groups);
    groups.finish();
  }
  writer.finish();
}

}  // namespace convert
