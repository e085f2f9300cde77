// SPDX-License-Identifier: MIT
#include "formats/json/head.h"
#include "formats/pytorch/pytorch.h"

namespace convert {
namespace {

// Returns whether the value is a schema such as "1.0.1" or "1.1.1-chakra.0.0.4".
bool is_schema(std::string_view value) {
  std::size_t i = 1;
  for (int part = 0; part < 3; ++part) {
    if (part != 0 && (i >= value.size() || value[i++] != '.')) return false;
    const std::size_t begin = i;
    while (i < value.size() && value[i] >= '0' && value[i] <= '9') ++i;
    if (i == begin) return false;
  }
  return value.substr(0, 1) == "\"" && (value.substr(i) == "\"" || value.substr(i).starts_with("-chakra."));
}

// Returns whether the first node has a field that no node of Chakra's JSON has.
bool is_host_node(JsonHead in) {
  return in.open('[') && in.open('{') && in.has_key({"attrs", "rf_id", "fw_parent", "op_schema"});
}

}  // namespace

bool sniff_pytorch(std::string_view head) {
  JsonHead in(head);
  if (!in.open('{')) return false;
  for (auto key = in.key(); key; key = in.key()) {
    if (*key == "nodes") return is_host_node(in);
    if (*key == "traceEvents") return false;
    const std::string_view value = in.skip();
    if (*key == "schema") return is_schema(value);
  }
  return false;
}

}  // namespace convert
