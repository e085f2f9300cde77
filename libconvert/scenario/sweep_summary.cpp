// SPDX-License-Identifier: MIT
#include "scenario/sweep_summary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/diagnostic.h"
#include "scenario/sweep_run.h"

namespace convert {
namespace {

// Returns the total time of a run; nothing if it is not complete.
std::optional<double> total_ns(const SweepPlan& plan, const SweepTable& table, std::size_t run) {
  const std::vector<std::string>& cells = table.cells(run);
  const std::size_t status = plan.axes().size();
  if (cells.size() < status + sweep_result_columns().size() || cells[status] != "complete") return std::nullopt;
  const std::string& text = cells[status + 1];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> slowdown(const SweepPlan& plan, const SweepTable& table, const SweepReference& reference,
                               std::size_t run) {
  const auto own = total_ns(plan, table, run);
  const auto other = total_ns(plan, table, plan.moved(run, reference.axis, reference.value));
  if (!own || !other || *other == 0) return std::nullopt;
  return *own / *other;
}

// Returns the quantities of an axis, if all its values are quantities of one unit.
std::optional<std::vector<Quantity>> quantities(const SweepSetting& axis) {
  std::vector<Quantity> all;
  for (const SweepValue& v : axis.values) {
    const std::optional<Quantity> q = quantity(axis.key, v.text);
    if (!q || (!all.empty() && q->unit != all.front().unit)) return std::nullopt;
    all.push_back(*q);
  }
  return all;
}

std::size_t lines_of(const SweepPlan& plan) { return plan.size() / plan.axes()[plot_axis(plan)].values.size(); }

// Values of an axis without their common beginnings and ends: folders, suffixes, and elements between commas.
struct ShortValues {
  std::string key;  // "network", "network (nets/….yml)"
  std::vector<std::string> values;
};

// Returns the length of the common beginning, up to and including a '/' or ','.
std::size_t common_head(const std::vector<std::string>& all) {
  std::size_t length = all.front().size();
  for (const std::string& v : all) {
    const auto [at, unused] = std::mismatch(v.begin(), v.end(), all.front().begin(), all.front().end());
    length = std::min(length, static_cast<std::size_t>(at - v.begin()));
  }
  return all.front().substr(0, length).find_last_of("/,") + 1;
}
// Returns the length of the common end, from a '.' or ',', without the first `head` characters of each value.
std::size_t common_tail(const std::vector<std::string>& all, std::size_t head) {
  std::size_t length = all.front().size() - head;
  for (const std::string& v : all) {
    const auto [at, unused] = std::mismatch(v.rbegin(), v.rend(), all.front().rbegin(), all.front().rend());
    length = std::min({length, v.size() - head, static_cast<std::size_t>(at - v.rbegin())});
  }
  const std::string tail = all.front().substr(all.front().size() - length);
  const std::size_t begin = tail.find_first_of(".,");
  return begin == std::string::npos ? 0 : tail.size() - begin;
}

ShortValues shortened(const SweepSetting& axis) {
  ShortValues out{axis.key, {}};
  for (const SweepValue& v : axis.values) out.values.push_back(v.text);
  if (quantities(axis)) return out;
  const std::size_t head = common_head(out.values);
  const std::size_t tail = common_tail(out.values, head);
  const bool any_empty = std::any_of(out.values.begin(), out.values.end(),
                                     [&](const std::string& v) { return v.size() <= head + tail; });
  if (head + tail == 0 || any_empty) return out;
  const std::string& first = out.values.front();
  out.key += " (" + first.substr(0, head) + "…" + first.substr(first.size() - tail) + ")";
  for (std::string& v : out.values) v = v.substr(head, v.size() - head - tail);
  return out;
}

// Returns the axes that distinguish the lines: all axes with several values, except `without`.
std::vector<std::pair<std::size_t, ShortValues>> apart(const SweepPlan& plan, std::size_t without) {
  std::vector<std::pair<std::size_t, ShortValues>> axes;
  for (std::size_t a = 0; a < plan.axes().size(); ++a) {
    if (a != without && plan.axes()[a].values.size() > 1) axes.emplace_back(a, shortened(plan.axes()[a]));
  }
  return axes;
}

// Returns the settings that all runs share, as a title: traces, network, and axes of one value.
std::string title_of(const SweepPlan& plan, std::size_t without) {
  const auto name = [](const std::string& path) {
    return is_short_network(path) ? path : path.substr(path.rfind('/') + 1);
  };
  const std::optional<std::string> network = plan.common("network");
  std::string title = name(plan.common("workload").value_or(""));
  if (title == "-") title = "standard input";
  if (network) title += (title.empty() ? "" : " on ") + name(*network);
  for (std::size_t a = 0; a < plan.axes().size(); ++a) {
    const SweepSetting& axis = plan.axes()[a];
    if (a != without && axis.values.size() == 1 && axis.key != "workload" && axis.key != "network")
      title += (title.empty() ? "" : ", ") + axis.key + " " + axis.values[0].text;
  }
  return title;
}

}  // namespace

SweepReference parse_sweep_reference(const SweepPlan& plan, const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string key = text.substr(0, equals);
  for (std::size_t a = 0; a < plan.axes().size(); ++a) {
    if (plan.axes()[a].key != key) continue;
    const std::vector<SweepValue>& values = plan.axes()[a].values;
    for (std::size_t v = 0; v < values.size() && equals < text.size(); ++v) {
      if (values[v].text == usual_value(key, text.substr(equals + 1))) return {a, v};
    }
    throw usage_error("--relative-to " + text + ": " + key + " has no such value in this sweep");
  }
  throw usage_error("--relative-to " + text + ": expected KEY=VALUE of an axis of the sweep");
}

std::vector<std::string> slowdowns(const SweepPlan& plan, const SweepTable& table,
                                   const SweepReference& reference) {
  std::vector<std::string> cells(plan.size());
  for (std::size_t run = 0; run < plan.size(); ++run) {
    const auto value = slowdown(plan, table, reference, run);
    if (!value) continue;
    constexpr int decimals = 6;
    std::array<char, 400> buffer{};
    cells[run].assign(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), *value,
                                                   std::chars_format::fixed, decimals)
                                         .ptr);
  }
  return cells;
}

