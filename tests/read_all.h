// SPDX-License-Identifier: MIT
// For tests and fuzz targets of the readers of PyTorch's and Kineto's traces: all data as one text, for
// comparisons.
#pragma once

#include <string>
#include <string_view>

#include "common/error_text.h"
#include "core/profile.h"
#include "core/trace.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/pytorch.h"

namespace convert::test {

inline constexpr std::size_t mib = std::size_t{1} << 20U;

template <class... Numbers>
void append_all(std::string& out, Numbers... numbers) {
  ((out += std::to_string(numbers), out += ' '), ...);
}

inline void append_table(std::string& out, const AttrTable& table) {
  out += "\nattributes ";
  for (const Attr& a : table.attrs) {
    out += a.name.view();
    out += ' ';
    append_all(out, static_cast<int>(a.kind), a.size, a.extra, a.bits);
  }
  out += "\nnumbers ";
  for (const std::uint64_t n : table.numbers) append_all(out, n);
  out += "\ntexts ";
  for (const Text& t : table.texts) append_all(out, t.offset, t.size);
  append_all(out, table.extras.size());
  out += "\ntext ";
  out += table.text;
}

inline std::string all_of(const Trace& t) {
  std::string out = t.name + " " + t.metadata.version + " " + std::to_string(t.rank);
  append_table(out, t.metadata.table);
  append_table(out, t.nodes);
  out += "\nnodes ";
  for (const Node& n : t.nodes.nodes) {
    append_all(out, n.id, n.name.offset, n.name.size, static_cast<int>(n.type), n.data_deps.begin,
               n.data_deps.count, n.ctrl_deps.begin, n.ctrl_deps.count, n.attrs.begin, n.attrs.count, n.start_us,
               n.duration_us, n.inputs, n.outputs, n.extra);
  }
  out += "\nvalues ";
  for (const IoInfo& i : t.nodes.io) {
    append_all(out, i.values.offset, i.values.size, i.shapes.offset, i.shapes.size, i.types.offset, i.types.size);
  }
  out += "\ndependencies ";
  for (const NodeId d : t.nodes.deps) append_all(out, d);
  return out;
}

inline void append_event(std::string& out, const Profile::Event& e) {
  append_all(out, e.start_ns, e.duration_ns, e.external_id, e.order, e.whole_start, e.whole_duration, e.exact_times,
             e.usual_category, e.usual_external_id);
}

inline std::string all_of(const Profile& p) {
  std::string out = p.file + " ";
  append_all(out, p.base_ns, p.events, p.negative_durations);
  for (const std::string& t : p.threads) out += t + ", ";
  append_table(out, p.metadata);
  append_table(out, p.args);
  out += "\noperators ";
  for (const Profile::CpuOp& o : p.cpu_ops) {
    append_event(out, o);
    append_all(out, o.thread, o.rf_id, o.sequence, o.forward_thread, o.name.offset, o.name.size, o.args.begin,
               o.args.count, o.annotation);
  }
  out += "\ncalls ";
  for (const Profile::Call& c : p.calls) {
    append_event(out, c);
    append_all(out, c.thread, c.correlation, c.name.offset, c.name.size, static_cast<int>(c.kind));
  }
  out += "\ndevice operations ";
  for (const Profile::DeviceOp& d : p.device_ops) {
    append_event(out, d);
    append_all(out, d.correlation, d.stream, d.device, d.name.offset, d.name.size, d.args.begin, d.args.count,
               static_cast<int>(d.kind), d.has_stream);
  }
  out += "\nsynchronisations ";
  for (const Profile::Sync& s : p.syncs) {
    append_event(out, s);
    append_all(out, static_cast<int>(s.kind), s.correlation, s.stream, s.wait_on_stream, s.record_correlation,
               s.device);
  }
  return out;
}

// All data and reports, or the error.
template <class Read>
std::string outcome_of(Input& input, const Read& read) {
  std::string out;
  Diagnostics diagnostics;
  const std::string error = error_text([&] { out = all_of(read(input, diagnostics)); });
  if (!error.empty()) return error;
  for (const Diagnostic& d : diagnostics.all()) out += '\n' + format_diagnostic(d);
  return out;
}
inline std::string host_outcome(Input& input, std::size_t window) {
  return outcome_of(input, [&](Input& in, Diagnostics& d) { return read_pytorch(in, 3, d, window); });
}
inline std::string kineto_outcome(Input& input, std::size_t window) {
  return outcome_of(input, [&](Input& in, Diagnostics& d) { return read_kineto(in, d, window); });
}

}  // namespace convert::test
