// SPDX-License-Identifier: MIT
// Speed of the graph formats compared with formatting the same text from plain records into one buffer; and of a
// validation, compared with one look at each dependency.
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/report.h"
#include "formats/format.h"
#include "formats/graphs/drawing.h"
#include "graph/graph.h"
#include "passes/validate.h"

namespace convert {
extern const Format dot_format;
extern const Format graphml_format;
}  // namespace convert

namespace {

using namespace convert;

constexpr std::uint64_t window = 40;

// Two ranks that send to each other, with a third of compute nodes: the shape of a converted algorithm.
std::vector<Trace> make_set(std::uint64_t nodes_per_rank) {
  std::vector<Trace> set(2);
  for (Rank r = 0; r < 2; ++r) {
    set[r].rank = r;
    NodeTable& t = set[r].nodes;
    for (std::uint64_t i = 0; i < nodes_per_rank; ++i) {
      const std::uint64_t what = i % 3;
      if (what == 0) {
        t.add_node(i, NodeType::comm_send, "COMM_SEND_NODE_tb3_step17");
      } else if (what == 1) {
        t.add_node(i, NodeType::comm_recv, "COMM_RECV_NODE_tb3_step17");
      } else {
        t.add_node(i, NodeType::comp, "COMP_NODE_tb3_step17");
      }
      if (i > 0) t.add_data_dep(i - 1);
      if (i > window) t.add_data_dep(i - window);
      t.add_bool(attr::is_cpu_op, false);
      if (what != 2) {
        t.add_int(attr::comm_type, Kind::int64_val, 5);
        t.add_int(what == 0 ? attr::comm_dst : attr::comm_src, Kind::int32_val, 1 - r);
        t.add_int(attr::comm_tag, Kind::int32_val, static_cast<std::int64_t>(i / 3 % 8));
        t.add_int(attr::comm_size, Kind::int64_val, 1'048'576);
      }
      for (const Name n : {attr::msg_chunk_idx, attr::tb_id, attr::src_off, attr::dst_off, attr::chunk_cnt}) {
        t.add_int(n, Kind::int32_val, static_cast<std::int64_t>(i % 97));
      }
      t.end_node();
    }
  }
  return set;
}

// Data that an ideal writer would have at hand.
struct Record {
  std::uint64_t id;
  std::uint64_t rank;
  std::string_view name;
  std::uint64_t size;
  int what;
};

std::vector<Record> records_of(const std::vector<Trace>& set) {
  std::vector<Record> out;
  for (const Trace& t : set) {
    for (const Node& n : t.nodes.nodes) {
      out.push_back({n.id, t.rank, t.nodes.name(n), 1'048'576, static_cast<int>(n.id % 3)});
    }
  }
  return out;
}

void put(std::string& out, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void put_node(std::string& out, std::uint64_t rank, std::uint64_t id) {
  out += 'r';
  put(out, rank);
  out += 'n';
  put(out, id);
}

void format_dot(const std::vector<Record>& records, std::string& out) {
  const auto edge = [&](const Record& r, std::uint64_t from) {
    out += "  ";
    put_node(out, r.rank, from);
    out += " -> ";
    put_node(out, r.rank, r.id);
    out += ";\n";
  };
  for (const Record& r : records) {
    out += "  ";
    put_node(out, r.rank, r.id);
    out += " [label=\"";
    out += r.name;
    out += "\\n";
    put(out, r.id);
    if (r.what != 2) {
      out += r.what == 0 ? "\\nto " : "\\nfrom ";
      put(out, 1 - r.rank);
      out += ", ";
      put(out, r.size >> 20);
      out += " MiB";
    }
    out += r.what == 0   ? "\" shape=trapezium fillcolor=\"#cfe5f8\"];\n"
           : r.what == 1 ? "\" shape=invtrapezium fillcolor=\"#d5efcf\"];\n"
                         : "\" shape=box fillcolor=\"#fff2b3\"];\n";
    if (r.id > 0) edge(r, r.id - 1);
    if (r.id > window) edge(r, r.id - window);
  }
  for (const Record& r : records) {
    if (r.what != 0) continue;
    out += "  ";
    put_node(out, r.rank, r.id);
    out += " -> ";
    put_node(out, 1 - r.rank, r.id + 1);
    out += " [color=\"#d62728\" penwidth=1.5];\n";
  }
}

void format_graphml(const std::vector<Record>& records, std::string& out) {
  const auto data = [&](std::string_view key, std::uint64_t value) {
    out += "<data key=\"";
    out += key;
    out += "\">";
    put(out, value);
    out += "</data>";
  };
  const auto edge = [&](std::uint64_t from_rank, std::uint64_t from, std::uint64_t to_rank, std::uint64_t to,
                        std::string_view kind) {
    out += "<edge source=\"";
    put_node(out, from_rank, from);
    out += "\" target=\"";
    put_node(out, to_rank, to);
    out += "\"><data key=\"kind\">";
    out += kind;
    out += "</data></edge>\n";
  };
  for (const Record& r : records) {
    out += "<node id=\"";
    put_node(out, r.rank, r.id);
    out += "\">";
    data("id", r.id);
    data("rank", r.rank);
    out += "<data key=\"name\">";
    out += r.name;
    out += "</data><data key=\"type\">";
    out += r.what == 0 ? "COMM_SEND_NODE" : r.what == 1 ? "COMM_RECV_NODE" : "COMP_NODE";
    out += "</data><data key=\"is_cpu_op\">false</data>";
    if (r.what != 2) {
      data(r.what == 0 ? "comm_dst" : "comm_src", 1 - r.rank);
      data("comm_tag", r.id / 3 % 8);
      data("comm_size", r.size);
    }
    out += "</node>\n";
  }
  for (const Record& r : records) {
    if (r.id > 0) edge(r.rank, r.id - 1, r.rank, r.id, "data");
    if (r.id > window) edge(r.rank, r.id - window, r.rank, r.id, "data");
  }
  for (const Record& r : records) {
    if (r.what == 0) edge(r.rank, r.id, 1 - r.rank, r.id + 1, "message");
  }
}

void measure_format(bench::Report& report, const Format& format, const std::vector<Trace>& set,
                    const std::vector<Record>& records, void (*floor)(const std::vector<Record>&, std::string&)) {
  const std::string name = std::string(format.name) + " write / formatting alone";
  if (!report.wants({name})) return;
  std::string plain;
  std::string text;
  const bench::Best best = bench::best_of_both(
      [&] {
        plain.clear();
        floor(records, plain);
      },
      [&] {
        text.clear();
        const auto output = memory_output(text);
        format.write_drawing(drawing::make_drawing(set), {}, *output);
        output->close();
      });
  // The floor lacks only head, clusters and legend.
  if (text.size() < plain.size() || text.size() > plain.size() + 4096) {
    throw Error("the floor formats " + std::to_string(plain.size()) + " bytes, " + name + " " +
                std::to_string(text.size()));
  }
  report.add_time(name, "node", static_cast<double>(records.size()), best, bench::times_floor(3));
}

// The work of et-validate on a set in memory.
void validate(const std::vector<Trace>& set) {
  Diagnostics diagnostics;
  std::vector<TraceSummary> summaries;
  for (const Trace& t : set) {
    check_trace(t, RuleSet::all(), diagnostics);
    summaries.push_back(summarise(t));
  }
  check_set(summaries, RuleSet::all(), diagnostics);
  bench::check(diagnostics);
}

// `work` compared with finding the node of each dependency in a table by id.
template <typename Work>
void measure_part(bench::Report& report, const std::string& name, const std::vector<Trace>& set, double limit,
                  const Work& work) {
  if (!report.wants({name})) return;
  std::uint64_t sum = 0;
  double nodes = 0;
  for (const Trace& t : set) nodes += static_cast<double>(t.nodes.nodes.size());
  const bench::Best best = bench::best_of_both(
      [&] {
        for (const Trace& t : set) {
          std::vector<std::uint32_t> children(t.nodes.nodes.size());
          for (const Node& n : t.nodes.nodes) {
            for (const NodeId id : t.nodes.data_deps(n)) ++children[id];
          }
          sum += children.front();
        }
      },
      work);
  if (sum == 0) std::abort();  // prevents the compiler from removing the work
  report.add_time(name, "node", nodes, best, bench::at_most(limit));
}

void measure(bench::Report& report) {
  const std::uint64_t nodes = report.smoke ? 6000 : 1'000'000;
  const std::vector<Trace> set = make_set(nodes / 2 / 3 * 3);  // whole steps, so that each send has its receive
  const std::vector<Record> records = records_of(set);
  measure_format(report, dot_format, set, records, format_dot);
  measure_format(report, graphml_format, set, records, format_graphml);
  measure_part(report, "dependency graph / counting children", set, 100, [&] {
    for (const Trace& t : set) (void)build_graph(t.nodes);
  });
  measure_part(report, "validation / counting children", set, 200, [&] { validate(set); });
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
