// SPDX-License-Identifier: MIT
// Readers of the files of a TraceSource.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "formats/format.h"
#include "io/input_set.h"

namespace convert {

class HashedInput;

// Adds base name and SHA-256 of an imported file to the metadata.
void add_source(Metadata& metadata, std::string_view file, std::string_view sha256);

// Wraps the reader that `make` creates for an input. If that fails on a file of another format, reports the format.
class KnownFileReader : public TraceReader {
 public:
  using Make = std::function<std::unique_ptr<TraceReader>(std::unique_ptr<Input>)>;
  KnownFileReader(const Format& format, bool asked, std::unique_ptr<Input> input, const Make& make);
  bool next_rank(Trace& out) override;
  bool next_nodes(Trace& out, std::size_t max_nodes) override;
  std::optional<Encoded> peek_encoded(std::size_t most) override { return reader_->peek_encoded(most); }
  void skip_encoded(const Encoded& shown, std::uint64_t nodes) override { reader_->skip_encoded(shown, nodes); }
  Taken take_encoded(const Take& take) override { return reader_->take_encoded(take); }
  [[nodiscard]] std::span<const ProcessGroup> groups() const override { return reader_->groups(); }

 private:
  const Format& format_;
  bool asked_;
  std::string name_;
  std::string head_;
  std::unique_ptr<TraceReader> reader_;
};

// Reads a file, which it owns. `rank` applies to file names without a rank; `ranks` is the size of the whole set,
// if known. `hash`: calls add_source() for imports.
class FileReader : public TraceReader {
 public:
  FileReader(const Format& format, InputItem item, Rank rank, std::optional<Rank> ranks,
             const FormatOptions& options, bool hash, Diagnostics& diagnostics);
  bool next_rank(Trace& out) override;
  bool next_nodes(Trace& out, std::size_t max_nodes) override;
  std::optional<Encoded> peek_encoded(std::size_t most) override { return reader_->peek_encoded(most); }
  void skip_encoded(const Encoded& shown, std::uint64_t nodes) override { reader_->skip_encoded(shown, nodes); }
  Taken take_encoded(const Take& take) override { return reader_->take_encoded(take); }
  [[nodiscard]] std::span<const ProcessGroup> groups() const override { return reader_->groups(); }

 private:
  std::unique_ptr<Input> input_;
  HashedInput* hashed_ = nullptr;  // the same object as input_
  std::string sha256_;
  std::uint64_t rank_bytes_ = 0;  // memory of the nodes that were read as a whole
  std::unique_ptr<TraceReader> reader_;
};

}  // namespace convert
