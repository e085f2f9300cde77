// SPDX-License-Identifier: MIT
#include <algorithm>

#include "config/workload/kinds.h"

namespace convert {
namespace {

constexpr double most_of_a_sum = 1e18;  // of bytes or operations, which must fit into 63 bits

[[noreturn]] void refuse_size(const char* what) {
  throw usage_error(std::string("the sizes of ") + what +
                    " are too large: numbers of bytes or operations would not fit into 63 bits");
}

void check_steps(const Workload& w, std::string_view key, std::size_t layers) {
  constexpr std::int64_t most_layers = std::int64_t{1} << 19U;
  const double all = static_cast<double>(layers) * static_cast<double>(w.step.micro_batches) *
                     static_cast<double>(w.step.iterations);
  if (all > static_cast<double>(most_layers))
    throw usage_error(named("run.micro_batches", w.step.micro_batches) +
                      (w.step.iterations > 1 ? " × " + named("run.iterations", w.step.iterations) : "") +
                      " × the " + std::to_string(layers) + " of " + std::string(key) + " is more than " +
                      std::to_string(most_layers));
}

}  // namespace

void check_mlp(const Workload& w) {
  const std::vector<std::int64_t>& widths = w.mlp.widths;
  if (widths.size() < 2)
    throw usage_error("model.widths has " + std::to_string(widths.size()) +
                      " numbers: those of the input and of a layer are the least");
  check_steps(w, "model.widths", widths.size());
  for (std::size_t i = 1; i < widths.size(); ++i) divides("plan.tensor", w.plan.tensor, "model.widths", widths[i]);
  const auto widest = static_cast<double>(*std::ranges::max_element(widths));
  const auto layers = static_cast<double>(widths.size());
  if (widest * widest * layers > most_of_a_sum / 100) refuse_size("model");
  if (static_cast<double>(w.step.micro_batch) * widest * std::max(widest, layers) > most_of_a_sum / 100)
    refuse_size("model and run");
}

}  // namespace convert
