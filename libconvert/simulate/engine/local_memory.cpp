// SPDX-License-Identifier: MIT
#include "simulate/engine/local_memory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unordered_map>

#include "core/attr_names.h"
#include "core/units.h"
#include "feeder/feeder.h"
#include "simulate/engine/replay.h"
#include "simulate/program/compile.h"
#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::size_t max_uses = std::size_t{1} << 31U;
constexpr std::uint32_t no_node = UINT32_MAX;
constexpr const char* rule = "tensors";

std::string quoted(std::string_view name) {
  constexpr std::size_t most = 80;
  std::string text;
  append_json_string(text, name.substr(0, most));
  return text;
}

class TensorCompiler {
 public:
  TensorCompiler(const Trace& trace, NodeCompiler& compiler, TensorTable& table)
      : trace_(trace), compiler_(compiler), table_(table) {}

  void add_node(std::uint32_t index) {
    index_ = index;
    if (trace_.nodes.nodes[index].type != NodeType::metadata) {
      add_list(attr::inputs, false);
      add_list(attr::outputs, true);
    }
    table_.use_ends.push_back(static_cast<std::uint32_t>(table_.uses.size()));
  }

 private:
  void fail(const std::string& message) { compiler_.error(trace_, index_, rule, message); }

  void add_list(Name attribute, bool writes) {
    const Attr* list = find(trace_.nodes.attributes(trace_.nodes.nodes[index_]), attribute);
    const std::string label = "attribute " + std::string(attribute.view());
    if (list == nullptr)
      return fail(label + " is missing; tracking of local memory requires inputs and outputs of every node");
    if (list->kind == Kind::none) return;  // often written for an empty list
    if (list->kind != Kind::string_list)
      return fail(label + " is of kind " + std::string(kind_name(list->kind)) + ", not string_list");
    const auto texts = trace_.nodes.string_list(*list);
    if (texts.size() % 2 != 0) {
      return fail(label + " has " + std::to_string(texts.size()) +
                  " elements; tensor names and sizes in bytes must alternate");
    }
    for (std::size_t i = 0; i < texts.size(); i += 2) {
      const std::string_view name = trace_.nodes.view(texts[i]);
      const std::string_view size = trace_.nodes.view(texts[i + 1]);
      const std::optional<std::int64_t> bytes = parse_int(size);
      if (!bytes || *bytes < 0) {
        fail(label + ": the size of tensor " + quoted(name) + " is " + quoted(size) + ", not a number of bytes");
      } else if (*bytes != 0) {
        add_use(name, *bytes, writes);
      }
    }
  }

  void add_use(std::string_view name, std::int64_t bytes, bool writes) {
    const auto [at, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(table_.bytes.size()));
    if (is_new) {
      if (__builtin_add_overflow(total_, bytes, &total_)) {
        fail("the tensors of the rank have more than 2^63-1 bytes in total");
        total_ = 0;
      }
      first_use_.push_back(index_);
      table_.bytes.push_back(bytes);
      table_.names += name;
      table_.name_ends.push_back(table_.names.size());
    } else if (table_.bytes[at->second] != bytes) {
      return fail("tensor " + quoted(name) + " has " + counted(bytes, "byte") + " here, but " +
                  std::to_string(table_.bytes[at->second]) + " at node " +
                  std::to_string(trace_.nodes.nodes[first_use_[at->second]].id));
    }
    if (table_.uses.size() == max_uses)
      throw input_error({.file = trace_.name}, "more than 2^31 uses of tensors", rule);
    table_.uses.push_back({.tensor = at->second & 0x7FFFFFFFU, .writes = writes});
  }

  const Trace& trace_;
  NodeCompiler& compiler_;
  TensorTable& table_;
  std::uint32_t index_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::uint32_t> first_use_;  // by tensor: index of the node
  std::int64_t total_ = 0;
};

PeakMemory peak_of(const MemoryCurve& curve) {
  PeakMemory peak;
  for (const auto& [time, bytes] : curve) {
    if (bytes > peak.bytes) peak = {.bytes = bytes, .at_ps = time};
  }
  return peak;
}

PeakTensors tensors_at_peak(const TensorTable& table, const std::vector<TensorLife>& lives, Rank npu,
                            const PeakMemory& peak) {
  PeakTensors at{.npu = npu, .peak = peak};
  std::vector<std::uint32_t> alive;
  for (std::uint32_t t = 0; t < lives.size(); ++t) {
    if (lives[t].begin <= peak.at_ps && lives[t].end > peak.at_ps) alive.push_back(t);
  }
  at.tensors = alive.size();
  std::stable_sort(alive.begin(), alive.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return table.bytes[a] > table.bytes[b]; });
  constexpr std::size_t most = 8;
  alive.resize(std::min(alive.size(), most));
  for (const std::uint32_t t : alive) at.largest.emplace_back(table.name(t), table.bytes[t]);
  return at;
}

}  // namespace

