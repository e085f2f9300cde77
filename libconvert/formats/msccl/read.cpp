// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>

#include "config/xml_document.h"
#include "formats/format.h"
#include "formats/msccl/fields.h"
#include "formats/msccl/msccl.h"
#include "util/utf8.h"

namespace convert {
namespace {

// The ten attributes of a step, in MSCCLang's order.
enum StepAttribute : std::size_t {
  a_s,
  a_type,
  a_srcbuf,
  a_srcoff,
  a_dstbuf,
  a_dstoff,
  a_cnt,
  a_depid,
  a_deps,
  a_hasdep
};
constexpr std::array<const char*, 10> step_attributes = {"s",      "type", "srcbuf", "srcoff", "dstbuf",
                                                         "dstoff", "cnt",  "depid",  "deps",   "hasdep"};
constexpr std::array<const char*, 4> tb_attributes = {"id", "send", "recv", "chan"};
constexpr std::array<const char*, 4> gpu_attributes = {"id", "i_chunks", "o_chunks", "s_chunks"};
constexpr std::array<const char*, 2> copy_attributes = {"i_off", "o_off"};

class Reader {
 public:
  Reader(std::string text, const std::string& file, Diagnostics& diagnostics)
      : document_(std::move(text), file, {.noun = "MSCCL-IR", .root = "algo"}),
        fields_(document_, diagnostics),
        diagnostics_(diagnostics) {}

  Algorithm read() {
    const pugi::xml_node root = document_.root();
    if (std::strcmp(root.name(), "algo") != 0) {
      throw input_error(document_.at(root), std::string("the root element is <") + root.name() + ">, not <algo>",
                        "xml");
    }
    out_.file = document_.file();
    read_algo(root);
    read_gpus(root);
    fields_.report_ignored();
    return std::move(out_);
  }

 private:
  void error(XmlPlace place, const char* rule, std::string message) {
    fields_.error(place, rule, std::move(message));
  }
  [[noreturn]] void fail(pugi::xml_node node, const char* rule, const std::string& message) const {
    throw input_error(document_.at(node), message, rule);
  }

  const std::string& required(pugi::xml_node root, const char* name) const {
    const std::string* value = attribute(name);
    if (value == nullptr) fail(root, "attributes", std::string("<algo> has no attribute '") + name + "'");
    return *value;
  }

  void read_algo(pugi::xml_node root) {
    const XmlPlace place = document_.place(root);
    const std::size_t before = diagnostics_.errors();
    for (pugi::xml_attribute a = root.first_attribute(); a; a = a.next_attribute())
      fields_.add_other(root, place, a, out_.attributes);

    const auto number = [&](const char* name, const std::string& value, std::int64_t low, std::int64_t high) {
      std::int64_t n = 0;
      return fields_.integer(place, name, value.c_str(), low, high, n) ? n : low;
    };
    constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t bytes_max = std::numeric_limits<std::int64_t>::max();

    read_names(root, place);
    ngpus_ = static_cast<std::int32_t>(
        number("ngpus", required(root, "ngpus"), std::numeric_limits<std::int32_t>::min(), int_max));
    std::int64_t channels = 0;
    if (!fields_.integer(place, "nchannels", required(root, "nchannels").c_str(), 1, int_max, channels))
      channels = max_channels;  // avoids follow-up findings
    out_.channels = static_cast<std::int32_t>(channels);
    out_.chunks = static_cast<std::int32_t>(number("nchunksperloop", required(root, "nchunksperloop"), 1, int_max));
    if (const std::string* v = attribute("inplace")) {
      out_.inplace = number("inplace", *v, std::numeric_limits<std::int32_t>::min(), int_max) != 0;
    } else {
      error(place, "attributes", "<algo> has no attribute 'inplace'");
    }
    if (const std::string* v = attribute("outofplace"))
      out_.outofplace = number("outofplace", *v, std::numeric_limits<std::int32_t>::min(), int_max) != 0;
    if (const std::string* v = attribute("minBytes")) out_.min_bytes = number("minBytes", *v, 0, bytes_max);
    if (const std::string* v = attribute("maxBytes")) out_.max_bytes = number("maxBytes", *v, 0, bytes_max);
    if (ngpus_ <= 0 && diagnostics_.errors() == before)
      fail(root, "gpus", "ngpus=\"" + std::to_string(ngpus_) + "\": at least one GPU is required");
    if (ngpus_ <= 0) fail(root, "gpus", "ngpus is not a positive number");
    check_algo(place);
  }

