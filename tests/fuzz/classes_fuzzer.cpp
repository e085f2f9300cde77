// SPDX-License-Identifier: MIT
// Class-compressed sets, or their sections, replayed by classes: rejected with an Error, or with the result of a
// replay of every rank. Nodes of some ranks are changed, and the set is rebuilt, so that classes split. When seeds
// are replayed, bytes of sections are changed too.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "class_fuzzing.h"
#include "common/class_set.h"
#include "core/attr_names.h"
#include "fuzzer.h"
#include "master_fuzzing.h"
#include "sanitized.h"
#include "set_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t number() { return static_cast<std::uint32_t>(engine_()); }

  // Changes nodes of one rank, of all ranks, or of ranks with one remainder.
  void change_nodes(std::vector<Trace>& traces) {
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      const std::size_t step = std::vector<std::size_t>{1, 2, 4, traces.size()}[below(4)];
      const std::size_t first = below(std::min(step, traces.size()));
      const std::uint32_t how = number();
      const std::uint32_t where = number();
      for (std::size_t r = first; r < traces.size(); r += step) change_node(traces[r].nodes, where, how);
    }
  }
  // Changes one or several bytes of one section.
  void change_bytes(MasterSections& sections) {
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      std::string& s = sections[below(sections.size())];
      if (s.empty()) continue;
      const std::size_t at = below(s.size());
      switch (below(5)) {
        case 0: s[at] = static_cast<char>(s[at] ^ 1 << below(8)); break;
        case 1: s[at] = static_cast<char>(s[at] + (below(2) == 0 ? 2 : -2)); break;
        case 2: s[at] = std::string("\0\1\2\x7f\x80\xff", 6)[below(6)]; break;
        case 3: s.insert(at, s.substr(below(s.size()), 1 + below(8))); break;
        default: s.erase(at, 1 + below(3)); break;
      }
    }
  }

 private:
  std::size_t below(std::size_t n) { return engine_() % n; }

  static void change_node(NodeTable& t, std::uint32_t where, std::uint32_t how) {
    if (t.nodes.empty()) return;
    Node& node = t.nodes[where % t.nodes.size()];
    switch (how % 8) {
      case 0: node.type = static_cast<NodeType>(how >> 4U & 7U); break;
      case 1: node.duration_us = how >> 20U; break;
      case 2:
        if (node.data_deps.count != 0) t.deps[node.data_deps.begin] = t.nodes[(how >> 3U) % t.nodes.size()].id;
        break;
      case 3: node.id = how >> 24U; break;
      default: change_attribute(t, node, how >> 3U);
    }
  }
  static void change_attribute(NodeTable& t, const Node& node, std::uint32_t how) {
    if (node.attrs.count == 0) return;
    Attr& a = t.attrs[node.attrs.begin + how % node.attrs.count];
    if (a.kind == Kind::string_val) {
      if (a.size != 0) t.text[a.bits] = static_cast<char>('0' + (how >> 8U) % 10);
      return;
    }
    if (!is_integer(a.kind)) return;
    const std::uint32_t by = how >> 12U;
    const std::uint64_t values[] = {0,
                                    1,
                                    ~std::uint64_t{0},
                                    a.bits + 1,
                                    a.bits - 1,
                                    a.bits * 2,
                                    by % 16,
                                    INT32_MAX,
                                    std::uint64_t{1} << 32U,
                                    INT64_MAX,
                                    std::uint64_t{1} << 63U,
                                    by};
    a.bits = values[(how >> 8U) % std::size(values)];
  }

  std::mt19937 engine_;
};

void replay_quietly(const std::string& bytes, std::uint32_t variant) {
  may_refuse([&] { ClassReplay(bytes, variant).run(); });
}

// Returns the set with changed nodes.
std::string with_other_nodes(const std::string& bytes, Mutator& mutator) {
  constexpr std::uint64_t most_ranks = 32, most_nodes = 3000;
  const auto input = memory_input("fuzz.etm", bytes);
  const MasterSet set = read_master(*input);
  if (set.ranks() == 0 || set.ranks() > most_ranks || set.node_count() > most_nodes) return bytes;
  std::vector<Trace> traces = traces_of(set, "fuzz.etm");
  mutator.change_nodes(traces);
  MasterSet changed = test::by_classes(traces);
  changed.groups = set.groups;
  std::string file;
  const auto out = memory_output(file);
  write_master(changed, *out);
  out->close();
  return file;
}

#ifdef ETKIT_FUZZ
constexpr std::uint32_t mutants = 1;  // this target changes bytes itself
#else
constexpr std::uint32_t mutants = test::rounds(64U);
#endif

}  // namespace

FUZZER(classes) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (size > max_input_bytes) return 0;
  const std::string bytes = master_of_input(input);
  const std::uint32_t seed = variant_of(input);
  replay_quietly(bytes, seed);
  for (std::uint32_t i = 0; i < mutants; ++i) {
    Mutator mutator(seed + i);
    may_refuse([&] { replay_quietly(with_other_nodes(bytes, mutator), mutator.number()); });
    if (mutants == 1) continue;
    may_refuse([&] {
      MasterSections sections = sections_of(bytes);
      mutator.change_bytes(sections);
      replay_quietly(file_of(sections), mutator.number());
    });
  }
  return 0;
}
