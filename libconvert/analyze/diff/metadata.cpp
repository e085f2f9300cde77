// SPDX-License-Identifier: MIT
#include "analyze/diff/metadata.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "analyze/diff/values.h"

namespace convert {
namespace {

// Attributes that describe the origin of a trace.
constexpr std::array origin_names = {attr::history,     attr::source_file,   attr::source_sha256,
                                     attr::device_file, attr::device_sha256, attr::input_file};

bool counts(const Attr& x) {
  return std::ranges::find(origin_names, x.name) == origin_names.end() && !is_time_attribute(x.name) &&
         x.name != attr::base_time_nanos;
}

}  // namespace

void compare_metadata(const Trace& a, const Trace& b, const DiffWishes& wishes, Difference& out) {
  const Metadata &x = a.metadata, &y = b.metadata;
  const auto differs = [&](std::string_view name, const std::string& old_value, const std::string& new_value) {
    const std::string what = "metadata:" + std::string(name);
    if (wishes.ignores(what) || wishes.ignores(name) || wishes.ignores("metadata")) return;
    ++out.changes_by_what[what];
    out.changes.add({{a.rank, 0, "(metadata)", "METADATA"}, 0, what, old_value, new_value});
  };
  for (const Attr& p : x.table.attrs) {
    if (!counts(p)) continue;
    const Attr* const q = find(y.table.attrs, p.name);
    if (q == nullptr) {
      differs(p.name.view(), value_text(x.table, p), "(none)");
      continue;
    }
    const bool kinds = p.kind != q->kind && !wishes.ignores("kinds");
    if (kinds || !same_value(x.table, p, y.table, *q))
      differs(p.name.view(), value_text(x.table, p, kinds), value_text(y.table, *q, kinds));
    const std::string begin = std::string(p.name.view()) + ": ";
    for_each_extra(x.table, extra_of(x.table, p.extra), y.table, extra_of(y.table, q->extra),
                   [&](std::string_view what, std::string_view old_text, std::string_view new_text) {
                     differs(what, begin + extra_text(what, old_text), begin + extra_text(what, new_text));
                   });
  }
  for (const Attr& q : y.table.attrs) {
    if (counts(q) && find(x.table.attrs, q.name) == nullptr)
      differs(q.name.view(), "(none)", value_text(y.table, q));
  }
  if (x.version != y.version && !x.version.empty() && !y.version.empty()) differs("version", x.version, y.version);
  if (x.unknown != y.unknown)
    differs("unknown", extra_text("unknown", x.unknown), extra_text("unknown", y.unknown));
}

}  // namespace convert
