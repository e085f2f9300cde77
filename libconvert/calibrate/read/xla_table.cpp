// SPDX-License-Identifier: MIT
// XLA's table of collectives (text protobuf): the throughput of HLO instructions, by machine.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/read/source.h"
#include "calibrate/read/text_proto.h"
#include "core/element_type.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

constexpr double least_precise_rate = 0.5e9;  // bytes/s

struct XlaProfile {
  std::string_view opcode{}, type{}, dimension{}, devices{}, groups{}, rate{};
  std::uint32_t line = 0;
};
struct XlaMachine {
  std::string key{};
  std::vector<XlaProfile> profiles{};
};

// Returns whether the field, which it consumes, describes the groups.
bool take_groups_field(TextProto& in, std::string_view name, XlaProfile& profile) {
  const bool is_size = name == "num_devices_per_group";
  if (!is_size && name != "num_replica_groups") return false;
  in.scalars([&](std::string_view text) { (is_size ? profile.devices : profile.groups) = text; });
  return true;
}

// Tables up to 2025 have the groups in a message of this list.
void read_device_list(TextProto& in, XlaProfile& profile) {
  in.message([&](std::string_view name) {
    if (take_groups_field(in, name, profile)) return;
    if (name != "iota_replica_group_list") return in.skip();
    in.message([&](std::string_view field) {
      if (!take_groups_field(in, field, profile)) in.skip();
    });
  });
}

void read_instruction(TextProto& in, XlaProfile& profile) {
  in.message([&](std::string_view name) {
    if (name == "opcode") {
      in.scalars([&](std::string_view text) { profile.opcode = text; });
    } else if (name == "shape") {
      in.message([&](std::string_view part) {
        if (part == "element_type") {
          in.scalars([&](std::string_view text) { profile.type = text; });
        } else if (part == "dimensions") {
          in.scalars([&](std::string_view text) {
            if (profile.dimension.empty()) profile.dimension = text;
          });
        } else {
          in.skip();
        }
      });
    } else if (name == "iota_collective_device_list" || name == "collective_device_list") {
      read_device_list(in, profile);
    } else {
      in.skip();
    }
  });
}

XlaProfile read_profile(TextProto& in) {
  XlaProfile profile{.line = in.line()};
  in.message([&](std::string_view name) {
    if (name == "instruction") {
      read_instruction(in, profile);
    } else if (name == "network_throughput_bytes_per_sec") {
      in.scalars([&](std::string_view text) { profile.rate = text; });
    } else {
      in.skip();
    }
  });
  return profile;
}

std::vector<XlaMachine> read_xla_machines(const BenchmarkSource& source) {
  TextProto in(source);
  std::vector<XlaMachine> machines;
  in.document([&](std::string_view field) {
    if (field != "entries") return in.skip();
    XlaMachine& machine = machines.emplace_back();
    in.message([&](std::string_view name) {
      if (name == "key") {
        in.scalars([&](std::string_view text) { machine.key = text; });
      } else if (name == "value") {
        in.message([&](std::string_view part) {
          if (part != "entries") return in.skip();
          machine.profiles.push_back(read_profile(in));
        });
      } else {
        in.skip();
      }
    });
  });
  return machines;
}

const XlaMachine& chosen_xla_machine(const BenchmarkSource& source, const std::vector<XlaMachine>& machines) {
  std::vector<std::string> keys;
  for (const XlaMachine& machine : machines) keys.push_back(machine.key);
  const std::string& wanted = source.options.xla_key;
  if (machines.empty()) throw source.failure(0, "the table has no machine");
  if (wanted.empty()) {
    if (machines.size() == 1) return machines.front();
    throw source.failure(0, "the table has " + counted(machines.size(), "machine") + "; give key=" + keys.front() +
                                ", or another of " + join(keys));
  }
  const auto found = std::ranges::find(machines, wanted, &XlaMachine::key);
  if (found == machines.end())
    throw source.failure(0, "the table has no machine " + shown_word(wanted) + hint_for(wanted, keys));
  return *found;
}

