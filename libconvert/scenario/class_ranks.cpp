// SPDX-License-Identifier: MIT
#include "scenario/class_ranks.h"

#include <optional>
#include <vector>

#include "core/world_size.h"
#include "sets/classes/stand_ins.h"

namespace convert {
namespace {

class Adder {
 public:
  Adder(const MasterSet& set, const std::string& name, const std::function<ReplayBuilder&(const Trace&)>& builder,
        const ReplayOptions& options)
      : set_(set), ins_(set, name), builder_(builder), options_(options), added_(ins_.size()) {
    for (std::uint32_t i = 0; i < ins_.size(); ++i) numbered_.push_back(ins_.groups_are_numbers(i));
  }

  void run() {
    const std::vector<std::uint64_t> places = *places_by_rank(set_);
    for (Rank r = 0; r < places.size(); ++r) add(r, ins_.place(places[r]));
  }

 private:
  void add(Rank r, const StandIns::Place& place) {
    std::optional<Rank>& like = added_[place.stand_in];
    const bool own = options_.slow.contains(r);
    if (like && !own && numbered_[place.stand_in] && adds_like(r, *like, place)) return;
    Trace trace = ins_.read(place.stand_in);
    ins_.become(place, trace);
    ReplayBuilder& builder = builder_(trace);
    begun_ = &builder;
    builder.add(trace);
    if (place.ordinal == 0 && !own) like = r;
  }

  bool adds_like(Rank r, Rank like, const StandIns::Place& place) const {
    // A peer that is `like` itself must become `r`.
    if (ins_.has_peer(place.stand_in, like) && ins_.peer(place, like) != r) return false;
    const auto group = [&](const std::string& of_like) -> std::optional<std::string> {
      if (ins_.has_group(place.stand_in, of_like)) return ins_.group(place, of_like);
      return of_like == "0" ? std::optional(of_like) : std::nullopt;
    };
    return begun_->add_like(like, {.peer = [&](Rank peer) { return ins_.peer(place, peer); },
                                   .group = group,
                                   .ranks = static_cast<Rank>(set_.ranks())});
  }

  const MasterSet& set_;
  const StandIns ins_;
  const std::function<ReplayBuilder&(const Trace&)>& builder_;
  const ReplayOptions& options_;
  ReplayBuilder* begun_ = nullptr;
  std::vector<std::optional<Rank>> added_;  // by stand-in
  std::vector<bool> numbered_;              // whether its groups are numbers, by stand-in
};

}  // namespace

bool has_whole_classes(const MasterSet& set, const std::string& name, const ReplayOptions& options) {
  if (options.size_bytes || !places_by_rank(set)) return false;
  for (const RankClass& c : set.classes) {
    const Metadata metadata = set.head({static_cast<std::uint32_t>(&c - set.classes.data()), 0}, name).metadata;
    if (world_size(metadata).value_or(static_cast<Rank>(set.ranks())) != set.ranks()) return false;
  }
  return true;
}

void add_by_classes(const MasterSet& set, const std::string& name,
                    const std::function<ReplayBuilder&(const Trace&)>& builder, const ReplayOptions& options) {
  Adder(set, name, builder, options).run();
}

}  // namespace convert
