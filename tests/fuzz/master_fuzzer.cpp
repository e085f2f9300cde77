// SPDX-License-Identifier: MIT
// Class-compressed sets, or their sections: the result is written and reads back as the same ranks.
#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/chakra/stream.h"
#include "formats/master/master.h"
#include "fuzzer.h"
#include "master_fuzzing.h"
#include "sets/classes/stand_ins.h"
#include "trace_fuzzing.h"

FUZZER(master) {
  using namespace convert;
  const std::string bytes = fuzzing::master_of_input({reinterpret_cast<const char*>(data), size});
  const auto read = [](std::string_view from) {
    const auto input = memory_input("f", from);
    return read_master(*input);
  };
  const auto ranks_of = [](const MasterSet& set) {
    constexpr std::uint64_t most_ranks = 50, most_nodes = 5000;
    std::string out = set.groups, own, of_stand_in;
    ChakraEncoder encoder;
    const StandIns stand_ins(set, "f");
    for (std::uint64_t i = 0; i < std::min(set.ranks(), most_ranks) && out.size() < most_nodes * 100; ++i) {
      Trace t = set.head(set.place(i), "f");
      set.nodes(set.place(i), "f", t.nodes);
      out += std::to_string(t.rank) + ' ';
      encoder.metadata(t.metadata, out);
      own.clear();
      encoder.nodes(t.nodes, own);
      out += own;
      const StandIns::Place place = stand_ins.place(i);
      t = stand_ins.read(place.stand_in);
      stand_ins.become(place, t);
      of_stand_in.clear();
      encoder.nodes(t.nodes, of_stand_in);
      fuzzing::check(of_stand_in == own, "a stand-in does not become its rank");
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
