// SPDX-License-Identifier: MIT
#include "machine/file.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "config/yaml_tree.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"
#include "machine/constants.h"

namespace convert {
namespace {

const YamlSubject machine_yaml = {.noun = "machine file",
                                  .rule = "machine",
                                  .is_empty = "empty; a machine file requires the keys machine and node",
                                  .max_keys = 4096};
constexpr int most_bases = 8;  // of `extends`
constexpr std::uint32_t most_gpus = 1024;
constexpr std::uint32_t most_adapters = 4096;
constexpr std::uint32_t most_nodes = 1 << 20;

const std::vector<std::string> machine_keys = {"machine", "extends", "about",   "sources", "node",    "network",
                                               "library", "gpu",     "harness", "tables",  "accuracy"};

std::string range_text(double low, double high, const auto& show) { return show(low) + " to " + show(high); }

// Returns the text with quotes around a plain text of `about`, which may then contain ": " and " #". No other value
// moves.
std::string with_quoted_about(std::string_view text) {
  constexpr std::string_view key = "about: ";
  std::string out(text);
  std::size_t at = out.starts_with(key) ? 0 : out.find("\n" + std::string(key));
  if (at == std::string::npos) return out;
  at += (out[at] == '\n' ? 1 : 0) + key.size();
  std::size_t end = std::min(out.find('\n', at), out.size());
  if (end > at && out[end - 1] == '\r') --end;
  const std::string value = out.substr(at, end - at);
  if (value.empty() || std::string_view("\"'|>[{&*!#").find(value.front()) != std::string_view::npos) return out;
  std::string quoted = "'";
  for (const char c : value) quoted += c == '\'' ? std::string("\'\'") : std::string(1, c);
  return out.replace(at, value.size(), quoted + "'");
}

class MachineFileReader {
 public:
  MachineFileReader(const std::string& file, std::string_view text)
      : file_(file), root_(parse_yaml_tree(file, with_quoted_about(text), machine_yaml)) {}

  [[nodiscard]] std::optional<std::string> base() const {
    const YamlNode* const extends = root_.find("extends");
    return extends == nullptr ? std::nullopt : std::optional(word(*extends, "extends"));
  }

  // Sets what the file states; the rest keeps its values.
  void read(Machine& m) const {
    check_keys(root_, machine_keys);
    m.file = file_;
    m.name = machine_name();
    if (const YamlNode* about = root_.find("about")) m.about = word(*about, "about");
    if (const YamlNode* sources = root_.find("sources")) m.sources = words(*sources, "sources");
    if (const YamlNode* gpu = root_.find("gpu")) m.gpu = word(*gpu, "gpu");
    if (const YamlNode* node = root_.find("node")) read_node(*node, m.node);
    if (m.node.gpus == 0) throw input_error({.file = file_}, "key node is missing", machine_yaml.rule);
    if (const YamlNode* network = root_.find("network")) read_network(*network, m.fabric);
    if (const YamlNode* library = root_.find("library")) read_library(*library, m);
    if (const YamlNode* harness = root_.find("harness")) read_harness(*harness, m.harness_ns);
    if (const YamlNode* tables = root_.find("tables")) m.tables = words(*tables, "tables");
    if (const YamlNode* accuracy = root_.find("accuracy")) read_accuracy(*accuracy, m.accuracy);
  }

 private:
  [[nodiscard]] Error failure(const YamlNode& at, const std::string& message) const {
    return input_error({.file = file_, .line = at.line, .column = at.column}, message, machine_yaml.rule);
  }
  void check_keys(const YamlNode& map, const std::vector<std::string>& known) const {
    check_yaml_keys(file_, map, known, machine_yaml);
  }
  const YamlNode& map(const YamlNode& node, const std::string& key) const {
    if (node.kind != YamlNode::Kind::map) throw failure(node, key + " requires a map");
    return node;
  }
  [[nodiscard]] std::string word(const YamlNode& node, const std::string& key) const {
    if (node.kind != YamlNode::Kind::scalar || node.text.empty()) throw failure(node, key + " requires a text");
    return node.text;
  }
  [[nodiscard]] std::vector<std::string> words(const YamlNode& node, const std::string& key) const {
    if (node.kind == YamlNode::Kind::scalar) return {word(node, key)};
    if (node.kind != YamlNode::Kind::list) throw failure(node, key + " requires a list of texts");
    std::vector<std::string> out;
    for (const YamlNode& item : node.items) out.push_back(word(item, key));
    return out;
  }

