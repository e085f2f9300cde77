// SPDX-License-Identifier: MIT
#include "passes/lower/fit_runtime.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/lower/export.h"
#include "passes/lower/split_steps.h"
#include "passes/verify/verify.h"

namespace convert {
namespace {

using Count = std::uint32_t;

// A message and the steps before it, on one side of a link.
struct SideUnit {
  Count transfer = 0;
  Count first = 0;  // first step, as a position in the threadblock
  Count steps = 0;
  Count more = 0;  // additional steps that a runtime needs to express them
};

// One side of a link: a threadblock that sends to a peer or receives from it.
struct WireSide {
  std::int32_t gpu = 0;
  Count tb = 0;  // threadblock of the GPU
  bool sends = false;
  std::vector<SideUnit> units{};
};

struct WireEnds {
  Count sender = no_index;  // index into sides
  Count receiver = no_index;
  std::vector<std::int32_t> channels{};
};

void refuse(std::size_t gpu, std::size_t count, const char* what, const RuntimeLimits& limits, Count most,
            RuntimeFit& fit) {
  fit.exceeded = "GPU " + std::to_string(gpu) + " would need " + std::to_string(count) + " " + what + "; " +
                 limits.name + " accepts " + std::to_string(most);
  fit.times = static_cast<double>(count) / static_cast<double>(most);
}

bool check_elements(const Algorithm& a, const RuntimeLimits& limits, RuntimeFit& fit) {
  for (std::size_t g = 0; g < a.gpus.size(); ++g) {
    const std::size_t count = xml_elements(a, a.gpus[g]);
    if (count <= most_xml_elements) continue;
    refuse(g, count, "XML elements", limits, most_xml_elements, fit);
    fit.elements = true;
    return false;
  }
  return true;
}

// A threadblock of the result: shares of one or two sides.
struct FittedBlock {
  Threadblock tb{};
  struct Part {
    Count side;
    Count which;  // index into the link's channels
  };
  std::vector<Part> parts{};
};

class RuntimeFitter {
 public:
  RuntimeFitter(const Algorithm& a, const RuntimeLimits& limits) : a_(a), limits_(limits) {
    Diagnostics ignored;
    plain_ = runnable(a, ignored);
    collect_sides();
  }

  RuntimeFit run() {
    RuntimeFit fit;
    for (const bool both : {false, true}) {
      RuntimeFit own = fit_blocks(both);
      if (own.algorithm) return own;
      // Combined threadblocks save few elements, so report the element limit if it was exceeded.
      if (!fit.elements) fit = std::move(own);
    }
    return fit;
  }

 private:
  RuntimeFit fit_blocks(bool both) {
    RuntimeFit fit;
    if (!choose_channels(both, fit.exceeded)) return fit;
    make_blocks(both);
    if (!check_blocks(fit)) return fit;
    Algorithm made = limits_.adds_received ? build() : split_steps(build());
    if (check_elements(made, limits_, fit)) fit.algorithm = std::move(made);
    return fit;
  }

  // Collects the schedule's threadblocks; each is one side of a link. runnable() appended one threadblock for
  // copies.
  void collect_sides() {
    std::map<std::pair<std::int32_t, std::int32_t>, WireEnds> wires;
    for (std::int32_t g = 0; g < a_.ranks(); ++g) {
      const auto tbs = a_.threadblocks(a_.gpus[static_cast<std::size_t>(g)]);
      for (Count t = 0; t < tbs.size(); ++t) {
        WireSide side{.gpu = g, .tb = t, .sends = tbs[t].send >= 0};
        const auto steps = a_.steps_of(tbs[t]);
        Count first = 0;
        for (Count i = 0; i < steps.size(); ++i) {
          if (steps[i].transfer == no_index) continue;
          const Count more = limits_.adds_received ? 0 : split_count(steps[i]) - 1;
          side.units.push_back({steps[i].transfer, first, i + 1 - first, more});
          first = i + 1;
        }
        const auto number = static_cast<Count>(sides_.size());
        if (side.sends) {
          wires[{g, tbs[t].send}].sender = number;
        } else {
          wires[{tbs[t].recv, g}].receiver = number;
        }
        sides_.push_back(std::move(side));
      }
    }
    wire_of_.resize(sides_.size());
    for (auto& [ends, wire] : wires) {
      wire_of_[wire.sender] = wire_of_[wire.receiver] = static_cast<Count>(wires_.size());
      wires_.push_back(std::move(wire));
    }
  }

  // Returns the largest number of steps in a share if a side is split into `parts` shares.
  static Count longest_part(const WireSide& side, Count parts) {
    std::vector<Count> steps(parts);
    for (Count k = 0; k < side.units.size(); ++k) steps[k % parts] += side.units[k].steps + side.units[k].more;
    return *std::ranges::max_element(steps);
  }

