// SPDX-License-Identifier: MIT
#include "passes/rules/texts.h"

#include <algorithm>
#include <limits>

#include "core/trace.h"
#include "passes/rules/rules.h"
#include "util/utf8.h"

namespace convert::rules {
namespace {

constexpr std::string_view rule = "attributes";

bool is_valid(std::string_view text) { return find_invalid_utf8(text) == std::string_view::npos; }

}  // namespace

TextChecker::TextChecker(const Trace& trace, Diagnostics& diagnostics)
    : trace_(trace), table_(trace.nodes), diagnostics_(diagnostics) {}

void TextChecker::begin_batch() { all_ascii_ = is_ascii(table_.text); }

void TextChecker::check_metadata() {
  constexpr std::uint64_t metadata = std::numeric_limits<std::uint64_t>::max();
  in_metadata_ = true;
  check(trace_.metadata.version, about(), "its version");
  const AttrTable& table = trace_.metadata.table;
  for (const Attr& a : table.attrs) {
    if (check_name(table, a, metadata)) check_attribute(table, a, about());
  }
  in_metadata_ = false;
}

void TextChecker::check_node(std::size_t index) {
  index_ = index;
  ++nodes_;
  for (const Attr& a : table_.attributes(table_.nodes[index])) (void)check_name(table_, a, nodes_);
  if (!all_ascii_) check_texts();
}

bool TextChecker::check_name(const AttrTable& table, const Attr& a, std::uint64_t owner) {
  if (a.name.index() >= names_.size()) names_.resize(a.name.index() + std::size_t{1});
  Known& known = names_[a.name.index()];
  if (known.is_new) {
    known.is_new = false;
    known.valid = is_valid(a.name.view());
  }
  if (!known.valid) {
    diagnostics_.error(where(), rule, about() + "the name of an attribute is not valid UTF-8");
  } else if (known.owner == owner) {
    check_repeated(table, known, a);
  } else {
    known = {.owner = owner, .first = &a, .is_new = false};
  }
  return known.valid;
}

// Reports different values, as some readers use the first attribute and some the last.
void TextChecker::check_repeated(const AttrTable& table, Known& known, const Attr& a) {
  if (known.told || same_value(table, *known.first, table, a)) return;
  const IntValue first = int_value(known.first), second = int_value(&a);
  diagnostics_.error(
      where(), rule,
      about() + "attribute " + std::string(a.name.view()) + " occurs twice, with different values" +
          (first && second ? ": " + std::to_string(first.value) + " and " + std::to_string(second.value)
                           : std::string()));
  known.told = true;
}

void TextChecker::check_texts() {
  const Node& node = table_.nodes[index_];
  const std::string owner = about();
  check(table_.name(node), owner, "its name");
  check_io(node.inputs, "inputs");
  check_io(node.outputs, "outputs");
  for (const Attr& a : table_.attributes(node)) {
    if (names_[a.name.index()].valid) check_attribute(table_, a, owner);
  }
}

void TextChecker::check_io(std::uint32_t io, std::string_view side) {
  if (io == 0) return;
  const IoInfo& info = table_.io[io - 1];
  const std::string of(side);
  check(table_.view(info.values), about(), of + ".values");
  check(table_.view(info.shapes), about(), of + ".shapes");
  check(table_.view(info.types), about(), of + ".types");
}

// Checks texts only: bytes and unknown fields may have any content.
void TextChecker::check_attribute(const AttrTable& table, const Attr& a, std::string_view owner) {
  const auto subject = [&] { return "attribute " + std::string(a.name.view()); };
  if (a.kind == Kind::string_val && !is_valid(table.string(a))) check(table.string(a), owner, subject());
  if (a.kind == Kind::string_list) {
    const auto texts = table.string_list(a);
    const auto bad = std::ranges::find_if(texts, [&](Text t) { return !is_valid(table.view(t)); });
    if (bad != texts.end()) {
      check(table.view(*bad), owner, "item " + std::to_string(bad - texts.begin()) + " of " + subject());
    }
  }
  if (a.extra == 0) return;
  check(table.view(table.extras[a.extra - 1].doc_string), owner, "doc_string of " + subject());
}

void TextChecker::check(std::string_view text, std::string_view owner, std::string_view what) {
  if (is_valid(text)) return;
  diagnostics_.error(where(), rule, std::string(owner) + std::string(what) + " is not valid UTF-8");
}

Location TextChecker::where() const {
  if (!in_metadata_) return location_of(trace_, index_);
  return {.file = trace_.name, .rank = static_cast<std::int64_t>(trace_.rank)};
}

std::string TextChecker::about() const {
  return in_metadata_ ? "metadata: " : node_text(table_.nodes[index_].id) + ": ";
}

}  // namespace convert::rules
