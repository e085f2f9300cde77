// SPDX-License-Identifier: MIT
#include "analyze/diff/times.h"

#include <algorithm>
#include <cmath>

namespace convert {
namespace {

constexpr std::uint64_t least_occurrences = 8;

double difference(const NameTimes::Row& r) {
  return static_cast<double>(r.b.sum_ps.get()) - static_cast<double>(r.a.sum_ps.get());
}

}  // namespace

void NameTimes::Times::add(Picoseconds time) {
  ++count;
  sum_ps.add(time);
  const double off = static_cast<double>(time) - mean_ps;
  mean_ps += off / static_cast<double>(count);
  squares_ps2 += off * (static_cast<double>(time) - mean_ps);
}

void NameTimes::Times::append(const Times& other) {
  if (other.count == 0) return;
  const auto n = static_cast<double>(count), m = static_cast<double>(other.count);
  const double off = other.mean_ps - mean_ps;
  squares_ps2 += other.squares_ps2 + off * off * n * m / (n + m);
  mean_ps += off * m / (n + m);
  count += other.count;
  sum_ps.add(other.sum_ps);
}

NameTimes::Row& NameTimes::row(std::string_view name) {
  const std::uint32_t number = names_.add(name);
  if (number == rows_.size()) rows_.emplace_back();
  return rows_[number];
}

void NameTimes::add(Side side, std::string_view name, Picoseconds time) {
  Row& r = row(name);
  (side == Side::a ? r.a : r.b).add(time);
}

void NameTimes::add_path(Side side, std::string_view name, Picoseconds time) {
  Row& r = row(name);
  (side == Side::a ? r.path_a_ps : r.path_b_ps).add(time);
}

void NameTimes::append(NameTimes&& other) {
  if (rows_.empty()) {
    *this = std::move(other);
    return;
  }
  for (std::uint32_t i = 0; i < other.rows_.size(); ++i) {
    const Row& from = other.rows_[i];
    if (from.a.count + from.b.count == 0 && from.path_a_ps.get() == 0 && from.path_b_ps.get() == 0) continue;
    Row& to = row(other.names_[i]);
    to.a.append(from.a);
    to.b.append(from.b);
    to.path_a_ps.add(from.path_a_ps);
    to.path_b_ps.add(from.path_b_ps);
  }
}

std::vector<NameTimes::Row> NameTimes::rows() const {
  std::vector<Row> out;
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    const Row& r = rows_[i];
    const bool on_path = r.path_a_ps.get() != r.path_b_ps.get();
    if (r.a.sum_ps.get() == r.b.sum_ps.get() && r.a.count == r.b.count && !on_path) continue;
    out.push_back(r);
    out.back().name = names_[i];
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Row& x, const Row& y) { return std::fabs(difference(x)) > std::fabs(difference(y)); });
  return out;
}

Picoseconds NameTimes::sum(Side side) const {
  Sum sum;
  for (const Row& r : rows_) sum.add(side == Side::a ? r.a.sum_ps : r.b.sum_ps);
  return sum.get();
}

bool significant(const NameTimes::Times& a, const NameTimes::Times& b) {
  if (std::min(a.count, b.count) < least_occurrences) return false;
  const double error =
      std::sqrt(a.variance() / static_cast<double>(a.count) + b.variance() / static_cast<double>(b.count));
  return std::fabs(b.mean_ps - a.mean_ps) > 2 * error;
}

std::string_view clear_text(const NameTimes::Times& a, const NameTimes::Times& b) {
  if (std::min(a.count, b.count) < least_occurrences) return "too few";
  return significant(a, b) ? "yes" : "no";
}

Table NameTimes::table(bool path) const {
  Table t{
      .key = "times",
      .title =
          "times by name (clear: A and B have at least 8 nodes each, and their means differ by more than twice the "
          "standard error of the difference)",
      .columns = {{"name", "name", Unit::text},
                  {"count_a", "count A", Unit::count},
                  {"count_b", "count B", Unit::count},
                  {"sum_a", "sum A", Unit::time},
                  {"sum_b", "sum B", Unit::time},
                  {"difference", "difference", Unit::time},
                  {"difference", "of A", Unit::share},
                  {"clear", "clear", Unit::text}},
      .more = "names"};
  if (path) t.columns.push_back({"path_difference", "on the critical path", Unit::time});
  for (const Row& r : rows()) {
    const std::int64_t a = r.a.sum_ps.get(), b = r.b.sum_ps.get();
    const std::int64_t on_path = r.path_b_ps.get() - r.path_a_ps.get();
    std::vector<Value> row = {std::string(r.name),
                              value_of(r.a.count),
                              value_of(r.b.count),
                              a,
                              b,
                              b - a,
                              share_of(b - a, a),
                              std::string(clear_text(r.a, r.b))};
    if (path) row.emplace_back(on_path);
    t.rows.push_back(std::move(row));
  }
  return t;
}

}  // namespace convert
