// SPDX-License-Identifier: MIT
#include "formats/kineto/kineto.h"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <map>

#include "bad_files.h"
#include "common/testdata.h"
#include "formats/pytorch/pytorch.h"
#include "read_all.h"
#include "sanitized.h"

namespace convert::test {
namespace {

std::string kineto_text_outcome(std::string_view text, std::size_t window = mib) {
  const auto input = memory_input("f", text);
  return kineto_outcome(*input, window);
}
Profile read_kineto_text(std::string_view text) {
  const auto input = memory_input("f", text);
  Diagnostics diagnostics;
  return read_kineto(*input, diagnostics);
}
Profile read_kineto_file(const std::string& name) {
  const auto input = open_input((testdata("kineto") / name).string());
  Diagnostics diagnostics;
  Profile p = read_kineto(*input, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U) << name;
  return p;
}
constexpr auto read_kineto_input = [](Input& i, Diagnostics& d) { return read_kineto(i, d); };
// An event of a kernel in line 2, which begins at 1 unless the fields override it.
std::string with_event(std::string_view fields) {
  const bool timed = fields.find("\"ts\"") != std::string_view::npos;
  return "{\"traceEvents\": [\n{\"ph\": \"X\", \"cat\": \"kernel\", " + std::string(fields) +
         (timed ? "" : ", \"ts\": 1") + "}]}";
}
std::string event_error(std::string_view fields) { return kineto_text_outcome(with_event(fields)); }

std::vector<std::string> names(const Profile& p, Range args) {
  std::vector<std::string> out;
  for (const Attr& a : p.args.view(args)) out.emplace_back(a.name.view());
  return out;
}

TEST(Kineto, Cuda) {
  const Profile p = read_kineto_file("okay-cuda.json");
  EXPECT_EQ(p.events, 13U);
  EXPECT_EQ(p.base_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(p.threads, std::vector<std::string>{"4242"});
  const auto& m = p.metadata;
  EXPECT_EQ(int_value(m.attrs, Name("schemaVersion")).value, 1);
  EXPECT_EQ(string_value(m, m.attrs, Name("traceName")), "trace.json");
  EXPECT_EQ(string_value(m, m.attrs, Name("deviceProperties")),
            R"([{"id": 0, "name": "NVIDIA A100", "numSms": 108}])");

  ASSERT_EQ(p.cpu_ops.size(), 2U);
  EXPECT_TRUE(p.cpu_ops[0].annotation);
  EXPECT_EQ(p.cpu_ops[0].start_ns, 90'500);
  EXPECT_FALSE(p.cpu_ops[0].whole_start);
  EXPECT_TRUE(p.cpu_ops[0].whole_duration);
  const Profile::CpuOp& mm = p.cpu_ops[1];
  EXPECT_EQ(p.name(mm), "aten::mm");
  EXPECT_EQ(mm.start_ns, 100'125);
  EXPECT_EQ(mm.duration_ns, 30'250);
  EXPECT_EQ(mm.end_ns(), 130'375);
  EXPECT_EQ(mm.external_id, 2);
  EXPECT_EQ(mm.rf_id, 3);
  EXPECT_EQ(mm.sequence, 7);
  EXPECT_EQ(mm.forward_thread, 0);
  EXPECT_EQ(mm.order, 1U);
  EXPECT_TRUE(mm.exact_times && mm.usual_category && mm.usual_external_id);
  EXPECT_EQ(mm.args.count, 0U);

  ASSERT_EQ(p.calls.size(), 4U);
  EXPECT_EQ(p.calls[0].correlation, 901);
  EXPECT_EQ(p.calls[0].external_id, 2);
  const CallKind kinds[] = {CallKind::other, CallKind::event_record, CallKind::stream_wait, CallKind::device_sync};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(p.calls[i].kind, kinds[i]) << i;

  ASSERT_EQ(p.device_ops.size(), 3U);
  const Profile::DeviceOp& k = p.device_ops[0];
  EXPECT_EQ(k.kind, DeviceOpKind::kernel);
  EXPECT_EQ(p.name(k), "sgemm_kernel");
  EXPECT_EQ(k.start_ns, 141'500);
  EXPECT_EQ(k.duration_ns, 12'001);
  EXPECT_EQ(k.correlation, 901);
  EXPECT_EQ(k.stream, 7);
  EXPECT_TRUE(k.has_stream);
  EXPECT_EQ(names(p, k.args),
            (std::vector<std::string>{"grid", "block", "registers per thread", "est. achieved occupancy %"}));
  EXPECT_EQ(p.args.list(p.args.view(k.args)[0])[0], 4U);
  EXPECT_EQ(p.device_ops[1].kind, DeviceOpKind::memcpy);
  EXPECT_EQ(p.device_ops[2].kind, DeviceOpKind::memset);
  EXPECT_EQ(p.device_ops[2].external_id, Profile::none);

  ASSERT_EQ(p.syncs.size(), 1U);
  EXPECT_EQ(p.syncs[0].kind, CallKind::stream_wait);
  EXPECT_EQ(p.syncs[0].stream, 20);
  EXPECT_EQ(p.syncs[0].wait_on_stream, 7);
  EXPECT_EQ(p.syncs[0].record_correlation, 904);
}

TEST(Kineto, Rocm) {
  const Profile p = read_kineto_file("okay-rocm.json");
  ASSERT_EQ(p.calls.size(), 2U);
  EXPECT_EQ(p.calls[1].kind, CallKind::stream_sync);
  ASSERT_EQ(p.device_ops.size(), 2U);
  EXPECT_EQ(p.device_ops[0].device, 4);
  EXPECT_EQ(p.device_ops[0].stream, 0);
  EXPECT_EQ(p.device_ops[0].correlation, 11);
  EXPECT_TRUE(p.device_ops[0].whole_start);
}

TEST(Kineto, Xpu) {
  const Profile p = read_kineto_file("okay-xpu.json");
  ASSERT_EQ(p.calls.size(), 1U);
  EXPECT_EQ(p.calls[0].external_id, 2);
  EXPECT_FALSE(p.calls[0].usual_external_id);
  EXPECT_FALSE(p.calls[0].usual_category);
  ASSERT_EQ(p.device_ops.size(), 1U);
  EXPECT_EQ(p.device_ops[0].stream, 3);
  EXPECT_FALSE(p.device_ops[0].has_stream);
}

TEST(Kineto, AnArrayAloneWithNumbersInQuotes) {
  const Profile p = read_kineto_file("okay-old-array.json");
  EXPECT_EQ(p.events, 3U);
  EXPECT_EQ(p.threads, std::vector<std::string>{"4242 (python)"});
  ASSERT_EQ(p.cpu_ops.size(), 1U);
  EXPECT_EQ(p.cpu_ops[0].external_id, 2);
  EXPECT_EQ(p.cpu_ops[0].rf_id, Profile::none);
  ASSERT_EQ(p.calls.size(), 1U);
  EXPECT_EQ(p.calls[0].correlation, 11);
  ASSERT_EQ(p.device_ops.size(), 1U);
  EXPECT_EQ(p.device_ops[0].stream, 7);
  EXPECT_EQ(p.device_ops[0].correlation, 11);
}

TEST(Kineto, ThreadsAreToldApartByTheirText) {
  const Profile p = read_kineto_text(R"([{"ph": "X", "cat": "cpu_op", "ts": 1, "name": "a"},
    {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "b", "tid": 7}, {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "c", "tid": "7"},
    {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "d", "tid": "m\u0061in"}, {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "e", "tid": ""},
    {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "f", "tid": 0}, {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "g", "tid": -3}])");
  EXPECT_EQ(p.threads, (std::vector<std::string>{"0", "7", "main", "", "-3"}));
  std::vector<std::uint32_t> threads;
  for (const auto& op : p.cpu_ops) threads.push_back(op.thread);
  EXPECT_EQ(threads, (std::vector<std::uint32_t>{0, 1, 1, 2, 3, 0, 4}));
  EXPECT_EQ(p.cpu_ops[0].duration_ns, 0);  // omitted
}

TEST(Kineto, TheProcessesOfOperators) {
  const Profile p = read_kineto_text(R"([{"ph": "X", "cat": "cpu_op", "ts": 1, "name": "a", "pid": 41},
    {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "b", "pid": "42"}, {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "c", "pid": 41},
    {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "d", "pid": "Spans"}, {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "e"},
    {"ph": "X", "cat": "cpu_op", "ts": 1, "name": "f", "pid": [7]}, {"ph": "X", "cat": "kernel", "ts": 1, "name": "g", "pid": 0}])");
  EXPECT_EQ(p.pids, (std::vector<std::int64_t>{41, 42}));
}

TEST(Kineto, OtherPhasesAndCategoriesAreReadOver) {
  const Profile p = read_kineto_text(
      R"([{"ph": "B", "cat": "cpu_op", "ts": "soon"}, {"ph": "X", "cat": "python_function", "dur": []},
    {"ph": "i", "cat": "kernel", "ts": -1}, {}, {"cat": "kernel"}, {"ph": "M", "args": {"name": "python"}}])");
  EXPECT_EQ(p.events, 6U);
  EXPECT_TRUE(p.cpu_ops.empty() && p.calls.empty() && p.device_ops.empty() && p.syncs.empty() && p.threads.empty());
}

TEST(Kineto, EscapedKeysAreTheSameKeys) {
  const Profile p = read_kineto_text(
      R"([{"ph": "X", "c\u0061t": "k\u0065rnel", "ts": 1, "n\u0061me": "a\"b", "\u0061rgs": {"str\u0065am": 9, "gr\u0069d": [1]}}])");
  ASSERT_EQ(p.device_ops.size(), 1U);
  EXPECT_EQ(p.name(p.device_ops[0]), "a\"b");
  EXPECT_EQ(p.device_ops[0].stream, 9);
  EXPECT_EQ(names(p, p.device_ops[0].args), std::vector<std::string>{"grid"});
  EXPECT_EQ(read_kineto_text(R"({"tr\u0061ceEvents": [{}]})").events, 1U);
}

TEST(Kineto, OfAKeyGivenTwiceTheLastCounts) {
  const Profile p = read_kineto_text(with_event(
      R"("name": "a", "ts": 1, "ts": 2, "name": "b", "args": {"x": 1}, "args": {"stream": 1, "x": [1], "y": 2, "x": "last", "stream": 3})"));
  ASSERT_EQ(p.device_ops.size(), 1U);
  const Profile::DeviceOp& d = p.device_ops[0];
  EXPECT_EQ(p.name(d), "b");
  EXPECT_EQ(d.start_ns, 2000);
  EXPECT_EQ(d.stream, 3);
  EXPECT_EQ(names(p, d.args), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(p.args.string(p.args.view(d.args)[0]), "last");
  // The same arg of the next event is not a repetition.
  const Profile q = read_kineto_text(
      R"([{"ph": "X", "cat": "kernel", "ts": 1, "args": {"x": 1}}, {"ph": "X", "cat": "kernel", "ts": 1, "args": {"x": 2}}])");
  EXPECT_EQ(q.device_ops[0].args.count, 1U);
  EXPECT_EQ(q.device_ops[1].args.count, 1U);
}

TEST(Kineto, ArgsOfManyKindsAreCarried) {
  const Profile p = read_kineto_text(with_event(
      R"("args": {"a": 1.5, "b": true, "c": null, "d": [[1], 2], "e": {"f": 1}, "g": 18446744073709551615, "h": "[1,2,\"x\"]"})"));
  const auto args = p.args.view(p.device_ops.at(0).args);
  ASSERT_EQ(args.size(), 7U);
  EXPECT_EQ(std::bit_cast<double>(args[0].bits), 1.5);
  EXPECT_EQ(args[1].kind, Kind::bool_val);
  EXPECT_EQ(p.args.string(args[2]), "null");
  EXPECT_EQ(p.args.string(args[3]), "[[1], 2]");
  EXPECT_EQ(p.args.string(args[4]), "{\"f\": 1}");
  EXPECT_EQ(args[5].kind, Kind::uint64_val);
  EXPECT_EQ(p.args.string(args[6]), "[1,2,\"x\"]");
}

TEST(Kineto, OddDurationsAndIdsAreWarnings) {
  const auto input = memory_input(
      "f",
      "[{},\n{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": 5, \"dur\": -0.5},\n"
      "{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": 1, \"dur\": -3, \"args\": {\"stream\": \"default\"}},\n"
      "{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": 1, \"dur\": 0, \"args\": {\"correlation\": "
      "99999999999999999999, "
      "\"External id\": 1.5, \"device\": [0], \"stream\": null}},\n"
      "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"ts\": 1, \"args\": {\"Sequence number\": \"\"}}]");
  Diagnostics diagnostics;
  const Profile p = read_kineto(*input, diagnostics);
  EXPECT_EQ(p.negative_durations, 2U);
  EXPECT_EQ(p.device_ops.at(0).duration_ns, 0);
  EXPECT_EQ(p.device_ops.at(2).correlation, Profile::none);
  ASSERT_EQ(diagnostics.all().size(), 2U);
  EXPECT_EQ(format_diagnostic(diagnostics.all()[0]),
            "f:2: warning: negative durations are set to 0: 2; this is the first [times]");
  EXPECT_EQ(format_diagnostic(diagnostics.all()[1]),
            "f:3: warning: ids that are not integers are ignored: 4; this is the first [ids]");
}

TEST(Kineto, EventsThatAreNotCompleteAreCounted) {
  const auto input = memory_input("f",
                                  "[{\"ph\": \"i\", \"cat\": \"python_function\"},\n"
                                  "{\"ph\": \"B\", \"cat\": \"kernel\", \"ts\": 5},\n"
                                  "{\"cat\": \"cpu_op\", \"ts\": 5}, {\"ph\": \"X\", \"cat\": \"cpu_op\"},\n"
                                  "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"ts\": 5}]");
  Diagnostics diagnostics;
  const Profile p = read_kineto(*input, diagnostics);
  EXPECT_EQ(p.device_ops.size(), 0U);
  EXPECT_EQ(p.cpu_ops.size(), 1U);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(format_diagnostic(diagnostics.all()[0]),
            "f:2: warning: incomplete events (without ph X or ts) of operators, calls or the device are ignored: "
            "3; this is the first [events]");
}

TEST(Kineto, BadEvents) {
  const struct {
    std::string_view fields, error;
  } cases[] = {
      {R"("ts": NaN)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": Infinity)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": -Infinity)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": null)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": true)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": "")", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": [1])", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": 1e300)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": 1e16)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": 01)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": 1.)", "f:2:36: 'ts' is not a time in microseconds"},
      {R"("ts": -0.5)", "f:2:36: 'ts' is negative"},
      {R"("dur": NaN)", "f:2:37: 'dur' is not a time in microseconds"},
      {R"("dur": 1e400)", "f:2:37: 'dur' is not a time in microseconds"},
      {R"("ts": 9200000000000000, "dur": 9200000000000000)",
       "f:2:61: 'dur': the end of the event exceeds 292 years"},
      {R"("cat": null)", "f:2:37: a string is expected"},
      {R"("ph": 5)", "f:2:36: a string is expected"},
      {R"("args": {"a" 1})", "f:2:43: ':' is expected"},
      {R"("args": {"a": 1]})", "f:2:45: ',' or '}' is expected"},
      {R"("args": {"a": undefined})", "f:2:44: a value is expected"},
      {R"("args": {"a": nope})", "f:2:44: not a JSON value"},
      {R"("args": {"stream": nope})", "f:2:49: not a JSON value"},
      {R"("args": {"stream": 07})", "f:2:49: not a JSON value"},
      {R"("args": [1 2])", "f:2:41: ',' or ']' is expected"},
      {R"("pid": )", "f:2:37: a value is expected"},
      {R"("pid": 1 2)", "f:2:39: '}' is expected"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(event_error(c.fields), c.error) << c.fields;
    EXPECT_EQ(kineto_text_outcome(with_event(c.fields), 16), c.error) << c.fields;
  }
  EXPECT_EQ(kineto_text_outcome("[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"ts\": 1, \"tid\": nope}]"),
            "f:1:47: not a JSON value");
  EXPECT_EQ(kineto_text_outcome("{\"traceEvents\": [null]}"), "f:1:18: '{' is expected");
  EXPECT_EQ(kineto_text_outcome("{\"traceEvents\": [[]]}"), "f:1:18: '{' is expected");
  EXPECT_EQ(kineto_text_outcome("{\"baseTimeNanoseconds\": -5, \"traceEvents\": []}"),
            "f:1:25: 'baseTimeNanoseconds' must be a number of nanoseconds");
  EXPECT_EQ(kineto_text_outcome("{\"note\": nope, \"traceEvents\": []}"), "f:1:10: not a JSON value");
}

TEST(Kineto, MalformedJsonWithOneReadingIsReadWithAWarning) {
  const std::string text = with_event(R"("dur": 1, "name": "a\z" "args": {"a": 1,})");
  const auto input = memory_input("f", text);
  Diagnostics diagnostics;
  const Profile p = read_kineto(*input, diagnostics);
  EXPECT_EQ(p.name(p.device_ops.at(0)), "a\\z");
  std::vector<std::string> warnings;
  for (const Diagnostic& d : diagnostics.all()) warnings.push_back(format_diagnostic(d));
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "f:2:54: warning: is not JSON: missing commas were added: 1 [json]",
                "f:2:69: warning: is not JSON: surplus commas were ignored: 1 [json]",
                "f:2:50: warning: is not JSON: backslashes without a valid escape were taken as text: 1 [json]"}));
}

