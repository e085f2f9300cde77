// SPDX-License-Identifier: MIT
#include "core/master/master_set.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace convert {

std::vector<std::uint32_t> node_begins(const RankClass& c, const ShapeSet& shapes) {
  std::vector<std::uint32_t> counts(shapes.size());
  for (std::uint32_t s = 0; s < shapes.size(); ++s)
    counts[s] = static_cast<std::uint32_t>(ShapeSet::value_count(shapes[s]));
  std::vector<std::uint32_t> begins;
  begins.reserve(c.shapes.size() + 1);
  std::uint32_t at = 0;
  for (const std::uint32_t s : c.shapes) {
    begins.push_back(at);
    at += counts[s];
  }
  begins.push_back(at);
  return begins;
}

void MasterSet::add_to_order(std::uint32_t c, std::uint64_t count) {
  taken_.resize(std::max(taken_.size(), std::size_t{c} + 1));
  if (order_.empty() || order_.back().of_class != c)
    order_.push_back({.of_class = c, .first_ordinal = taken_[c], .first_place = ranks_});
  taken_[c] += count;
  ranks_ += count;
}

MasterSet::Place MasterSet::place(std::uint64_t i) const {
  const auto after =
      std::ranges::upper_bound(order_, i, {}, [](const Stretch& stretch) { return stretch.first_place; });
  const Stretch& stretch = *(after - 1);
  return {stretch.of_class, stretch.first_ordinal + (i - stretch.first_place)};
}

std::uint64_t MasterSet::node_count() const {
  std::uint64_t sum = 0;
  for (const RankClass& c : classes) sum += c.shapes.size() * c.ranks.size();
  return sum;
}

Trace MasterSet::head(const Place& p, const std::string& file) const {
  const RankClass& c = classes[p.of_class];
  Trace out;
  out.rank = rank(p);
  out.name = name_of(out.rank, file);
  std::vector<std::uint64_t> values;
  c.metadata.get(p.ordinal, values);
  Unpacker(texts, file, out.rank).metadata(shapes[c.metadata_shape], values.data(), out.metadata);
  return out;
}

void MasterSet::nodes(const Place& p, const std::string& file, NodeTable& to) const {
  const RankClass& c = classes[p.of_class];
  std::vector<std::uint64_t> values;
  c.values.get(p.ordinal, values);
  const Unpacker unpacker(texts, file, rank(p));
  to.nodes.reserve(to.nodes.size() + c.shapes.size());
  const std::uint64_t* next = values.data();
  for (const std::uint32_t s : c.shapes) next = unpacker.node(shapes[s], next, to);
}

void MasterSet::edit_metadata(const std::function<void(Metadata&)>& edit) {
  for (RankClass& c : classes) {
    const bool differs = !c.metadata.varying.empty() || !c.metadata.own.empty();
    std::optional<DifferenceFinder> finder;
    std::uint32_t shape = 0;
    std::vector<std::uint64_t> values;
    for (std::uint64_t ordinal = 0; ordinal < (differs ? c.ranks.size() : 1); ++ordinal) {
      Metadata metadata;
      c.metadata.get(ordinal, values);
      Unpacker(texts, {}, static_cast<Rank>(c.ranks[ordinal]))
          .metadata(shapes[c.metadata_shape], values.data(), metadata);
      edit(metadata);
      PackedTrace packed;
      Packer(texts, shapes).metadata(metadata, packed);
      shape = packed.shapes[0];
      if (finder) {
        finder->add(packed.values);
      } else {
        finder.emplace(std::move(packed.values));
      }
    }
    c.metadata_shape = shape;
    c.metadata = finder->finish();
  }
}

}  // namespace convert
