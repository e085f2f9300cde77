// SPDX-License-Identifier: MIT
#include "scenario/inputs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "collectives/collective.h"
#include "core/units.h"
#include "io/input.h"
#include "io/set_path.h"
#include "passes/lower/lower.h"
#include "scenario/class_ranks.h"
#include "scenario/known_ranks.h"
#include "scenario/option_values.h"
#include "scenario/synthesized/judged_builders.h"
#include "sets/chunk_runs.h"
#include "sets/known_file.h"
#include "sets/schedules.h"
#include "sets/source.h"
#include "sets/synthesized/library.h"
#include "simulate/engine/recorded.h"
#include "simulate/system/default_system.h"
#include "util/log.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

std::string beside(const std::string& file, const std::string& path) {
  return (fs::path(file).parent_path() / path).string();
}

struct NamedText {
  std::string name;
  std::string text;
};
// Reads a file; if it exceeds the parser's limit, reads only enough for the parser to refuse it.
NamedText read_text(const std::string& path, std::size_t max_bytes) {
  const auto input = open_input(path);
  return {input->name(), std::string(input->peek(max_bytes + 1))};
}

bool has_set(const std::string& system_file, const std::string& prefix) {
  return trace_set_exists(prefix) || !existing_ranks(prefix).empty() ||
         trace_set_exists(beside(system_file, prefix));
}

// Finds the traces that `file` names: relative to the working folder, or to the folder of the system file.
std::string find_set(const std::string& system_file, const std::string& prefix, const std::string& file) {
  if (trace_set_exists(prefix) || !existing_ranks(prefix).empty()) return prefix;
  if (trace_set_exists(beside(system_file, prefix))) return beside(system_file, prefix);
  throw input_error({.file = file},
                    "there are no traces '" + prefix + "' for a custom algorithm (" + prefix + ".0.et …)",
                    "system");
}

// Returns the algorithm that a system file names: the prefix of its traces or, without such traces, an algorithm
// that etkit makes.
std::string find_algorithm(const std::string& system_file, const std::string& named, const std::string& file,
                           std::optional<Collective> collective) {
  const bool made = is_builtin(named) || names_synthesis(named) || names_library_algorithm(named);
  if (!made || has_set(system_file, named)) return find_set(system_file, named, file);
  try {
    return made_algorithm(named.substr(is_builtin(named) ? builtin_prefix.size() : 0), collective);
  } catch (const Error& e) {
    throw input_error({.file = file}, "'" + named + "': " + e.what(), "system");
  }
}

std::string find_file(const std::string& system_file, const std::string& path) {
  return fs::exists(path) || !fs::exists(beside(system_file, path)) ? path : beside(system_file, path);
}

std::vector<CommGroup> groups_for(const NetworkConfig& network, const std::string& file, std::string_view json) {
  const auto npus = static_cast<std::size_t>(network.npus());  // 0: any number
  std::vector<CommGroup> groups =
      parse_groups(file, json, npus == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(network.npus())),
                   network.source);
  for (const CommGroup& group : groups) {
    const bool idle = network.machine != nullptr && group.ranks.size() < npus;  // GPUs of a machine without a rank
    if (group.id == 0 && npus != 0 && group.ranks.size() != npus && !idle) {
      throw input_error({.file = file},
                        "group 0 must have all ranks, not " + std::to_string(group.ranks.size()) + " of " +
                            std::to_string(npus) + "; number groups of some ranks from 1",
                        "groups");
    }
  }
  return groups;
}

// Adds a custom algorithm.
void add_custom(ReplayBuilder& builder, const std::string& prefix, TraceSource& source, Rules rules,
                unsigned jobs) {
  const bool equal = rules.parts_are_equal();
  if (equal || source.algorithm() != nullptr) {
    const ChunkRunsOf runs = equal ? ChunkRunsOf() : chunk_runs(*source.algorithm());
    source.for_each_trace(jobs, [&](Trace&& trace) {
      refuse_bad_counters(trace);
      builder.add_custom(prefix, trace, runs, relays_of(trace));
    });
    return;
  }
  const std::vector<Trace> places = source.load(jobs);
  for (const Trace& trace : places) refuse_bad_counters(trace);
  const ChunkRunsOf runs = chunk_runs(places);
  for (const Trace& trace : places) builder.add_custom(prefix, trace, runs, relays_of(trace));
}

