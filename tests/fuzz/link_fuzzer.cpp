// SPDX-License-Identifier: MIT
// Linking a host trace with a device trace that follows a NUL byte. With the default rules the result is valid for
// any input: parents come first, and every device operation is there. With the rules of the reference, the input
// may be rejected.
#include <cstdint>
#include <optional>

#include "formats/kineto/kineto.h"
#include "formats/pytorch/process_groups.h"
#include "formats/pytorch/pytorch.h"
#include "fuzzer.h"
#include "link_whole.h"
#include "passes/compat/convert.h"
#include "passes/compat/link.h"
#include "passes/link/linked_input.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {
namespace {

void check_sound(const LinkedTrace& linked, std::size_t device_ops) {
  const NodeTable& table = linked.trace.nodes;
  for (std::size_t i = 0; i < table.nodes.size(); ++i) {
    const Node& n = table.nodes[i];
    check(n.id == i, "ids are not in order");
    for (const NodeId d : table.data_deps(n)) check(d < n.id, "a data dependency on a later node");
    for (const NodeId d : table.ctrl_deps(n)) check(d < n.id, "a control dependency on a later node");
  }
  const LinkReport& r = linked.report;
  const std::uint64_t left_out = r.window ? r.window->device_events : 0;
  check(r.kernel_nodes + r.memcpy_nodes + r.memset_nodes + left_out >= device_ops, "a device operation is lost");
}

void link_both_ways(std::string_view bytes) {
  Diagnostics diagnostics;
  const std::size_t cut = bytes.find('\0');
  const auto host_input = memory_input("host", bytes.substr(0, cut));
  Trace host = read_pytorch(*host_input, 0, diagnostics);
  std::optional<Profile> device;
  if (cut != std::string_view::npos) {
    const auto device_input = memory_input("device", bytes.substr(cut + 1));
    device = read_kineto(*device_input, diagnostics);
  }
  may_refuse(
      [&] { (void)convert_like_reference(device ? link_like_reference(Trace(host), *device) : Trace(host)); });
  if (!device && is_linked(host)) device = take_linked_apart(host);
  const auto groups = process_groups(host, device ? &*device : nullptr);
  const std::size_t device_ops = device ? device->device_ops.size() : 0;
  for (const bool all : {false, true}) {
    const LinkOptions options{.keep_gaps = !all, .data_deps = all, .reduce = all, .list_unmatched = all};
    check_sound(link(Trace(host), device, groups, options), device_ops);
  }
}

}  // namespace
}  // namespace convert::fuzzing

FUZZER(link) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  convert::fuzzing::may_refuse([&] { convert::fuzzing::link_both_ways(bytes); });
  return 0;
}