std::string_view TensorTable::name(std::uint32_t tensor) const {
  const std::uint64_t begin = tensor == 0 ? 0 : name_ends[tensor - 1];
  return std::string_view(names).substr(begin, name_ends[tensor] - begin);
}

bool same_uses(const TensorTable* a, const TensorTable* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->bytes == b->bytes && a->use_ends == b->use_ends && a->uses == b->uses;
}

std::shared_ptr<const TensorTable> compile_tensors(const Trace& trace, const Feeder& feeder,
                                                   NodeCompiler& compiler) {
  auto table = std::make_shared<TensorTable>();
  TensorCompiler tensors(trace, compiler, *table);
  for (std::uint32_t node = 0; node < feeder.size(); ++node) tensors.add_node(feeder.index_of(node));
  return table;
}

// As in ASTRA-sim, a node reads and then writes at its end. A tensor that is read before it was written exists from
// the start. A tensor stays if its last reader, or a later node, writes it, for example a weight written by its
// optimizer. A tensor also stays if a node still has to use it.
std::vector<TensorLife> tensor_lives(const TensorTable& table, const NodeSpans& spans) {
  struct Seen {
    Picoseconds first_begin = TensorLife::never;    // of a node that writes it
    Picoseconds first_written = TensorLife::never;  // end of a node that writes and does not read it
    Picoseconds last_written = -1;
    Picoseconds first_read = TensorLife::never;  // end of a node that reads it
    Picoseconds last_read = -1;
    Picoseconds last_in_place = -1;  // end of a node that reads and writes it
    std::uint32_t reader = no_node;  // the latest reader in node order
    bool has_writer = false;         // there is a node that writes and does not read it
    bool pending = false;            // a node that uses it has not ended
  };
  std::vector<Seen> seen(table.bytes.size());
  table.for_each_use([&](std::uint32_t node, TensorTable::Use use) {
    Seen& s = seen[use.tensor];
    const NodeSpan span = spans[node];
    const bool ended = span.end >= 0;
    s.pending = s.pending || !ended;
    if (use.writes != 0) {
      const bool in_place = s.reader == node;
      s.has_writer = s.has_writer || !in_place;
      if (span.begin >= 0) s.first_begin = std::min(s.first_begin, span.begin);
      if (ended && !in_place) s.first_written = std::min(s.first_written, span.end);
      s.last_written = std::max(s.last_written, span.end);
      if (in_place) s.last_in_place = std::max(s.last_in_place, span.end);
      return;
    }
    s.reader = node;
    if (ended) {
      s.first_read = std::min(s.first_read, span.end);
      s.last_read = std::max(s.last_read, span.end);
    }
  });
  std::vector<TensorLife> lives;
  lives.reserve(seen.size());
  for (const Seen& s : seen) {
    const bool from_start = !s.has_writer || s.first_read < s.first_written;
    const bool ends = !s.pending && s.last_read >= s.last_written && s.last_read > s.last_in_place;
    lives.push_back({from_start ? 0 : s.first_begin, ends ? s.last_read : TensorLife::never});
  }
  return lives;
}

MemoryCurve memory_curve(const TensorTable& table, const std::vector<TensorLife>& lives) {
  MemoryCurve changes;
  for (std::size_t t = 0; t < lives.size(); ++t) {
    if (lives[t].empty()) continue;
    changes.emplace_back(lives[t].begin, table.bytes[t]);
    if (lives[t].end != TensorLife::never) changes.emplace_back(lives[t].end, -table.bytes[t]);
  }
  std::sort(changes.begin(), changes.end());  // at each time, frees come first
  std::int64_t bytes = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    bytes += changes[i].second;
    if (changes[last].first != changes[i].first) ++last;
    changes[last] = {changes[i].first, bytes};
  }
  changes.resize(std::min(changes.size(), last + 1));
  return changes;
}

void add_peaks(const LinkedProgram& program, const std::vector<NodeSpans>& spans, ReplayResult& result) {
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    if (program.ranks[r].code == nullptr) continue;
    const TensorTable& table = *program.ranks[r].code->tensors;
    const std::vector<TensorLife> lives = tensor_lives(table, spans[r]);
    const PeakMemory peak = peak_of(memory_curve(table, lives));
    result.npus[r].peak_memory = peak;
    if (!result.peak_tensors || peak.bytes > result.peak_tensors->peak.bytes)
      result.peak_tensors = tensors_at_peak(table, lives, r, peak);
  }
}

// ASTRA-sim's number is a float.
std::string format_astra_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "KB", "MB", "GB", "TB"};
  auto value = static_cast<float>(bytes);
  std::size_t unit = 0;
  for (std::int64_t rest = bytes; rest >= 1024 && unit + 1 < units.size(); rest /= 1024) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f %s", static_cast<double>(value), units.at(unit));
  return text.data();
}

}  // namespace convert
