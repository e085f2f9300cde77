// SPDX-License-Identifier: MIT
#include "generate/sizes.h"

#include "generate/write.h"

namespace tools {

using namespace convert;

void check_sizes(const GenerateOptions& o) {
  for (std::size_t i = 0; i < o.sizes.size(); ++i) {
    if (o.sizes[i] == 0) throw usage_error("--size 0: nothing is transferred; give at least 1 byte");
    if (i > 0 && o.sizes[i] <= o.sizes[i - 1])
      throw usage_error("--size requires ascending sizes; " + std::to_string(o.sizes[i]) + " follows " +
                        std::to_string(o.sizes[i - 1]));
  }
}

void check_files_of_sizes(const GenerateOptions& o) {
  if (o.sizes.size() > 1 && o.output.to_stdout())
    throw usage_error("several sizes require several files; give -o NAME, to which numbers are added");
}

GenerateOptions options_of_size(const GenerateOptions& o, std::size_t i) {
  GenerateOptions own = o;
  if (o.sizes.size() > 1) own.output.path = numbered_path(*o.output.path, i);
  own.sizes = {o.sizes[i]};
  own.largest_call =
      i + 1 < o.sizes.size() ? calls_between(o.sizes[i], o.sizes[i + 1], 1) : calls_around(o.sizes[i]).max;
  return own;
}

SizedCalls calls_of_size(const GenerateOptions& o, std::size_t i, std::int64_t begin, std::int32_t chunks,
                         const RuntimeLimits* target) {
  SizedCalls calls{.range = calls_around(o.sizes[i])};
  if (i > 0) calls.range.min = begin;
  const bool below = target == &msccl_limits;  // MSCCL compares with <, the others with <=
  if (below && calls.range.max == 0) calls.range.max = INT64_MAX;
  if (i + 1 == o.sizes.size()) return calls;
  calls.end = calls_between(o.sizes[i], o.sizes[i + 1], chunks);
  calls.range.max = below ? calls.end : calls.end - 1;
  return calls;
}

}  // namespace tools
