// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "core/element_type.h"
#include "core/units.h"
#include "formats/param/draft.h"
#include "util/json_writer.h"

namespace convert {
namespace {

constexpr Rank most_listed = 1 << 20;  // a size is only claimed, but a list takes memory

class ParamRankWriter {
 public:
  ParamRankWriter(ParamDraft& draft, const WrittenSetFacts& facts, std::string& out)
      : draft_(draft),
        file_(draft.file),
        facts_(facts),
        world_(std::max(draft.world != 0 ? draft.world : facts.ranks, draft.rank + 1)),
        json_(out) {
    for (const CommGroup& g : facts.groups) groups_.emplace(g.id, &g);
  }

  void write() {
    json_.begin_array();
    write_inits();
    for (std::size_t i = 0; i < file_.entries.size(); ++i) {
      json_.line(1).begin_object();
      write_entry(file_.entries[i], draft_.nodes[i]);
      json_.end_object();
    }
    json_.line().end_array();
  }

 private:
  // All ranks create all groups in the same order. A rank outside a group lists a single other rank instead.
  void write_inits() {
    std::vector<const CommGroup*> all;
    for (const CommGroup& g : facts_.groups) all.push_back(&g);
    std::ranges::sort(all, {}, &CommGroup::id);
    const bool uses_0 = std::ranges::find(file_.entries, 0, &ParamEntry::group) != file_.entries.end();
    if (uses_0 && !groups_.contains(0)) {
      if (world_ > most_listed)
        throw input_error({.file = file_.name},
                          "process group 0 has " + counted(world_, "rank") + ", which exceeds the limit of a list",
                          "groups");
      std::vector<std::uint32_t> ranks(world_);
      for (std::uint32_t r = 0; r < world_; ++r) ranks[r] = r;
      write_init(0, ranks);
    }
    for (const CommGroup* g : all) {
      if (std::ranges::find(g->ranks, draft_.rank) != g->ranks.end()) {
        write_init(g->id, g->ranks);
      } else {
        write_init(g->id, {draft_.rank == 0 ? 1U : 0U});
      }
    }
  }
  void write_init(std::int64_t id, const std::vector<std::uint32_t>& ranks) {
    json_.line(1).begin_object().member("comms", "init").member("pg_id", id).key("global_ranks").begin_array();
    for (const std::uint32_t r : ranks) json_.value(r);
    json_.end_array().member("world_size", ranks.size()).member("req", -1);
    json_.key("markers").begin_array().value("init").end_array().end_object();
  }

  // Returns the size of a group, and checks that it contains this rank.
  std::int64_t ranks_of(std::int64_t group, std::uint64_t node) {
    const auto at = groups_.find(group);
    if (at == groups_.end() && group <= 0) return world_;
    const Location where{.file = file_.name, .node = static_cast<std::int64_t>(node)};
    const std::string name = "process group " + std::to_string(group);
    if (at == groups_.end())
      throw input_error(where, name + " is unknown; declare its ranks in the groups file of the set", "groups");
    const auto& ranks = at->second->ranks;
    if (group != checked_ && std::ranges::find(ranks, draft_.rank) == ranks.end())
      throw input_error(where, name + " does not have rank " + std::to_string(draft_.rank), "groups");
    checked_ = group;
    return static_cast<std::int64_t>(ranks.size());
  }

  void write_entry(const ParamEntry& e, std::uint64_t node) {
    using enum ParamEntry::Kind;
    switch (e.kind) {
      case communication: write_communication(e, node); break;
      case gemm: write_gemm(e); break;
      case lookup: write_lookup(e); break;
    }
    if (!e.has_markers) return;
    json_.key("markers").begin_array();
    for (std::uint32_t k = 0; k < e.markers.count; ++k) json_.value(file_.view(file_.texts[e.markers.begin + k]));
    json_.end_array();
  }

  void write_request(const ParamEntry& e) {
    if (!e.has_request) return;
    const std::string_view text = file_.view(e.request);
    const auto number = parse_int(text);
    json_.key("req");
    if (number && std::to_string(*number) == text) {
      json_.value(*number);
    } else {
      json_.value(text);
    }
  }

  void write_common(const ParamEntry& e) {
    write_request(e);
    const std::int64_t from_ns = draft_.replay_times ? 0 : facts_.first_ns;
    if (e.start_ns >= 0) json_.member("startTime_ns", std::max<std::int64_t>(e.start_ns - from_ns, 0));
  }

