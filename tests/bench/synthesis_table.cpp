// SPDX-License-Identifier: MIT
// Synthesis for the networks of the corpus, compared with its tables: bounds, times, seconds, memory, in Markdown.
// See tests/bench/synthesis.md.
//
//   synthesis_table [--row ROW]... [--most-npus N] [--most-seconds S] [--prove]
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/synthesis_case.h"

namespace {

using namespace convert;
using bench::SynthesisCase;
using bench::SynthesisOutcome;
using CorpusRow = std::map<std::string, std::string>;
using Effort = SynthesisEffort;

constexpr std::int64_t KiB = 1 << 10;
constexpr std::int64_t MiB = 1 << 20;
constexpr auto beta = Schedule::Occupancy::beta;
constexpr auto alpha_beta = Schedule::Occupancy::alpha_beta;
constexpr double anchor_of_corpus = 0.0019;  // seconds, on the machine where its tables were made

struct TableOptions {
  std::set<std::string> rows{};  // empty: all
  std::uint32_t most_npus = 4096;
  unsigned most_seconds = 300;
  bool prove = false;
};

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}
// Three significant digits.
std::string short_text(double value) {
  return fixed(value, value < 0.1 ? 4 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

std::vector<CorpusRow> table_of(const std::string& name) {
  return corpus::read_table(corpus::synthesis_folder() / (name + ".tsv"));
}
// Returns the number of a cell, or `none` for "-".
double number_of(CorpusRow& row, const std::string& column, double none = 0) {
  return row[column].empty() || row[column] == "-" ? none : std::stod(row[column]);
}

// Lines of Markdown, and the number of verdicts.
class MarkdownTable {
 public:
  void begin(const std::string& title, const std::vector<std::string>& columns) {
    std::printf("\n### %s\n\n", title.c_str());
    line(columns);
    line(std::vector<std::string>(columns.size(), "---"));
  }
  void line(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) std::printf("| %s ", cell.c_str());
    std::puts("|");
    std::fflush(stdout);
  }
  // Returns the words for a metric that should be kept.
  std::string verdict(bool kept, bool goal = false) {
    ++counts_[kept ? 0 : 1];
    return kept ? (goal ? "kept, goal" : "kept") : "MISSED";
  }
  [[nodiscard]] int kept() const { return counts_[0]; }
  [[nodiscard]] int missed() const { return counts_[1]; }

 private:
  std::array<int, 2> counts_{};
};

// Returns whether a case took at most this many seconds on the machine of the corpus's tables, or an equally fast
// one.
bool is_in_time(const SynthesisOutcome& o, double limit) {
  return o.seconds <= limit * std::max(1.0, o.anchor_seconds / anchor_of_corpus);
}

bool is_direct(const std::string& network) {
  const corpus::SynthesisNetwork n = corpus::synthesis_network(network);
  return n.config.graph.switches == 0 && !n.participants;
}

class SynthesisTables {
 public:
  explicit SynthesisTables(const TableOptions& options) : options_(options) {}

  int run() {
    const std::vector<std::pair<std::string, std::function<void()>>> rows = {
        {"1", [this] { bounds(); }},       {"2", [this] { all_gathers(); }}, {"4", [this] { quick(); }},
        {"4b", [this] { first_trees(); }}, {"5", [this] { switched(); }},    {"6", [this] { large(); }},
        {"7", [this] { all_reduces(); }},  {"8", [this] { builders(); }},    {"11", [this] { rooted_and_all(); }},
        {"12", [this] { two_boxes(); }}};
    for (const auto& [name, measure] : rows) {
      if (options_.rows.empty() || options_.rows.contains(name)) measure();
    }
    std::printf("\n%d kept, %d missed\n", table_.kept(), table_.missed());
    return table_.missed() == 0 ? 0 : 1;
  }

 private:
  // Returns the result of a case, which is measured once.
  const SynthesisOutcome& measured(const SynthesisCase& c) {
    std::string key = c.network + ' ' + std::string(name(c.collective)) + ' ' + std::to_string(c.bytes) + ' ' +
                      std::string(name(c.occupancy)) + ' ' + std::to_string(static_cast<int>(c.choice.effort)) +
                      ' ' + std::to_string(c.choice.pieces.value_or(0));
    for (const SynthesisMethod m : c.choice.methods) key += ' ' + std::string(name(m));
    const auto at = outcomes_.find(key);
    if (at != outcomes_.end()) return at->second;
    return outcomes_[key] = bench::measure_synthesis(c, options_.prove, options_.most_seconds);
  }
  [[nodiscard]] bool too_large(double npus) const { return npus > options_.most_npus; }

  [[nodiscard]] std::string proof(const SynthesisOutcome& o) const { return o.proved ? ", proved" : ""; }

  // Writes a line of a case that may have failed: its network, then these cells, or the error.
  void add(const std::string& network, const SynthesisOutcome& o, const std::vector<std::string>& cells) {
    std::vector<std::string> all = {network};
    if (o.error.empty()) {
      all.insert(all.end(), cells.begin(), cells.end());
    } else {
      all.push_back(o.error);
      all.push_back(table_.verdict(false));
    }
    table_.line(all);
  }

  void bounds() {
    table_.begin("Row 1: bounds", {"network", "NPUs", "us/byte of a part", "s", "x anchor", "limit, s", "verdict"});
    std::vector<CorpusRow> rows = table_of("bounds");
    rows.push_back({{"topology", "ndv2_2"}, {"bound_numerator", "2"}, {"bound_denominator_MBps", "3125"}});
    for (CorpusRow& row : rows) {
      const SynthesisProblem p = bench::synthesis_problem({.network = row["topology"]});
      if (too_large(p.size())) continue;
      const double anchor = bench::synthesis_anchor();
      const double begin = bench::cpu_seconds();
      const Bounds found = find_bounds(p);
      const double seconds = bench::cpu_seconds() - begin;
      const Fraction rate = us_per_byte(p.graph, found.find(BoundKind::bandwidth)->crossings.front());
      const bool same = std::to_string(rate.numerator) == row["bound_numerator"] &&
                        std::to_string(rate.denominator) == row["bound_denominator_MBps"];
      const double limit = p.size() <= 64 ? 0.05 : p.size() <= 256 ? 0.3 : 8;
      table_.line({row["topology"], std::to_string(p.size()),
                   std::to_string(rate.numerator) + "/" + std::to_string(rate.denominator), short_text(seconds),
                   short_text(seconds / anchor), short_text(limit), table_.verdict(same && seconds <= limit)});
    }
  }

  // Networks on which TACOS must be beaten, not only equalled.
  static bool beats_tacos(const std::string& network) {
    static const std::set<std::string> names = {
        "torus_4x4",  "torus_8x4",     "torus_8x8",      "torus_16x16",          "kautz_2_24",
        "mi250_1x16", "dragonfly_9x4", "dragonfly_17x8", "hetero_full4_x_ring8", "hetero_torus_8x8_200_50"};
    return names.contains(network);
  }
  static bool is_kept(CorpusRow& row, double found, bool alone) {
    const std::string& network = row["topology"];
    if (found > number_of(row, alone ? "alpha_beta_us" : "beta_us") + 0.001) return false;
    const double tacos = number_of(row, "tacos_best_of_1_2_4_pieces_us", number_of(row, "tacos_us"));
    if (!alone || tacos == 0) return true;
    if (network == "hetero_mesh_8x8_200_50") return found <= 293.4;
    return beats_tacos(network) ? found < tacos - 0.001 : found <= tacos + 0.001;
  }

  void all_gathers() {
    table_.begin("Rows 2 and 3: all-gather, 1 MiB each",
                 {"network", "NPUs", "links", "bound, us", "found, us", "ratio", "corpus, us", "TACOS, us",
                  "builder, us", "s", "s, fast", "x anchor", "x, fast", "MiB", "maker", "verdict"});
    for (CorpusRow& row : table_of("all_gather_1MiB")) {
      const double npus = number_of(row, "participants");
      if (too_large(npus)) continue;
      for (const auto occupancy : {beta, alpha_beta}) {
        const bool alone = occupancy == alpha_beta;
        const std::string column = alone ? "alpha_beta_us" : "beta_us";
        if (row[column] == "-") continue;
        SynthesisCase c{.network = row["topology"], .occupancy = occupancy};
        c.choice.effort = Effort::fast;
        const SynthesisOutcome fast = measured(c);
        c.choice.effort = Effort::normal;
        const SynthesisOutcome o = measured(c);
        const double tacos = number_of(row, "tacos_best_of_1_2_4_pieces_us", number_of(row, "tacos_us"));
        add(c.network, o,
            {std::to_string(o.npus), alone ? "alpha-beta" : "beta", fixed(o.bound_us, 3), fixed(o.found_us, 3),
             fixed(o.ratio(), 4), row[column], alone && tacos > 0 ? fixed(tacos, 3) : "-",
             alone ? "-" : row["best_builder_us"], short_text(o.seconds), short_text(fast.seconds),
             short_text(o.anchors()), short_text(fast.anchors()), fixed(o.mib, 0), o.method + proof(o),
             table_.verdict(is_kept(row, o.found_us, alone))});
      }
    }
  }

  void quick() {
    table_.begin(
        "Row 4: all-gather, 1 MiB each, direct networks, --effort fast",
        {"network", "NPUs", "ratio", "s", "x anchor", "limit, s", "MiB", "limit, MiB", "maker", "verdict"});
    std::vector<CorpusRow> rows = table_of("all_gather_1MiB");
    rows.push_back({{"topology", "torus_64x64"}});
    for (CorpusRow& row : rows) {
      const double npus = number_of(row, "participants", 4096);
      if (too_large(npus) || !is_direct(row["topology"])) continue;
      SynthesisCase c{.network = row["topology"]};
      c.choice.effort = Effort::fast;
      const SynthesisOutcome& o = measured(c);
      const double limit = npus <= 64 ? 0.02 : npus <= 256 ? 0.15 : npus <= 1024 ? 1.5 : 10;
      const double moves = npus * (npus - 1);
      const double memory = (2 * npus * npus / 8 + 40 * moves + 100e6) / static_cast<double>(MiB);
      add(c.network, o,
          {std::to_string(o.npus), fixed(o.ratio(), 4), short_text(o.seconds), short_text(o.anchors()),
           short_text(limit), fixed(o.mib, 0), fixed(memory, 0), o.method,
           table_.verdict(is_in_time(o, limit) && o.mib <= memory)});
    }
  }

  void first_trees() {
    table_.begin("Row 4b: the first trees of all-gathers, direct networks, beside TACOS",
                 {"network", "NPUs", "s", "x anchor", "TACOS, s on this machine", "ratio", "verdict"});
    for (CorpusRow& row : table_of("all_gather_1MiB")) {
      const double tacos = number_of(row, "tacos_s");
      if (tacos == 0 || row["beta_method"] != "trees" || too_large(number_of(row, "participants"))) continue;
      SynthesisCase c{.network = row["topology"]};
      c.choice = {.methods = {SynthesisMethod::trees}, .effort = Effort::fast};
      const SynthesisOutcome& o = measured(c);
      const double scaled = tacos * o.anchor_seconds / anchor_of_corpus;
      add(c.network, o,
          {std::to_string(o.npus), short_text(o.seconds), short_text(o.anchors()), short_text(scaled),
           short_text(o.seconds / scaled), table_.verdict(o.seconds <= 12 * scaled, o.seconds <= scaled)});
    }
  }

  void switched() {
    table_.begin("Row 5: seconds of all-gathers, 1 MiB each, switches or groups",
                 {"network", "NPUs", "ratio", "s", "s, fast", "x anchor", "limit, s", "maker", "verdict"});
    std::vector<CorpusRow> rows = table_of("all_gather_1MiB");
    rows.push_back({{"topology", "h100_rail_16x8"}, {"participants", "128"}});
    rows.push_back({{"topology", "h100_rail_32x8"}, {"participants", "256"}});
    for (CorpusRow& row : rows) {
      const double npus = number_of(row, "participants");
      if (too_large(npus) || is_direct(row["topology"])) continue;
      SynthesisCase c{.network = row["topology"]};
      c.choice.effort = Effort::fast;
      const SynthesisOutcome fast = measured(c);
      c.choice.effort = Effort::normal;
      const SynthesisOutcome& o = measured(c);
      const double limit = npus <= 64 ? 5 : npus <= 128 ? 40 : options_.most_seconds;
      add(c.network, o,
          {std::to_string(o.npus), fixed(o.ratio(), 4), short_text(o.seconds), short_text(fast.seconds),
           short_text(o.anchors()), short_text(limit), o.method, table_.verdict(is_in_time(o, limit))});
    }
  }

  void large() {
    table_.begin("Row 6: all-gather, 16 MiB each, switches or groups",
                 {"network", "NPUs", "bound, us", "found, us", "ratio", "corpus", "goal", "s", "maker", "verdict"});
    std::map<std::string, double> least;
    for (CorpusRow& row : table_of("all_gather_16MiB")) {
      const auto [at, added] = least.try_emplace(row["topology"], number_of(row, "over_bound"));
      if (!added) at->second = std::min(at->second, number_of(row, "over_bound"));
    }
    for (const auto& [network, ratio] : least) {
      const SynthesisOutcome& o = measured({.network = network, .bytes = 16 * MiB});
      const bool wide = network == "h100_rail_8x8" || network == "mi250_2x16" || network == "fat_tree_8x8_full" ||
                        network.starts_with("torus");
      const double goal = wide ? 1.03 : 1.02;
      add(network, o,
          {std::to_string(o.npus), fixed(o.bound_us, 3), fixed(o.found_us, 3), fixed(o.ratio(), 4), fixed(ratio, 4),
           fixed(goal, 2), short_text(o.seconds), o.method,
           table_.verdict(o.ratio() <= ratio + 0.0001, o.ratio() <= goal)});
    }
  }

  void all_reduces() {
    table_.begin("Row 7: all-reduce, 1 MiB of each", {"network", "NPUs", "bound, us", "found, us", "ratio",
                                                      "limit, us", "s", "s, fast", "x anchor", "maker", "verdict"});
    const std::map<std::string, double> paired = {{"line_16", 369},         {"tree_15", 334.4},
                                                  {"mesh_4x4", 225.2},      {"mesh_8x8", 804.5},
                                                  {"torus_8x8_fail3", 701}, {"random_24_d3_s4", 853}};
    for (const auto& [network, limit] : paired) add_all_reduce(network, limit);
    for (const std::string network :
         {"ring_8", "ring_64", "torus_4x4", "torus_8x4", "torus_8x8", "torus_4x4x4", "hypercube_8", "hypercube_64",
          "full_8", "full_32", "kautz_2_24", "switch_16"}) {
      const SynthesisOutcome o = measured({.network = network});
      add_all_reduce(network, 2 * o.found_us);
    }
  }
  void add_all_reduce(const std::string& network, double limit) {
    SynthesisCase c{.network = network, .collective = Collective::all_reduce};
    c.choice.effort = Effort::fast;
    const SynthesisOutcome fast = measured(c);
    c.choice.effort = Effort::normal;
    const SynthesisOutcome& o = measured(c);
    add(network, o,
        {std::to_string(o.npus), fixed(o.bound_us, 3), fixed(o.found_us, 3), fixed(o.ratio(), 4), fixed(limit, 3),
         short_text(o.seconds), short_text(fast.seconds), short_text(o.anchors()), o.method + proof(o),
         table_.verdict(o.found_us <= limit + 0.001, o.ratio() <= 1.03)});
  }

  void builders() {
    table_.begin("Row 8: beside the best of et-generate's other algorithms, where the corpus has its time",
                 {"network", "collective", "part", "found, us", "builder, us", "corpus, us", "builder", "verdict"});
    for (const bool small : {true, false}) {
      for (CorpusRow& row : table_of(small ? "all_gather_1KiB" : "all_gather_1MiB"))
        beside_builder(row, {.network = row["topology"], .bytes = small ? KiB : MiB}, row["beta_us"]);
    }
    for (CorpusRow& row : table_of("all_reduce_paired_1MiB"))
      beside_builder(row, {.network = row["topology"], .collective = Collective::all_reduce}, row["paired_us"]);
    for (CorpusRow& row : table_of("all_to_all_64KiB"))
      beside_builder(row, {.network = row["topology"], .collective = Collective::all_to_all, .bytes = 64 * KiB},
                     row["time_us"]);
  }
  void beside_builder(CorpusRow& row, SynthesisCase c, const std::string& corpus_us) {
    const double builder = number_of(row, "best_builder_us");
    if (builder == 0 || too_large(number_of(row, "participants"))) return;
    c.choice.effort = Effort::normal;
    const SynthesisOutcome& o = measured(c);
    add(c.network, o,
        {std::string(name(c.collective)), format_bytes(c.bytes), fixed(o.found_us, 3), fixed(builder, 3), corpus_us,
         row["best_builder"], table_.verdict(o.found_us <= builder + 0.001)});
  }

  void rooted_and_all() {
    const std::vector<std::string> columns = {"network", "NPUs", "bound, us", "found, us", "ratio",  "corpus, us",
                                              "limit",   "goal", "s",         "maker",     "verdict"};
    table_.begin("Row 11: broadcast, 64 MiB", columns);
    for (CorpusRow& row : table_of("broadcast_64MiB"))
      near_bound(row, {.network = row["topology"], .collective = Collective::broadcast, .bytes = 64 * MiB}, 1.13,
                 1.05);
    table_.begin("Row 11: all-to-all, 64 KiB from each to each", columns);
    for (CorpusRow& row : table_of("all_to_all_64KiB")) {
      const bool direct = is_direct(row["topology"]);
      near_bound(row, {.network = row["topology"], .collective = Collective::all_to_all, .bytes = 64 * KiB},
                 direct ? 1.10 : 1.33, direct ? 1.05 : 1.10);
    }
  }
  void near_bound(CorpusRow& row, const SynthesisCase& c, double limit, double goal) {
    const SynthesisOutcome& o = measured(c);
    const double builder = number_of(row, "best_builder_us", 1e9);
    add(c.network, o,
        {std::to_string(o.npus), fixed(o.bound_us, 3), fixed(o.found_us, 3), fixed(o.ratio(), 4), row["time_us"],
         fixed(limit, 2), fixed(goal, 2), short_text(o.seconds), o.method + proof(o),
         table_.verdict(o.ratio() <= limit && o.found_us <= builder, o.ratio() <= goal)});
  }

  void two_boxes() {
    table_.begin("Row 12: all-gather of TE-CCL's two boxes of V100, 62500 B each; TE-CCL: 48.75 us after 47 s",
                 {"chunks", "bound, us", "found, us", "fast, us", "ratio", "limit, us", "s", "s, fast", "limit, s",
                  "maker", "verdict"});
    for (const bool whole : {true, false}) {
      SynthesisCase c{.network = "ndv2_2", .bytes = 62'500};
      if (whole) c.choice.pieces = 1;
      c.choice.effort = Effort::fast;
      const SynthesisOutcome fast = measured(c);
      c.choice.effort = Effort::normal;
      const SynthesisOutcome& o = measured(c);
      const double limit = whole ? 46.45 : 42.76;
      add(whole ? "whole" : "split", o,
          {fixed(o.bound_us, 3), fixed(o.found_us, 3), fixed(fast.found_us, 3), fixed(o.ratio(), 4),
           fixed(limit, 2), short_text(o.seconds), short_text(fast.seconds), "0.02", o.method + proof(o),
           table_.verdict(std::max(o.found_us, fast.found_us) <= limit + 0.0005 && is_in_time(fast, 0.02))});
    }
  }

  const TableOptions& options_;
  MarkdownTable table_;
  std::map<std::string, SynthesisOutcome> outcomes_;
};

TableOptions parse(int argc, char** argv) {
  TableOptions out;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--prove") {
      out.prove = true;
      continue;
    }
    if (i + 1 == argc) throw usage_error("unknown option '" + option + "', or it needs a value");
    const std::string value = argv[++i];
    if (option == "--row") {
      out.rows.insert(value == "3" ? "2" : value);
    } else if (option == "--most-npus") {
      out.most_npus = static_cast<std::uint32_t>(std::stoul(value));
    } else if (option == "--most-seconds") {
      out.most_seconds = static_cast<unsigned>(std::stoul(value));
    } else {
      throw usage_error("unknown option '" + option + "'");
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const TableOptions options = parse(argc, argv);
    if (!std::filesystem::exists(corpus::synthesis_folder()))
      throw usage_error("no corpus at " + corpus::root().string() + "; set ETKIT_CORPUS to its folder");
    std::printf("Anchor: %s ms\n", fixed(bench::synthesis_anchor() * 1000, 3).c_str());
    return SynthesisTables(options).run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "synthesis_table: error: %s\n", e.what());
    return 2;
  }
}