TEST(Kineto, EventsWithoutATimeCountAsAbsent) {
  const auto read = [](std::string_view begin, Diagnostics& diagnostics) {
    const std::string text = R"([{"ph": "X", "cat": "kernel", "ts": 0, "dur": 0, "name": "none"},
                 {"ph": "X", "cat": "cpu_op", "ts": 0, "dur": 0, "name": "none"},
                 {"ph": "X", "cat": "kernel", "ts": )" +
                             std::string(begin) + R"(, "dur": 1, "name": "k"}])";
    const auto input = memory_input("f", text);
    return read_kineto(*input, diagnostics);
  };
  Diagnostics diagnostics, silent;
  const Profile p = read("5387313686000.5", diagnostics);
  EXPECT_EQ(p.device_ops.size(), 1U);
  EXPECT_EQ(p.cpu_ops.size(), 0U);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(format_diagnostic(diagnostics.all()[0]),
            "f:1: warning: events without a time (ts and dur 0, long before all others) are ignored: 2; this is "
            "the first [times]");
  EXPECT_EQ(read("900000", silent).device_ops.size(), 2U);  // a profile that begins at 0
  EXPECT_EQ(silent.all().size(), 0U);
}

std::vector<std::string> warnings_of(std::string_view text) {
  const auto input = memory_input("f", text);
  Diagnostics diagnostics;
  (void)read_kineto(*input, diagnostics);
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics.all()) out.push_back(format_diagnostic(d));
  return out;
}