// Makes the algorithms that rules name "built:…", including algorithms synthesized for a network and its groups.
class LibraryMaker {
 public:
  LibraryMaker(const NetworkConfig& network, NetworkOptions options, unsigned jobs)
      : network_(network), options_(std::move(options)), jobs_(jobs) {}

  Algorithm make(const std::string& named, const CollectiveCall& call, std::span<const Rank> ranks);

 private:
  Algorithm synthesize(const std::string& text, const CollectiveCall& call, std::span<const Rank> ranks);

  const NetworkConfig& network_;
  NetworkOptions options_;
  unsigned jobs_;
  std::optional<SynthesisLibrary> library_;
};

std::string name_of_made(const std::string& named) { return named.substr(builtin_prefix.size()); }

Algorithm LibraryMaker::synthesize(const std::string& text, const CollectiveCall& call,
                                   std::span<const Rank> ranks) {
  if (!library_) {
    const auto occupancy =
        options_.occupancy == Occupancy::alpha_beta ? Schedule::Occupancy::alpha_beta : Schedule::Occupancy::beta;
    library_.emplace(network_, options_.failed, occupancy, options_.forwarding.value_or(Forwarding::switches),
                     faster_builder(IssueMode::algorithm));
  }
  GroupCollective wanted{.collective = call.op, .group = {ranks.begin(), ranks.end()}, .root = call.root};
  wanted.bytes = call.bytes;
  const SynthesisRule rule = parse_synthesis_rule(text);
  wanted.detours = rule.detours;
  if (states_part(call.op) &&
      __builtin_mul_overflow(call.bytes, static_cast<std::int64_t>(ranks.size()), &wanted.bytes))
    throw input_error({}, "the result of the " + std::string(name(call.op)) + " exceeds 2^63 bytes", "custom");
  return library_->make(wanted, rule.choice, jobs_);
}

Algorithm LibraryMaker::make(const std::string& named, const CollectiveCall& call, std::span<const Rank> ranks) {
  const std::string text = name_of_made(named);
  if (names_synthesis(text)) return synthesize(text, call, ranks);
  const bool rooted = call.op == Collective::broadcast || call.op == Collective::reduce;
  const CollectiveRequest request = request_of(text, call.op, static_cast<std::uint32_t>(ranks.size()),
                                               rooted ? std::optional(call.root) : std::nullopt);
  if (rooted && *request.root != static_cast<std::int32_t>(call.root)) {
    throw input_error({},
                      "the root is member " + std::to_string(call.root) + " of the group, but the root of " +
                          named + " is member " + std::to_string(*request.root),
                      "custom");
  }
  return build_collective(request);
}

// Adds an algorithm for ranks by place: built, such as "built:ring,chunks=2", or synthesized.
void add_made(ReplayBuilder& builder, const std::string& named, const Algorithm& algorithm,
              std::span<const Rank> ranks, Rules rules, Diagnostics& diagnostics) {
  const Lowering lowering(algorithm, std::nullopt, diagnostics);
  const ChunkRunsOf runs = rules.parts_are_equal() ? ChunkRunsOf() : chunk_runs(algorithm);
  for (Rank place = 0; place < ranks.size(); ++place) {
    Trace trace;
    trace.rank = place;
    trace.name = named;
    lowering.lower(place, trace);
    builder.add_custom(named, trace, runs, {}, algorithm.scheduled ? ranks : std::span<const Rank>());
  }
}

