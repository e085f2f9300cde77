// SPDX-License-Identifier: MIT
#include "config/sweep.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/expect_error.h"

namespace convert {
namespace {

const SweepKeys keys = {.keys = {"network", "bandwidth", "latency", "model", "fail"},
                        .per_dimension = {"bandwidth"},
                        .lists = {"fail"},
                        .with_options = {"network"}};

std::string sweep_error(std::string_view text) {
  return test::error_text([&] { (void)parse_sweep("s.yml", text, keys); }, "sweep");
}

std::string option_error(std::string_view text) {
  return test::error_message([&] { (void)parse_sweep_option(text, keys); }, Error::Kind::usage);
}

std::vector<std::string> texts(const SweepSetting& setting) {
  std::vector<std::string> all;
  for (const SweepValue& v : setting.values) all.push_back(v.text);
  return all;
}

using Texts = std::vector<std::string>;

TEST(Sweep, BaseAndAxesInTheOrderOfTheFile) {
  const SweepConfig c = parse_sweep(
      "s.yml", "base:\n  network: ring8.yml\nsweep:\n  model: [unaware, links]\n  bandwidth.1: 50GB/s\n", keys);
  ASSERT_EQ(c.base.size(), 1U);
  EXPECT_EQ(c.base[0].key, "network");
  EXPECT_EQ(texts(c.base[0]), Texts{"ring8.yml"});
  ASSERT_EQ(c.axes.size(), 2U);
  EXPECT_EQ(c.axes[0].key, "model");
  EXPECT_EQ(texts(c.axes[0]), (Texts{"unaware", "links"}));
  EXPECT_EQ(format_location(c.axes[0].values[1].where), "s.yml:4:20");
  EXPECT_EQ(c.axes[1].key, "bandwidth.1");
  EXPECT_EQ(texts(c.axes[1]), Texts{"50GB/s"});
}

TEST(Sweep, OneMistakeIsToldInOneWay) {
  const Error e = input_error({}, "model requires more");
  const auto message = [&](const std::string& option) {
    return located(e, {.key = "model", .option = option}, {});
  };
  EXPECT_STREQ(message("--set").what(), "--set: model requires more");
  EXPECT_STREQ(message("--model").what(), "--model requires more");
  EXPECT_EQ(message("--model").kind(), Error::Kind::usage);
  EXPECT_STREQ(located(input_error({}, "unknown model 'x'"), {.key = "model", .option = "--model"}, {}).what(),
               "--model: unknown model 'x'");
  const Error file = input_error({.file = "a.yml"}, "is a sweep");
  EXPECT_STREQ(located(file, {.key = "model", .option = "--set"}, {}).what(), "--set: a.yml: is a sweep");
  EXPECT_EQ(with_place(located(file, {.key = "model", .option = "-n"}, {})), "a.yml: is a sweep");
  EXPECT_STREQ(located(usage_error("is none"), {.key = "model", .option = "-n"}, {}).what(), "is none");
  const SweepValue value{"x", {.file = "s.yml", .line = 2, .column = 3}};
  EXPECT_EQ(with_place(located(e, {.key = "model"}, value)), "s.yml:2:3: model requires more");
  EXPECT_EQ(located(e, {.key = "model"}, value).kind(), Error::Kind::input);
}

TEST(Sweep, ErrorsHaveTheirPlace) {
  EXPECT_EQ(sweep_error(""),
            "s.yml: empty; a sweep file requires the key sweep, and accepts base for values common to all runs");
  EXPECT_EQ(sweep_error("sweeps: {}"), "s.yml:1:1: unknown key 'sweeps'; did you mean sweep?");
  EXPECT_EQ(sweep_error("base: {model: aware}"), "s.yml: key sweep is missing");
  EXPECT_EQ(sweep_error("sweep: [a]"), "s.yml:1:8: sweep requires a map, such as {bandwidth: [25GB/s, 50GB/s]}");
  const std::string is_empty =
      "sweep is empty; it requires keys with values, such as {bandwidth: [25GB/s, 50GB/s]}";
  EXPECT_EQ(sweep_error("sweep: {}"), "s.yml:1:8: " + is_empty);
  EXPECT_EQ(sweep_error("base:\nsweep:\n\n"), "s.yml:2:1: " + is_empty);
  EXPECT_EQ(sweep_error("sweep:\n  \tmodel: a"), "s.yml:2:3: a tab in the indentation; YAML requires spaces");
  for (const char* none : {"base: {}\nsweep: {model: a}", "base:\nsweep: {model: a}"})
    EXPECT_EQ(sweep_error(none), "");
  EXPECT_EQ(sweep_error("base: []\nsweep: {model: a}"),
            "s.yml:1:7: base requires a map, such as {network: ring8.yml}");
  EXPECT_EQ(sweep_error("base: x\nsweep: {model: a}"),
            "s.yml:1:7: base requires a map, such as {network: ring8.yml}");
  EXPECT_EQ(sweep_error("sweep:\n  bandwith: 1"), "s.yml:2:3: unknown key 'bandwith'; did you mean bandwidth?");
  EXPECT_EQ(sweep_error("sweep: {zzz: 1}"),
            "s.yml:1:9: unknown key 'zzz'; known: network, bandwidth, latency, model, fail");
  EXPECT_EQ(sweep_error("sweep: {bandwidth.x: 1}"),
            "s.yml:1:9: bandwidth.x: 'x' is not a dimension; dimensions start at 0");
  EXPECT_EQ(sweep_error("sweep: {bandwidth.07: 1}"),
            "s.yml:1:9: bandwidth.07: '07' is not a dimension; dimensions start at 0");
  EXPECT_EQ(sweep_error("sweep: {model.1: 1}").substr(0, 33), "s.yml:1:9: unknown key 'model.1';");
  EXPECT_EQ(sweep_error("sweep: {model: []}"), "s.yml:1:16: model has no value");
  EXPECT_EQ(sweep_error("sweep: {model: [a, ]}"), "");
  EXPECT_EQ(sweep_error("sweep: {model: [a, '']}"), "s.yml:1:20: model has an empty value");
  EXPECT_EQ(sweep_error("sweep: {model: [a, [b]]}"),
            "s.yml:1:20: a list is not allowed here; model requires a value");
  EXPECT_EQ(sweep_error("sweep: {model: [a, {b: c}]}"),
            "s.yml:1:20: a map is not allowed here; model requires a value");
  EXPECT_EQ(sweep_error("base: {model: [a, b]}\nsweep: {latency: 1}"),
            "s.yml:1:15: a list is not allowed here; model requires a value");
  EXPECT_EQ(sweep_error("sweep: {model: [a, b, a]}"), "s.yml:1:23: 'a' is repeated");
  EXPECT_EQ(sweep_error("sweep: {model: a, model: b}"), "s.yml:1:19: key 'model' is repeated");
  EXPECT_EQ(sweep_error("sweep: {model: \"a\\nb\"}"), "s.yml:1:16: model has a value with control characters");
  EXPECT_NE(sweep_error("sweep: {model: [a"), "");
  EXPECT_EQ(sweep_error("sweep: {model: &x a}"), "s.yml:1:16: anchors are not supported in a sweep file");
}

TEST(Sweep, ListsAsValues) {
  const SweepConfig c =
      parse_sweep("s.yml", "base: {fail: [0-1, 1-2]}\nsweep:\n  fail: [none, 3-4, [3-4, 5-6], '0-1;7-8']\n", keys);
  EXPECT_EQ(texts(c.base[0]), Texts{"0-1;1-2"});
  EXPECT_EQ(texts(c.axes[0]), (Texts{"none", "3-4", "3-4;5-6", "0-1;7-8"}));
  EXPECT_EQ(sweep_error("sweep: {fail: [none, []]}"), "s.yml:1:22: 'none' is repeated");
  EXPECT_EQ(sweep_error("sweep: {fail: [[a;b]]}"), "s.yml:1:17: 'a;b' is not a valid list element of fail");
  EXPECT_EQ(sweep_error("sweep: {fail: [[a, '']]}"), "s.yml:1:20: '' is not a valid list element of fail");
  EXPECT_EQ(sweep_error("sweep: {fail: [[none]]}"), "s.yml:1:17: 'none' is not a valid list element of fail");
  EXPECT_EQ(sweep_error("sweep: {fail: [[[a]]]}"), "s.yml:1:17: fail requires a list of values");
  EXPECT_EQ(texts(parse_sweep_option("fail=none,3-4;5>6", keys)), (Texts{"none", "3-4;5>6"}));
}

TEST(Sweep, Options) {
  const SweepSetting s = parse_sweep_option("bandwidth.0=25GB/s,x2", keys);
  EXPECT_EQ(s.key, "bandwidth.0");
  EXPECT_EQ(texts(s), (Texts{"25GB/s", "x2"}));
  EXPECT_EQ(texts(parse_sweep_option("network=ring:8,bw=1GB/s,lat=5ns,n.yml,ring:2+ring:4,bw=2GB/s", keys)),
            (Texts{"ring:8,bw=1GB/s,lat=5ns", "n.yml", "ring:2+ring:4,bw=2GB/s"}));
  EXPECT_EQ(texts(parse_sweep_option("network=ring:8,latency=5ns,./a=b.yml", keys)),
            (Texts{"ring:8,latency=5ns", "./a=b.yml"}));
  SweepKeys more = keys;
  for (const char* key : {"from", "algorithm"}) more.keys.push_back(more.with_options.emplace_back(key));
  EXPECT_EQ(texts(parse_sweep_option("from=msccl,size=1MiB,ten,repair=yes,elem_bytes=2", more)),
            (Texts{"msccl,size=1MiB", "ten,repair=yes,elem_bytes=2"}));
  EXPECT_EQ(
      texts(parse_sweep_option("algorithm=none,all=ring,foo=1,a2a:pg=3=direct,AllReduce=ring,astra:ring", more)),
      (Texts{"none", "all=ring,foo=1", "a2a:pg=3=direct", "AllReduce=ring", "astra:ring"}));
  EXPECT_EQ(texts(parse_sweep_option("fail=none,a=b", keys)), (Texts{"none", "a=b"}));
  EXPECT_EQ(option_error("model"), "--sweep model: expected KEY=VALUE,VALUE,…");
  EXPECT_EQ(option_error("=a"), "--sweep =a: expected KEY=VALUE,VALUE,…");
  EXPECT_EQ(option_error("modell=a"), "unknown key 'modell'; did you mean model?");
  EXPECT_EQ(option_error("model=a,,b"), "--sweep model=a,,b: model has an empty value");
  EXPECT_EQ(option_error("model="), "--sweep model=: model has an empty value");
  EXPECT_EQ(option_error("model=a,a"), "--sweep model=a,a: 'a' is repeated");
}

TEST(Sweep, OneSetting) {
  SweepKeys more = keys;
  more.plain_lists = {"fail"};
  EXPECT_EQ(texts(parse_setting_option("network=ring:8,bw=1GB/s,lat=5ns", more)), Texts{"ring:8,bw=1GB/s,lat=5ns"});
  EXPECT_EQ(texts(parse_setting_option("fail=0-1,2-3", more)), Texts{"0-1;2-3"});
  const auto error = [&](const std::string& text) {
    return test::error_message([&] { (void)parse_setting_option(text, more); }, Error::Kind::usage);
  };
  EXPECT_EQ(error("model"), "--set model: expected KEY=VALUE");
  EXPECT_EQ(error("modell=a"), "unknown key 'modell'; did you mean model?");
  EXPECT_EQ(error("model="), "--set model=: model has an empty value");
}

}  // namespace
}  // namespace convert