  // Chooses channels for each link. `both`: a threadblock has a sending and a receiving side, each with half of its
  // steps.
  bool choose_channels(bool both, std::string& exceeded) {
    const Count most = both ? limits_.steps / 2 : limits_.steps;
    // By GPU and channel: number of threadblocks that send, and that receive.
    std::vector<std::array<Count, max_channels>> senders(a_.gpus.size());
    std::vector<std::array<Count, max_channels>> receivers(a_.gpus.size());
    for (WireEnds& wire : wires_) {
      const WireSide& from = sides_[wire.sender];
      const WireSide& to = sides_[wire.receiver];
      Count parts = 1;
      while (parts <= max_channels && std::max(longest_part(from, parts), longest_part(to, parts)) > most) ++parts;
      wire.channels.clear();
      auto& sending = senders[static_cast<std::size_t>(from.gpu)];
      auto& receiving = receivers[static_cast<std::size_t>(to.gpu)];
      for (std::int32_t c = 0; c < max_channels && wire.channels.size() < parts; ++c) {
        const auto channel = static_cast<std::size_t>(c);
        if (std::max(sending[channel], receiving[channel]) >= threadblocks_per_channel) continue;
        ++sending[channel];
        ++receiving[channel];
        wire.channels.push_back(c);
      }
      if (wire.channels.size() == parts) continue;
      exceeded = "the messages from GPU " + std::to_string(from.gpu) + " to GPU " + std::to_string(to.gpu) +
                 " would need more than " + std::to_string(max_channels) + " channels of " +
                 std::to_string(limits_.steps) + " steps; " + limits_.name + " accepts no more";
      return false;
    }
    return true;
  }

  void make_blocks(bool both) {
    blocks_.assign(a_.gpus.size(), {});
    // Threadblocks of a GPU and channel that have no receiving side yet.
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Count>> open;
    for (const bool sends : {true, false}) {
      for (Count s = 0; s < sides_.size(); ++s) {
        if (sides_[s].sends != sends) continue;
        const std::vector<std::int32_t>& channels = wires_[wire_of_[s]].channels;
        for (Count k = 0; k < channels.size(); ++k) add_part(s, k, channels[k], both, open);
      }
    }
  }
  void add_part(Count s, Count which, std::int32_t channel, bool both,
                std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Count>>& open) {
    const WireSide& side = sides_[s];
    std::vector<FittedBlock>& blocks = blocks_[static_cast<std::size_t>(side.gpu)];
    std::vector<Count>& free = open[{side.gpu, channel}];
    const Threadblock& tb = a_.threadblocks(a_.gpus[static_cast<std::size_t>(side.gpu)])[side.tb];
    if (!side.sends && both && !free.empty()) {
      FittedBlock& block = blocks[free.back()];
      free.pop_back();
      block.tb.recv = tb.recv;
      block.parts.push_back({s, which});
      return;
    }
    if (side.sends) free.push_back(static_cast<Count>(blocks.size()));
    blocks.push_back({.tb = {.send = tb.send, .recv = tb.recv, .chan = channel}, .parts = {{s, which}}});
  }

  bool check_blocks(RuntimeFit& fit) const {
    const Count most = std::min(limits_.threadblocks, awaited_threadblocks);
    for (std::size_t g = 0; g < blocks_.size(); ++g) {
      const std::size_t copies = plain_.gpus[g].tb_count - a_.gpus[g].tb_count;
      const std::size_t count = blocks_[g].size() + copies;
      if (count <= most) continue;
      refuse(g, count, "threadblocks", limits_, most, fit);
      return false;
    }
    return true;
  }

  // A unit of a threadblock, in the order of the transfers.
  struct FittedUnit {
    Count transfer;
    Count side;
    Count unit;
  };

  Algorithm build() const {
    Algorithm out = plain_;
    out.tbs.clear();
    out.steps.clear();
    out.channels = 1;
    for (std::size_t g = 0; g < a_.gpus.size(); ++g) add_gpu(g, out);
    return out;
  }

  struct Place {
    std::int32_t tb = -1;
    std::int32_t position = -1;
  };
  using Places = std::vector<std::vector<Place>>;  // by old threadblock and step

