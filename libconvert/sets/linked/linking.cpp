// SPDX-License-Identifier: MIT
#include "sets/linked/linking.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "core/world_size.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/process_groups.h"
#include "formats/pytorch/pytorch.h"
#include "io/set_path.h"
#include "io/sha256.h"
#include "passes/compat/convert.h"
#include "passes/compat/link.h"
#include "passes/link/linked_input.h"
#include "sets/linked/belonging.h"
#include "util/log.h"

namespace convert {
namespace {

constexpr std::int64_t most_told = 0xffffff;

// A file that was read, for the metadata.
struct Source {
  std::string file;
  std::string sha256;
};

// Calls read(input) and hashes the bytes that it reads.
template <class Read>
auto read_hashed(std::unique_ptr<Input> input, bool hash, Source& source, const Read& read) {
  source.file = file_name_part(input->name());
  if (!hash) return read(*input);
  HashedInput hashed(std::move(input));
  auto result = read(hashed);
  source.sha256 = hashed.hex();
  return result;
}

void note(Metadata& metadata, const Source& source, Name file, Name sha256) {
  if (source.sha256.empty()) return;
  metadata.table.add_string(file, source.file);
  metadata.table.add_string(sha256, source.sha256);
}

bool yes(const FormatOptions& options, std::string_view key) {
  const auto text = options.get(key);
  if (!text || *text == "no") return false;
  if (*text != "yes") throw usage_error(std::string(key) + "=" + *text + ": expected yes or no");
  return true;
}

// Sets the rank in the profile if the user gives none.
void set_profiled_rank(const Profile& device, std::optional<Rank> rank, Trace& host, Diagnostics& diagnostics) {
  const std::int64_t told = profiled_rank(device);
  if (told < 0 || told > most_told) return;
  if (!rank) {
    host.rank = static_cast<Rank>(told);
  } else if (told != *rank) {
    diagnostics.warning({.file = device.file}, "ranks",
                        "states rank " + std::to_string(told) + ", but is used as rank " + std::to_string(*rank));
  }
}

// Returns the world size in the profile, else the size of the group of all ranks.
std::optional<Rank> world_of(const std::vector<ProcessGroup>& groups, const std::optional<Profile>& device) {
  std::int64_t ranks = device ? profiled_world_size(*device) : -1;
  for (const ProcessGroup& g : groups) {
    if (ranks < 1 && (g.name.empty() || g.name == "0" || g.name == "default_pg"))
      ranks = std::max(std::int64_t{g.size}, static_cast<std::int64_t>(g.ranks.size()));
  }
  return ranks < 1 || ranks > most_told + 1 ? std::nullopt : std::optional(static_cast<Rank>(ranks));
}

}  // namespace

LinkingOptions linking_options(const FormatOptions& options) {
  LinkingOptions o;
  o.device = options.get("device");
  if (const auto gaps = options.get("gaps")) {
    if (*gaps != "keep" && *gaps != "drop") throw usage_error("gaps=" + *gaps + ": expected keep or drop");
    o.link.keep_gaps = *gaps == "keep";
  }
  if (const auto nodes = options.get("metadata-nodes")) {
    if (*nodes != "keep" && *nodes != "drop")
      throw usage_error("metadata-nodes=" + *nodes + ": expected keep or drop");
    o.link.metadata_nodes = *nodes == "keep";
  }
  o.link.data_deps = yes(options, "data-deps");
  o.link.reduce = yes(options, "reduce");
  o.mismatched = yes(options, "mismatched");
  if (const auto compat = options.get("compat")) {
    if (*compat != "chakra") throw usage_error("compat=" + *compat + ": expected chakra");
    for (const std::string_view key : {"gaps", "metadata-nodes", "data-deps", "reduce", "mismatched"}) {
      if (options.get(key))
        throw usage_error("compat=chakra follows the rules of another program; omit " + std::string(key));
    }
    o.compat = LinkCompat::chakra;
  }
  return o;
}

void warn_unmatched(const LinkReport& report, const std::string& host, const LinkingOptions& options,
                    Diagnostics& diagnostics) {
  const std::string& device = options.device ? *options.device : host;
  // et-link requires a host trace.
  std::vector<std::string> notes;
  if (!options.device_alone) notes.emplace_back("et-link --report FILE --list-unmatched lists them all");
  for (std::size_t i = 0; i < unmatched_kinds; ++i) {
    const UnmatchedInfo& info = unmatched_info(static_cast<Unmatched>(i));
    if (report.unmatched[i] == 0 || !info.warned) continue;
    diagnostics.warning(
        {.file = info.of_host ? host : device}, "unmatched",
        unmatched_message(report.unmatched[i], report.first[i], report.unmatched_ns[i], report.device_ns),
        std::exchange(notes, {}));
  }
}

ReadRank read_linked(std::unique_ptr<Input> input, std::optional<Rank> rank, const LinkingOptions& options,
                     Diagnostics& diagnostics) {
  const bool hash = options.hash && options.compat == LinkCompat::none;
  Source host_source, device_source;
  Trace host;
  host.rank = rank.value_or(0);
  host.name = input->name();
  std::unique_ptr<Input> device_input = options.device ? open_input(*options.device) : nullptr;
  input->hold();
  if (device_input != nullptr) device_input->hold();
  if (options.device_alone) {
    device_input = std::move(input);
  } else {
    host = read_hashed(std::move(input), hash, host_source,
                       [&](Input& i) { return read_pytorch(i, host.rank, diagnostics); });
    log_debug("read " + host.name + " as pytorch: " + counted(host.nodes.nodes.size(), "node"));
    if (host.nodes.nodes.empty())
      diagnostics.warning({.file = host.name}, "unmatched", "the host trace has no nodes");
    if (device_input != nullptr && is_linked(host))
      throw input_error({.file = host.name}, "is already linked with a device trace; omit the device trace");
  }
  std::optional<Profile> device;
  if (device_input != nullptr) {
    device = read_hashed(std::move(device_input), hash, device_source,
                         [&](Input& i) { return read_kineto(i, diagnostics); });
    log_debug("read " + device->file + " as kineto: " + std::to_string(device->events) + " events");
    if (device->cpu_ops.empty() && device->calls.empty() && device->device_ops.empty())
      diagnostics.warning({.file = device->file}, "unmatched", "has no operators, calls or device operations");
    if (options.compat == LinkCompat::none) set_profiled_rank(*device, rank, host, diagnostics);
  }
  if (options.compat != LinkCompat::none) {
    ReadRank out;
    out.trace = device ? link_like_reference(std::move(host), *device) : std::move(host);
    if (options.compat == LinkCompat::chakra) out.trace = convert_like_reference(std::move(out.trace));
    return out;
  }
  const bool device_given = device.has_value();
  if (!device && is_linked(host)) device = take_linked_apart(host);
  note(host.metadata, host_source, attr::source_file, attr::source_sha256);
  note(host.metadata, device_source, attr::device_file, attr::device_sha256);
  const auto groups = process_groups(host, device ? &*device : nullptr);
  if (const auto world = world_of(groups, device)) set_world_size(host.metadata, *world);
  std::optional<Origins> from;
  if (device_given && !host.nodes.nodes.empty()) from = origins(host, *device, rank);
  auto linked = std::make_unique<LinkedRank>(std::move(host), std::move(device), groups, options.link);
  if (from) check_belonging(*from, linked->report(), options.mismatched, options.tell_coverage, diagnostics);
  return {std::move(linked), {}};
}

}  // namespace convert
