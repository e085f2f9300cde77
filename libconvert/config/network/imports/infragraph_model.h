// SPDX-License-Identifier: MIT
// InfraGraph 2 documents: devices made of components, instances of devices, and edges between both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_tree.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {

struct InfraComponent {
  std::string name;
  std::int64_t count = 0;
  std::string choice{};  // "xpu", "device", "memory", …
};

// Values that the document omits are empty.
struct InfraLink {
  std::optional<double> bytes_per_ns{};
  std::optional<Picoseconds> latency_ps{};
  bool in_transfers = false;  // the bandwidth is in GT/s, counted as bytes
};

// "cx5[0:2].port": the parts, with their slices as written; a slice in the document is never empty.
struct InfraEnd {
  struct Part {
    std::string name;
    std::string slice{};
  };
  std::vector<Part> instance{};  // one part; empty for edges of a device
  std::vector<Part> component{};
  Location where{};
};

enum class InfraScheme : std::uint8_t { one_to_one, many_to_many, ring };

struct InfraEdge {
  InfraEnd ep1{};
  InfraEnd ep2{};
  InfraScheme scheme = InfraScheme::one_to_one;
  std::string link{};
  Location where{};
};

struct InfraDevice {
  std::string name;
  std::vector<InfraComponent> components{};
  std::map<std::string, InfraLink> links{};
  std::vector<InfraEdge> edges{};
};

struct InfraInstance {
  std::string name;
  std::string device{};
  std::int64_t count = 0;
  Location where{};
};

struct InfraDocument {
  std::map<std::string, InfraDevice> devices{};
  std::map<std::string, InfraLink> links{};
  std::vector<InfraInstance> instances{};
  std::vector<InfraEdge> edges{};
};

// Message about a file of version 1, a different format.
inline constexpr const char* infragraph_1_text =
    "is a file of InfraGraph 1 (types, and connections such as \"xpu.0.pcie.nic.0\"), which is not "
    "supported; convert it to InfraGraph 2";

// Read a document in JSON or YAML, in binary form, and from a tree. Throw Error(input) with the location.
[[nodiscard]] InfraDocument read_infragraph(const std::string& name, std::string_view text);
[[nodiscard]] InfraDocument read_binary_infragraph(const std::string& name, std::string_view bytes);
[[nodiscard]] InfraDocument infragraph_of_tree(const std::string& name, const YamlNode& root);
// Returns whether bytes look like the beginning of a binary document; false for all texts.
[[nodiscard]] bool is_binary_infragraph(std::string_view bytes);

}  // namespace convert
