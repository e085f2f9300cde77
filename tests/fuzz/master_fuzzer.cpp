// SPDX-License-Identifier: MIT
// Master traces: what is read is written and reads back as the same ranks.
#include <cstdint>
#include <string>

#include "formats/chakra/stream.h"
#include "formats/master/master.h"
#include "fuzzer.h"
#include "trace_fuzzing.h"

FUZZER(master) {
  using namespace convert;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = [](std::string_view from) {
    const auto input = memory_input("f", from);
    return read_master(*input);
  };
  const auto ranks_of = [](const MasterSet& set) {
    constexpr std::uint64_t most_ranks = 50, most_nodes = 5000;
    std::string out = set.groups;
    ChakraEncoder encoder;
    for (std::uint64_t i = 0; i < std::min(set.ranks(), most_ranks) && out.size() < most_nodes * 100; ++i) {
      Trace t = set.head(set.place(i), "f");
      set.nodes(set.place(i), "f", t.nodes);
      out += std::to_string(t.rank) + ' ';
      encoder.metadata(t.metadata, out);
      encoder.nodes(t.nodes, out);
    }
    return out;
  };
  fuzzing::may_refuse([&] {
    const MasterSet set = read(bytes);
    std::string again;
    const auto out = memory_output(again);
    write_master(set, *out);
    out->close();
    fuzzing::check(ranks_of(read(again)) == ranks_of(set), "a master trace reads back differently");
  });
  return 0;
}
