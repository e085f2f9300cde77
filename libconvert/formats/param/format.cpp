// SPDX-License-Identifier: MIT
// Format param: communications trace of PARAM, trace type basic. A JSON array of operations, one file per rank.
#include "formats/format.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/units.h"
#include "formats/json/head.h"
#include "formats/param/draft.h"
#include "formats/param/import.h"
#include "io/set_path.h"

namespace convert {
namespace {

class ParamReader final : public TraceReader {
 public:
  explicit ParamReader(const ReadContext& context)
      : input_(context.input),
        diagnostics_(context.diagnostics),
        rank_(numbered_rank(context.input.name()).value_or(context.rank.value_or(0))),
        ranks_(context.ranks) {}

  bool next_rank(Trace& out) override {
    if (std::exchange(begun_, true)) return false;
    ParamRank made = import_param(read_param_file(input_, diagnostics_), rank_, ranks_, diagnostics_);
    groups_ = std::move(made.groups);
    out = std::move(made.trace);
    std::swap(nodes_, out.nodes);
    out.nodes.clear();
    return true;
  }
  bool next_nodes(Trace& out, std::size_t /*max_nodes*/) override {
    out.nodes.clear();
    std::swap(nodes_, out.nodes);
    return !out.nodes.nodes.empty();
  }
  [[nodiscard]] std::span<const ProcessGroup> groups() const override { return groups_; }

 private:
  Input& input_;
  Diagnostics& diagnostics_;
  Rank rank_;
  std::optional<Rank> ranks_;
  bool begun_ = false;
  NodeTable nodes_;
  std::vector<ProcessGroup> groups_;
};

class ParamSetWriter final : public SetWriter {
 public:
  explicit ParamSetWriter(const ParamWriteOptions& options) : options_(options) {}

  [[nodiscard]] std::unique_ptr<RankDraft> draft(const Trace& rank,
                                                 std::span<const std::uint32_t> rounds) const override {
    return draft_param(rank, rounds, options_);
  }
  void write(RankDraft& draft, const WrittenSetFacts& facts, std::string& out) const override {
    write_param(static_cast<ParamDraft&>(draft), facts, out);
  }
  void finish(std::span<const std::unique_ptr<RankDraft>> drafts, Diagnostics& diagnostics) const override {
    for (std::size_t i = 0; i < static_cast<std::size_t>(ParamLoss::count); ++i)
      tell(drafts, static_cast<ParamLoss>(i), diagnostics);
    tell_crossings(drafts, diagnostics);
  }

 private:
  [[nodiscard]] std::string text(ParamLoss loss, std::uint64_t n) const {
    switch (loss) {
      case ParamLoss::computation:
        return counted(n, "computation") + (options_.gemm
                                                ? " without num_ops: omitted"
                                                : ": omitted; use compute=gemm to write computations with num_ops");
      case ParamLoss::memory: return counted(n, "node") + " of memory: omitted, not supported by PARAM";
      case ParamLoss::other_node: return counted(n, "node") + " of other types: omitted";
      case ParamLoss::no_type:
        return counted(n, "communication") +
               " without comm_dtype: written as float32, or as byte if the size is not a multiple";
      case ParamLoss::other_type:
        return counted(n, "communication") +
               " with a comm_dtype unknown to PARAM: written as a type of equal size, or as byte";
      case ParamLoss::uneven:
        return counted(n, "collective") + " with a size that is not a multiple of its ranks: rounded up";
      case ParamLoss::count: break;
    }
    return "";
  }

  void tell(std::span<const std::unique_ptr<RankDraft>> drafts, ParamLoss loss, Diagnostics& diagnostics) const {
    std::uint64_t n = 0;
    Location first;
    for (const auto& draft : drafts) {
      const auto& d = static_cast<const ParamDraft&>(*draft);
      const ParamDraft::Lost& lost = d.lost[static_cast<std::size_t>(loss)];
      if (n == 0 && lost.count != 0) first = {.file = d.file.name, .node = static_cast<std::int64_t>(lost.first)};
      n += lost.count;
    }
    if (n != 0) diagnostics.warning(std::move(first), "param", text(loss, n));
  }

  // Warns about pairs of ranks whose messages would match in an order that contradicts their tags.
  static void tell_crossings(std::span<const std::unique_ptr<RankDraft>> drafts, Diagnostics& diagnostics) {
    std::map<Rank, const ParamDraft*> by_rank;
    for (const auto& draft : drafts) by_rank[draft->rank] = static_cast<const ParamDraft*>(draft.get());
    std::uint64_t crossings = 0;
    std::string first;
    for (const auto& [rank, sender] : by_rank) {
      for (const ParamFlow& sent : sender->flows) {
        const auto peer = by_rank.find(sent.peer);
        if (!sent.sends || peer == by_rank.end()) continue;
        const ParamFlow wanted{.peer = rank, .group = sent.group, .sends = false};
        const auto& flows = peer->second->flows;
        const auto at = std::ranges::lower_bound(flows, wanted.key(), {}, &ParamFlow::key);
        if (at == flows.end() || at->key() != wanted.key() || at->messages != sent.messages) continue;
        if (at->tags != sent.tags && crossings++ == 0)
          first = "rank " + std::to_string(rank) + " to rank " + std::to_string(sent.peer);
      }
    }
    if (crossings == 0) return;
    diagnostics.warning({.file = by_rank.begin()->second->file.name}, "param",
                        counted(crossings, "pair") +
                            " of ranks with messages that are received in a different order than sent (" + first +
                            "): PARAM has no tags and matches them in order");
  }

  ParamWriteOptions options_;
};

bool sniff_param(std::string_view head) {
  JsonHead json(head);
  return json.open('[') && json.open('{') && json.has_key({"comms", "compute"});
}

std::unique_ptr<TraceReader> param_reader(const ReadContext& context) {
  return std::make_unique<ParamReader>(context);
}

std::unique_ptr<SetWriter> param_writer(const FormatOptions& options) {
  ParamWriteOptions o;
  if (const auto compute = options.get("compute")) {
    if (*compute != "gemm" && *compute != "drop")
      throw usage_error("compute=" + *compute + ": expected gemm or drop");
    o.gemm = *compute == "gemm";
  }
  return std::make_unique<ParamSetWriter>(o);
}

}  // namespace

extern const Format param_format;
const Format param_format = {
    .name = "param",
    .summary = "communications trace of PARAM's replay (basic), DIR/R.json for rank R",
    .write_options = {{"compute", "gemm|drop",
                       "gemm: write computations as matrix products; drop: omit them (default)"}},
    .sniff = sniff_param,
    .read = param_reader,
    .imported = true,
    .tells_groups = true,
    .write_set = param_writer,
    .file_per_rank = true,
};

}  // namespace convert
