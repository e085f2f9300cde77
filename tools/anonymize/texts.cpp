// SPDX-License-Identifier: MIT
#include "anonymize/texts.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "passes/anonymize/kept.h"
#include "passes/dep_rules.h"

namespace tools {

using namespace convert;

namespace {

constexpr std::size_t keyed_digits = 12;

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool may_be_by_chance(std::string_view text) {
  return text.find_first_not_of("0123456789.") == std::string_view::npos ||
         (text.size() < keyed_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

std::uint32_t first_bytes(const char* at) {
  std::uint32_t prefix = 0;
  std::memcpy(&prefix, at, sizeof prefix);
  return prefix;
}

// Returns whether an attribute has only letters of dependency reasons, which any linked set contains.
bool is_reasons(const AttrTable& table, const Attr& a) {
  return a.name == attr::dep_rules && a.kind == Kind::string_val && is_dep_rules(table.string(a));
}

void append_texts(const AttrTable& table, std::span<const Attr> attrs, std::string& out) {
  for (const Attr& a : attrs) {
    out.append(a.name.view()) += '\n';
    if (!is_text(a.kind) || is_reasons(table, a)) continue;
    if (!is_list(a.kind)) {
      out.append(table.string(a)) += '\n';
      continue;
    }
    for (const Text t : table.string_list(a)) out.append(table.view(t)) += '\n';
  }
}

}  // namespace

void TextsOfSet::add(std::string_view text) {
  if (text.size() < shortest_text) return;
  if (!texts_.emplace(text).second) return;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end - begin >= shortest_text && end - begin < text.size()) texts_.emplace(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void TextsOfSet::add(TextsOfSet&& other) { texts_.merge(other.texts_); }

void TextsOfSet::add_extra(const AttrTable& table, std::uint32_t extra) {
  if (extra == 0) return;
  const Extra& e = table.extras[extra - 1];
  for (const Text t : {e.doc_string, e.unknown, e.list_unknown}) add(table.view(t));
}

void TextsOfSet::add_attributes(const AttrTable& table, std::span<const Attr> attrs) {
  for (const Attr& a : attrs) {
    if (role_of(a.name) == AttributeRole::none) add(a.name.view());
    add_extra(table, a.extra);
    if (!is_text(a.kind) || is_reasons(table, a)) continue;
    if (!is_list(a.kind)) {
      add(table.string(a));
      continue;
    }
    for (const Text t : table.string_list(a)) add(table.view(t));
  }
}

void TextsOfSet::add_head(const Trace& trace) {
  add(trace.metadata.version);
  add(trace.metadata.unknown);
  add_attributes(trace.metadata.table, trace.metadata.table.attrs);
}

void TextsOfSet::add_nodes(const NodeTable& nodes) {
  for (const Node& n : nodes.nodes) {
    add(nodes.name(n));
    add_extra(nodes, n.extra);
    add_attributes(nodes, nodes.attributes(n));
    for (const std::uint32_t index : {n.inputs, n.outputs}) {
      if (index == 0) continue;
      const IoInfo& io = nodes.io[index - 1];
      for (const Text t : {io.values, io.shapes, io.types, io.unknown}) add(nodes.view(t));
    }
  }
}

TextSearch::TextSearch(const TextsOfSet& texts) {
  for (const std::string& text : texts.all()) {
    if (may_be_by_chance(text)) {
      ++left_out_;
    } else {
      texts_.push_back(text);
    }
  }
  std::ranges::sort(texts_);
  constexpr std::size_t bits_each = 64, least_bits = 4096;
  seen_.resize(std::bit_ceil(std::max(least_bits, bits_each * texts_.size())));
  for (std::uint32_t i = 0; i < texts_.size(); ++i) {
    entries_.push_back({first_bytes(texts_[i].data()), i});
    seen_[bit(entries_.back().prefix)] = true;
  }
  std::ranges::sort(entries_);
}

std::size_t TextSearch::bit(std::uint32_t prefix) const {
  constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>((prefix * multiplier) >> 20U) & (seen_.size() - 1);
}

std::vector<std::uint32_t> TextSearch::find(std::string_view bytes) const {
  std::vector<std::uint32_t> found;
  for (std::size_t at = 0; at + shortest_text <= bytes.size(); ++at) {
    const std::uint32_t prefix = first_bytes(bytes.data() + at);
    if (!seen_[bit(prefix)]) continue;
    auto entry = std::ranges::lower_bound(entries_, Entry{prefix, 0});
    for (; entry != entries_.end() && entry->prefix == prefix; ++entry) {
      if (bytes.substr(at).starts_with(texts_[entry->text])) found.push_back(entry->text);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string texts_of(const Trace& trace) {
  std::string out = trace.metadata.version + '\n';
  append_texts(trace.metadata.table, trace.metadata.table.attrs, out);
  for (const Node& n : trace.nodes.nodes) {
    out.append(trace.nodes.name(n)) += '\n';
    append_texts(trace.nodes, trace.nodes.attributes(n), out);
  }
  return out;
}

}  // namespace tools