TEST(Kineto, EventsLongBeforeAllOthersHaveNoTime) {
  const auto read = [](std::string_view first, std::string_view second, Diagnostics& diagnostics) {
    const auto event = [](std::string_view category, std::string_view ts) {
      return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "dur": 20, "name": "e", "tid": 7, "ts": )" +
             std::string(ts) + "}";
    };
    const std::string text = "[" + event("cpu_op", "5000000000000") + ",\n" + event("kernel", first) + ",\n" +
                             event("cpu_op", second) + ",\n" + event("kernel", "5000000000100") + ",\n" +
                             event("kernel", "5000000000200") + "]";
    const auto input = memory_input("f", text);
    return read_kineto(*input, diagnostics);
  };
  Diagnostics diagnostics, silent;
  const Profile p = read("0", "17.5", diagnostics);
  EXPECT_EQ(p.device_ops.size(), 2U);
  EXPECT_EQ(p.cpu_ops.size(), 1U);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(
      format_diagnostic(diagnostics.all()[0]),
      "f:2: warning: events without a time (ts long before all others) are ignored: 2; this is the first [times]");
  EXPECT_EQ(read("4000000000000", "5000000000050", silent).device_ops.size(), 3U);  // a pause
  EXPECT_EQ(silent.all().size(), 0U);
}

