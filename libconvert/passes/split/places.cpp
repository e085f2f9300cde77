// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/units.h"
#include "passes/split/split.h"

namespace convert {
namespace {

Error bad(const Trace& system, std::size_t i, const std::string& what) {
  return input_error(location_of(system, i), "node " + std::to_string(system.nodes.nodes[i].id) + ": " + what,
                     "split");
}

class PlaceReader {
 public:
  PlaceReader(const Trace& system, Name attribute, bool transfers)
      : system_(system), attribute_(attribute), transfers_(transfers) {}

  [[nodiscard]] NodePlace read(std::size_t i) const {
    const NodeTable& table = system_.nodes;
    const auto attrs = table.attributes(table.nodes[i]);
    if (transfers_ && is_task_transfer(attrs) && find(attrs, attr::comm_src) != nullptr)
      return read_transfer(i, attrs);
    const Attr* const a = find(attrs, attribute_);
    if (a == nullptr) return {};
    if (a->kind != Kind::string_val) return {.ranks = {.rank = integer(i, *a)}};
    const std::string_view text = table.string(*a);
    const std::size_t digits = text.find_last_not_of("0123456789") + 1;
    const auto rank = parse_unsigned(text.substr(digits));
    if (!rank || *rank > largest_rank)
      throw bad(system_, i,
                named(*a) + " is '" + std::string(text) + "', which does not end in the number of an NPU");
    return {.ranks = {.rank = static_cast<Rank>(*rank)}};
  }

 private:
  static std::string named(const Attr& a) { return "attribute " + std::string(a.name.view()); }

  [[nodiscard]] Rank integer(std::size_t i, const Attr& a) const {
    const IntValue v = int_value(&a);
    if (v.status == IntValue::Status::wrong_kind)
      throw bad(system_, i,
                named(a) + " is of kind " + std::string(kind_name(a.kind)) + "; an integer or text is expected");
    if (!v || v.value < 0 || v.value > largest_rank)
      throw bad(system_, i, named(a) + " is not a rank, an integer from 0 to 2^31-1");
    return static_cast<Rank>(v.value);
  }

  [[nodiscard]] NodePlace read_transfer(std::size_t i, std::span<const Attr> attrs) const {
    const Attr* const to = find(attrs, attr::comm_dst);
    if (to == nullptr) throw bad(system_, i, "transfer without comm_dst");
    const TaskRanks ranks{.rank = integer(i, *find(attrs, attr::comm_src)), .peer = integer(i, *to)};
    if (ranks.rank == ranks.peer) throw bad(system_, i, "transfer from an NPU to itself");
    const IntValue bytes = int_value(attrs, attr::comm_size);
    if (!bytes || bytes.value < 0) throw bad(system_, i, "the comm_size of a transfer is missing or invalid");
    return {.ranks = ranks, .bytes = bytes.value};
  }

  const Trace& system_;
  Name attribute_;
  bool transfers_;
};

}  // namespace

std::vector<NodePlace> places_by_attribute(const Trace& system, Name attribute, bool transfers) {
  const PlaceReader reader(system, attribute, transfers);
  std::vector<NodePlace> places(system.nodes.nodes.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = reader.read(i);
  return places;
}

void require_places(const Trace& system, const std::vector<NodePlace>& places, const std::string& hint) {
  constexpr std::size_t shown = 10;
  const auto lacks = [](const NodePlace& p) { return p.ranks.rank == no_rank; };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(places, lacks));
  if (count == 0) return;
  std::string list;
  std::size_t first = places.size();
  std::size_t listed = 0;
  for (std::size_t i = 0; i < places.size() && listed < shown; ++i) {
    if (!lacks(places[i])) continue;
    first = std::min(first, i);
    const Node& n = system.nodes.nodes[i];
    list += (listed++ == 0 ? "node " : ", node ") + std::to_string(n.id) + " (" +
            std::string(system.nodes.name(n)) + ")";
  }
  if (count > shown) list += ", …";
  throw input_error(location_of(system, first),
                    counted(count, "node") + (count == 1 ? " has" : " have") + " no NPU: " + list + "; " + hint,
                    "split");
}

}  // namespace convert
