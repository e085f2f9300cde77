// SPDX-License-Identifier: MIT
// Compares workloads with the numbers of an independent model, corpus/workloads.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "corpus.h"
#include "generate/workload/memory.h"
#include "generate/workload/parameters.h"
#include "generate/workload/schedule.h"
#include "generate/workload/workload.h"

namespace convert {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

std::int64_t number(element e) {
  std::int64_t n = 0;
  EXPECT_EQ(e.get(n), simdjson::SUCCESS);
  return n;
}

// The keys of the model's plans.
Workload workload_of(Workload w, object plan) {
  const std::map<std::string, std::string> keys = {{"t", "plan.tensor"},
                                                   {"c", "plan.context"},
                                                   {"e", "plan.expert"},
                                                   {"d", "plan.data"},
                                                   {"p", "plan.pipeline"},
                                                   {"v", "plan.chunks"},
                                                   {"sp", "plan.sequence_parallel"},
                                                   {"m", "run.micro_batches"},
                                                   {"S", "run.sequence"},
                                                   {"cp", "plan.context_by"},
                                                   {"sched", "plan.order"},
                                                   {"recompute", "plan.recompute"},
                                                   {"flops", "run.flops"}};
  for (const auto& [key, value] : plan) {
    const std::string k(key), text = simdjson::minify(value);
    if (k == "first_bucket") continue;
    if (k == "bucket") {
      w.plan.buckets = Buckets::megatron;
    } else if (k == "g") {
      w.step.gradient_bytes = number(value);
    } else if (k == "zero") {
      w.plan.shard = static_cast<Shard>(number(value));
    } else if (k == "layers") {
      for (const element n : value.get_array()) w.plan.layers.push_back(number(n));
    } else {
      std::string_view string;
      set_workload(w, {keys.at(k), value.get(string) == simdjson::SUCCESS ? std::string(string) : text});
    }
  }
  return w;
}

std::string calls_text(const StageFigures& f) {
  std::map<std::string, std::string> lines;
  const auto add = [&](const std::string& name, const StageFigures::Calls& c) {
    if (c.count != 0) lines[name] = std::to_string(c.count) + " calls, " + format_wide(c.bytes) + " bytes";
  };
  for (const auto& [key, calls] : f.calls)
    add(std::string(name(key.first)) + " " + std::string(name(key.second)), calls);
  add("send pp", f.pipeline_sends);
  add("send cp", f.context_sends);
  std::string out;
  for (const auto& [name, text] : lines) out += name + ": " + text + "\n";
  return out;
}
std::string calls_text(object comm) {
  std::string out;
  for (const auto& [name, calls] : comm)
    out += std::string(name) + ": " + simdjson::minify(calls.at(0)) + " calls, " + simdjson::minify(calls.at(1)) +
           " bytes\n";
  return out;
}

void compare_stage(const StageFigures& f, object expected) {
  EXPECT_EQ(f.first_rank, number(expected["rank"]));
  EXPECT_EQ(f.nodes, number(expected["nodes"]));
  EXPECT_EQ(format_wide(f.operations), std::string(expected["num_ops"].get_c_str()));
  EXPECT_EQ(f.parameters, number(expected["parameters"]));
  EXPECT_EQ(f.optimizer_parameters, number(expected["optimizer_parameters"]));
  const std::map<std::string, NodeType> types = {{"COMP", NodeType::comp},
                                                 {"COLL", NodeType::comm_coll},
                                                 {"SEND", NodeType::comm_send},
                                                 {"RECV", NodeType::comm_recv}};
  std::map<NodeType, std::uint64_t> by_type;
  for (const auto& [name, count] : object(expected["by_type"]))
    by_type[types.at(std::string(name))] = static_cast<std::uint64_t>(number(count));
  EXPECT_EQ(f.by_type, by_type);
  EXPECT_EQ(calls_text(f), calls_text(object(expected["comm"])));
}

void compare(const WorkloadSet& set, object expected) {
  EXPECT_EQ(set.ranks(), number(expected["ranks"]));
  EXPECT_EQ(set.group_count(), number(expected["groups"]));
  WideCount operations = 0;
  std::uint64_t nodes = 0;
  for (std::int64_t c = 0; c < set.classes(); ++c) {
    const StageFigures f = set.figures(c);
    nodes += f.nodes * static_cast<std::uint64_t>(set.ranks_of_class(c));
    operations += f.operations * static_cast<WideCount>(set.ranks_of_class(c));
  }
  EXPECT_EQ(nodes, number(expected["nodes"]));
  std::string all = format_wide(operations);
  EXPECT_EQ(all, std::string(expected["num_ops"].get_c_str()));
  for (const auto& [stage, figures] : object(expected["stages"])) {
    SCOPED_TRACE("stage " + std::string(stage));
    compare_stage(set.figures(std::stoll(std::string(stage))), figures);
  }
}

// Numbers of operations have more than 64 bits: they are read as texts.
simdjson::padded_string load(const char* file) {
  std::ifstream in(corpus::root() / "workloads" / file);
  std::stringstream text;
  text << in.rdbuf();
  return simdjson::padded_string(
      std::regex_replace(text.str(), std::regex(R"("num_ops": (\d+))"), R"("num_ops": "$1")"));
}

TEST(WorkloadCorpus, SmallSets) {
  REQUIRE_CORPUS();
  const std::map<std::string, std::string> keys = {{"L", "layers"},
                                                   {"H", "hidden"},
                                                   {"A", "heads"},
                                                   {"G", "kv_heads"},
                                                   {"F", "ffn"},
                                                   {"V", "vocab"},
                                                   {"E", "moe.experts"},
                                                   {"K", "moe.per_token"},
                                                   {"Fe", "moe.ffn"},
                                                   {"shared", "moe.shared"},
                                                   {"dense_first", "moe.dense_layers"}};
  simdjson::dom::parser parser;
  int sets = 0;
  const simdjson::padded_string text = load("sets.json");
  for (const auto& [name, expected] : object(parser.parse(text))) {
    SCOPED_TRACE(name);
    Workload w;
    w.step.sequence = 16;
    for (const auto& [key, value] : object(expected["model"]))
      set_workload(w, {"model." + keys.at(std::string(key)), simdjson::minify(value)});
    compare(WorkloadSet(workload_of(w, expected["plan"])), expected);
    ++sets;
  }
  EXPECT_EQ(sets, 17);
}

TEST(WorkloadCorpus, PlansOfPresets) {
  REQUIRE_CORPUS();
  simdjson::dom::parser parser;
  int plans = 0;
  const simdjson::padded_string text = load("acceptance.json");
  for (const auto& [name, plan] : object(parser.parse(text))) {
    SCOPED_TRACE(name);
    Workload w = preset_workload(std::string_view(plan["model"]), 0);
    w.step = {};
    w.plan = {};
    compare(WorkloadSet(workload_of(w, plan["plan"])), plan);
    ++plans;
  }
  EXPECT_EQ(plans, 13);
}

// Prompts, and the first token after a prompt.
TEST(WorkloadCorpus, Inference) {
  REQUIRE_CORPUS();
  simdjson::dom::parser parser;
  int cases = 0;
  const simdjson::padded_string text = load("inference.json");
  for (const auto& [name, expected] : object(parser.parse(text))) {
    SCOPED_TRACE(name);
    Workload w = preset_workload(name.substr(std::string_view("inference ").size()), 0);
    w.plan = {.tensor = number(expected["t"])};
    for (const char* const mode : {"prefill", "decode"}) {
      SCOPED_TRACE(mode);
      const std::string key(mode);
      w.step = {.sequence = number(expected["prompt"]), .micro_batch = number(expected["B"])};
      set_workload(w, {"run.mode", mode});
      const StageFigures f = WorkloadSet(w).figures(0);
      EXPECT_EQ(f.nodes, number(expected[key + "_nodes"]));
      EXPECT_EQ(static_cast<std::int64_t>(f.operations), number(expected[key + "_num_ops"]));
      std::map<std::string, std::int64_t> bytes, of_model;
      for (const auto& [call, calls] : f.calls)
        bytes[std::string(convert::name(call.first)) + " " + std::string(convert::name(call.second))] =
            static_cast<std::int64_t>(calls.bytes);
      for (const auto& [call, size] : object(expected[key + "_comm"])) of_model[std::string(call)] = number(size);
      EXPECT_EQ(bytes, of_model);
    }
    EXPECT_EQ(key_bytes_of_token(w), number(expected["kv_bytes_per_token"]));
    ++cases;
  }
  EXPECT_EQ(cases, 3);
}

// Schedules of four stages and eight micro-batches.
TEST(WorkloadCorpus, OrdersOfPipelines) {
  REQUIRE_CORPUS();
  simdjson::dom::parser parser;
  int orders = 0;
  const simdjson::padded_string text = load("schedules.json");
  for (const auto& [name, stages] : object(parser.parse(text)["orders"])) {
    Workload w;
    set_workload(w, {"plan.order", std::string(name)});
    w.plan.pipeline = 4;
    w.plan.chunks = w.plan.order == PipelineOrder::interleaved ? 2 : 1;
    std::int64_t stage = 0;
    for (const element expected : stages.get_array()) {
      std::string order;
      for (const StagePass& p : pipeline_schedule(w.plan, 8, stage)) {
        order += std::string(order.empty() ? "" : " ") + "FBW"[static_cast<std::size_t>(p.kind)] +
                 std::to_string(p.micro_batch) + (w.plan.chunks > 1 ? "." + std::to_string(p.chunk) : "");
      }
      EXPECT_EQ(order, std::string(expected.get_c_str())) << name << ", stage " << stage;
      ++stage;
    }
    EXPECT_EQ(stage, 4);
    ++orders;
  }
  EXPECT_EQ(orders, 4);
}

TEST(WorkloadCorpus, MicroBatchesInFlight) {
  REQUIRE_CORPUS();
  simdjson::dom::parser parser;
  int cases = 0;
  const simdjson::padded_string text = load("schedules.json");
  for (const element row : parser.parse(text)["unit_times"].get_array()) {
    Workload w;
    set_workload(w, {"plan.order", std::string(row["schedule"].get_c_str())});
    w.plan.pipeline = number(row["p"]);
    w.plan.chunks = number(row["v"]);
    std::int64_t stage = 0;
    for (const element passes : row["in_flight"].get_array())
      EXPECT_EQ(passes_in_flight(w.plan, number(row["m"]), stage++), number(passes));
    ++cases;
  }
  EXPECT_EQ(cases, 20);
}

}  // namespace
}  // namespace convert
