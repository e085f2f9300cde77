// SPDX-License-Identifier: MIT
// Master traces: what is read is written and reads back as the same ranks. Other input is the sections of one, with
// "|#|" between them: what is compressed and summed up hides its parts from a fuzzer.
#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/chakra/stream.h"
#include "formats/master/layout.h"
#include "formats/master/master.h"
#include "fuzzer.h"
#include "sets/classes/stand_ins.h"
#include "trace_fuzzing.h"

namespace {

std::string file_of_sections(std::string_view rest) {
  using namespace convert;
  std::string file;
  const auto out = memory_output(file);
  blocks::Writer writer(*out, master_file::kind);
  for (const char* name : {"texts", "shapes", "classes", "order", "groups"}) {
    const std::size_t end = rest.find("|#|");
    writer.block(name, 1, rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 3);
  }
  writer.finish();
  out->close();
  return file;
}

}  // namespace

FUZZER(master) {
  using namespace convert;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with(master_file::kind.magic)) bytes = file_of_sections(bytes);
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