  [[nodiscard]] std::string machine_name() const {
    const YamlNode* const node = root_.find("machine");
    if (node == nullptr) throw input_error({.file = file_}, "key machine is missing", machine_yaml.rule);
    std::string name = word(*node, "machine");
    if (!is_machine_name(name))
      throw failure(*node, "machine requires a name of letters, digits, '-', '.' and '_', not '" + name + "'");
    return name;
  }

  std::uint32_t count(const YamlNode& node, const std::string& key, std::uint32_t low, std::uint32_t high) const {
    const std::optional<std::int64_t> value = parse_int(node.kind == YamlNode::Kind::scalar ? node.text : "");
    if (!value || *value < low || *value > high) {
      throw failure(node, key + " requires a whole number from " + std::to_string(low) + " to " +
                              std::to_string(high) + shown(node));
    }
    return static_cast<std::uint32_t>(*value);
  }
  // Returns a time in ns.
  double time(const YamlNode& node, const std::string& key, double low, double high) const {
    const auto show = [](double ns) { return format_time(static_cast<Picoseconds>(ns * ps_per_ns)); };
    const std::string& text = node.text;
    const bool has_unit = !text.empty() && text.back() == 's';
    const std::optional<Picoseconds> value =
        node.kind == YamlNode::Kind::scalar && has_unit ? parse_time(text) : std::nullopt;
    if (!value) throw failure(node, key + " requires a time with a unit, such as 1.5us" + shown(node));
    const double ns = static_cast<double>(*value) / ps_per_ns;
    if (ns < low || ns > high) throw failure(node, key + " requires " + range_text(low, high, show) + shown(node));
    return ns;
  }
  double rate(const YamlNode& node, const std::string& key, double low, double high) const {
    const std::optional<double> value =
        node.kind == YamlNode::Kind::scalar ? parse_bytes_per_ns(node.text) : std::nullopt;
    if (!value) throw failure(node, key + " requires a rate with a unit, such as 50GB/s" + shown(node));
    if (*value < low || *value > high)
      throw failure(node, key + " requires " + range_text(low, high, format_bytes_per_ns) + shown(node));
    return *value;
  }
  double number(const YamlNode& node, const std::string& key, double low, double high) const {
    const auto show = [](double v) { return format_number(v); };
    const std::optional<double> value =
        node.kind == YamlNode::Kind::scalar ? convert::parse_number(node.text) : std::nullopt;
    if (!value || *value < low || *value > high)
      throw failure(node, key + " requires a number from " + range_text(low, high, show) + shown(node));
    return *value;
  }
  static std::string format_number(double v) {
    std::string text = std::to_string(v);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  // Returns ", not 'TEXT'".
  static std::string shown(const YamlNode& node) {
    switch (node.kind) {
      case YamlNode::Kind::scalar: return ", not '" + node.text.substr(0, 40) + "'";
      case YamlNode::Kind::list: return ", not a list";
      case YamlNode::Kind::map: return ", not a map";
    }
    return "";
  }

  void read_node(const YamlNode& node, MachineNode& to) const {
    check_keys(map(node, "node"), {"gpus", "port", "topology"});
    if (const YamlNode* gpus = node.find("gpus")) to.gpus = count(*gpus, "gpus", 2, most_gpus);
    if (const YamlNode* port = node.find("port")) to.port_bytes_per_ns = rate(*port, "port", 1e-3, 1e6);
    if (const YamlNode* topology = node.find("topology")) {
      if (topology->text != "switch" && topology->text != "mesh")
        throw failure(*topology, "topology requires switch or mesh" + shown(*topology));
      to.mesh = topology->text == "mesh";
    }
    if (to.gpus == 0) throw failure(node, "node requires the key gpus");
    if (to.port_bytes_per_ns <= 0) throw failure(node, "node requires the key port");
  }

  void read_network(const YamlNode& node, std::optional<MachineFabric>& to) const {
    check_keys(map(node, "network"), {"adapters", "bandwidth", "call", "leaf", "over"});
    MachineFabric fabric = to.value_or(MachineFabric{});
    if (const YamlNode* n = node.find("adapters")) fabric.adapters = count(*n, "adapters", 1, most_adapters);
    if (const YamlNode* n = node.find("bandwidth")) fabric.bytes_per_ns = rate(*n, "bandwidth", 1e-3, 1e6);
    if (const YamlNode* n = node.find("call")) fabric.call_bytes_per_ns = rate(*n, "call", 1e-3, 1e6);
    if (const YamlNode* n = node.find("leaf")) fabric.leaf = count(*n, "leaf", 1, most_nodes);
    if (const YamlNode* n = node.find("over")) fabric.over = number(*n, "over", 1, 1000);
    if (fabric.adapters == 0) throw failure(node, "network requires the key adapters");
    if (fabric.bytes_per_ns <= 0) throw failure(node, "network requires the key bandwidth");
    if (fabric.leaf && fabric.over == 1) throw failure(node, "leaf requires over, the factor of the bandwidth");
    to = fabric;
  }

  // A file with node, network and at most library.nvls.channels states hardware; the constants are defaults.
  void read_library(const YamlNode& node, Machine& m) const {
    check_keys(map(node, "library"),
               {"launch", "ring", "tree", "copy", "reduce", "nvls", "messages", "across", "program"});
    LibraryCosts& l = m.library;
    if (const YamlNode* nvls = node.find("nvls")) {
      if (!l.nvls) l.nvls.emplace();
      check_keys(map(*nvls, "library.nvls"), {"latency", "depth", "sync", "share", "channels"});
      if (const YamlNode* n = nvls->find("channels")) l.nvls->channels = count(*n, "nvls.channels", 1, 1024);
    }
    if (const YamlNode* n = node.find("messages")) {
      check_keys(map(*n, "library.messages"), {"launch", "LL", "Simple", "copy", "below"});
      if (const YamlNode* below = n->find("below")) l.messages.below = bytes(*below, "messages.below");
    }
    for (const auto& [key, known] :
         {std::pair<const char*, std::vector<std::string>>{"ring", {"LL", "LL128", "Simple"}},
          {"tree", {"LL", "Simple"}},
          {"across", {"LL", "LL128", "Simple", "depth", "messages"}}}) {
      if (const YamlNode* n = node.find(key)) check_keys(map(*n, std::string("library.") + key), known);
    }
    if (const YamlNode* n = node.find("program")) {
      read_program(*n, l.program);
      m.has_library = true;
    }
    for (const LibraryConstant& c : library_constants()) read_constant(node, c, m);
  }
  void read_constant(const YamlNode& library, const LibraryConstant& c, Machine& m) const {
    const YamlNode* at = &library;
    for (const std::string& key : split(c.key, '.')) {
      at = at->find(key);
      if (at == nullptr) return;
    }
    m.has_library = true;
    const std::string key(c.key);
    if (!c.part.empty()) {
      if (at->kind != YamlNode::Kind::list || at->items.size() != 2)
        throw failure(*at, key + " requires [TIME, SHARE], such as [0.9us, 0.3]" + shown(*at));
      at = &at->items[c.part == "share" ? 1 : 0];
    }
    double& to = c.of(m.library);
    switch (c.unit) {
      case ConstantUnit::time: to = time(*at, key, c.low, c.high); break;
      case ConstantUnit::rate: to = rate(*at, key, c.low, c.high); break;
      case ConstantUnit::share:
      case ConstantUnit::number: to = number(*at, key, c.low, c.high); break;
    }
  }
  std::int64_t bytes(const YamlNode& node, const std::string& key) const {
    const std::optional<std::int64_t> value =
        node.kind == YamlNode::Kind::scalar ? parse_bytes(node.text) : std::nullopt;
    if (!value || parse_int(node.text))
      throw failure(node, key + " requires a size with a unit, such as 64KiB" + shown(node));
    return *value;
  }
  void read_program(const YamlNode& node, ProgramCost& to) const {
    check_keys(map(node, "library.program"), {"launch", "step", "share", "LL", "LL128", "Simple"});
    if (const YamlNode* n = node.find("launch")) to.launch_ns = time(*n, "program.launch", 0, 1e6);
    if (const YamlNode* n = node.find("step")) to.step_ns = time(*n, "program.step", 0, 1e6);
    if (const YamlNode* n = node.find("share")) to.share = number(*n, "program.share", 0.001, 1);
    for (const Protocol p : protocols) {
      const YamlNode* const n = node.find(name(p));
      if (n == nullptr) continue;
      const std::string key = "program." + std::string(name(p));
      if (n->kind != YamlNode::Kind::list || n->items.size() != 2)
        throw failure(*n,
                      key + " requires [TIME of a step, RATE of a threadblock], such as [1us, 10GB/s]" + shown(*n));
      to.rates.at(static_cast<std::size_t>(p)) =
          ProgramRate{time(n->items[0], key, 0, 1e6), rate(n->items[1], key, 1e-3, 1e6)};
    }
  }

  void read_harness(const YamlNode& node, std::map<std::string, double>& to) const {
    to.clear();
    map(node, "harness");
    for (std::size_t i = 0; i < node.items.size(); i += 2)
      to[node.items[i].text] = time(node.items[i + 1], "harness." + node.items[i].text, 0, 1e6);
  }

  void read_accuracy(const YamlNode& node, MachineAccuracy& to) const {
    check_keys(map(node, "accuracy"), {"sizes", "groups", "model"});
    for (auto& [key, errors] : {std::pair<const char*, std::optional<ErrorByBand>&>{"sizes", to.sizes},
                                {"groups", to.groups},
                                {"model", to.model}}) {
      const YamlNode* const n = node.find(key);
      if (n == nullptr) continue;
      if (n->kind != YamlNode::Kind::list || n->items.size() != 3) {
        throw failure(*n, std::string("accuracy.") + key +
                              " requires three errors in percent (below 1 MiB, below 64 MiB, larger), such as "
                              "[10, 6, 3]");
      }
      ErrorByBand all{};
      for (std::size_t i = 0; i < 3; ++i) {
        if (n->items[i].kind == YamlNode::Kind::scalar && n->items[i].text == "none") continue;
        all.at(i) = number(n->items[i], std::string("accuracy.") + key, 0, 1e6);
      }
      errors = all;
    }
  }

  const std::string& file_;
  YamlNode root_;
};

Machine parse_with_bases(const std::string& file, std::string_view text, const MachineFiles& files, int depth) {
  const MachineFileReader reader(file, text);
  Machine machine;
  if (const auto base = reader.base()) {
    if (depth == most_bases)
      throw input_error({.file = file}, "more than " + std::to_string(most_bases) + " files extend each other",
                        "machine");
    const MachineText of_base = files(*base, false);
    machine = parse_with_bases(of_base.file, of_base.text, of_base.files, depth + 1);
  }
  const std::vector<std::string> tables = std::exchange(machine.tables, {});
  reader.read(machine);
  if (machine.tables.empty()) {
    machine.tables = tables;
    return machine;
  }
  machine.measured.clear();
  for (const std::string& table : machine.tables) {
    const MachineText csv = files(table, true);
    std::vector<MeasuredCall> rows = parse_measured(csv.file, csv.text);
    machine.measured.insert(machine.measured.end(), rows.begin(), rows.end());
  }
  return machine;
}

}  // namespace

bool is_machine_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

bool is_machine_text(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line.front() == '#' || line.front() == '\r' || line.starts_with("---") ||
        line.front() == ' ')
      continue;
    const std::string_view key = line.substr(0, line.find(':'));
    return key.size() < line.size() && (key == "machine" || key == "extends");
  }
  return false;
}