  // Reads the name of the algorithm, its protocol and its collective.
  void read_names(pugi::xml_node root, XmlPlace place) {
    if (const std::string* name = attribute("name")) {
      out_.name = *name;
    } else {
      diagnostics_.warning(document_.at(place), "attributes",
                           "<algo> has no attribute 'name', which the MSCCL runtime requires");
    }
    const std::string& proto = required(root, "proto");
    if (const auto p = parse_protocol(proto)) {
      out_.protocol = *p;
    } else {
      fail(root, "attributes",
           "proto=\"" + XmlFields::clip(proto) + "\" is not a protocol; expected Simple, LL or LL128");
    }
    out_.collective_text = required(root, "coll");
    if (const auto c = parse_collective(out_.collective_text, in_algorithms)) {
      out_.collective = *c;
    } else {
      fail(root, "attributes",
           "coll=\"" + XmlFields::clip(out_.collective_text) +
               "\" is not a collective; expected allreduce, allgather, reduce, broadcast, alltoall, reduce_scatter "
               "or custom");
    }
  }

  // Checks the consistency of several attributes.
  void check_algo(XmlPlace place) {
    if (out_.min_bytes && out_.max_bytes && *out_.max_bytes != 0 && *out_.min_bytes > *out_.max_bytes) {
      error(place, "attributes",
            "minBytes=" + std::to_string(*out_.min_bytes) +
                " is larger than maxBytes=" + std::to_string(*out_.max_bytes));
    }
    if (out_.channels > max_channels) {
      error(place, "channels",
            "nchannels=" + std::to_string(out_.channels) + ": the limit of the runtimes is " +
                std::to_string(max_channels));
    }
    const bool per_rank = out_.collective == Collective::all_gather || out_.collective == Collective::all_to_all ||
                          out_.collective == Collective::reduce_scatter;
    if (per_rank && out_.chunks % ngpus_ != 0) {
      error(place, "offsets",
            "nchunksperloop=" + std::to_string(out_.chunks) + " is not a multiple of ngpus=" +
                std::to_string(ngpus_) + ", as " + std::string(name(out_.collective)) + " requires");
    }
  }

  [[nodiscard]] const std::string* attribute(std::string_view name) const {
    const auto found = std::ranges::find(
        out_.attributes, name, [](const auto& a) -> const auto& { return a.first; });
    return found == out_.attributes.end() ? nullptr : &found->second;
  }

  using Gpus = std::map<std::int32_t, std::pair<pugi::xml_node, Gpu>>;  // by rank

  [[nodiscard]] Gpus find_gpus(pugi::xml_node root) {
    Gpus by_rank;
    for (const pugi::xml_node node : root.children()) {
      const XmlPlace place = document_.place(node);
      if (node.type() != pugi::node_element) {
        error(place, "xml", "text inside <algo>: only elements are allowed");
        continue;
      }
      if (std::strcmp(node.name(), "gpu") != 0) {
        fields_.ignore(std::string("element <") + node.name() + ">", place);
        continue;
      }
      std::array<const char*, 4> values{};
      Gpu gpu;
      gpu.line = place.line;
      std::int32_t id = 0;
      ++unread_gpus_;  // its rank is unknown until it was read
      if (!fields_.collect(node, place, gpu_attributes, values, &gpu.other)) continue;
      if (!fields_.integer32(place, "id", values[0], id)) continue;
      --unread_gpus_;
      gpu.complete = fields_.integer32(place, "i_chunks", values[1], gpu.i_chunks) &&
                     fields_.integer32(place, "o_chunks", values[2], gpu.o_chunks) &&
                     fields_.integer32(place, "s_chunks", values[3], gpu.s_chunks);
      if (id < 0 || id >= ngpus_) {
        error(place, "gpus", "gpu id " + std::to_string(id) + " is outside of 0…" + std::to_string(ngpus_ - 1));
        continue;
      }
      if (gpu.i_chunks < 0 || gpu.o_chunks < 0 || gpu.s_chunks < 0) {
        error(place, "attributes", "gpu " + std::to_string(id) + " has a negative number of chunks");
        gpu.i_chunks = gpu.o_chunks = gpu.s_chunks = 0;
        gpu.complete = false;
      }
      if (!by_rank.try_emplace(id, node, std::move(gpu)).second) {
        error(place, "gpus", "gpu " + std::to_string(id) + " is given twice");
      }
    }
    return by_rank;
  }

