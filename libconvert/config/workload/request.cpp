// SPDX-License-Identifier: MIT
// Finds the plan that is asked for, and says where what contradicts itself stands.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <ranges>

#include "config/workload/kinds.h"
#include "config/workload/preset.h"
#include "core/units.h"
#include "core/words.h"
#include "util/log.h"

namespace convert {
namespace {

const WorkloadSetting* setting_of(const WorkloadRequest& r, std::string_view key) {
  const auto last = std::ranges::find(r.settings | std::views::reverse, key, &WorkloadSetting::key);
  return last == r.settings.rend() ? nullptr : &*last;
}

// Returns whether a message has a key in it, not only one that begins so.
bool names_key(std::string_view message, std::string_view key) {
  for (std::size_t at = message.find(key); at != std::string_view::npos; at = message.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if (end == message.size() || !(std::isalpha(message[end]) != 0 || message[end] == '_')) return true;
  }
  return false;
}

// Returns an error at a place of the request's file; a usage error if the command line has its part in it.
Error placed(const WorkloadRequest& r, const Error& e) {
  const WorkloadSetting* last = nullptr;
  for (const WorkloadSetting& s : r.settings) {
    if (&s != setting_of(r, s.key) || !names_key(e.what(), s.key)) continue;
    if (s.line == 0) return e;
    last = &s;
  }
  const bool of_npus = r.npus != 0 && std::string_view(e.what()).find("data") != std::string_view::npos;
  if (r.file.empty() || of_npus) return e;
  return last != nullptr
             ? input_error({.file = r.file, .line = last->line, .column = last->column}, e.what(), "workload")
             : input_error({.file = r.file, .line = r.line, .column = r.column}, e.what(), "workload");
}

void apply(const WorkloadRequest& r, Workload& w) {
  for (const WorkloadSetting& s : r.settings) {
    try {
      set_workload(w, s);
    } catch (const Error& e) {
      if (s.line == 0) throw;
      throw input_error({.file = r.file, .line = s.line, .column = s.column}, e.what(), "workload");
    }
  }
}

// Takes out of a preset's plan what goes with sizes that are set to others.
void give_way(const WorkloadRequest& r, const TransformerShape& model, ParallelPlan& p) {
  const auto is = [&](std::string_view key, std::string_view value) {
    const WorkloadSetting* const s = setting_of(r, key);
    return s != nullptr && s->value == value;
  };
  const auto differs = [&](std::string_view key, std::int64_t value) {
    return setting_of(r, key) != nullptr && !is(key, std::to_string(value));
  };
  if (differs("plan.pipeline", p.pipeline) || differs("plan.chunks", p.chunks) ||
      differs("model.layers", model.layers))
    p.layers.clear();
  if (is("plan.tensor", "1")) p.sequence_parallel = false;
  if (is("plan.shard", "zero2") || is("plan.shard", "zero3")) p.buckets = Buckets::pytorch;
  const bool other_order = setting_of(r, "plan.order") != nullptr && !is("plan.order", "interleaved");
  if (p.order != PipelineOrder::interleaved || !(is("plan.pipeline", "1") || is("plan.chunks", "1") || other_order))
    return;
  p.chunks = 1;
  p.order = PipelineOrder::one_f_one_b;
}

// A plan that may be taken, with all that is set.
struct Candidate {
  Workload workload;
  std::int64_t npus = 0;      // of the preset's plan
  std::int64_t multiple = 0;  // of NPUs that fit; 0: all sizes are set, and are of another number
  std::string_view filled{};  // the size that the others leave
};

// Returns the products of sizes, which may be any.
std::int64_t product(std::initializer_list<std::int64_t> sizes) {
  constexpr std::int64_t most = std::int64_t{1} << 62U;
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n = n > most / size ? most : n * size;
  return n;
}

// Gives one size what the others leave of so many NPUs.
void fill(const WorkloadRequest& r, Candidate& c) {
  ParallelPlan& p = c.workload.plan;
  const auto is_set = [&](std::string_view key) { return setting_of(r, key) != nullptr; };
  if (c.workload.kind == ModelKind::mlp && !is_set("plan.tensor")) {
    c.filled = "plan.tensor";
    c.multiple = p.data;
    if (r.npus % c.multiple == 0) p.tensor = r.npus / c.multiple;
  } else if (!is_set("plan.data")) {
    c.filled = "plan.data";
    const std::int64_t whole = product({p.tensor, p.context, p.pipeline});
    const std::int64_t replicas = p.expert / std::gcd(p.expert, product({p.tensor, p.context}));
    c.multiple = product({whole, replicas});
    if (r.npus % c.multiple == 0) p.data = r.npus / whole;
  } else if (product({p.tensor, p.context, p.data, p.pipeline}) == r.npus) {
    c.multiple = r.npus;
  }
}

const Preset& preset_of(const WorkloadRequest& r) try { return find_preset(r.preset); } catch (const Error& e) {
  if (r.file.empty()) throw;
  throw input_error({.file = r.file, .line = r.line, .column = r.column}, e.what(), "workload");
}

// Returns the plans that a request can be for, the default first.
std::vector<Candidate> candidates(const WorkloadRequest& r) {
  const WorkloadSetting* const mode = setting_of(r, "run.mode");
  const bool trains = mode == nullptr || mode->value == "train";
  std::vector<Candidate> out;
  if (r.preset.empty()) {
    out.push_back({{.name = std::string(name(r.kind)), .kind = r.kind}});
  } else {
    const Preset& preset = preset_of(r);
    const bool has_plans = !r.own_plan && trains;  // those are for training
    for (const PresetPlan& p : preset.plans) {
      out.push_back({{.name = r.preset,
                      .model = preset.model,
                      .step = p.step,
                      .plan = p.plan,
                      .kind = preset.kind,
                      .mlp = preset.mlp,
                      .dlrm = preset.dlrm,
                      .image = preset.image},
                     has_plans ? p.plan.ranks() : 0});
      Workload& w = out.back().workload;
      give_way(r, w.model, w.plan);
      if (!has_plans) w.plan = {};
      if (!trains) w.step = {};
      if (!has_plans) break;
    }
  }
  for (Candidate& c : out) apply(r, c.workload);
  return out;
}

// Says of how many NPUs there could be a multiple, and what makes it so.
Error no_plan(const WorkloadRequest& r, const std::vector<Candidate>& all) {
  const std::string asked = "--npus " + std::to_string(r.npus) + ": ";
  const Candidate& c = *std::ranges::min_element(all, {}, &Candidate::multiple);
  const ParallelPlan& p = c.workload.plan;
  if (c.multiple == 0)
    return usage_error(asked + "plan.tensor × context × data × pipeline is " +
                       std::to_string(product({p.tensor, p.context, p.data, p.pipeline})));
  std::vector<std::string> sizes;
  for (const auto& [key, size] : {std::pair<std::string_view, std::int64_t>{"plan.tensor", p.tensor},
                                  {"plan.context", p.context},
                                  {"plan.expert", p.expert},
                                  {"plan.data", p.data},
                                  {"plan.pipeline", p.pipeline}}) {
    if (size > 1 && key != c.filled) sizes.push_back(named(key, size));
  }
  return usage_error(asked + "with " + join(sizes, " and ") + " only multiples of " + std::to_string(c.multiple) +
                     " NPUs are possible; --set changes these");
}

}  // namespace

Workload resolve_workload(const WorkloadRequest& r) {
  std::vector<Candidate> all = candidates(r);
  if (r.npus == 0) return std::move(all.front().workload);
  Candidate* best = nullptr;
  for (Candidate& c : all) {
    fill(r, c);
    if (c.multiple == 0 || r.npus % c.multiple != 0) continue;
    const auto better = [&](std::int64_t than) {
      return than > r.npus ? c.npus < than : c.npus <= r.npus && c.npus > than;
    };
    if (best == nullptr || better(best->npus)) best = &c;
  }
  if (best == nullptr) throw no_plan(r, all);
  if (best->npus != 0 && best->npus != r.npus)
    log_info("the plan is that of " + counted(static_cast<std::uint64_t>(best->npus), "NPU") + ", with " +
             (best->filled == "plan.tensor" ? named(best->filled, best->workload.plan.tensor)
                                            : named("plan.data", best->workload.plan.data)));
  return std::move(best->workload);
}

Workload checked_workload(const WorkloadRequest& r) {
  Workload w = resolve_workload(r);
  try {
    check_workload(w);
  } catch (const Error& e) {
    throw placed(r, e);
  }
  return w;
}

}  // namespace convert