  void add_gpu(std::size_t g, Algorithm& out) const {
    const auto tbs = plain_.threadblocks(plain_.gpus[g]);
    Places place(tbs.size());
    for (std::size_t t = 0; t < tbs.size(); ++t) place[t].resize(tbs[t].step_count);
    std::vector<std::vector<FittedUnit>> units;
    for (const FittedBlock& block : blocks_[g]) {
      units.push_back(units_of(block));
      for (const FittedUnit& u : units.back()) {
        const SideUnit& unit = sides_[u.side].units[u.unit];
        for (Count i = unit.first; i < unit.first + unit.steps; ++i)
          place[sides_[u.side].tb][i].tb = static_cast<std::int32_t>(units.size() - 1);
      }
    }
    Gpu& gpu = out.gpus[g];
    gpu.first_tb = static_cast<Count>(out.tbs.size());
    for (std::size_t b = 0; b < units.size(); ++b) {
      begin(blocks_[g][b].tb, out);
      for (const FittedUnit& u : units[b]) {
        const WireSide& side = sides_[u.side];
        add_unit(plain_.steps_of(tbs[side.tb]), side.units[u.unit], static_cast<std::int32_t>(b), place, side.tb,
                 out);
      }
    }
    for (Count t = a_.gpus[g].tb_count; t < tbs.size(); ++t) {  // copies
      begin(tbs[t], out);
      const auto block = static_cast<std::int32_t>(out.tbs.size() - 1 - gpu.first_tb);
      for (Count i = 0; i < tbs[t].step_count; ++i)
        add_unit(plain_.steps_of(tbs[t]), {0, i, 1, 0}, block, place, t, out);
    }
    gpu.tb_count = static_cast<Count>(out.tbs.size()) - gpu.first_tb;
    for (const Threadblock& own : std::span(out.tbs).subspan(gpu.first_tb)) {
      for (Step& step : std::span(out.steps).subspan(own.first_step, own.step_count)) {
        if (step.depid < 0) continue;
        const Place at = place[static_cast<std::size_t>(step.depid)][static_cast<std::size_t>(step.deps)];
        step.depid = at.tb;
        step.deps = at.position;
      }
    }
  }

  // Appends a message's step after a nop for each dependency but the last. Drops dependencies on its own
  // threadblock, and their nops: those steps precede it anyway. Drops a dependency on a threadblock if a later step
  // of it is already waited for.
  static void add_unit(std::span<const Step> steps, const SideUnit& unit, std::int32_t block, Places& place,
                       Count tb, Algorithm& out) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t>
        deps;  // by old and new threadblock: the last step
    for (const Step& s : steps.subspan(unit.first, unit.steps)) {
      if (s.depid < 0) continue;
      const std::int32_t home = place[static_cast<std::size_t>(s.depid)][static_cast<std::size_t>(s.deps)].tb;
      if (home == block) continue;
      std::int32_t& last = deps.try_emplace({s.depid, home}, -1).first->second;
      last = std::max(last, s.deps);
    }
    Step step = steps[unit.first + unit.steps - 1];
    step.depid = step.deps = -1;
    const std::size_t first = out.steps.size();
    for (const auto& [at, last] : deps) {
      Step nop;
      nop.depid = at.first;
      nop.deps = last;
      out.steps.push_back(nop);
    }
    if (!deps.empty()) {  // the step carries the last dependency
      step.depid = out.steps.back().depid;
      step.deps = out.steps.back().deps;
      out.steps.pop_back();
    }
    out.steps.push_back(step);
    out.tbs.back().step_count += static_cast<Count>(out.steps.size() - first);
    for (Count i = unit.first; i < unit.first + unit.steps; ++i)
      place[tb][i] = {block, static_cast<std::int32_t>(out.tbs.back().step_count) - 1};
  }

  static void begin(Threadblock tb, Algorithm& out) {
    tb.first_step = static_cast<Count>(out.steps.size());
    tb.step_count = 0;
    out.tbs.push_back(tb);
    out.channels = std::max(out.channels, tb.chan + 1);
  }

  [[nodiscard]] std::vector<FittedUnit> units_of(const FittedBlock& block) const {
    std::vector<FittedUnit> out;
    for (const FittedBlock::Part& part : block.parts) {
      const auto parts = static_cast<Count>(wires_[wire_of_[part.side]].channels.size());
      const std::vector<SideUnit>& units = sides_[part.side].units;
      for (Count k = part.which; k < units.size(); k += parts) out.push_back({units[k].transfer, part.side, k});
    }
    std::ranges::sort(out, {}, &FittedUnit::transfer);
    return out;
  }

  const Algorithm& a_;
  const RuntimeLimits& limits_;
  Algorithm plain_;
  std::vector<WireSide> sides_;
  std::vector<Count> wire_of_;  // by side
  std::vector<WireEnds> wires_;
  std::vector<std::vector<FittedBlock>> blocks_;  // by GPU
};

}  // namespace

RuntimeFit fit_runtime(const Algorithm& algorithm, const RuntimeLimits& limits) {
  RuntimeFit fit;
  const std::string_view coll = name_in(limits, algorithm.collective);
  if (coll.empty() && !limits.collectives.empty()) {
    fit.exceeded = std::string(limits.name) + " has no collective " + std::string(name(algorithm.collective));
    return fit;
  }
  Algorithm own = algorithm;
  if (!coll.empty()) own.collective_text = coll;
  if (own.scheduled) return RuntimeFitter(own, limits).run();
  if (!limits.adds_received) own = split_steps(own);
  Diagnostics findings;
  check_structure(own, findings, &limits);
  const auto error = std::ranges::find(findings.all(), Severity::error, &Diagnostic::severity);
  if (error != findings.all().end()) {
    fit.exceeded = error->message;
  } else {
    fit.algorithm = std::move(own);
  }
  return fit;
}

}  // namespace convert
