// SPDX-License-Identifier: MIT
#include <charconv>

#include "config/xml_document.h"
#include "formats/msccl/msccl.h"

namespace convert {
namespace {

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void attribute(std::string_view name, std::int64_t value) {
    char digits[24];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    open(name);
    out_.append(static_cast<const char*>(digits), end);
    out_ += '"';
  }
  void attribute(std::string_view name, std::string_view value) {
    open(name);
    escape_xml(value, out_);
    out_ += '"';
  }
  void letter_attribute(std::string_view name, char value) {
    open(name);
    out_ += value;
    out_ += '"';
  }

 private:
  void open(std::string_view name) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
  }
  std::string& out_;
};

void write_step(const Step& s, std::int32_t position, std::string& out) {
  Writer w(out);
  out += "      <step";
  w.attribute("s", position);
  w.attribute("type", name(s.type));
  w.letter_attribute("srcbuf", letter(s.src_buf));
  w.attribute("srcoff", s.src_off);
  w.letter_attribute("dstbuf", letter(s.dst_buf));
  w.attribute("dstoff", s.dst_off);
  w.attribute("cnt", s.cnt);
  w.attribute("depid", s.depid);
  w.attribute("deps", s.deps);
  w.attribute("hasdep", s.hasdep ? 1 : 0);
  out += "/>\n";
}

void write_gpu(const Algorithm& a, const Gpu& gpu, std::int32_t rank, std::string& out) {
  Writer w(out);
  out += "  <gpu";
  w.attribute("id", rank);
  w.attribute("i_chunks", gpu.i_chunks);
  w.attribute("o_chunks", gpu.o_chunks);
  w.attribute("s_chunks", gpu.s_chunks);
  for (const auto& [key, value] : gpu.other) w.attribute(key, value);
  out += ">\n";
  for (const Copy& c : gpu.copies) {
    out += "    <copy";
    w.attribute("i_off", c.i_off);
    w.attribute("o_off", c.o_off);
    out += "/>\n";
  }
  std::int32_t id = 0;
  for (const Threadblock& tb : a.threadblocks(gpu)) {
    out += "    <tb";
    w.attribute("id", id++);
    w.attribute("send", tb.send);
    w.attribute("recv", tb.recv);
    w.attribute("chan", tb.chan);
    out += ">\n";
    std::int32_t position = 0;
    for (const Step& s : a.steps_of(tb)) write_step(s, position++, out);
    out += "    </tb>\n";
  }
  out += "  </gpu>\n";
}

}  // namespace

void write_msccl(const Algorithm& a, std::string& out) {
  out.reserve(out.size() + 256 + a.steps.size() * 130 + a.tbs.size() * 64);
  Writer w(out);
  out += "<algo";
  w.attribute("name", a.name);
  w.attribute("proto", name(a.protocol));
  w.attribute("nchannels", a.channels);
  w.attribute("nchunksperloop", a.chunks);
  w.attribute("ngpus", a.ranks());
  w.attribute("coll", a.collective_text);
  w.attribute("inplace", a.inplace ? 1 : 0);
  w.attribute("outofplace", runs_outofplace(a) ? 1 : 0);
  w.attribute("minBytes", a.min_bytes.value_or(0));
  w.attribute("maxBytes", written_max_bytes(a));
  for (const auto& [key, value] : a.attributes) {
    if (!is_standard_attribute(key)) w.attribute(key, value);
  }
  out += ">\n";
  std::int32_t rank = 0;
  for (const Gpu& gpu : a.gpus) write_gpu(a, gpu, rank++, out);
  out += "</algo>\n";
}

}  // namespace convert
