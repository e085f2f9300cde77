// SPDX-License-Identifier: MIT
#include "machine/chosen.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"
#include "io/input.h"
#include "machine/file.h"
#include "machine/presets.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view machine_prefix = "machine:";
constexpr std::int64_t most_nodes_of_machine = 1 << 20;
constexpr std::size_t most_table_bytes = 64 << 20;

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const MachinePreset& p : machine_presets()) names.emplace_back(p.name);
  return names;
}

MachineText text_of(const MachinePreset& preset);

// Returns the files that a preset names: other presets, and its own table.
MachineFiles files_of(const MachinePreset& preset) {
  return [&preset](const std::string& named, bool is_table) -> MachineText {
    if (is_table) return {named, std::string(preset.csv)};
    const MachinePreset* const base = find_machine_preset(named);
    if (base == nullptr)
      throw input_error({.file = std::string(preset.name)}, "there is no machine " + named, "machine");
    return text_of(*base);
  };
}
MachineText text_of(const MachinePreset& preset) {
  return {std::string(preset.name), std::string(preset.yaml), files_of(preset)};
}
Machine parse_preset(const MachinePreset& preset) {
  return parse_machine(std::string(preset.name), preset.yaml, files_of(preset));
}

// Returns the files that the machine file at a path names: presets, and files beside it.
MachineFiles files_beside(const std::string& path) {
  return [folder = fs::path(path).parent_path()](const std::string& named, bool is_table) -> MachineText {
    const MachinePreset* const preset = is_table ? nullptr : find_machine_preset(named);
    if (preset != nullptr) return text_of(*preset);
    const std::string file = (folder / named).string();
    const auto input = open_input(file);
    const std::string_view all = input->peek(most_table_bytes + 1);
    if (all.size() > most_table_bytes) throw input_error({.file = file}, "larger than 64 MiB", "machine");
    return {file, std::string(all), files_beside(file)};
  };
}

// Changes of a machine on the command line.
class MachineKeys {
 public:
  explicit MachineKeys(const FileArgument& file) : file_(file) {
    file.check_keys({"nodes", "port", "adapters", "bandwidth", "call", "leaf", "over", "launch", "tables"},
                    "a machine");
  }

  [[nodiscard]] std::shared_ptr<const ChosenMachine> apply(Machine m) const {
    bool rescaled = false;
    const auto rate = [&](const char* key, const std::function<double&()>& to) {
      const std::optional<std::string> text = file_.get(key);
      if (!text) return;
      const std::optional<double> value = parse_bytes_per_ns(*text);
      if (!value) throw bad(key, "a rate such as 50GB/s or 400Gbit/s", *text);
      to() = *value;
      rescaled = true;
    };
    const auto fabric = [&]() -> MachineFabric& {
      if (!m.fabric) m.fabric.emplace();
      return *m.fabric;
    };
    rate("port", [&]() -> double& { return m.node.port_bytes_per_ns; });
    rate("bandwidth", [&]() -> double& { return fabric().bytes_per_ns; });
    rate("call", [&]() -> double& { return fabric().call_bytes_per_ns.emplace(0); });
    if (file_.get("adapters")) {
      fabric().adapters = static_cast<std::uint32_t>(file_.whole("adapters", 1, 4096, 1));
      rescaled = true;
    }
    if (file_.get("leaf"))
      fabric().leaf = static_cast<std::uint32_t>(file_.whole("leaf", 1, most_nodes_of_machine, 1));
    if (const auto over = file_.get("over")) {
      const std::optional<double> value = convert::parse_number(*over);
      if (!value || *value < 1 || *value > 1000) throw bad("over", "a number from 1 to 1000", *over);
      fabric().over = *value;
      rescaled = true;
    }
    if (m.fabric && (m.fabric->adapters == 0 || m.fabric->bytes_per_ns <= 0))
      throw usage_error(file_.path + " has no network; give both adapters= and bandwidth=");
    if (m.fabric && m.fabric->leaf && m.fabric->over == 1)
      throw usage_error(file_.path + ": leaf requires over=, the factor of the bandwidth");
    set_launch(m.library);
    std::optional<std::uint32_t> nodes;
    if (file_.get("nodes")) nodes = static_cast<std::uint32_t>(file_.whole("nodes", 1, most_nodes_of_machine, 1));
    const bool no_tables = file_.choice("tables", {"yes", "no"}) == 1;
    return std::make_shared<const ChosenMachine>(std::move(m), nodes, !no_tables, rescaled);
  }