  // The document may list the ranks in any order; the tables are in rank order.
  void read_gpus(pugi::xml_node root) {
    Gpus by_rank = find_gpus(root);
    const auto ranks = static_cast<std::size_t>(ngpus_);
    const std::size_t stated = by_rank.size() + unread_gpus_;
    if (stated < ranks) {
      std::int32_t missing = 0;
      while (by_rank.contains(missing)) ++missing;
      // Each unread <gpu> element may be a missing rank.
      const std::string which = unread_gpus_ == 0 ? "; gpu " + std::to_string(missing) + " is missing" : "";
      const std::string message = std::to_string(stated) + (stated == 1 ? " <gpu> element" : " <gpu> elements") +
                                  " for ngpus=" + std::to_string(ngpus_) + which;
      // Keeps missing ranks as empty ranks, so that the rest is still checked, unless their number could exhaust
      // memory.
      if (ranks > 1024 + 16 * stated) fail(root, "gpus", message);
      error(document_.place(root), "gpus", message);
    }
    bool inconsistent = false;
    out_.gpus.resize(ranks);
    for (std::int32_t rank = 0; rank < ngpus_; ++rank) {
      Gpu& gpu = out_.gpus[static_cast<std::size_t>(rank)];
      if (const auto found = by_rank.find(rank); found != by_rank.end()) {
        gpu = std::move(found->second.second);
        read_gpu(found->second.first, rank, gpu);
      } else {
        gpu.first_tb = static_cast<std::uint32_t>(out_.tbs.size());
        gpu.complete = false;
      }
      const std::int32_t in_factor = out_.collective == Collective::all_gather ? ngpus_ : 1;
      const std::int32_t out_factor = out_.collective == Collective::reduce_scatter ? ngpus_ : 1;
      inconsistent |= (gpu.i_chunks > 0 && std::int64_t{gpu.i_chunks} * in_factor != out_.chunks) ||
                      (gpu.o_chunks > 0 && std::int64_t{gpu.o_chunks} * out_factor != out_.chunks);
    }
    if (inconsistent) {
      diagnostics_.warning(document_.at(root), "offsets",
                           "i_chunks or o_chunks of a gpu do not match nchunksperloop=" +
                               std::to_string(out_.chunks) + "; the MSCCL runtime rejects the file");
    }
  }