// Called before the first rank of the workload: sets the options that depend on it, and reads the custom
// algorithms.
void begin_program(std::optional<ReplayBuilder>& builder, const Trace& first, const NetworkConfig& network,
                   ReplayOptions& options, bool issue_by_trace, unsigned jobs, Diagnostics& diagnostics) {
  const Rules rules(options.astra);
  if (issue_by_trace)
    options.issue = rules.all_traces_are_workloads() ? IssueMode::workload : default_issue_mode(first);
  builder.emplace(network, options, diagnostics);
  if (options.system == nullptr) return;
  const auto maker = std::make_shared<LibraryMaker>(network, options.network, jobs);
  builder->set_library({.make =
                            [&builder, &diagnostics, rules, maker](
                                const std::string& named, const CollectiveCall& call, std::span<const Rank> ranks) {
                              add_made(*builder, named, maker->make(named, call, ranks), ranks, rules, diagnostics);
                            },
                        .size_class =
                            [](const std::string& named, std::int64_t bytes) {
                              return names_synthesis(name_of_made(named)) ? std::optional(size_class(bytes))
                                                                          : std::nullopt;
                            }});
  for (const std::string& prefix : custom_prefixes(*options.system)) {
    TraceSource source({.operands = {prefix}, .hash = false}, diagnostics);
    if (source.prepare(false)) add_custom(*builder, prefix, source, rules, jobs);
  }
}

// Uses one algorithm for all dimensions. Refuses other lists that are too short, because NPUs would be omitted.
void fit_dimensions(std::vector<AlgorithmChoice>& list, const NetworkConfig& network) {
  const std::size_t dims = std::max<std::size_t>(network.dims.size(), 1);
  if (list.empty() || list.back().one) return;
  if (list.size() == 1) return list.resize(dims, list.front());
  if (list.size() < dims) {
    throw input_error({}, "a rule for collectives has " + std::to_string(list.size()) +
                              " algorithms, but the network " + network.source + " has " +
                              counted(dims, "dimension") + "; give one for each, or one for all");
  }
}

// Compiles the ranks that add_all(begin, options) adds, where begin(first rank) returns the builder. Throws
// Error(usage) for stragglers that are not among the ranks.
template <class AddAll>
std::optional<ReplayProgram> compile_ranks(const AddAll& add_all, const NetworkConfig& network,
                                           ReplayOptions options, bool issue_by_trace, unsigned jobs,
                                           Diagnostics& diagnostics) {
  std::optional<ReplayBuilder> builder;
  const auto begin = [&](const Trace& first) -> ReplayBuilder& {
    if (!builder) begin_program(builder, first, network, options, issue_by_trace, jobs, diagnostics);
    return *builder;
  };
  add_all(begin, options);
  std::optional<ReplayProgram> program = builder ? builder->finish() : std::nullopt;
  if (!program || options.slow.empty() || options.slow.rbegin()->first < program->ranks.size()) return program;
  throw usage_error("slow: there is no rank " + std::to_string(options.slow.rbegin()->first) + "; the set has " +
                    counted(program->ranks.size(), "rank"));
}

}  // namespace

// A trace set is found by its rank 0.
bool trace_set_exists(const std::string& prefix) { return fs::exists(prefix + ".0.et") || fs::exists(prefix); }

std::vector<std::string> files_of_set(const std::string& path, bool any_ranks) {
  const InputSet set({path}, any_ranks);
  std::vector<std::string> files;
  for (const InputSet::File& file : set.files()) files.push_back(file.path);
  if (files.empty()) files.push_back(path);  // a tar
  if (set.groups()) files.push_back(set.groups()->name);
  return files;
}

void check_algorithm_path(const std::string& path) {
  if (is_builtin(path) || trace_set_exists(path)) return;
  std::vector<std::string> known = {"synthesized"};
  for (const CollectiveAlgorithm& a : collective_algorithms()) known.emplace_back(a.name);
  for (const std::string& native : native_algorithm_names()) known.push_back(std::string(native_prefix) + native);
  const bool native = parse_native_algorithm(path).has_value();
  const std::string near = native ? std::string(native_prefix) + path : nearest(path, known);
  throw usage_error(
      "'" + path + "' is not an algorithm, a file or a trace set; " +
      (near.empty() ? "see et-generate --list for names; astra:NAME is native" : "did you mean " + near + "?"));
}

