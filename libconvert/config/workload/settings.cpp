// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "config/workload/kinds.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 40U;  // products of a few such numbers still fit in 128 bits

struct SettingKey {
  std::string_view path;
  std::string (*get)(const Workload&);
  void (*set)(Workload&, std::string_view path, std::string_view value);
};

[[noreturn]] void refuse_setting(std::string_view path, std::string_view value, const std::string& expected) {
  if (value.empty()) throw usage_error(std::string(path) + " has no value");
  throw usage_error(std::string(path) + ": " + std::string(value) + ": expected " + expected);
}

std::int64_t integer(std::string_view path, std::string_view value, std::int64_t least) {
  const auto n = parse_int(value);
  if ((n && *n > most) || (!n && !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos))
    refuse_setting(path, value, "at most " + std::to_string(most));
  if (!n || *n < least) refuse_setting(path, value, "an integer of at least " + std::to_string(least) + "");
  return *n;
}

bool flag(std::string_view path, std::string_view value) {
  if (value == "true" || value == "yes") return true;
  if (value != "false" && value != "no") refuse_setting(path, value, "true or false");
  return false;
}

std::size_t choice(std::string_view path, std::string_view value, std::span<const std::string_view> names) {
  const auto at = std::ranges::find(names, value);
  if (at == names.end()) refuse_setting(path, value, join(names, " or "));
  return static_cast<std::size_t>(at - names.begin());
}

std::string_view without_spaces_around(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Parses the numbers of "7,8", "7;8" or "[7, 8]".
std::vector<std::int64_t> list(std::string_view path, std::string_view value) {
  std::string text(value);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::ranges::replace(text, ';', ',');
  std::vector<std::int64_t> out;
  if (without_spaces_around(text).empty()) return out;
  for (const std::string& piece : split(text, ',')) {
    const std::string_view number = without_spaces_around(piece);
    if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos)
      refuse_setting(path, value, "positive integers, such as 16,16 or [16, 16]");
    out.push_back(integer(path, number, 1));
  }
  return out;
}
std::string list_text(const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t v : values) texts.push_back(std::to_string(v));
  return join(texts, ",");
}

// Element types; the first type of each size is the one that is written.
struct ElementSize {
  std::string_view name;
  std::int64_t bytes;
};
constexpr ElementSize element_sizes[] = {{"fp8", 1}, {"bf16", 2}, {"fp16", 2}, {"fp32", 4}};
std::int64_t element_bytes(std::string_view path, std::string_view value) {
  std::vector<std::string_view> names;
  for (const auto& [name, bytes] : element_sizes) {
    if (name == value) return bytes;
    names.push_back(name);
  }
  refuse_setting(path, value, join(names, " or "));
}
std::string element_name(std::int64_t bytes) {
  if (bytes == 0) return {};
  return std::string(std::ranges::find(element_sizes, bytes, &ElementSize::bytes)->name);
}

// Parses operations per second: "989TFLOPS", "1.98PFLOPS".
double peak(std::string_view path, std::string_view value) {
  struct Scale {
    std::string_view unit;
    double tflops;
  };
  for (const auto& [unit, tflops] : {Scale{"GFLOPS", 1e-3}, Scale{"TFLOPS", 1}, Scale{"PFLOPS", 1e3}}) {
    if (!value.ends_with(unit)) continue;
    const auto n = convert::parse_number(value.substr(0, value.size() - unit.size()));
    if (!n) break;
    if (*n * tflops < 1e-3 || *n * tflops > 1e9) refuse_setting(path, value, "from 1GFLOPS to 1000000PFLOPS");
    return *n * tflops;
  }
  refuse_setting(path, value, "operations per second, such as 989TFLOPS");
}
double rate(std::string_view path, std::string_view value) {
  const auto bytes_per_s = convert::parse_bandwidth(value);
  if (!bytes_per_s) refuse_setting(path, value, "a bandwidth, such as 3.35TB/s");
  if (*bytes_per_s < 1e6 || *bytes_per_s > 1e18) refuse_setting(path, value, "from 1MB/s to 1000000TB/s");
  return *bytes_per_s / 1e9;
}
double share(std::string_view path, std::string_view value) {
  const auto n = convert::parse_number(value);
  if (!n || *n < 0.001 || *n > 1) refuse_setting(path, value, "a share from 0.001 to 1");
  return *n;
}
double exponent(std::string_view path, std::string_view value) {
  constexpr double most_exponent = 100;
  const auto n = convert::parse_number(value);
  if (!n || *n < 0 || *n > most_exponent) refuse_setting(path, value, "a number from 0 to 100");
  return *n;
}
// Returns the shortest text that parses to the same number; empty for 0.
std::string real_text(double n, std::string_view unit) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), n).ptr;
  return n == 0 ? std::string() : std::string(text.data(), end) + std::string(unit);
}