 private:
  [[nodiscard]] Error bad(const std::string& key, const std::string& wanted, const std::string& text) const {
    return usage_error(file_.path + ": " + key + " requires " + wanted + ", not '" + text + "'");
  }
  // The start of a call differs from node to node; see LIMITS of et-machines(5).
  void set_launch(LibraryCosts& library) const {
    const std::optional<std::string> text = file_.get("launch");
    if (!text) return;
    const std::optional<Picoseconds> value = text->ends_with('s') ? parse_time(*text) : std::nullopt;
    if (!value) throw bad("launch", "a time such as 9us", *text);
    const double launch = static_cast<double>(*value) / ps_per_ns;
    const double more = launch - library.launch_ns;
    library.launch_ns = launch;
    library.messages.launch_ns = std::max(0.0, library.messages.launch_ns + more);
    if (library.nvls) library.nvls->latency_ns = std::max(0.0, library.nvls->latency_ns + more);
  }

  const FileArgument& file_;
};

}  // namespace

const MachinePreset* find_machine_preset(std::string_view name) {
  const auto all = machine_presets();
  const auto found = std::ranges::find(all, name, &MachinePreset::name);
  return found == all.end() ? nullptr : &*found;
}

ChosenMachine::ChosenMachine(Machine machine, std::optional<std::uint32_t> nodes, bool uses_tables, bool rescaled)
    : machine_(std::move(machine)),
      nodes_(nodes),
      uses_tables_(uses_tables),
      rescaled_(rescaled),
      curves_(machine_, uses_tables && !rescaled ? std::span<const MeasuredCall>(machine_.measured)
                                                 : std::span<const MeasuredCall>()) {}

MachineCost ChosenMachine::cost(const MachineCall& call) const {
  const std::optional<CallTime> model = call_time(machine_, call);
  if (!model) {
    throw input_error({.file = machine_.file},
                      "the collective " + std::string(name(call.collective)) + " has no time on a machine",
                      "machine");
  }
  const MeasuredCurves::Correction correction = curves_.at(call, model->time_ns);
  const double factor = std::exp(correction.log_factor);
  MachineCost cost{.algorithm = model->algorithm,
                   .source = rescaled_ ? CallSource::rescaled : correction.source,
                   .time_ns = model->time_ns * factor,
                   .latency_ns = model->latency_ns * factor};
  const MachineAccuracy& a = machine_.accuracy;
  const std::size_t band = size_band(call.bytes);
  const auto of = [&](const std::optional<ErrorByBand>& errors, double times) {
    if (errors && errors->at(band)) cost.error_pct = *errors->at(band) * times;
  };
  switch (cost.source) {
    case CallSource::measured: of(a.sizes, 1); break;
    case CallSource::between: of(a.groups ? a.groups : a.model, 1); break;
    case CallSource::beyond: of(a.model, 2); break;
    case CallSource::model:
    case CallSource::rescaled: of(a.model, 1); break;
  }
  return cost;
}

MachineCost ChosenMachine::changed_cost(const MachineCall& call, const Machine& changed) const {
  MachineCost cost = this->cost(call);
  const std::optional<CallTime> here = call_time(machine_, call);
  const std::optional<CallTime> there = call_time(changed, call);
  if (!here || !there) return cost;
  const bool same = here->algorithm.method == there->algorithm.method;
  const double factor = same && here->time_ns > 0 ? cost.time_ns / here->time_ns : 1;
  cost.algorithm = there->algorithm;
  cost.source = CallSource::rescaled;
  cost.time_ns = there->time_ns * factor;
  cost.latency_ns = there->latency_ns * factor;
  return cost;
}

bool names_machine(const std::string& option) {
  if (option.starts_with(machine_prefix)) return true;
  const FileArgument file = split_file_argument(option);
  std::error_code error;
  return !fs::exists(file.path, error) && find_machine_preset(file.path) != nullptr;
}