  void read_gpu(pugi::xml_node node, std::int32_t rank, Gpu& gpu) {
    std::vector<std::pair<std::int32_t, pugi::xml_node>> tbs;
    for (pugi::xml_node child = node.first_child(); child; child = child.next_sibling()) {
      const XmlPlace place = document_.place(child);
      if (child.type() != pugi::node_element) {
        error(place, "xml", "text inside <gpu>: only elements are allowed");
      } else if (std::strcmp(child.name(), "tb") == 0) {
        std::int32_t id = -1;
        const pugi::xml_attribute a = child.attribute("id");
        if (!a) {
          error(place, "attributes", "<tb> has no attribute 'id'");
        } else if (fields_.integer32(place, "id", a.value(), id) && id < 0) {
          error(place, "attributes", "threadblock id " + std::to_string(id) + " is negative");
        }
        if (id >= 0) tbs.emplace_back(id, child);
        gpu.complete = gpu.complete && id >= 0;
      } else if (std::strcmp(child.name(), "copy") == 0) {
        std::array<const char*, 2> values{};
        Copy copy;
        if (fields_.collect(child, place, copy_attributes, values) &&
            fields_.integer32(place, "i_off", values[0], copy.i_off) &&
            fields_.integer32(place, "o_off", values[1], copy.o_off)) {
          gpu.copies.push_back(copy);
        } else {
          gpu.complete = false;
        }
      } else {
        fields_.ignore(std::string("element <") + child.name() + "> in <gpu>", place);
      }
    }
    std::ranges::stable_sort(tbs, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < tbs.size(); ++i) {
      if (tbs[i].first != tbs[i - 1].first) continue;
      error(document_.place(tbs[i].second), "threadblocks",
            "gpu " + std::to_string(rank) + " has two threadblocks " + std::to_string(tbs[i].first));
      gpu.complete = false;
    }
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    tbs.erase(std::unique(tbs.begin(), tbs.end(), same), tbs.end());
    for (std::size_t i = 0; i < tbs.size(); ++i) {
      if (tbs[i].first == static_cast<std::int32_t>(i)) continue;
      gpu.complete = false;
      error(document_.place(node), "threadblocks",
            "gpu " + std::to_string(rank) + ": threadblock ids must be 0…" + std::to_string(tbs.size() - 1) + "; " +
                std::to_string(i) + " is missing");
      break;
    }
    gpu.first_tb = static_cast<std::uint32_t>(out_.tbs.size());
    gpu.tb_count = static_cast<std::uint32_t>(tbs.size());
    for (const auto& [id, tb] : tbs) {
      if (!read_threadblock(tb, rank, id)) gpu.complete = false;
    }
  }

  // Returns false if a part of it was not understood.
  bool read_threadblock(pugi::xml_node node, std::int32_t rank, std::int32_t id) {
    const XmlPlace place = document_.place(node);
    Threadblock tb;
    tb.line = place.line;
    tb.first_step = static_cast<std::uint32_t>(out_.steps.size());
    const bool peers_known = read_peers(node, place, tb);
    bool understood = peers_known;
    const auto at = [&] { return "gpu " + std::to_string(rank) + " threadblock " + std::to_string(id); };
    for (const auto& [what, peer] : {std::pair<const char*, std::int32_t>{"send", tb.send}, {"recv", tb.recv}}) {
      if (peer == rank) error(place, "peers", at() + ": " + what + " peer is the gpu itself");
      if (peer < -1 || peer >= ngpus_)
        error(place, "peers",
              at() + ": " + what + " peer " + std::to_string(peer) + " is outside of 0…" +
                  std::to_string(ngpus_ - 1));
    }
    const bool local = tb.send < 0 && tb.recv < 0;
    if (tb.chan < 0 ? !local : tb.chan >= std::min(out_.channels, max_channels)) {
      error(place, "channels",
            at() + ": channel " + std::to_string(tb.chan) + " is outside of 0…" +
                std::to_string(std::min(out_.channels, max_channels) - 1));
    }

    XmlPlace step_place;
    for (pugi::xml_node child = node.first_child(); child; child = child.next_sibling()) {
      step_place = document_.place(child);
      if (child.type() != pugi::node_element) {
        error(step_place, "xml", "text inside <tb>: only elements are allowed");
        continue;
      }
      if (std::strcmp(child.name(), "step") != 0) {
        fields_.ignore(std::string("element <") + child.name() + "> in <tb>", step_place);
        continue;
      }
      Step step;
      std::int32_t number = 0;
      step.unreadable = !read_step(child, step_place, step, number);
      if (step.unreadable) understood = false;
      if (!peers_known) step.unreadable = true;  // unknown whether it may send or receive
      const auto position = static_cast<std::int32_t>(tb.step_count);
      if (number != position && !step.unreadable) {
        error(step_place, "steps",
              at() + ": step " + std::to_string(number) + " is at position " + std::to_string(position));
      }
      out_.steps.push_back(step);
      ++tb.step_count;
    }
    out_.tbs.push_back(tb);
    return understood;
  }

