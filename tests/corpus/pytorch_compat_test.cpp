// SPDX-License-Identifier: MIT
// --compat chakra: the output of MLCommons Chakra's trace_link and converter for each input, byte for byte, except
// sync_dep, which the reference's converter ignores.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "corpus.h"
#include "formats/chakra/stream.h"
#include "formats/format.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/pytorch.h"
#include "passes/compat/convert.h"
#include "passes/compat/link.h"

namespace convert {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// The position of the first difference; empty if there is no difference.
std::string difference(const element& a, const element& b, const std::string& place) {
  if (a.type() != b.type()) return place + " is of another type";
  switch (a.type()) {
    case element_type::OBJECT: {
      const simdjson::dom::object x = a.get_object(), y = b.get_object();
      for (const auto& [key, value] : y) {
        if (key == "sync_dep") continue;
        element other;
        const std::string at = place + "/" + std::string(key);
        if (x.at_key(key).get(other) != simdjson::SUCCESS) return at + " is missing";
        std::string found = difference(other, value, at);
        if (!found.empty()) return found;
      }
      for (const auto& [key, value] : x) {
        element other;
        if (y.at_key(key).get(other) != simdjson::SUCCESS) return place + "/" + std::string(key) + " is too much";
      }
      return {};
    }
    case element_type::ARRAY: {
      const simdjson::dom::array x = a.get_array(), y = b.get_array();
      auto i = x.begin();
      std::size_t n = 0;
      for (const element& value : y) {
        const std::string at = place + "/" + std::to_string(n++);
        if (!(i != x.end())) return at + " is missing";
        std::string found = difference(*i, value, at);
        if (!found.empty()) return found;
        ++i;
      }
      return i != x.end() ? place + " is too long" : "";
    }
    case element_type::INT64: return a.get_int64().value() == b.get_int64().value() ? "" : place;
    case element_type::UINT64: return a.get_uint64().value() == b.get_uint64().value() ? "" : place;
    case element_type::DOUBLE: return a.get_double().value() == b.get_double().value() ? "" : place;
    case element_type::STRING: return a.get_string().value() == b.get_string().value() ? "" : place;
    case element_type::BOOL: return a.get_bool().value() == b.get_bool().value() ? "" : place;
    case element_type::NULL_VALUE: return {};
  }
  return place;
}

std::string json_difference(const std::string& ours, const std::string& expected) {
  simdjson::dom::parser parser_a, parser_b;
  return difference(parser_a.parse(ours), parser_b.parse(expected), "");
}

std::filesystem::path folder(const char* name) { return corpus::root() / "pytorch" / name; }

// PATH or PATH.gz; empty if neither exists.
std::string file(const std::filesystem::path& path) {
  for (const std::string& name : {path.string(), path.string() + ".gz"}) {
    if (std::filesystem::exists(name)) return name;
  }
  return {};
}

struct Case {
  std::string name;
  std::string host, device, linked, et;  // paths; without a device trace, the host trace is converted alone
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const auto& entry : std::filesystem::directory_iterator(folder("expected"))) {
    Case c;
    c.name = entry.path().filename().string();
    c.et = file(entry.path() / "out.et");
    if (c.et.empty()) continue;  // a trace for the feeder
    c.linked = file(entry.path() / "linked.json");
    std::string input = c.name.substr(0, c.name.find("_nohta"));
    std::string rank = "0";
    if (input.starts_with("syn_4rank")) {
      rank = input.substr(input.size() - 1);
      input.resize(input.size() - 3);
    }
    c.host = file(folder("inputs") / input / ("host_" + rank + ".json"));
    c.device = file(folder("inputs") / input / ("kineto_" + rank + ".json"));
    result.push_back(std::move(c));
  }
  std::sort(result.begin(), result.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return result;
}

std::string read_all(const std::string& path) { return open_input(path)->read_rest(simdjson::SIMDJSON_PADDING); }

Trace link(const Case& c) {
  const auto host = open_input(c.host);
  Diagnostics diagnostics;
  Trace trace = read_pytorch(*host, 0, diagnostics);
  if (c.device.empty()) return trace;
  const auto device = open_input(c.device);
  return link_like_reference(std::move(trace), read_kineto(*device, diagnostics));
}

std::string linked_json(const Trace& trace) {
  const auto writer = find_format("linked").write(FormatOptions());
  std::string out;
  writer->begin_set(false, out);
  writer->begin_rank(trace, 0, false, out);
  writer->nodes(trace, out);
  writer->end_rank(out);
  writer->end_set(false, out);
  return out;
}

std::string encode(const Trace& trace) {
  std::string out;
  ChakraEncoder encoder;
  encoder.metadata(trace.metadata, out);
  encoder.nodes(trace.nodes, out);
  return out;
}

TEST(PytorchCompat, TracesAreThoseOfTheReference) {
  REQUIRE_CORPUS();
  std::size_t linked = 0, converted = 0;
  for (const Case& c : cases()) {
    Trace trace = link(c);
    EXPECT_EQ(c.linked.empty(), c.device.empty()) << c.name;
    if (!c.linked.empty()) {
      EXPECT_EQ(json_difference(linked_json(trace), read_all(c.linked)), "") << c.name;
      ++linked;
    }
    EXPECT_TRUE(encode(convert_like_reference(std::move(trace))) == read_all(c.et)) << c.name;
    ++converted;
  }
  EXPECT_EQ(linked, 14U);
  EXPECT_EQ(converted, 20U);
}

TEST(PytorchCompat, LinkedTracesOfTheReferenceAreConvertedAlike) {
  REQUIRE_CORPUS();
  std::size_t converted = 0;
  for (const Case& c : cases()) {
    if (c.linked.empty()) continue;
    const auto input = open_input(c.linked);
    Diagnostics diagnostics;
    EXPECT_TRUE(encode(convert_like_reference(read_pytorch(*input, 0, diagnostics))) == read_all(c.et)) << c.name;
    ++converted;
  }
  EXPECT_EQ(converted, 14U);
}

TEST(PytorchCompat, HostTracesComeBackAsJson) {
  REQUIRE_CORPUS();
  std::size_t written = 0;
  for (const Case& c : cases()) {
    const auto input = open_input(c.host);
    Diagnostics diagnostics;
    EXPECT_EQ(json_difference(linked_json(read_pytorch(*input, 0, diagnostics)), read_all(c.host)), "") << c.name;
    ++written;
  }
  EXPECT_EQ(written, 20U);
}

}  // namespace
}  // namespace convert
