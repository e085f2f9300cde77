// SPDX-License-Identifier: MIT
// Resolves the requested plan, and locates contradictory settings.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <ranges>

#include "config/workload/kinds.h"
#include "config/workload/placed.h"
#include "config/workload/preset.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

const WorkloadSetting* setting_of(const WorkloadRequest& r, std::string_view key) {
  const auto last = std::ranges::find(r.settings | std::views::reverse, key, &WorkloadSetting::key);
  return last == r.settings.rend() ? nullptr : &*last;
}

// Returns whether a message contains a whole key, not only a word that begins with it.
bool names_key(std::string_view message, std::string_view key) {
  for (std::size_t at = message.find(key); at != std::string_view::npos; at = message.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if (end == message.size() || !(std::isalpha(message[end]) != 0 || message[end] == '_')) return true;
  }
  return false;
}

}  // namespace

Error placed(const WorkloadRequest& r, const Error& e) {
  const WorkloadSetting* last = nullptr;
  for (const WorkloadSetting& s : r.settings) {
    if (&s != setting_of(r, s.key) || !names_key(e.what(), s.key)) continue;
    if (s.line == 0) return e;
    last = &s;
  }
  const bool of_npus = r.npus != 0 && (names_key(e.what(), "plan.data") || names_key(e.what(), "× data"));
  if (r.file.empty() || of_npus) return e;
  return last != nullptr
             ? input_error({.file = r.file, .line = last->line, .column = last->column}, e.what(), "workload")
             : input_error({.file = r.file, .line = r.line, .column = r.column}, e.what(), "workload");
}

namespace {

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

// Resets values of a preset's plan that depend on sizes which the request changes.
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

// The plan of a request with all settings.
struct Candidate {
  Workload workload;
  std::int64_t multiple = 0;  // of NPUs that fit; 0: all sizes are set, for another number
  std::string_view filled{};  // size that follows from the number of NPUs
};

// Returns the product of sizes of any magnitude, saturated at 2^62.
std::int64_t product(std::initializer_list<std::int64_t> sizes) {
  constexpr std::int64_t most = std::int64_t{1} << 62U;
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n = n > most / size ? most : n * size;
  return n;
}

// Sets the size that follows from the number of NPUs and the other sizes.
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

Error at_model(const WorkloadRequest& r, const std::string& message) {
  if (r.file.empty()) return usage_error(message);
  return input_error({.file = r.file, .line = r.line, .column = r.column}, message, "workload");
}

const PresetPlan& plan_of(const WorkloadRequest& r, const Preset& preset) {
  if (r.plan.empty()) return preset.plans.front();
  const auto at = std::ranges::find(preset.plans, r.plan, &PresetPlan::name);
  if (at != preset.plans.end()) return *at;
  std::vector<std::string> names;
  for (const PresetPlan& p : preset.plans) names.emplace_back(p.name);
  throw at_model(r, r.preset + " has no plan '" + r.plan + "': expected " + join(names, " or "));
}

Candidate candidate(const WorkloadRequest& r) {
  const WorkloadSetting* const mode = setting_of(r, "run.mode");
  const bool trains = mode == nullptr || mode->value == "train";
  Candidate c;
  Workload& w = c.workload;
  if (r.preset.empty()) {
    if (!r.plan.empty()) throw at_model(r, "plan " + r.plan + " requires a preset model");
    w = {.name = std::string(name(r.kind)), .kind = r.kind};
  } else {
    const Preset& preset = preset_of(r);
    const bool has_plan = !r.own_plan && trains;  // plans of presets are for training
    if (!has_plan && !r.plan.empty())
      throw at_model(r, "plan " + r.plan + (trains ? ": the file has its own plan" : " is for run.mode train"));
    const PresetPlan& p = plan_of(r, preset);
    w = {.name = r.preset,
         .model = preset.model,
         .step = p.step,
         .plan = p.plan,
         .kind = preset.kind,
         .mlp = preset.mlp,
         .dlrm = preset.dlrm,
         .image = preset.image};
    give_way(r, w.model, w.plan);
    if (!has_plan) w.plan = {};
    if (!trains) w.step = {};
  }
  apply(r, w);
  return c;
}

// Returns advice: the plans of the preset that fit the number of NPUs.
std::string plans_that_fit(const WorkloadRequest& r) {
  if (r.preset.empty() || r.own_plan) return {};
  std::vector<std::string> names;
  for (const PlanName& plan : preset_plans(r.preset)) {
    WorkloadRequest other = r;
    other.plan = plan.name;
    Candidate c = candidate(other);
    fill(other, c);
    if (c.multiple != 0 && r.npus % c.multiple == 0) names.push_back("--plan " + plan.name);
  }
  return names.empty() ? "" : join(names, " and ") + (names.size() == 1 ? " fits, " : " fit, ");
}

// Returns an error with the multiple of NPUs that fits, the sizes it comes from, and the setting to change.
Error no_plan(const WorkloadRequest& r, const Candidate& c) {
  const std::string asked = "--npus " + std::to_string(r.npus) + ": ";
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
                     " NPUs are possible; " + plans_that_fit(r) + "--set changes these");
}

// Divides the global batch among the replicas and their micro-batches.
void divide_global_batch(const WorkloadRequest& r, Workload& w) {
  if (w.step.global_batch == 0) return;
  const std::string batch = named("run.global_batch", w.step.global_batch);
  if (!w.step.trains()) throw usage_error(batch + " needs run.mode train");
  const std::int64_t of_one = product({w.plan.data, w.step.micro_batch});
  if (w.step.global_batch % of_one != 0)
    throw usage_error(batch + " is not a multiple of " + named("plan.data", w.plan.data) + " × " +
                      named("run.micro_batch", w.step.micro_batch));
  const std::int64_t micro_batches = w.step.global_batch / of_one;
  if (setting_of(r, "run.micro_batches") != nullptr && w.step.micro_batches != micro_batches)
    throw usage_error(batch + " gives " + std::to_string(micro_batches) + " micro-batches per replica, not " +
                      named("run.micro_batches", w.step.micro_batches));
  w.step.micro_batches = micro_batches;
  w.step.global_batch = 0;  // from here on it follows
}

}  // namespace

Workload resolve_workload(const WorkloadRequest& r) {
  Candidate c = candidate(r);
  if (r.npus != 0) {
    fill(r, c);
    if (c.multiple == 0 || r.npus % c.multiple != 0) throw no_plan(r, c);
  }
  try {
    divide_global_batch(r, c.workload);
  } catch (const Error& e) {
    throw placed(r, e);
  }
  return std::move(c.workload);
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
