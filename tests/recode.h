// SPDX-License-Identifier: MIT
// For tests and fuzz targets: reads a byte string as one format and writes it as another, batch by batch.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "formats/format.h"

namespace convert::test {

// Reads a byte string as a format.
class BytesReader {
 public:
  BytesReader(std::string_view bytes, std::string_view format)
      : input_(memory_input("test.et", bytes)),
        reader_(find_format(format).read({*input_, std::nullopt, options_, diagnostics_})) {}
  TraceReader* operator->() { return reader_.get(); }

 private:
  std::unique_ptr<Input> input_;
  FormatOptions options_;
  Diagnostics diagnostics_;
  std::unique_ptr<TraceReader> reader_;
};

// All ranks of `bytes`, read as `from` and written as `to`.
inline std::string recode(std::string_view bytes, std::string_view from, std::string_view to,
                          std::size_t batch = 1000, bool many = false) {
  BytesReader reader(bytes, from);
  const FormatOptions options;
  const auto writer = find_format(to).write(options);
  std::string out;
  Trace trace;
  writer->begin_set(many, out);
  for (std::size_t ordinal = 0; reader->next_rank(trace); ++ordinal) {
    writer->begin_rank(trace, ordinal, many, out);
    while (reader->next_nodes(trace, batch)) writer->nodes(trace, out);
    writer->end_rank(out);
  }
  writer->end_set(many, out);
  return out;
}

// Returns one whole rank; `bytes` must be smaller than a batch.
inline Trace read_one(std::string_view bytes, std::string_view format) {
  BytesReader reader(bytes, format);
  Trace trace;
  if (!reader->next_rank(trace)) throw std::runtime_error("no rank");
  (void)reader->next_nodes(trace, 1'000'000);
  return trace;
}

// Returns the error that reading and writing again throws.
inline Error recode_error(std::string_view bytes, std::string_view from, std::string_view to = "chakra") {
  try {
    (void)recode(bytes, from, to);
  } catch (const Error& e) {
    return e;
  }
  return Error("no error");
}

inline void append_varint(std::string& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7U) out += static_cast<char>(v | 0x80U);
  out += static_cast<char>(v);
}

inline void append_message(std::string& out, std::string_view message) {
  append_varint(out, message.size());
  out += message;
}

}  // namespace convert::test