  void write_communication(const ParamEntry& e, std::uint64_t node) {
    const std::int64_t ranks = ranks_of(e.group, node);
    json_.member("comms", e.operation->name);
    write_common(e);
    if (e.group >= 0) json_.member("pg_id", e.group);
    json_.member("world_size", ranks);
    using enum ParamOperation::Kind;
    const bool has_sizes = e.operation->kind == message ||
                           (e.operation->kind == collective && e.operation->type != Collective::barrier);
    if (!has_sizes) return;
    write_sizes(e, ranks, node);
    if (e.root >= 0) json_.member("root", e.root);
    if (e.operation->kind == message)
      json_.member("src_rank", e.source).member("dst_rank", e.target).member("use_batch", e.batched);
  }

  void write_sizes(const ParamEntry& e, std::int64_t ranks, std::uint64_t node) {
    std::string_view type = file_.view(e.type);
    std::int64_t bytes = e.in_bytes;
    std::int64_t each = element_type(type)->bytes;
    if (e.out_bytes < 0 && !e.has_splits && is_divided(e.operation->type) && bytes % (ranks * each) != 0) {
      if (bytes % ranks == 0) {
        type = param_byte.name;
        each = param_byte.bytes;
      } else {
        draft_.lose(ParamLoss::uneven, node);
        bytes = rounded_up(bytes, ranks * each);
      }
    }
    const std::int64_t out = e.out_bytes >= 0 ? e.out_bytes : param_bytes_out(e.operation->type, bytes, ranks);
    const std::int64_t in = param_bytes_in(e.operation->type, bytes, ranks);
    json_.member("in_msg_size", in / each).member("out_msg_size", out / each).member("dtype", type);
    if (!e.has_splits) return;
    write_split("in_split", e.in_split, each, ranks, node);
    write_split("out_split", e.out_split, each, ranks, node);
  }
  // Returns whether comm_size is divided among the ranks.
  static bool is_divided(Collective type) {
    return type == Collective::reduce_scatter || type == Collective::all_to_all;
  }
  static std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) {
    const std::int64_t rest = bytes % unit;
    const bool fits = bytes <= std::numeric_limits<std::int64_t>::max() - unit;
    return fits ? bytes - rest + unit : bytes - rest;
  }
  void write_split(std::string_view key, Range split, std::int64_t each, std::int64_t ranks, std::uint64_t node) {
    if (split.count != 0 && split.count != ranks)
      throw input_error(
          {.file = file_.name, .node = static_cast<std::int64_t>(node)},
          "has " + counted(split.count, "split") + " for " + counted(static_cast<std::uint64_t>(ranks), "rank"),
          "param");
    json_.key(key).begin_array();
    for (const std::int64_t part : file_.view(split)) json_.value(part / each);
    json_.end_array();
  }

  void write_gemm(const ParamEntry& e) {
    json_.member("compute", "gemm");
    write_common(e);
    if (e.gemm.square) {
      json_.member("mm_dim", e.gemm.rows);
    } else {
      json_.member("mm0_dim0", e.gemm.rows).member("mm0_dim1", e.gemm.inner);
      json_.member("mm1_dim0", e.gemm.inner).member("mm1_dim1", e.gemm.columns);
    }
    json_.member("count", e.count).member("dtype", file_.view(e.type));
  }

  void write_lookup(const ParamEntry& e) {
    json_.member("compute", "emb_lookup");
    write_common(e);
    if (e.direction.size != 0) json_.member("direction", file_.view(e.direction));
    for (std::size_t k = 0; k < e.lookup.size(); ++k) {
      if (e.lookup[k] >= 0) json_.member(param_lookup_keys[k], e.lookup[k]);
    }
    json_.member("count", e.count);
  }

  ParamDraft& draft_;
  const ParamFile& file_;
  const WrittenSetFacts& facts_;
  Rank world_;
  JsonWriter json_;
  std::unordered_map<std::int64_t, const CommGroup*> groups_;
  std::optional<std::int64_t> checked_;  // a group known to contain this rank
};

}  // namespace

void write_param(ParamDraft& draft, const WrittenSetFacts& facts, std::string& out) {
  ParamRankWriter(draft, facts, out).write();
  out += '\n';
  std::string name = std::move(draft.file.name);
  draft.file = {};
  draft.file.name = std::move(name);
  draft.nodes = {};
}

}  // namespace convert