TEST(Kineto, WhatIsMissingOfDeviceOperationsIsReported) {
  EXPECT_EQ(
      warnings_of(R"([{"ph": "X", "cat": "kernel", "ts": 1, "name": "k"},
{"ph": "X", "cat": "hpu_op", "ts": 1, "dur": 2, "name": "k", "args": {"stream": 7, "correlation": 3}},
{"ph": "X", "cat": "hpu_op", "ts": 3, "dur": 2, "name": "k", "args": {"stream": 7, "correlation": 4}},
{"ph": "X", "cat": "mine", "ts": 3, "dur": 2, "name": "k", "args": {"stream": 7}},
{"ph": "X", "cat": "gpu_user_annotation", "ts": 3, "dur": 2, "args": {"stream": 7, "correlation": 4}},
{"ph": "X", "cat": "cpu_op", "ts": 3, "name": "o"}])"),
      (std::vector<std::string>{
          "f:1: warning: device operations without a duration (dur) are given 0 ns: 1; this is the first [times]",
          "f:2: warning: device operations of an unknown category (hpu_op) are ignored: 2; this is the first "
          "[events]"}));
}

TEST(Kineto, OperatorsOfSeveralProcessesAreReported) {
  const auto text = [](int second) {
    return R"([{"ph": "X", "cat": "cpu_op", "ts": 1, "dur": 1, "name": "a", "pid": 100, "tid": 1},
               {"ph": "X", "cat": "kernel", "ts": 1, "dur": 1, "name": "k", "pid": 0, "tid": 7},
               {"ph": "X", "cat": "cpu_op", "ts": 2, "dur": 1, "name": "a", "tid": 1, "pid": )" +
           std::to_string(second) + "}]";
  };
  EXPECT_EQ(warnings_of(text(100)), std::vector<std::string>{});
  EXPECT_EQ(
      warnings_of(text(200)),
      std::vector<std::string>{
          "f: warning: contains the operators of 2 processes (pid 100, 200) and is read as one rank [ranks]\nf: "
          "note: hint: convert a separate file per process, with the events of its pid and its device"});
}

