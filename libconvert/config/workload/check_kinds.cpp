// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "config/workload/kinds.h"
#include "core/words.h"

namespace convert {
namespace {

double as_real(std::int64_t n) { return static_cast<double>(n); }

// Rejects sizes whose sums would overflow: parameters of the model, operations of a rank in a step.
void check_sizes(double parameters, double operations) {
  constexpr double most_parameters = 1e16, most_operations = 1e17;  // products a few times larger still fit
  if (parameters <= most_parameters && operations <= most_operations) return;
  throw usage_error("the sizes of " + std::string(parameters > most_parameters ? "model" : "model and run") +
                    " are too large: numbers of bytes or operations would not fit into 63 bits");
}

// Rejects workloads with too many nodes. `layers_text` names the keys that give `layers`.
void check_steps(const Workload& w, const std::string& layers_text, double layers) {
  constexpr std::int64_t most_layers = std::int64_t{1} << 19U;
  if (layers * as_real(w.step.micro_batches) * as_real(w.step.iterations) <= as_real(most_layers)) return;
  throw usage_error(named("run.micro_batches", w.step.micro_batches) +
                    (w.step.iterations > 1 ? " × " + named("run.iterations", w.step.iterations) : "") + " × " +
                    layers_text + " is more than " + std::to_string(most_layers));
}

}  // namespace

void check_mlp(const Workload& w) {
  const std::vector<std::int64_t>& widths = w.mlp.widths;
  if (widths.size() < 2)
    throw usage_error("model.widths has " + std::to_string(widths.size()) +
                      " numbers; at least 2 are required: the input and one layer");
  check_steps(w, "the " + std::to_string(widths.size()) + " of model.widths", as_real(std::ssize(widths)));
  for (std::size_t i = 1; i < widths.size(); ++i) divides("plan.tensor", w.plan.tensor, "model.widths", widths[i]);
  const double widest = as_real(*std::ranges::max_element(widths)), layers = as_real(std::ssize(widths));
  check_sizes(widest * widest * layers, as_real(w.step.micro_batch) * widest * (widest + layers));
}

std::int64_t DlrmShape::cuts(std::int64_t ranks, Deal deal) const {
  const std::int64_t count = std::ssize(tables);
  for (std::int64_t k = 1; k <= std::min(dim, ranks); ++k) {
    if (dim % k == 0 && count * k >= ranks && (deal == Deal::bytes || count * k % ranks == 0)) return k;
  }
  return 0;
}

namespace {

// Returns the next smaller and larger numbers of ranks, within some distance, among which the tables can be
// divided.
std::string near_ranks(const DlrmShape& m, const ParallelPlan& plan) {
  constexpr std::int64_t most_steps = std::int64_t{1} << 22U;
  const std::int64_t most = std::ssize(m.tables) * m.dim, from = std::min(plan.data, most + 1);
  const std::int64_t farthest = std::min<std::int64_t>(1024, most_steps / std::min(m.dim, from));
  std::vector<std::string> out;
  for (const std::int64_t by : {-1, 1}) {
    for (std::int64_t n = from + by; n > 0 && n <= most && std::abs(n - from) <= farthest; n += by) {
      if (m.cuts(n, plan.deal) == 0) continue;
      out.push_back(std::to_string(n));
      break;
    }
  }
  return out.empty() ? "" : "; possible numbers: " + join(out, " or ");
}

}  // namespace

void check_dlrm(const Workload& w) {
  const DlrmShape& m = w.dlrm;
  if (m.tables.empty()) throw usage_error("model.tables is not given");
  if (m.top.empty()) throw usage_error("model.top is not given");
  if (m.bottom.size() < 2)
    throw usage_error("model.bottom has " + std::to_string(m.bottom.size()) +
                      " numbers; at least 2 are required: the input and one layer");
  if (m.bottom.back() != m.dim)
    throw usage_error("model.bottom ends with " + std::to_string(m.bottom.back()) + ", not with " +
                      named("model.dim", m.dim));
  if (m.cuts(w.plan.data, w.plan.deal) == 0)
    throw usage_error(named("plan.data", w.plan.data) + ": " + std::to_string(m.tables.size()) +
                      " model.tables of " + named("model.dim", m.dim) +
                      " columns cannot be divided among this number of ranks" +
                      (w.plan.deal == Deal::count ? " with plan.deal count" : "") + near_ranks(m, w.plan));
  check_steps(w, "the " + std::to_string(m.bottom.size() + m.top.size()) + " of model.bottom and model.top",
              as_real(std::ssize(m.bottom) + std::ssize(m.top)));
  const double tables = as_real(std::ssize(m.tables)), dim = as_real(m.dim);
  double rows = 0;
  for (const std::int64_t n : m.tables) rows += as_real(n);
  const double widest = std::max({as_real(*std::ranges::max_element(m.bottom)),
                                  as_real(*std::ranges::max_element(m.top)), tables * tables + dim});
  const double matrices = widest * widest * as_real(std::ssize(m.bottom) + std::ssize(m.top));
  check_sizes(rows * dim + matrices, as_real(w.step.micro_batch) *
                                         (matrices + tables * tables * dim + tables * dim * as_real(w.plan.data)));
}

void check_resnet(const Workload& w) {
  constexpr std::size_t most_groups = 12;  // each group has twice as many channels as the previous one
  const std::vector<std::int64_t>& blocks = w.image.blocks;
  if (blocks.empty() || blocks.size() > most_groups)
    throw usage_error("model.blocks has " + std::to_string(blocks.size()) + " numbers; expected 1 to " +
                      std::to_string(most_groups) + ", such as 3,4,6,3");
  double all = 0;
  for (const std::int64_t n : blocks) all += as_real(n);
  check_steps(w, "the sum of model.blocks", all);
  const double channels = as_real(std::int64_t{256} << (blocks.size() - 1)), side = as_real(w.image.image);
  const double classes = channels * as_real(w.image.classes);
  // The channels grow as the pictures shrink, except for the last pixel.
  check_sizes(
      all * 2 * channels * channels + classes,
      as_real(w.step.micro_batch) * (all * (1 << 16) * side * side + all * 2 * channels * channels + classes));
}

void check_vit(const Workload& w) {
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, std::int64_t>>{{"model.layers", w.model.layers},
                                                                   {"model.hidden", w.model.hidden},
                                                                   {"model.heads", w.model.heads},
                                                                   {"model.ffn", w.model.ffn},
                                                                   {"model.patch", w.image.patch}}) {
    if (value < 1) throw usage_error(std::string(key) + " is not given");
  }
  divides("model.heads", w.model.heads, "model.hidden", w.model.hidden);
  divides("model.patch", w.image.patch, "model.image", w.image.image);
  check_steps(w, named("model.layers", w.model.layers), as_real(w.model.layers));
  const double h = as_real(w.model.hidden), side = as_real(w.image.image / w.image.patch), tokens = side * side + 1;
  const double ends = h * (3 * as_real(w.image.patch) * as_real(w.image.patch) + tokens + as_real(w.image.classes));
  const double layer = h * (4 * h + 2 * as_real(w.model.ffn));
  check_sizes(as_real(w.model.layers) * layer + ends,
              as_real(w.step.micro_batch) * tokens * (layer + tokens * h + ends));
}

}  // namespace convert
