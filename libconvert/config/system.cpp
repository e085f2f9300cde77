// SPDX-License-Identifier: MIT
#include "config/system.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>
#include <variant>

#include "config/json_settings.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

// Algorithms that text_of() can name.
constexpr std::array<AlgorithmChoice, 7> algorithms = {{
    {.algorithm = NativeAlgorithm::ring},
    {.algorithm = NativeAlgorithm::ring, .one = true},
    {.algorithm = NativeAlgorithm::direct},
    {.algorithm = NativeAlgorithm::direct, .one = true},
    {.algorithm = NativeAlgorithm::halving_doubling},
    {.algorithm = NativeAlgorithm::halving_doubling, .one = true},
    {.algorithm = NativeAlgorithm::double_binary_tree},
}};

constexpr std::array<std::pair<const char*, std::monostate>, 3> policies = {
    {{"LIFO", {}}, {"FIFO", {}}, {"EXPLICIT", {}}}};
constexpr std::array<std::pair<const char*, CollectiveOptimization>, 2> optimizations = {{
    {"baseline", CollectiveOptimization::baseline},
    {"localBWAware", CollectiveOptimization::local_bw_aware},
}};

constexpr std::array<std::pair<const char*, const char*>, 4> without_effect = {{
    {"scheduling-policy",
     "scheduling-policy is ignored: in ASTRA-sim an NPU runs one collective at a time; otherwise see --policy"},
    {"boost-mode", "boost-mode is ignored"},
    {"intra-dimension-scheduling",
     "intra-dimension-scheduling is ignored: chunks run in order of arrival at a dimension"},
    {"inter-dimension-scheduling", "inter-dimension-scheduling is ignored: dimensions run in ascending order"},
}};

struct KnownKey {
  const char* name;
  bool of_collectives = false;  // of native collectives: does not apply to machines
};
constexpr auto known_keys = std::to_array<KnownKey>({
    {"scheduling-policy"},
    {"collective-optimization", true},
    {"endpoint-delay", true},
    {"active-chunks-per-dimension", true},
    {"preferred-dataset-splits", true},
    {"local-mem-bw"},
    {"peak-perf"},
    {"roofline-enabled"},
    {"replay-only"},
    {"trace-enabled"},
    {"track-local-mem"},
    {"local-mem-trace-filename"},
    {"model-shared-bus", true},
    {"L", true},
    {"o", true},
    {"g", true},
    {"G", true},
    {"local-reduction-delay", true},
    {"all-reduce-implementation", true},
    {"all-gather-implementation", true},
    {"reduce-scatter-implementation", true},
    {"all-to-all-implementation", true},
    {"all-reduce-implementation-custom"},
    {"all-gather-implementation-custom"},
    {"reduce-scatter-implementation-custom"},
    {"all-to-all-implementation-custom"},
    {"per-node-custom-implementation"},
    {"boost-mode"},
    {"intra-dimension-scheduling"},
    {"inter-dimension-scheduling"},
});

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const KnownKey& key : known_keys) names.emplace_back(key.name);
  return names;
}

constexpr std::int64_t max_count = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_delay_ns = std::int64_t{1} << 53;
constexpr double max_rate = 1e18;            // GB/s, TFLOPS
constexpr double max_bus_ns = 1e9;           // L, o, g: one second
constexpr double max_bus_ns_per_byte = 1e6;  // G

class SystemReader {
 public:
  SystemReader(const std::string& file, std::string_view text)
      : source_{.file = file,
                .text = text,
                .rule = "system",
                .noun = "system file",
                .shape = R"(a JSON object is expected, such as {"endpoint-delay": 10})",
                .max_bytes = max_system_bytes},
        settings_(source_, known_names()) {
    config_.source = file;
  }

  SystemConfig read() {
    const JsonSettings& s = settings_;
    (void)s.choice("scheduling-policy", policies);  // validates the value
    config_.optimization = s.choice("collective-optimization", optimizations);
    config_.endpoint_delay_given = s.has("endpoint-delay");
    config_.endpoint_delay_ns = s.whole("endpoint-delay", 0, max_delay_ns).value_or(config_.endpoint_delay_ns);
    config_.active_chunks_per_dimension =
        s.whole("active-chunks-per-dimension", 1, max_count).value_or(config_.active_chunks_per_dimension);
    config_.dataset_splits = s.whole("preferred-dataset-splits", 1, max_count);
    config_.local_mem_bytes_per_s = s.number("local-mem-bw", max_rate).value_or(0) * 1e9;
    config_.peak_flops = s.number("peak-perf", max_rate).value_or(0) * 1e12;
    config_.roofline = read_switch("roofline-enabled");
    config_.replay_only = read_switch("replay-only");
    if (s.flag("trace-enabled").value_or(false))
      config_.notes.emplace_back("trace-enabled is ignored: no log files are written");
    config_.track_local_mem = read_switch("track-local-mem");
    if (s.has("local-mem-trace-filename")) config_.local_mem_trace = s.path("local-mem-trace-filename");
    config_.local_reduction_delay =
        s.whole("local-reduction-delay", 0, max_count).value_or(config_.local_reduction_delay);
    read_shared_bus();
    for (const Collective c : listed_collectives) read_collective(c);
    config_.per_node_map = s.path("per-node-custom-implementation");
    find_key_of_collectives();
    for (const auto& [key, note] : without_effect) {
      if (s.has(key)) config_.notes.emplace_back(note);
    }
    return std::move(config_);
  }

