// SPDX-License-Identifier: MIT
// Compressed streams and archives: reads every byte of every member.
#include <cstdint>
#include <string>

#include "fuzzer.h"
#include "io/archive.h"
#include "io/compression.h"
#include "io/input.h"
#include "trace_fuzzing.h"

FUZZER(tar) {
  using namespace convert;
  constexpr std::size_t enough = std::size_t{1} << 24U;  // bytes that a small file may decompress to
  fuzzing::may_refuse([&] {
    const auto input = decompressed(memory_input("fuzz.tar", {reinterpret_cast<const char*>(data), size}));
    (void)looks_like_tar(input->peek(512));
    TarReader tar(*input);
    std::size_t total = 0;
    while (Input* member = tar.next()) {
      (void)tar.member_name();
      while (!member->at_end() && total < enough) {
        const std::size_t n = member->peek(4096).size();
        member->skip(n);
        total += n;
      }
      if (total >= enough) return;
    }
  });
  return 0;
}
