// SPDX-License-Identifier: MIT
#include "sets/derived/splitting.h"

#include <algorithm>
#include <utility>

#include "config/groups.h"
#include "core/units.h"
#include "core/world_size.h"
#include "formats/chakra/stream.h"
#include "formats/whole_ranks.h"
#include "io/input.h"
#include "sets/sink.h"

namespace convert {
namespace {

constexpr unsigned length_bits = 7;

// Returns the encoded message without its length prefix.
std::string metadata_message(const Metadata& metadata) {
  std::string bytes;
  ChakraEncoder().metadata(metadata, bytes);
  std::size_t length = 0;
  while ((static_cast<unsigned char>(bytes[length]) >> length_bits) != 0) ++length;
  return bytes.substr(length + 1);
}

// Appends the history lines of `from`: changes of the joined trace also apply to its ranks.
void add_history_of(const Metadata& from, Metadata& to) {
  const Attr* const later = find(from.table.attrs, attr::history);
  if (later == nullptr || later->kind != Kind::string_list) return;
  std::vector<std::string> lines;
  for (const Text t : from.table.string_list(*later)) lines.emplace_back(from.table.view(t));
  add_history(to, std::move(lines));
}

Trace only_trace(SetSource& source, unsigned jobs) {
  std::vector<Trace> traces = source.load(jobs);
  if (traces.size() == 1) return std::move(traces.front());
  throw usage_error(
      source.base_name() + " has " + counted(traces.size(), "trace") +
      ", but a split requires one trace of a whole system; use --ranks to select ranks, --join to make one "
      "trace");
}

std::vector<NodePlace> find_places(const Trace& system, bool joined, const SplitOptions& options,
                                   Diagnostics& diagnostics) {
  std::string hint;
  std::vector<NodePlace> places;
  if (options.map) {
    const auto file = open_input(*options.map);
    places = places_by_map(system, parse_device_map(*options.map, file->read_rest()), diagnostics);
    hint = "list them in " + *options.map;
  } else {
    const std::string name = options.attribute.value_or(std::string(attr::npu.view()));
    places = places_by_attribute(system, Name(name), !joined);
    hint = "attribute " + name + " gives it; use another with --by attr:NAME, or a device map with --by map:FILE";
  }
  if (options.default_npu) {
    for (NodePlace& p : places) {
      if (p.ranks.rank == no_rank) p.ranks.rank = *options.default_npu;
    }
  }
  require_places(system, places, hint + ", or set --default-npu");
  return places;
}

}  // namespace

SplitSet::SplitSet(SetSource& source, const SplitOptions& options, Diagnostics& diagnostics)
    : name_(source.base_name()) {
  Trace system = only_trace(source, options.jobs);
  groups_ = source.groups();
  std::optional<JoinedRanks> joined = read_joined(system);
  if (joined && (options.attribute || options.map))
    throw usage_error(system.name + " is a joined set, whose nodes state their ranks; omit --by");
  std::vector<NodePlace> places = find_places(system, joined.has_value(), options, diagnostics);
  split_.emplace(std::move(system), std::move(places), options.cross, std::move(joined));
  if (split_->joined() && split_->joined()->groups) {
    groups_ = InputSet::Groups{split_->system().name + "(joined.groups)", *split_->joined()->groups};
    for (const CommGroup& g : parse_groups(groups_->name, groups_->json, std::nullopt)) {
      for (const Rank r : g.ranks) part_ = part_ || r > split_->ranks().back();
    }
  }
  if (counts().dropped == 0) return;
  diagnostics.warning(
      {.file = split_->system().name}, "split",
      counted(counts().dropped, "edge") + " between NPUs " + (counts().dropped == 1 ? "is" : "are") + " omitted");
}

Metadata SplitSet::metadata(std::size_t i) const {
  const Metadata& whole = split_->system().metadata;
  if (!split_->joined()) {
    Metadata own = whole;
    set_world_size(own, static_cast<Rank>(split_->ranks().size()));
    return own;
  }
  const std::string file =
      split_->system().name + "(joined.metadata of rank " + std::to_string(split_->ranks()[i]) + ")";
  Metadata own;
  ChakraDecoder(file).metadata(split_->joined()->metadata[i], 0, own);
  add_history_of(whole, own);
  return own;
}

std::unique_ptr<TraceReader> SplitSet::open_rank(std::size_t i) { return open(i, i + 1); }
std::unique_ptr<TraceReader> SplitSet::open_all() { return open(0, split_->ranks().size()); }
std::unique_ptr<TraceReader> SplitSet::open(std::size_t next, std::size_t end) const {
  return std::make_unique<WholeRanks>([this, next, end](Trace& out) mutable {
    if (next == end) return false;
    out.rank = split_->ranks()[next];
    out.name = split_->system().name;
    out.metadata = metadata(next);
    out.nodes = split_->nodes(next++);
    return true;
  });
}

// The joined trace as one rank, whose nodes come in one batch per original rank.
class JoinedSet::Reader : public TraceReader {
 public:
  explicit Reader(JoinedSet& set) : set_(set) {}

  bool next_rank(Trace& out) override {
    if (std::exchange(begun_, true)) return false;
    out.rank = 0;
    out.name = set_.name_;
    out.metadata = {};
    out.metadata.version = schema_version;
    write_joined(set_.joiner_.joined(), out.metadata);
    out.nodes.clear();
    return true;
  }
  bool next_nodes(Trace& out, std::size_t /*max_nodes*/) override {
    out.nodes.clear();
    while (next_ < set_.traces_.size() && out.nodes.nodes.empty()) {
      out.nodes = set_.joiner_.number(set_.traces_[next_], next_);
      set_.traces_[next_++].nodes = {};
    }
    return !out.nodes.nodes.empty();
  }

 private:
  JoinedSet& set_;
  bool begun_ = false;
  std::size_t next_ = 0;
};

JoinedSet::JoinedSet(SetSource& source, unsigned jobs) : name_(source.base_name()), traces_(source.load(jobs)) {
  for (const Trace& t : traces_) joiner_.add(t, metadata_message(t.metadata));
  const auto groups = source.groups();
  if (!groups) return;
  (void)parse_groups(groups->name, groups->json, std::nullopt);
  joiner_.joined().groups = groups->json;
}

std::unique_ptr<TraceReader> JoinedSet::open_rank(std::size_t /*i*/) { return open_all(); }
std::unique_ptr<TraceReader> JoinedSet::open_all() { return std::make_unique<Reader>(*this); }

}  // namespace convert
