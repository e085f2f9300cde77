// SPDX-License-Identifier: MIT
#include "sets/readers.h"

#include <utility>

#include "io/document_limit.h"
#include "io/set_path.h"
#include "io/sha256.h"
#include "sets/known_file.h"
#include "sets/set_source.h"

namespace convert {

void add_source(Metadata& metadata, std::string_view file, std::string_view sha256) {
  metadata.table.add_string(attr::source_file, file);
  metadata.table.add_string(attr::source_sha256, sha256);
}

KnownFileReader::KnownFileReader(const Format& format, bool asked, std::unique_ptr<Input> input, const Make& make)
    : format_(format),
      asked_(asked),
      name_(input->name()),
      head_(input->peek(known_file_bytes).substr(0, known_file_bytes)) {
  reader_ = parse_as(format_, asked_, head_, name_, [&] { return make(std::move(input)); });
}

bool KnownFileReader::next_rank(Trace& out) {
  return parse_as(format_, asked_, head_, name_, [&] { return reader_->next_rank(out); });
}

bool KnownFileReader::next_nodes(Trace& out, std::size_t max_nodes) {
  return parse_as(format_, asked_, head_, name_, [&] { return reader_->next_nodes(out, max_nodes); });
}

FileReader::FileReader(const Format& format, InputItem item, Rank rank, std::optional<Rank> ranks,
                       const FormatOptions& options, bool hash, Diagnostics& diagnostics)
    : input_(std::move(item.input)) {
  if (hash && format.imported) {
    auto hashed = std::make_unique<HashedInput>(std::move(input_));
    hashed_ = hashed.get();
    input_ = std::move(hashed);
  }
  reader_ = format.read({*input_, item.rank.value_or(rank), options, diagnostics, ranks});
}

namespace {

template <class T>
std::uint64_t bytes_of(const std::vector<T>& elements) {
  return elements.size() * sizeof(T);
}

std::uint64_t memory_of(const NodeTable& table) {
  return bytes_of(table.nodes) + bytes_of(table.deps) + bytes_of(table.io) + bytes_of(table.positions) +
         bytes_of(table.attrs) + bytes_of(table.numbers) + bytes_of(table.texts) + bytes_of(table.extras) +
         table.text.size();
}

}  // namespace

bool FileReader::next_nodes(Trace& out, std::size_t max_nodes) {
  if (!reader_->next_nodes(out, max_nodes)) return false;
  if (max_nodes < all_nodes) return true;  // nodes of batches are not kept
  rank_bytes_ += memory_of(out.nodes);
  check_expansion(*input_, rank_bytes_);
  return true;
}

bool FileReader::next_rank(Trace& out) {
  rank_bytes_ = 0;
  if (!reader_->next_rank(out)) return false;
  if (hashed_ == nullptr) return true;
  if (sha256_.empty()) sha256_ = hashed_->hex();
  add_source(out.metadata, file_name_part(input_->name()), sha256_);
  return true;
}

}  // namespace convert
