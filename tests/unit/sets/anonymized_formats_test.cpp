// SPDX-License-Identifier: MIT
// Words planted in files of each format, after any letters, do not survive anonymisation.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/scratch.h"
#include "common/testdata.h"
#include "io/secrets/keyed_sha256.h"
#include "sanitized.h"
#include "sets/anonymized/anonymizing.h"
#include "split_sets.h"

namespace convert {
namespace {

using namespace test;

constexpr std::string_view planted_word = "sEcReTq";  // neither hexadecimal nor other numbers contain it

// A set of testdata/.
struct PlantedInput {
  std::string from;                // the format, with its options
  std::vector<std::string> files;  // below testdata/
  std::string device{};            // the device trace of the last file, which is a host trace
  bool is_folder = false;          // the operand is the folder of the file
};

std::string all_bytes(const SetBytes& set) {
  std::string out = set.groups;
  for (const auto& [rank, bytes] : set.ranks) out += bytes;
  return out;
}

// Returns the output for a readable set, without and with anonymisation; nothing if the set cannot be read.
std::pair<std::string, std::string> written(const std::vector<std::string>& operands, const std::string& device,
                                            const PlantedInput& in) {
  Diagnostics diagnostics;
  try {
    SourceOptions options{.operands = operands, .from = in.from, .any_ranks = true, .hash = false};
    if (!device.empty()) options.linked.push_back({.rank = 0, .device = device});
    TraceSource source(std::move(options), diagnostics);
    if (!source.prepare(false)) return {};
    KeptSet before(source, 1);
    const KeyedSha256 key("key");
    AnonymizedSet after(
        before, {}, [&](std::string_view text) { return key(text); }, 1);
    return {all_bytes(set_bytes(before)), all_bytes(set_bytes(after))};
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::size_t> ends_of_words(std::string_view text) {
  const auto letter = [&](std::size_t i) {
    return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
  };
  std::vector<std::size_t> out;
  for (std::size_t at = 1; at <= text.size(); ++at) {
    if (letter(at - 1) && !letter(at)) out.push_back(at);
  }
  return out;
}

// Plants the word after each run of letters in turn, or after many. Returns whether a trace contains it without
// anonymisation.
bool plant_everywhere(const PlantedInput& in) {
  const Scratch scratch;
  const std::string folder = "of-" + std::string(planted_word) + "/";
  std::vector<std::string> files = in.files, operands;
  if (!in.device.empty()) files.push_back(in.device);
  const auto name = [&](const std::string& file) {
    return folder + std::filesystem::path(file).filename().string();
  };
  for (const std::string& file : files) (void)scratch.write(name(file), file_bytes(testdata(file)));
  for (const std::string& file : in.files) operands.push_back(scratch.path(name(file)));
  if (in.is_folder) operands = {scratch.path(folder)};
  const std::string device = in.device.empty() ? std::string() : scratch.path(name(in.device));
  EXPECT_FALSE(written(operands, device, in).second.empty()) << files[0];
  bool held = false;
  for (const std::string& file : files) {
    const std::string text = file_bytes(testdata(file));
    const std::vector<std::size_t> places = ends_of_words(text);
    const auto most = static_cast<std::size_t>(rounds(150));
    for (std::size_t i = 0; i < places.size(); i += places.size() / most + 1) {
      (void)scratch.write(name(file), std::string(text).insert(places[i], planted_word));
      const auto [plain, hidden] = written(operands, device, in);
      held = held || plain.find("EcReT") != std::string::npos;
      EXPECT_EQ(hidden.find("EcReT"), std::string::npos) << file << " at " << places[i];
    }
    (void)scratch.write(name(file), text);
  }
  return held;
}

TEST(AnonymizedFormats, NoWordOfAnyFormatSurvives) {
  const std::vector<std::pair<PlantedInput, bool>> all = {
      {{.from = "jsonl", .files = {"jsonl/okay-unusual2.jsonl"}}, true},
      {{.from = "jsonl", .files = {"jsonl/okay-groups4.jsonl"}}, true},
      {{.from = "param", .files = {"param/okay-step/0.json", "param/okay-step/1.json"}, .is_folder = true}, true},
      {{.from = "param", .files = {"param/okay-odd/0.json"}, .is_folder = true}, false},
      {{.from = "msccl,size=1MiB", .files = {"msccl/okay-allreduce-scratch2.xml"}}, true},
      {{.from = "ten", .files = {"ten/okay-ring3.ten.json"}}, true},
      {{.from = "ten", .files = {"ten/okay-teccl.json"}}, false},
      {{.from = "ten", .files = {"ten/okay-tacos.csv"}}, false},
      {{.from = "flexflow", .files = {"flexflow/okay-chakra.dot"}}, true},
      {{.from = "flexflow,single=yes", .files = {"flexflow/okay-stock.dot"}}, true},
      {{.from = "astra-text,npus=8", .files = {"astra-text/okay-micro.txt"}}, true},
      {{.from = "astra-text,npus=8", .files = {"astra-text/okay-dlrm.txt"}}, true},
      {{.from = "feeder-json", .files = {"feeder-json/okay-pair.0.json", "feeder-json/okay-pair.1.json"}}, true},
      {{.from = "kineto", .files = {"kineto/okay-cuda.json"}}, true},
      {{.from = "kineto", .files = {"kineto/okay-rocm.json"}}, true},
      {{.from = "pytorch", .files = {"pytorch/okay-1.0.1.json"}}, true},
      {{.from = "pytorch", .files = {"pytorch/link-host.0.json"}, .device = "pytorch/link-kineto.0.json"}, true},
  };
  for (const auto& [input, holds] : all)
    EXPECT_TRUE(plant_everywhere(input) || !holds || sanitized) << input.files[0];
}

}  // namespace
}  // namespace convert