  // Returns false if an attribute was not understood; the others are set.
  bool read_peers(pugi::xml_node node, XmlPlace place, Threadblock& tb) {
    std::array<const char*, 4> values{};
    bool understood = fields_.collect(node, place, tb_attributes, values);
    const auto read = [&](std::size_t at, std::int32_t& number) {
      if (values.at(at) != nullptr && fields_.integer32(place, tb_attributes.at(at), values.at(at), number)) return;
      number = -1;
      understood = false;
    };
    read(1, tb.send);
    read(2, tb.recv);
    read(3, tb.chan);
    if (!understood && tb.chan < 0) tb.chan = 0;
    return understood;
  }

  bool read_step(pugi::xml_node node, XmlPlace place, Step& step, std::int32_t& number) {
    step.line = place.line;
    step.column = place.column;
    std::array<const char*, 10> v{};
    if (!fields_.collect(node, place, step_attributes, v)) return false;
    std::int32_t hasdep = 0;
    bool ok = fields_.integer32(place, "s", v[a_s], number);
    ok = fields_.integer32(place, "srcoff", v[a_srcoff], step.src_off) && ok;
    ok = fields_.integer32(place, "dstoff", v[a_dstoff], step.dst_off) && ok;
    ok = fields_.integer32(place, "cnt", v[a_cnt], step.cnt) && ok;
    ok = fields_.integer32(place, "depid", v[a_depid], step.depid) && ok;
    ok = fields_.integer32(place, "deps", v[a_deps], step.deps) && ok;
    ok = fields_.integer32(place, "hasdep", v[a_hasdep], hasdep) && ok;
    if (ok && hasdep != 0 && hasdep != 1) {
      error(place, "attributes", "hasdep=\"" + std::to_string(hasdep) + "\": expected 0 or 1");
    }
    step.hasdep = hasdep != 0;
    const auto buffer = [&](const char* name, const char* text, Buffer& out) {
      auto b = parse_buffer(text);
      if (!b) b = parse_buffer(XmlFields::decoded(text));
      if (b) return out = *b, true;
      error(place, "attributes",
            std::string(name) + "=\"" + XmlFields::clip(text) + "\" is not a buffer; expected i, o or s");
      return false;
    };
    ok = buffer("srcbuf", v[a_srcbuf], step.src_buf) && ok;
    ok = buffer("dstbuf", v[a_dstbuf], step.dst_buf) && ok;
    auto type = parse_step_type(v[a_type]);
    if (!type) type = parse_step_type(XmlFields::decoded(v[a_type]));
    if (type) {
      step.type = *type;
    } else {
      error(place, "attributes",
            "type=\"" + XmlFields::clip(v[a_type]) +
                "\" is not a step type; expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop");
      ok = false;
    }
    if (ok && step.type != StepType::nop && (step.cnt <= 0 || step.cnt > max_step_chunks)) {
      error(place, "steps",
            "cnt=" + std::to_string(step.cnt) + ": a step moves 1…" + std::to_string(max_step_chunks) + " chunks");
      ok = false;
    }
    return ok;
  }

  XmlDocument document_;
  XmlFields fields_;
  Diagnostics& diagnostics_;
  Algorithm out_;
  std::int32_t ngpus_ = 0;
  std::size_t unread_gpus_ = 0;  // number of <gpu> elements with unknown rank
};

}  // namespace

Algorithm read_msccl(std::string text, const std::string& file, Diagnostics& diagnostics) {
  return Reader(std::move(text), file, diagnostics).read();
}

namespace {

bool sniff_msccl(std::string_view head) {
  head = without_mark(head);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || first + 1 >= head.size() || head[first] != '<') return false;
  const char next = head[first + 1];
  return next == '?' || next == '!' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
}

void write(const Algorithm& algorithm, const FormatOptions& /*options*/, std::string& out) {
  write_msccl(algorithm, out);
}

}  // namespace

extern const Format msccl_format;
const Format msccl_format = {
    .name = "msccl",
    .summary = "MSCCL-IR XML: collective algorithms as threadblocks of steps",
    .suffixes = {".xml"},
    .read_options = {{"size", "BYTES",
                      "total size of the collective (default: none; the trace has chunk counts only)"}},
    .sniff = sniff_msccl,
    .read_algorithm = read_msccl,
    .write_algorithm = write,
};

}  // namespace convert
