// SPDX-License-Identifier: MIT
// Nodes encoded with protozero into one buffer: the floor of all Chakra writers.
#pragma once

#include <bit>
#include <iterator>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "core/trace.h"

namespace bench {

inline void encode_attribute(protozero::pbf_writer& parent, const convert::AttrTable& t, const convert::Attr& a) {
  using convert::Kind;
  protozero::pbf_writer w(parent, 10);
  w.add_string(1, a.name.view().data(), a.name.view().size());
  switch (a.kind) {
    case Kind::string_val: w.add_string(29, t.string(a).data(), t.string(a).size()); break;
    case Kind::bool_val: w.add_bool(27, a.bits != 0); break;
    case Kind::double_val: w.add_double(3, std::bit_cast<double>(a.bits)); break;
    case Kind::uint64_val: w.add_uint64(13, a.bits); break;
    case Kind::int32_val: w.add_int32(7, static_cast<std::int32_t>(a.bits)); break;
    case Kind::int32_list: {
      protozero::pbf_writer list(w, 8);
      std::vector<std::int32_t> values;
      for (const std::uint64_t v : t.list(a)) values.push_back(static_cast<std::int32_t>(v));
      list.add_packed_int32(1, values.begin(), values.end());
      break;
    }
    case Kind::int64_list: {
      protozero::pbf_writer list(w, 10);
      const auto values = t.list(a);
      list.add_packed_int64(1, values.begin(), values.end());
      break;
    }
    default: w.add_int64(9, static_cast<std::int64_t>(a.bits));
  }
}

inline void encode_io(protozero::pbf_writer& parent, std::uint32_t field, const convert::NodeTable& t,
                      std::uint32_t index) {
  if (index == 0) return;
  const convert::IoInfo& io = t.io[index - 1];
  protozero::pbf_writer w(parent, field);
  const auto text = [&](std::uint32_t number, convert::Text part) {
    if (part.size != 0) w.add_string(number, t.view(part).data(), part.size);
  };
  text(1, io.values);
  text(2, io.shapes);
  text(3, io.types);
}

// `message` is kept between calls. Encoded bytes go to `out`, which is cleared at 1 MiB, as if written to memory.
inline void encode_nodes(const convert::NodeTable& t, std::string& message, std::string& out) {
  for (const convert::Node& n : t.nodes) {
    message.clear();
    protozero::pbf_writer w(message);
    if (n.id != 0) w.add_uint64(1, n.id);
    w.add_string(2, t.name(n).data(), t.name(n).size());
    w.add_enum(3, static_cast<std::int32_t>(n.type));
    const auto ctrl = t.ctrl_deps(n);
    if (!ctrl.empty()) w.add_packed_uint64(4, ctrl.begin(), ctrl.end());
    const auto deps = t.data_deps(n);
    if (!deps.empty()) w.add_packed_uint64(5, deps.begin(), deps.end());
    if (n.start_us != 0) w.add_uint64(6, n.start_us);
    if (n.duration_us != 0) w.add_uint64(7, n.duration_us);
    encode_io(w, 8, t, n.inputs);
    encode_io(w, 9, t, n.outputs);
    for (const convert::Attr& a : t.attributes(n)) encode_attribute(w, t, a);
    protozero::write_varint(std::back_inserter(out), message.size());
    out += message;
  }
}

}  // namespace bench