void check_system_choices(const ReplaySystem& system, Rules rules, NetworkModel model) {
  if (uses_synthesis(system) && (model != NetworkModel::wires || rules.refuses_policies())) {
    throw usage_error(
        "synthesized algorithms require the network model links" +
        (model == NetworkModel::wires ? std::string(" and compat none") : ", not " + std::string(name(model))));
  }
  const bool policy = system.policy != WirePolicy::arrival;
  if (rules.refuses_policies() && (system.balanced || policy))
    throw usage_error("balanced chunks and link policies require compat none; ASTRA-sim has neither");
  if (policy && model != NetworkModel::wires) {
    throw usage_error("policy " + std::string(name(system.policy)) +
                      " requires the network model links (messages wait for links), not " +
                      std::string(name(model)));
  }
}

bool uses_synthesis(const ReplaySystem& system) {
  const auto is_synthesized = [](const std::string& named) {
    return is_builtin(named) && names_synthesis(name_of_made(named));
  };
  return std::ranges::any_of(system.config.collectives,
                             [&](const CollectiveChoice& c) { return is_synthesized(c.custom); }) ||
         std::ranges::any_of(system.rules, [&](const SystemRule& r) { return is_synthesized(r.choice.custom); }) ||
         std::ranges::any_of(system.per_node_custom, [&](const auto& node) { return is_synthesized(node.second); });
}

std::shared_ptr<ReplaySystem> load_system(const SystemInputs& inputs, const NetworkConfig& network) {
  auto system = std::make_shared<ReplaySystem>();
  if (inputs.system) {
    const std::string& file = *inputs.system;
    const NamedText json = read_text(file, max_system_bytes);
    system->config =
        parse_known(FileKind::system, json.text, json.name, [&] { return parse_system(json.name, json.text); });
    if (const std::string& map = system->config.per_node_map; !map.empty()) {
      const std::string path = find_file(file, map);
      if (!fs::exists(path))
        throw input_error({.file = json.name}, "per-node-custom-implementation: cannot find file " + map, "system");
      system->per_node_custom = parse_per_node_map(path, read_text(path, max_per_node_map_bytes).text);
      for (auto& [node, prefix] : system->per_node_custom) prefix = find_algorithm(file, prefix, path, {});
    }
    for (const Collective op : listed_collectives) {
      std::string& custom = system->config.collectives.at(listed_place(op)).custom;
      if (!custom.empty()) custom = find_algorithm(file, custom, json.name, op);
    }
  }
  if (!inputs.system) system->config = default_system(network);
  if (inputs.memory) {
    const NamedText json = read_text(*inputs.memory, max_memory_bytes);
    system->memory =
        parse_known(FileKind::memory, json.text, json.name, [&] { return parse_memory(json.name, json.text); });
  }
  if (inputs.groups) {
    const NamedText json = read_text(*inputs.groups, max_groups_bytes);
    system->groups_file = json.name;
    system->groups = parse_known(FileKind::groups, json.text, json.name,
                                 [&] { return groups_for(network, json.name, json.text); });
  }
  static_cast<SystemChoices&>(*system) = inputs;
  for (SystemRule& r : system->rules) {
    if (!inputs.compat.lists_may_be_short()) fit_dimensions(r.choice.per_dim, network);
  }
  return system;
}

void add_groups(ReplaySystem& system, const std::optional<InputSet::Groups>& groups, const NetworkConfig& network) {
  if (!groups) return;
  system.groups_file = groups->name;
  system.groups = groups_for(network, groups->name, groups->json);
}

std::vector<std::string> custom_prefixes(const ReplaySystem& system) {
  std::vector<std::string> prefixes;
  for (const CollectiveChoice& c : system.config.collectives) prefixes.push_back(c.custom);
  for (const auto& [node, prefix] : system.per_node_custom) prefixes.push_back(prefix);
  for (const SystemRule& r : system.rules) prefixes.push_back(r.choice.custom);
  std::sort(prefixes.begin(), prefixes.end());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  std::erase_if(prefixes, [](const std::string& p) { return p.empty() || is_builtin(p); });
  return prefixes;
}

