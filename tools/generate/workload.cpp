// SPDX-License-Identifier: MIT
#include "generate/workload.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "config/workload/placed.h"
#include "config/yaml_tree.h"
#include "core/units.h"
#include "generate/workload/memory.h"
#include "generate/workload/models.h"
#include "generate/workload/parameters.h"
#include "generate/workload/schedule.h"
#include "io/input.h"
#include "io/set_path.h"
#include "util/log.h"
#include "util/text_table.h"

namespace tools {

using namespace convert;

namespace {

// Returns whether KIND is a file or standard input. Unlike other kinds, a file has a folder or a suffix.
bool is_file(const std::string& kind) {
  std::error_code error;
  return kind == "-" || kind.find('/') != std::string::npos || kind.ends_with(".yml") || kind.ends_with(".yaml") ||
         (kind.find('.') != std::string::npos && std::filesystem::exists(kind, error));
}

// Work of the ranks of one stage, or of consecutive equal stages; a row of a table.
struct StageLine {
  std::string stages;
  std::int64_t ranks = 0;
  StageFigures figures{};
};

struct Explained {
  std::vector<StageLine> lines;
  WideCount operations = 0, nodes = 0;  // of all ranks
};

bool same(const StageFigures& a, const StageFigures& b) {
  const auto counts = [](const StageFigures& f) {
    std::vector<std::pair<std::uint64_t, WideCount>> out;
    for (const auto& [key, calls] : f.calls) out.emplace_back(calls.count, calls.bytes);
    return out;
  };
  return a.nodes == b.nodes && a.operations == b.operations && a.parameters == b.parameters &&
         counts(a) == counts(b);
}

// Returns the ranks of a stage with the least and the most of `amount`, or one line for all ranks if all are equal.
template <class Line, class Amount>
std::vector<Line> least_and_most(std::vector<Line> classes, Amount amount) {
  const auto [least, most] = std::ranges::minmax_element(classes, {}, amount);
  if (amount(*least) == amount(*most)) {
    for (std::size_t i = 1; i < classes.size(); ++i) classes[0].ranks += classes[i].ranks;
    return {classes[0]};
  }
  least->stages += " least";
  most->stages += " most";
  return {*least, *most};
}

// Returns the stage of a class, and the purpose of its replicas.
std::string label_of(const WorkloadSet& set, std::int64_t c) {
  std::string stage = std::to_string(set.stage_of_class(c));
  if (!set.workload().plan.disaggregates()) return stage;
  return stage + (set.only_decodes(c) ? " decode" : " prefill");
}

// Appends a line, or joins it with the line of the preceding stages if they are the same.
template <typename Line>
void add_line(std::vector<Line>& lines, Line line, bool same) {
  if (!same) return lines.push_back(std::move(line));
  std::string& stages = lines.back().stages;
  stages = stages.substr(0, stages.find('-')) + "-" + line.stages;
  lines.back().ranks += line.ranks;
}

Explained explained(const WorkloadSet& set) {
  Explained out;
  for (std::int64_t c = 0; c < set.classes();) {
    const std::string label = label_of(set, c);
    std::vector<StageLine> classes;
    for (; c < set.classes() && label_of(set, c) == label; ++c) {
      classes.push_back({label, set.ranks_of_class(c), set.figures(c)});
      out.operations += classes.back().figures.operations * static_cast<WideCount>(classes.back().ranks);
      out.nodes += classes.back().figures.nodes * static_cast<WideCount>(classes.back().ranks);
    }
    classes = least_and_most(std::move(classes), [](const StageLine& line) {
      return std::pair(line.figures.parameters, line.figures.operations);
    });
    const bool whole = classes.size() == 1 && !set.workload().plan.disaggregates() && !out.lines.empty();
    for (StageLine& line : classes) {
      const bool as_before = whole && same(out.lines.back().figures, line.figures);
      add_line(out.lines, std::move(line), as_before);
    }
  }
  return out;
}

std::string bytes_text(WideCount bytes) {
  return bytes > INT64_MAX ? format_wide(bytes) + " B" : format_bytes(static_cast<std::int64_t>(bytes));
}

void append_plan(std::string& out, const Workload& w) {
  std::string part;
  for (const WorkloadSetting& s : settings_of(w)) {
    const std::size_t dot = s.key.find('.');
    if (s.value.empty() || s.value == "0" || s.value == "false" || !has_setting(w.kind, s.key)) continue;
    const std::string now = s.key.substr(0, dot);
    if (now == "time" && !w.times.given()) continue;
    if (now != part) out += (part.empty() ? "" : "\n") + now + ":";
    part = now;
    out += " " + s.key.substr(dot + 1) + "=" + s.value;
  }
  out += "\n";
}

void append_stages(std::string& out, const std::vector<StageLine>& lines) {
  TextTable table({"stage", "ranks", "nodes", "computations", "collectives", "messages", "operations", "parameters",
                   "updated"});
  for (const StageLine& r : lines) {
    const StageFigures& f = r.figures;
    const auto count = [&](NodeType type) {
      const auto at = f.by_type.find(type);
      return std::to_string(at == f.by_type.end() ? 0 : at->second);
    };
    table.add({r.stages, std::to_string(r.ranks), std::to_string(f.nodes), count(NodeType::comp),
               count(NodeType::comm_coll), count(NodeType::comm_send), format_wide(f.operations),
               std::to_string(f.parameters), std::to_string(f.optimizer_parameters)});
  }
  table.append_to(out);
}

void append_calls(std::string& out, const WorkloadSet& set, const std::vector<StageLine>& lines) {
  TextTable table({"stage", "<collective", "<group", "NPUs", "calls", "bytes", "exactly"});
  for (const StageLine& r : lines) {
    const auto add = [&](std::string_view op, std::string_view group, std::int64_t npus,
                         const StageFigures::Calls& calls) {
      if (calls.count == 0) return;
      table.add({r.stages, std::string(op), std::string(group), std::to_string(npus), std::to_string(calls.count),
                 bytes_text(calls.bytes), format_wide(calls.bytes)});
    };
    for (const auto& [key, calls] : r.figures.calls)
      add(name(key.first), name(key.second), set.group_size(key.second), calls);
    add("send", "pipeline", 2, r.figures.pipeline_sends);
    add("send", "cp", 2, r.figures.context_sends);
    add("send", "keys", 2, r.figures.cache_sends);
    add("load", "far memory", 1, r.figures.loads);
    add("store", "far memory", 1, r.figures.stores);
  }
  table.append_to(out);
}

// Memory of the ranks of one stage, or of consecutive equal stages.
struct MemoryLine {
  std::string stages;
  std::int64_t ranks = 0;
  RankMemory memory{};
};

std::vector<MemoryLine> memory_lines(const WorkloadSet& set) {
  std::vector<MemoryLine> lines;
  const bool trains = set.workload().step.trains();
  for (std::int64_t c = 0; c < set.classes();) {
    const std::string label = label_of(set, c);
    std::vector<MemoryLine> classes;
    for (; c < set.classes() && label_of(set, c) == label; ++c)
      classes.push_back({label, set.ranks_of_class(c), memory_of(set, c)});
    classes = least_and_most(std::move(classes), [](const MemoryLine& line) { return line.memory.all(); });
    const bool whole = classes.size() == 1 && trains && !lines.empty();
    for (MemoryLine& line : classes) {
      const bool as_before = whole && lines.back().memory == line.memory;
      add_line(lines, std::move(line), as_before);
    }
  }
  return lines;
}

// Logs the activations of layers with and without experts.
void log_activations(const Workload& w) {
  const std::int64_t rows = equal_expert_rows(w), layers = w.model.layers;
  const std::int64_t dense = w.model.experts > 0 ? w.model.dense_layers : layers;
  const auto tell = [&](std::int64_t layer, std::string_view of) {
    log_info("activations of " + std::string(of) +
             " and micro-batch: " + format_wide(activation_bytes_of_layer(w, layer, rows)) + " B");
  };
  if (dense == 0 || dense == layers) return tell(0, "a layer");
  tell(0, "each of the first " + counted(static_cast<std::uint64_t>(dense), "layer") + ", without experts,");
  tell(dense, "each of the other " + std::to_string(layers - dense) + ", with experts,");
}

void append_memory(std::string& out, const WorkloadSet& set) {
  const bool trains = set.workload().step.trains();
  TextTable table =
      trains ? TextTable({"stage", "parameters", "gradients", "optimizer", "activations", "together", "exactly"})
             : TextTable({"stage", "parameters", "keys and values", "together", "exactly"});
  for (const auto& [stages, ranks, m] : memory_lines(set)) {
    const std::string all = bytes_text(m.all()), exactly = format_wide(m.all());
    if (trains) {
      table.add({stages, bytes_text(m.parameters), bytes_text(m.gradients), bytes_text(m.optimizer),
                 bytes_text(m.activations), all, exactly});
    } else {
      table.add({stages, bytes_text(m.parameters), bytes_text(m.keys), all, exactly});
    }
  }
  table.append_to(out);
  if (trains) log_activations(set.workload());
}

// Prints the plan, the batch and the bubble of a pipeline; warns if the pipeline has more stages than
// micro-batches.
void note_plan(const Workload& w, const WorkloadRequest& request, Context& context) {
  const ParallelPlan& p = w.plan;
  std::string text = w.name;
  if (const std::vector<PlanName> plans = preset_plans(request.preset);
      plans.size() > 1 && !request.own_plan && w.step.trains())
    text += " plan " + (request.plan.empty() ? plans.front().name : request.plan);
  text += " on " + counted(static_cast<std::uint64_t>(p.ranks()), "NPU") + ": tp " + std::to_string(p.tensor);
  if (p.context > 1) text += ", cp " + std::to_string(p.context);
  if (p.expert > 1) text += ", ep " + std::to_string(p.expert);
  text += ", pp " + std::to_string(p.pipeline) + ", dp " + std::to_string(p.data) + ", " +
          std::to_string(w.step.micro_batches) + (w.step.micro_batches == 1 ? " micro-batch" : " micro-batches") +
          " of " + std::to_string(w.step.micro_batch);
  if (w.step.trains()) {
    const WideCount batch = WideCount{1} * p.data * w.step.micro_batch * w.step.micro_batches;
    text += ", global batch " + format_wide(batch) + ", bubble " +
            format_fixed(100 * bubble_share(p, w.step.micro_batches), 1) + " %";
  }
  log_note(text);
  if (w.times.given() && w.times.matrix_efficiency == 1)
    log_note("time.efficiency.gemm is 1: matrices run at 100 % of time.peak; set the share that kernels reach");
  if (p.pipeline > w.step.micro_batches)
    context.diagnostics.warning({}, "workload",
                                "run.micro_batches " + std::to_string(w.step.micro_batches) +
                                    " is less than plan.pipeline " + std::to_string(p.pipeline) +
                                    ": stages are idle; set run.micro_batches or run.global_batch");
}

}  // namespace

bool names_workload(const std::string& kind) { return is_workload_preset(kind) || is_file(kind); }

WorkloadSet workload_of(const GenerateOptions& o, Context& context) {
  for (const char* group : {"Algorithms", "Synthesis", "Traces"}) {
    if (const std::string given = context.first_given(group); !given.empty())
      throw usage_error(given + " is not for workloads; change a workload with --set");
  }
  if (o.compat) throw usage_error("--compat is for kinds of traces, not for workloads");
  check_show(o, "plan");
  if (o.size()) throw usage_error("--size is not for workloads; change a workload with --set");
  if (o.show && (o.output.path || o.output.to))
    throw usage_error(std::string("--show plan writes no trace; omit ") + (o.output.path ? "-o" : "-t"));
  if (o.format) throw usage_error("--format is for --bound and --show sizes");
  const std::string& kind = o.kind[0];
  WorkloadRequest request{.preset = kind};
  if (is_file(kind)) {
    const auto input = open_input(kind);
    request = parse_workload_request(input->name(), input->peek(max_yaml_bytes + 1));
  }
  for (const std::string& text : o.set) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw usage_error("--set " + text + ": expected KEY=VALUE, such as plan.tensor=4");
    request.settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  request.npus = o.npus.value_or(0);
  if (o.plan) request.plan = *o.plan;
  Workload w = checked_workload(request);
  if (is_file(kind)) w.name = kind == "-" ? "stdin" : base_of_file(kind);
  note_plan(w, request, context);
  try {
    return WorkloadSet(std::move(w));
  } catch (const Error& e) {
    throw placed(request, e);
  }
}

std::string explain(const WorkloadSet& set) {
  const Workload& w = set.workload();
  const Explained all = explained(set);
  const std::int64_t parameters = parameters_of(w), active = active_parameters_of(w);
  std::string out = w.name + ": " + std::to_string(parameters) + " parameters";
  if (active != parameters) out += ", a token uses " + std::to_string(active);
  out += "\n" + counted(set.ranks(), "NPU") + ", " +
         counted(static_cast<std::uint64_t>(set.group_count()), "group") + ", " + format_wide(all.nodes) +
         " nodes, " + format_wide(all.operations) + " operations" +
         (!w.step.trains()         ? ""
          : w.step.iterations == 1 ? " a step"
                                   : " in " + counted(static_cast<std::uint64_t>(w.step.iterations), "step")) +
         "\n";
  if (w.kind == ModelKind::transformer && !w.step.trains())
    out += "keys and values of a token: " + std::to_string(key_bytes_of_token(w)) + " B\n";
  append_plan(out, w);
  out += "\nwork of each rank\n";
  append_stages(out, all.lines);
  out += "\ncollectives and messages of each rank\n";
  append_calls(out, set, all.lines);
  if (w.kind != ModelKind::transformer) return out;
  out += "\nmemory of each rank\n";
  append_memory(out, set);
  return out;
}

}  // namespace tools
