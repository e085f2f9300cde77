// SPDX-License-Identifier: MIT
#include "passes/rules/texts.h"

#include <algorithm>

#include "core/same_value.h"
#include "passes/rules/rules.h"
#include "util/utf8.h"

namespace convert::rules {
namespace {

constexpr std::string_view rule = "attributes";

bool is_valid(std::string_view text) { return find_invalid_utf8(text) == std::string_view::npos; }

}  // namespace

TextChecker::TextChecker(const Trace& trace, Diagnostics& diagnostics)
    : trace_(trace), table_(trace.nodes), diagnostics_(diagnostics), all_ascii_(is_ascii(trace.nodes.text)) {}

void TextChecker::check_metadata() {
  in_metadata_ = true;
  check(trace_.metadata.version, "metadata: ", "its version");
  const AttrTable& table = trace_.metadata.table;
  for (const Attr& a : table.attrs) {
    if (is_valid(a.name.view())) {
      check_attribute(table, a, "metadata: ");
    } else {
      diagnostics_.error(where(), rule, "metadata: the name of an attribute is not valid UTF-8");
    }
  }
  in_metadata_ = false;
}

void TextChecker::check_node(std::size_t index) {
  index_ = index;
  for (const Attr& a : table_.attributes(table_.nodes[index])) check_name(a);
  if (!all_ascii_) check_texts();
}

void TextChecker::check_name(const Attr& a) {
  if (a.name.index() >= names_.size()) names_.resize(a.name.index() + std::size_t{1});
  Known& known = names_[a.name.index()];
  if (known.is_new) {
    known.is_new = false;
    known.valid = is_valid(a.name.view());
  }
  if (!known.valid) {
    diagnostics_.error(where(), rule, about_node() + "the name of an attribute is not valid UTF-8");
  } else if (known.node == index_ + 1) {
    check_repeated(known, a);
  } else {
    known = {.node = index_ + 1, .first = &a, .is_new = false};
  }
}

// Some readers take the first, some the last.
void TextChecker::check_repeated(Known& known, const Attr& a) {
  if (known.told || same_value(table_, *known.first, table_, a)) return;
  const IntValue first = int_value(known.first), second = int_value(&a);
  diagnostics_.error(
      where(), rule,
      about_node() + "attribute " + std::string(a.name.view()) + " stands twice, with different values" +
          (first && second ? ": " + std::to_string(first.value) + " and " + std::to_string(second.value)
                           : std::string()));
  known.told = true;
}

void TextChecker::check_texts() {
  const Node& node = table_.nodes[index_];
  const std::string owner = about_node();
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
  check(table_.view(info.values), about_node(), of + ".values");
  check(table_.view(info.shapes), about_node(), of + ".shapes");
  check(table_.view(info.types), about_node(), of + ".types");
}

// Bytes may be anything, and so may unknown fields.
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

std::string TextChecker::about_node() const { return node_text(table_.nodes[index_].id) + ": "; }

}  // namespace convert::rules
