// SPDX-License-Identifier: MIT
// MSCCL-IR: whatever is read can be written and read again.
#include <cstdint>
#include <string>

#include "formats/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convert;
  const Format& msccl = find_format("msccl");
  const auto read = [&](std::string_view bytes) {
    const auto input = memory_input("fuzz.xml", bytes);
    const FormatOptions options;
    Diagnostics diagnostics;
    return msccl.read_algorithm({*input, std::nullopt, options, diagnostics});
  };
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)msccl.sniff(bytes.substr(0, 4096));
  try {
    const Algorithm algorithm = read(bytes);
    if (msccl.write_algorithm == nullptr) return 0;
    std::string out;
    msccl.write_algorithm(algorithm, {}, out);
    (void)read(out);
  } catch (const Error&) {
  }
  return 0;
}