// Returns whether a rate was rounded so much that it is no measurement: 0.02 GB/s.
bool is_coarse(std::string_view rate, double bytes_per_s) {
  const std::size_t last = rate.find_last_not_of('0');
  return bytes_per_s < least_precise_rate && last < 2 &&
         rate.find_first_not_of("0123456789") == std::string_view::npos;
}

struct XlaPoint {
  BenchmarkPoint point;
  bool is_float = false;
  bool is_coarse = false;
};

// Returns nothing for an instruction that is not a collective of groups of equal size.
std::optional<XlaPoint> point_of(const BenchmarkSource& source, const XlaProfile& profile) {
  const std::optional<Collective> collective = benchmark_collective(profile.opcode);
  if (!collective || profile.devices.empty() || profile.rate.empty()) return std::nullopt;
  const std::optional<ElementType> type = element_type(profile.type);
  if (!type) return std::nullopt;
  const std::uint32_t line = profile.line;
  XlaPoint out;
  BenchmarkPoint& point = out.point;
  point.collective = *collective;
  point.line = line;
  point.ranks = source.ranks(line, "num_devices_per_group", profile.devices);
  const std::int64_t elements = source.bytes(line, "the first of the dimensions", profile.dimension);
  point.bytes = source.times(line, elements, static_cast<std::uint32_t>(type->bytes));
  if (*collective == Collective::reduce_scatter) point.bytes = source.times(line, point.bytes, point.ranks);
  point.nodes = source.options.nodes;
  if (!profile.groups.empty()) {
    const std::uint64_t groups = source.ranks(line, "num_replica_groups", profile.groups);
    if (groups * point.ranks <= source.options.gpus_of_node) point.nodes = 1;
  }
  const std::optional<double> rate = parse_number(profile.rate);
  if (!rate || !(*rate > 0))
    throw source.failure(line,
                         "network_throughput_bytes_per_sec is not a positive rate: " + shown_word(profile.rate));
  point.time_ns = source.checked_ns(line, "size / network_throughput_bytes_per_sec",
                                    static_cast<double>(point.bytes) / *rate * 1e9, profile.rate);
  out.is_float = type->name == "float";
  out.is_coarse = is_coarse(profile.rate, *rate);
  return out;
}

struct XlaCurve {
  std::int64_t least_bytes = std::numeric_limits<std::int64_t>::max();
  bool has_float = false;
};

}  // namespace

// Rows that are no measurements of a call are omitted: the least size of each curve, which contains the first call;
// rates rounded to a digit or two; types other than float if there are times of float.
Benchmark read_xla_table(const BenchmarkSource& source) {
  const std::vector<XlaMachine> machines = read_xla_machines(source);
  const XlaMachine& machine = chosen_xla_machine(source, machines);
  using Key = std::tuple<Collective, std::uint32_t, std::optional<std::uint32_t>>;
  const auto key_of = [](const BenchmarkPoint& p) { return Key(p.collective, p.ranks, p.nodes); };
  std::vector<XlaPoint> points;
  std::map<Key, XlaCurve> curves;
  for (const XlaProfile& profile : machine.profiles) {
    std::optional<XlaPoint> of = point_of(source, profile);
    if (!of) continue;
    XlaCurve& curve = curves[key_of(of->point)];
    curve.least_bytes = std::min(curve.least_bytes, of->point.bytes);
    curve.has_float |= of->is_float;
    points.push_back(std::move(*of));
  }
  Benchmark benchmark{.has_harness = true};
  for (XlaPoint& of : points) {
    const XlaCurve& curve = curves.at(key_of(of.point));
    if (of.is_coarse || of.point.bytes == curve.least_bytes || of.is_float != curve.has_float) continue;
    of.point.machine = machine.key;
    benchmark.points.push_back(std::move(of.point));
  }
  return benchmark;
}

}  // namespace convert