TEST(Kineto, WaitsOfMtiaStreamsAreNoWork) {
  const Profile p =
      read_kineto_text(R"([{"ph": "X", "cat": "mtia_ccp_events", "ts": 1, "dur": 9, "name": "event_wait"},
                                         {"ph": "X", "cat": "mtia_ccp_events", "ts": 2, "dur": 9, "name": "pe_exe"},
                                         {"ph": "X", "cat": "kernel", "ts": 3, "dur": 9, "name": "event_wait"}])");
  ASSERT_EQ(p.device_ops.size(), 2U);
  EXPECT_EQ(p.name(p.device_ops[0]), "pe_exe");
}

TEST(Kineto, TextsOfCollectivesAreKept) {
  const auto texts = [](std::string_view name) {
    const Profile p =
        read_kineto_text(R"([{"ph": "X", "cat": "cpu_op", "ts": 1, "dur": 1, "name": ")" + std::string(name) +
                         R"(", "args": {"Input Dims": [[8], [], [], [], []],
      "Input type": ["float", "", "Scalar", "", ""], "Concrete Inputs": ["", "sum", "2", "tp:0", "[1, 2]"]}}])");
    return std::string(p.text_inputs_of(p.cpu_ops[0]));
  };
  EXPECT_EQ(texts("symm_mem::one_shot_all_reduce"), "sum\ntp:0");
  EXPECT_EQ(texts("mine::layer_norm"), "");
}