 private:
  // ASTRA-sim compares the value with 0; its JSON reader does not convert false to 0.
  bool read_switch(const std::string& key) {
    const std::optional<bool> on = settings_.flag(key);
    if (on == false && settings_.is_true_or_false(key)) {
      config_.notes.push_back(key + ": false means off; ASTRA-sim accepts only 0 as off");
    }
    return on.value_or(false);
  }

  void find_key_of_collectives() {
    for (const KnownKey& key : known_keys) {
      if (!key.of_collectives || !settings_.has(key.name)) continue;
      const Location where = settings_.failure(key.name, "").where();
      const auto& first = config_.of_collectives;
      if (!first || std::tie(where.line, where.column) < std::tie(first->where.line, first->where.column))
        config_.of_collectives = SystemConfig::Key{key.name, where};
    }
  }

  void read_shared_bus() {
    SharedBusConfig bus;
    bus.L_ns = read_bus_time("L");
    bus.o_ns = read_bus_time("o");
    bus.g_ns = read_bus_time("g");
    bus.G_ns_per_byte = static_cast<float>(settings_.number("G", max_bus_ns_per_byte).value_or(0));
    std::vector<std::string> missing, given;
    for (const char* key : {"L", "o", "g", "G"}) (settings_.has(key) ? given : missing).emplace_back(key);
    if (settings_.flag("model-shared-bus").value_or(false)) {
      if (!missing.empty())
        config_.notes.push_back("model-shared-bus without " + join(missing) + ": defaults to 0");
      config_.shared_bus = bus;
    } else if (!given.empty()) {
      config_.notes.push_back("ignored without model-shared-bus: " + join(given));
    }
  }

  std::int64_t read_bus_time(const std::string& key) {
    const auto ns = static_cast<float>(settings_.number(key, max_bus_ns).value_or(0));
    const auto whole = static_cast<std::int64_t>(ns);
    if (static_cast<float>(whole) != ns) {
      config_.notes.push_back(key + " is rounded to whole ns: " + std::to_string(whole));
    }
    return whole;
  }

  void read_collective(Collective op) {
    CollectiveChoice& choice = config_.collectives.at(listed_place(op));
    std::string key(name(op));
    std::replace(key.begin(), key.end(), '_', '-');
    key += "-implementation";
    for (const JsonToken& item : settings_.strings(key, R"(["ring"])")) {
      const std::optional<AlgorithmChoice> algorithm = parse_native_algorithm(item.text);
      if (!algorithm) {
        const std::size_t stem = item.text.find_last_not_of("0123456789") + 1;
        const auto known = parse_native_algorithm(item.text.substr(0, stem));
        const bool is_window = known && known->algorithm == NativeAlgorithm::direct;
        throw source_.failure(item, is_window ? key + ": the window of " + shown(item) + " must be from 1 to 99999"
                                              : key + ": unknown algorithm " + shown(item) +
                                                    hint_for(item.text, native_algorithm_names()));
      }
      choice.per_dim.push_back(*algorithm);
    }
    const std::string custom_key = key + "-custom";
    const std::vector<JsonToken> prefixes = settings_.strings(custom_key, R"(["PREFIX"])");
    if (prefixes.size() > 1) {
      throw source_.failure(prefixes[1],
                            custom_key + " requires exactly one prefix, whose traces cover all dimensions");
    }
    if (!prefixes.empty()) choice.custom = prefixes[0].text;
  }

  JsonSource source_;
  JsonSettings settings_;
  SystemConfig config_;
};

}  // namespace

std::string_view name(NativeAlgorithm algorithm) {
  switch (algorithm) {
    case NativeAlgorithm::ring: return "ring";
    case NativeAlgorithm::direct: return "direct";
    case NativeAlgorithm::halving_doubling: return "halving_doubling";
    case NativeAlgorithm::double_binary_tree: return "double_binary_tree";
    case NativeAlgorithm::binomial_tree: return "binomial_tree";
    case NativeAlgorithm::star: return "star";
    case NativeAlgorithm::dissemination: return "dissemination";
  }
  return "";
}

std::string text_of(const AlgorithmChoice& choice) {
  return (choice.one ? "one_" : "") + std::string(name(choice.algorithm)) +
         (choice.window ? std::to_string(*choice.window) : "");
}

std::vector<std::string> native_algorithm_names() {
  std::vector<std::string> names;
  for (const AlgorithmChoice& choice : algorithms) names.push_back(text_of(choice));
  return names;
}

std::optional<AlgorithmChoice> parse_native_algorithm(std::string_view text) {
  constexpr std::size_t most_digits = 5;
  const std::size_t stem = text.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  const std::string_view digits = text.substr(stem);
  for (AlgorithmChoice choice : algorithms) {
    if (!same_name(text.substr(0, stem), text_of(choice))) continue;
    if (digits.empty()) return choice;
    if (choice.algorithm != NativeAlgorithm::direct || digits[0] == '0' || digits.size() > most_digits) break;
    choice.window = static_cast<std::uint32_t>(parse_int(digits).value());
    return choice;
  }
  return std::nullopt;
}

SystemConfig parse_system(const std::string& file, std::string_view text) {
  return SystemReader(file, text).read();
}

}  // namespace convert