std::string preset_hint(const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error)) return {};
  const std::vector<std::string> names = preset_names();
  for (const std::string& preset : names) {  // "h100" of dgx-h100
    if (name.size() >= 4 && preset.find(name) != std::string::npos) return "; did you mean " + preset + "?";
  }
  return did_you_mean(name, names);
}

std::shared_ptr<const ChosenMachine> choose_preset(const std::string& option) {
  const bool prefixed = option.starts_with(machine_prefix);
  const FileArgument file = split_file_argument(prefixed ? option.substr(machine_prefix.size()) : option);
  const MachinePreset* const preset = find_machine_preset(file.path);
  if (preset == nullptr) {
    throw usage_error(option + ": there is no machine " + file.path + hint_for(file.path, preset_names()) +
                      " (et-replay --list-machines)");
  }
  return MachineKeys(file).apply(parse_preset(*preset));
}

std::shared_ptr<const ChosenMachine> choose_machine(const std::string& option) {
  if (names_machine(option)) return choose_preset(option);
  const FileArgument file = split_file_argument(option);
  std::error_code error;
  if (!fs::exists(file.path, error) && file.path.find_first_of("/.") == std::string::npos)
    throw usage_error(option + ": there is no machine " + file.path + hint_for(file.path, preset_names()) +
                      " (et-replay --list-machines)");
  const std::string text = open_input(file.path)->read_rest();
  if (!is_machine_text(text))
    throw input_error({.file = file.path}, "not a machine file: its first key is neither machine nor extends",
                      "machine");
  return choose_machine(file, text);
}

std::shared_ptr<const ChosenMachine> choose_machine(const FileArgument& file, std::string_view text) {
  return MachineKeys(file).apply(parse_machine(file.path, text, files_beside(file.path)));
}

namespace {

void set_dims(NetworkConfig& network, std::uint32_t nodes) {
  const Machine& m = network.machine->machine();
  const std::int64_t npus = std::int64_t{nodes} * m.node.gpus;
  if (npus > max_npus) throw usage_error(network.source + ": more than " + std::to_string(max_npus) + " NPUs");
  network.dims = {{.topology = m.node.mesh ? Topology::fully_connected : Topology::switched,
                   .npus = m.node.gpus,
                   .bytes_per_ns = m.node.port_bytes_per_ns,
                   .latency_ns = m.library.ring.LL.step_ns / 2}};
  if (nodes == 1) return;
  if (!m.fabric)
    throw input_error({.file = m.file}, std::to_string(nodes) + " nodes, but the machine has no network",
                      "machine");
  network.dims.push_back({.topology = Topology::switched,
                          .npus = nodes,
                          .bytes_per_ns = m.fabric->adapters * m.fabric->bytes_per_ns / m.node.gpus,
                          .latency_ns = m.library.across.ring.LL.step_ns / 2});
}

}  // namespace

NetworkConfig network_of(std::shared_ptr<const ChosenMachine> machine, const std::string& option) {
  NetworkConfig network{.source = option, .machine = std::move(machine)};
  const Machine& m = network.machine->machine();
  if (!m.has_library)
    network.notes.push_back("machine " + m.name +
                            " has no constants of a library: defaults of NCCL, not calibrated");
  for (const std::string& text : far_from_formulas(m))
    network.notes.push_back("tables of machine " + m.name + ": " + text);
  if (network.machine->nodes()) set_dims(network, *network.machine->nodes());
  return network;
}

void fit_nodes(NetworkConfig& network, std::uint32_t ranks) {
  if (network.machine == nullptr || network.is_product()) return;
  const std::uint32_t gpus = network.machine->machine().node.gpus;
  set_dims(network, (ranks + gpus - 1) / gpus);
}

std::string list_machines(bool details) {
  std::string out;
  for (const MachinePreset& p : machine_presets()) {
    const Machine m = parse_preset(p);
    out += std::string(p.name) + std::string(p.name.size() < 14 ? 14 - p.name.size() : 1, ' ') + m.about + '\n';
    if (!details) continue;
    for (const std::string& source : m.sources) out += std::string(14, ' ') + source + '\n';
  }
  return out;
}

}  // namespace convert