std::vector<std::string> configuration_files(const SystemInputs& inputs, const SystemConfig& config) {
  std::vector<std::string> files;
  for (const std::optional<std::string>& file : {inputs.system, inputs.memory, inputs.groups}) {
    if (file) files.push_back(*file);
  }
  if (inputs.system && !config.per_node_map.empty())
    files.push_back(find_file(*inputs.system, config.per_node_map));
  return files;
}

std::vector<std::string> system_files(const SystemInputs& inputs, const ReplaySystem& system) {
  std::vector<std::string> files = configuration_files(inputs, system.config);
  for (const std::string& prefix : custom_prefixes(system)) {
    for (std::string& file : files_of_set(prefix)) files.push_back(std::move(file));
  }
  return files;
}

std::vector<std::pair<std::string, std::string>> custom_uses(const ReplaySystem& system) {
  std::vector<std::pair<std::string, std::string>> uses;
  for (const auto& [node, prefix] : system.per_node_custom)
    uses.emplace_back("node " + std::to_string(node), prefix);
  for (const std::string& prefix : custom_prefixes(system)) uses.emplace_back("", prefix);
  return uses;
}

std::optional<ReplayProgram> load_program(SetSource& workload, const NetworkConfig& network, ReplayOptions options,
                                          bool issue_by_trace, unsigned jobs, Diagnostics& diagnostics) {
  // A single rank with recorded communication needs no other ranks, and is the only NPU.
  const bool alone = options.recorded == Recorded::communication && !workload.whole_set();
  const auto add_all = [&](const auto& begin, const ReplayOptions& chosen) {
    const MasterSet* const master = workload.master();
    if (master != nullptr && has_whole_classes(*master, workload.first_file(), chosen)) {
      Trace head;
      workload.open_rank(0)->next_rank(head);  // refuses a set without ranks
      return add_by_classes(*master, workload.first_file(), begin, chosen);
    }
    KnownRanks known(begin, chosen);
    RankOrder<KnownRanks::Read> order(workload.base_name());
    const auto add = [&](Rank, KnownRanks::Read&& read) { known.add(std::move(read)); };
    workload.for_each_rank(
        jobs,
        [&](TraceReader& reader, Trace& head) {
          if (alone && head.rank != 0) {
            log_note("NPU 0 is rank " + std::to_string(head.rank));
            head.rank = 0;
          }
          return known.read(reader, head);
        },
        [&](KnownRanks::Read&& read) {
          const Rank rank = read.rank;
          order.add(rank, std::move(read), add);
        });
    order.finish(add);
    workload.warn_of_missing_ranks();
  };
  return compile_ranks(add_all, network, std::move(options), issue_by_trace, jobs, diagnostics);
}

std::optional<ReplayProgram> load_program(std::span<const Trace> workload, const NetworkConfig& network,
                                          ReplayOptions options, bool issue_by_trace, unsigned jobs,
                                          Diagnostics& diagnostics) {
  const auto add_all = [&](const auto& begin, const ReplayOptions& chosen) {
    for (const Trace& trace : workload) {
      ReplayBuilder& to = begin(trace);
      if (chosen.size_bytes) refuse_bad_counters(trace);
      to.add(trace);
    }
  };
  return compile_ranks(add_all, network, std::move(options), issue_by_trace, jobs, diagnostics);
}

std::optional<ReplayResult> replay_recorded(SetSource& workload, const ReplayOptions& options, unsigned jobs,
                                            Diagnostics& diagnostics) {
  RecordedReplay replay(options, diagnostics);
  const NodeParts parts = replay.parts();
  RankOrder<RecordedRank> order(workload.base_name());
  const auto add = [&](Rank, RecordedRank&& rank) { replay.add(std::move(rank)); };
  workload.for_each_rank(
      jobs,
      [&](TraceReader& reader, Trace& trace) {
        RecordedReplay::RankReplay rank(replay, trace);
        read_nodes(reader, trace, parts, [&] { rank.add_batch(); });
        return rank.run();
      },
      [&](RecordedRank&& rank) {
        const Rank number = rank.rank;
        order.add(number, std::move(rank), add);
      });
  order.finish(add);
  return replay.finish();
}

}  // namespace convert