#define PEAK(key, member)                                                \
  {key, [](const Workload& w) { return real_text(w.member, "TFLOPS"); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = peak(path, value); }},
#define RATE(key, member)                                              \
  {key, [](const Workload& w) { return real_text(w.member, "GB/s"); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = rate(path, value); }},
#define SHARE(key, member)                                         \
  {key, [](const Workload& w) { return real_text(w.member, ""); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = share(path, value); }},
#define EXPONENT(key, member)                                      \
  {key, [](const Workload& w) { return real_text(w.member, ""); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = exponent(path, value); }},
#define INTEGER(key, member, least)                                 \
  {key, [](const Workload& w) { return std::to_string(w.member); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = integer(path, value, least); }},
#define FLAG(key, member)                                                           \
  {key, [](const Workload& w) { return std::string(w.member ? "true" : "false"); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = flag(path, value); }},
#define CHOICE(key, member, ...)                                             \
  {key,                                                                      \
   [](const Workload& w) {                                                   \
     constexpr auto names = std::to_array<std::string_view>({__VA_ARGS__});  \
     return std::string(names.at(static_cast<std::size_t>(w.member)));       \
   },                                                                        \
   [](Workload& w, std::string_view path, std::string_view value) {          \
     constexpr auto names = std::to_array<std::string_view>({__VA_ARGS__});  \
     w.member = static_cast<decltype(w.member)>(choice(path, value, names)); \
   }},
#define TYPE(key, member)                                         \
  {key, [](const Workload& w) { return element_name(w.member); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = element_bytes(path, value); }},
#define LIST(key, member)                                      \
  {key, [](const Workload& w) { return list_text(w.member); }, \
   [](Workload& w, std::string_view path, std::string_view value) { w.member = list(path, value); }},
constexpr SettingKey keys[] = {
#include "config/workload/keys.def"
};
#undef INTEGER
#undef FLAG
#undef CHOICE
#undef LIST
#undef TYPE
#undef PEAK
#undef RATE
#undef SHARE
#undef EXPONENT

std::vector<std::string> key_paths() {
  std::vector<std::string> paths;
  for (const SettingKey& k : keys) paths.emplace_back(k.path);
  return paths;
}

// Returns "; did you mean KEY?" with a key whose last word is `text`, or with a similar key.
std::string similar_key(const std::string& text) {
  const std::vector<std::string> known = key_paths();
  const auto ends = std::ranges::find_if(known, [&](const std::string& key) { return key.ends_with('.' + text); });
  return ends != known.end() ? "; did you mean " + *ends + "?" : did_you_mean(text, known);
}

}  // namespace

std::vector<WorkloadSetting> settings_of(const Workload& w) {
  std::vector<WorkloadSetting> out;
  for (const SettingKey& k : keys) out.push_back({std::string(k.path), k.get(w)});
  return out;
}

void set_workload(Workload& w, const WorkloadSetting& setting) {
  const auto key = std::ranges::find_if(keys, [&](const SettingKey& k) { return k.path == setting.key; });
  if (key == std::end(keys)) throw usage_error("unknown key '" + setting.key + "'" + similar_key(setting.key));
  check_kind_of_setting(w.kind, setting.key);
  const ModelKind kind = w.kind;
  key->set(w, setting.key, setting.value);
  if (w.kind == kind) return;
  w.kind = kind;
  throw usage_error(setting.key + ": " + setting.value + ": the model is of kind " + std::string(name(kind)));
}

}  // namespace convert