TEST(Kineto, TheResolutionOfTimesIsThatOfTheirDigits) {
  const auto resolution = [](std::string_view ts) {
    return read_kineto_text(with_event("\"ts\": " + std::string(ts) + ", \"dur\": 20")).resolution_ns;
  };
  EXPECT_EQ(resolution("100"), 1000);
  EXPECT_EQ(resolution("100.5"), 100);
  EXPECT_EQ(resolution("100.25"), 10);
  EXPECT_EQ(resolution("100.125"), 1);
  EXPECT_EQ(resolution("1712345678901234.2"), 250);  // a double is not finer
  EXPECT_EQ(resolution("1712345678901234.567"), 1);
}

TEST(Kineto, BadFilesAreRefusedWithTheirPlace) {
  const std::map<std::string, std::string> errors = {
      {"bad-args.json", "3:54: a value is expected"},
      {"bad-base-time.json", "1:25: 'baseTimeNanoseconds' must be a number of nanoseconds"},
      {"bad-huge-ts.json", "3:72: 'ts' is not a time in microseconds"},
      {"bad-late.json", "3:97: 'dur': the end of the event exceeds 292 years"},
      {"bad-nan-ts.json", "3:72: 'ts' is not a time in microseconds"},
      {"bad-negative-ts.json", "3:72: 'ts' is negative"},
      {"bad-no-events.json", " has no 'traceEvents': it is not a Kineto trace"},
      {"bad-number-cat.json", "3:20: a string is expected"},
      {"bad-text-dur.json", "3:82: 'dur' is not a time in microseconds"},
      {"bad-truncated.json", "4:20: truncated JSON: the text ends inside a string"},
      {"bad-twice.json", "3:4: 'traceEvents' is given twice"},
  };
  expect_errors(testdata("kineto"), errors, read_kineto_input);
}