Machine parse_machine(const std::string& file, std::string_view text, const MachineFiles& files) {
  return parse_with_bases(file, text, files, 0);
}

std::vector<MeasuredCall> parse_measured(const std::string& file, std::string_view text) {
  static const std::vector<std::string> columns = {"collective", "ranks", "nodes", "bytes", "us"};
  std::array<std::size_t, 5> at{};
  std::vector<MeasuredCall> rows;
  std::uint32_t number = 0;
  const auto failure = [&](const std::string& message) {
    return input_error({.file = file, .line = number}, message, "machine");
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = split(line, ',');
    if (at == decltype(at){}) {  // the header
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto found = std::ranges::find(cells, columns[c]);
        if (found == cells.end())
          throw failure("column " + columns[c] + " is missing; the header is " + join(columns, ","));
        at.at(c) = static_cast<std::size_t>(found - cells.begin());
      }
      continue;
    }
    const auto cell = [&](std::size_t c) -> const std::string& {
      if (at.at(c) >= cells.size()) throw failure("column " + columns[c] + " is missing");
      return cells[at.at(c)];
    };
    const auto whole = [&](std::size_t c, std::int64_t most) {
      const std::optional<std::int64_t> value = parse_int(cell(c));
      if (!value || *value < 1 || *value > most)
        throw failure(columns[c] + " is not a whole number from 1 to " + std::to_string(most) + ": \"" + cell(c) +
                      "\"");
      return *value;
    };
    const auto collective = parse_collective(cell(0), [](Collective c) { return c != Collective::custom; });
    if (!collective) throw failure("unknown collective: \"" + cell(0) + "\"");
    const std::optional<double> us = convert::parse_number(cell(4));
    if (!us || *us <= 0) throw failure("us is not a positive time: \"" + cell(4) + "\"");
    constexpr std::int64_t most_ranks = 1 << 24;
    MeasuredCall row{.collective = *collective,
                     .ranks = static_cast<std::uint32_t>(whole(1, most_ranks)),
                     .nodes = static_cast<std::uint32_t>(whole(2, most_ranks)),
                     .bytes = whole(3, INT64_MAX),
                     .time_ns = *us * 1000};
    if (row.ranks < 2 || row.nodes > row.ranks)
      throw failure("a call requires at least 2 ranks, and a rank on each node");
    rows.push_back(row);
  }
  if (rows.empty()) throw failure("no measured call");
  return rows;
}

}  // namespace convert