std::size_t plot_axis(const SweepPlan& plan) {
  std::optional<std::size_t> first;
  for (std::size_t a = 0; a < plan.axes().size(); ++a) {
    if (plan.axes()[a].values.size() < 2) continue;
    if (quantities(plan.axes()[a])) return a;
    first = first.value_or(a);
  }
  return first.value_or(0);
}

void check_sweep_plot(const SweepPlan& plan) {
  if (const std::size_t lines = lines_of(plan); lines > max_plot_lines) {
    throw usage_error("the plot would have " + std::to_string(lines) + " lines, more than " +
                      std::to_string(max_plot_lines) + "; sweep fewer values at once");
  }
}

Plot plot_sweep(const SweepPlan& plan, const SweepTable& table, const std::optional<SweepReference>& reference) {
  const std::size_t axis = plot_axis(plan);
  const SweepSetting& x = plan.axes()[axis];
  const auto numbers = quantities(x);
  const auto y_of = [&](std::size_t run) {
    return reference ? slowdown(plan, table, *reference, run) : total_ns(plan, table, run);
  };
  Plot plot{.title = title_of(plan, axis), .x = {.label = x.key}, .y = {}, .lines = {}};
  if (numbers) plot.x.unit = numbers->front().unit;
  if (!numbers) {
    const ShortValues values = shortened(x);
    plot.x.label = values.key;
    plot.x.categories = values.values;
  }
  for (std::size_t v = 0; numbers && v < x.values.size(); ++v) plot.x.marks.push_back((*numbers)[v].value);
  std::sort(plot.x.marks.begin(), plot.x.marks.end());
  plot.y = {.label = "total time", .unit = ValueUnit::ns};
  if (reference) {
    const SweepSetting& of = plan.axes()[reference->axis];
    plot.y = {.label = "slowdown relative to " + of.key + " " + of.values[reference->value].text,
              .unit = ValueUnit::factor};
  }
  const auto differ = apart(plan, axis);
  for (const auto& [a, values] : differ) plot.legend += (plot.legend.empty() ? "" : ", ") + values.key;
  for (std::size_t first = 0; first < plan.size(); ++first) {
    if (plan.value_index(first, axis) != 0) continue;
    PlotLine line;
    for (const auto& [a, values] : differ)
      line.label += (line.label.empty() ? "" : ", ") + values.values[plan.value_index(first, a)];
    for (std::size_t v = 0; v < x.values.size(); ++v) {
      const auto y = y_of(plan.moved(first, axis, v));
      if (!y) continue;
      line.points.emplace_back(numbers ? (*numbers)[v].value : static_cast<double>(v), *y);
    }
    std::sort(line.points.begin(), line.points.end());
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

}  // namespace convert