TEST(Kineto, AHostTraceIsNamed) {
  const std::string host =
      "is a PyTorch execution trace of the host, not a Kineto trace; pass it as the host trace";
  for (const char* name : {"okay-1.0.1.json", "okay-1.1.1.json", "okay-linked.json"}) {
    const std::string error = file_error(testdata("pytorch") / name, read_kineto_input);
    EXPECT_TRUE(error.ends_with(" " + host)) << error;
  }
  EXPECT_EQ(kineto_text_outcome("{\"note\": 1, \"nodes\": []}"), "f:1:22: " + host);
}

TEST(Kineto, EveryPrefixIsRefusedAndWindowsDoNotMatter) {
  for (const auto& entry : std::filesystem::directory_iterator(testdata("kineto"))) {
    const std::string all = open_input(entry.path().string())->read_rest();
    const std::string expected = kineto_text_outcome(all);
    for (const std::size_t window : {1, 64, 1000})
      EXPECT_EQ(kineto_text_outcome(all, window), expected) << entry.path();
    if (!entry.path().filename().string().starts_with("okay-")) continue;
    const std::string_view text = std::string_view(all).substr(0, all.find_last_not_of('\n') + 1);
    for (std::size_t n = 0; n < text.size(); n += test::sanitized ? 7 : 1) {
      EXPECT_TRUE(kineto_text_outcome(text.substr(0, n), 1000).starts_with("f:")) << entry.path() << n;
    }
  }
}

TEST(Kineto, HugeValues) {
  const std::size_t depth = test::rounds(10'000'000);
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  const Profile p = read_kineto_text(with_event("\"name\": \"" + std::string(5 * depth, 'n') +
                                                "\", \"other\": " + deep + ", \"args\": {\"deep\": " + deep + "}"));
  EXPECT_EQ(p.name(p.device_ops.at(0)).size(), 5 * depth);
  EXPECT_EQ(p.args.string(p.args.view(p.device_ops[0].args)[0]).size(), 2 * depth);
}

TEST(Kineto, Sniffing) {
  for (const char* folder : {"pytorch", "kineto", "jsonl", "msccl", "networks"}) {
    for (const auto& entry : std::filesystem::directory_iterator(testdata(folder))) {
      const std::string name = entry.path().filename().string();
      const std::string head = open_input(entry.path().string())->read_rest().substr(0, 4096);
      // Two are ambiguous.
      const bool kineto =
          name.starts_with("link-kineto") || (std::string_view(folder) == "kineto" && name != "bad-no-events.json");
      EXPECT_EQ(sniff_kineto(head), kineto) << name;
    }
  }
  EXPECT_TRUE(sniff_kineto("\xEF\xBB\xBF{\"schemaVersion\":1,\"deviceProperties\":["));
  EXPECT_TRUE(sniff_kineto("[\n {\"name\": \"[{\\\"\", \"args\": {\"ph\": 1}, \"ph\": \"M\""));
  for (const std::string_view head :
       {"", "[", "[]", "[[", "{", "{}", "[{\"args\": {\"ph\": 1}}, {\"ph\": 1}]", "{\"a\": \"traceEvents\"}",
        "{\"a\": {\"traceEvents\": []}}", "traceEvents"}) {
    EXPECT_FALSE(sniff_kineto(head)) << head;
  }
}

}  // namespace
}  // namespace convert::test
