// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "core/units.h"
#include "core/words.h"
#include "formats/astra_text/astra_text.h"
#include "util/log.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::array<std::pair<std::string_view, AstraKind>, 7> kinds = {
    {{"MICRO", AstraKind::micro},
     {"DATA", AstraKind::data},
     {"MODEL", AstraKind::model},
     {"HYBRID_DATA_MODEL", AstraKind::hybrid_data_model},
     {"HYBRID_MODEL_DATA", AstraKind::hybrid_model_data},
     {"HYBRID_DLRM", AstraKind::hybrid_dlrm},
     {"HYBRID_DLRM_ENHANCED", AstraKind::hybrid_dlrm}}};

// Other kinds of ASTRA-sim 1.0, recognised for the error message.
constexpr std::array<std::string_view, 5> other_kinds = {"HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                                         "HYBRID_CUSTOMIZED", "HYBRID", "DISTRIBUTED_INFERENCE"};

constexpr std::array<std::pair<std::string_view, Collective>, 4> collective_types = {
    {{"ALLREDUCE", Collective::all_reduce},
     {"ALLTOALL", Collective::all_to_all},
     {"ALLGATHER", Collective::all_gather},
     {"REDUCESCATTER", Collective::reduce_scatter}}};

enum Column : std::size_t { layer_name, reserved, forward, input_gradient = 5, weight_gradient = 8, update = 11 };
constexpr std::array<std::string_view, 12> columns = {"the layer's name",
                                                      "the reserved column",
                                                      "forward compute time",
                                                      "forward collective",
                                                      "forward collective size",
                                                      "input gradient compute time",
                                                      "input gradient collective",
                                                      "input gradient collective size",
                                                      "weight gradient compute time",
                                                      "weight gradient collective",
                                                      "weight gradient collective size",
                                                      "update time"};

// ASCII white space except the line feed.
constexpr std::string_view blanks = " \t\v\f\r";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(blanks, end);
  }
  return words;
}

template <class Table>
auto look_up(const Table& table, std::string_view text) -> std::optional<decltype(table[0].second)> {
  for (const auto& [known, value] : table) {
    if (known == text) return value;
  }
  return std::nullopt;
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& [known, value] : table) names.emplace_back(known);
  return names;
}

// Replaces CR and CR LF by LF.
std::string with_line_feeds(std::string text) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = text[i] == '\r';
    if (ends_line && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[to++] = ends_line ? '\n' : text[i];
  }
  text.resize(to);
  return text;
}

class Parser {
 public:
  Parser(std::string text, const std::string& file, bool compat, Diagnostics& diagnostics)
      : compat_(compat), diagnostics_(diagnostics) {
    workload_.file = file;
    workload_.text = with_line_feeds(std::move(text));
    rest_ = without_mark(workload_.text);
  }

  AstraWorkload parse() {
    check_encoding();
    read_kind();
    const std::uint64_t count = read_count();
    const std::uint32_t count_line = line_number_;
    while (next_line()) {
      if (words_.empty()) {
        check_end();
        break;
      }
      if (workload_.layers.size() == count)
        throw error(words_[0], "more layers than the " + std::to_string(count) + " declared in line " +
                                   std::to_string(count_line));
      read_layer();
    }
    if (workload_.layers.size() < count)
      throw input_error({.file = workload_.file, .line = line_number_},
                        "ends after " + counted(workload_.layers.size(), "layer") + " of the " +
                            std::to_string(count) + " declared in line " + std::to_string(count_line));
    check_last_bottom_layer();
    report_ignored();
    return std::move(workload_);
  }

 private:
  [[nodiscard]] Location at(std::string_view word) const {
    return {.file = workload_.file,
            .line = line_number_,
            .column = static_cast<std::uint32_t>(word.data() - line_.data() + 1)};
  }
  [[nodiscard]] Error error(std::string_view word, const std::string& message) const {
    return input_error(at(word), message);
  }

  bool next_line() {
    if (rest_.empty()) return false;
    if (line_number_ == std::numeric_limits<std::uint32_t>::max())
      throw input_error({.file = workload_.file}, "has more than 2^32 lines");
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    words_ = words_of(line_);
    ++line_number_;
    return true;
  }

  void check_encoding() const {
    const std::size_t bad = find_invalid_utf8(rest_);
    if (bad == std::string_view::npos) return;
    const std::string_view before = rest_.substr(0, bad);
    throw input_error({.file = workload_.file,
                       .line = static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
                       .column = static_cast<std::uint32_t>(bad - (before.rfind('\n') + 1) + 1)},
                      "is not UTF-8 text");
  }

  void read_kind() {
    if (!next_line() || words_.empty())
      throw input_error({.file = workload_.file, .line = 1},
                        "the first line must name the kind of workload: " + join(names_of(kinds)));
    const auto kind = look_up(kinds, words_[0]);
    if (!kind)
      throw error(words_[0], "workload kind '" + std::string(words_[0]) + "' is not supported (supported: " +
                                 join(names_of(kinds)) + ")" + did_you_mean(words_[0], names_of(kinds)));
    workload_.kind = *kind;
    std::size_t used = 1;
    if (*kind == AstraKind::hybrid_dlrm) {
      // ASTRA-sim writes a key before the number; Chakra writes the number only.
      used = words_.size() > 1 && words_[1] == "DLRM_LAST_BOTTOM_LAYER:" ? 2 : 1;
      if (words_.size() <= used)
        throw error(line_.substr(line_.size()),
                    std::string(words_[0]) + " must be followed by the number of the last bottom layer");
      last_bottom_word_ = words_[used];
      last_bottom_at_ = at(last_bottom_word_);
      workload_.last_bottom_layer = static_cast<std::size_t>(number(last_bottom_word_, "the last bottom layer"));
      ++used;
    }
    if (words_.size() > used) extra_words_ = at(words_[used]);
  }

  std::uint64_t read_count() {
    if (!next_line() || words_.empty())
      throw input_error({.file = workload_.file, .line = 2}, "the second line must be the number of layers");
    if (words_.size() > 1) throw error(words_[1], "the second line must contain only the number of layers");
    const auto count = static_cast<std::uint64_t>(number(words_[0], "the number of layers"));
    if (count == 0) throw error(words_[0], "a workload must have at least one layer");
    return count;
  }

  // Checks that only blank lines follow a blank line.
  void check_end() {
    const std::uint32_t blank = line_number_;
    while (next_line()) {
      if (!words_.empty())
        throw input_error({.file = workload_.file, .line = blank}, "an empty line between layers");
    }
    line_number_ = blank;
  }

  [[nodiscard]] std::int64_t number(std::string_view word, std::string_view what) const {
    const auto value = parse_int(word);
    if (!value || *value < 0)
      throw error(word, std::string(what) + ": '" + std::string(word) +
                            "' is not a whole number from 0 to 9223372036854775807");
    return *value;
  }

  void read_layer() {
    if (words_.size() < columns.size())
      throw error(line_.substr(line_.size()),
                  "a layer has 12 columns; " + std::string(columns[words_.size()]) + " is missing");
    // The reference converter ignores this column. The check detects a layer name of two words.
    if (!compat_ && !parse_int(words_[reserved]))
      throw error(words_[reserved],
                  std::string(columns[reserved]) + ": '" + std::string(words_[reserved]) + "' is not a number");
    AstraLayer& layer = workload_.layers.emplace_back();
    layer.name = words_[layer_name];
    layer.line = line_number_;
    layer.forward_us = time(forward);
    layer.forward = collective(forward + 1);
    layer.input_gradient_us = time(input_gradient);
    layer.input_gradient = collective(input_gradient + 1);
    layer.weight_gradient_us = time(weight_gradient);
    layer.weight_gradient = collective(weight_gradient + 1);
    if (!compat_) updates_ += number(words_[update], columns[update]) != 0 ? 1 : 0;
    if (words_.size() > columns.size() && extra_columns_.line == 0) extra_columns_ = at(words_[columns.size()]);
    select(layer, workload_.layers.size() - 1);
  }

  [[nodiscard]] std::uint64_t time(std::size_t column) const {
    return static_cast<std::uint64_t>(number(words_[column], columns[column]));
  }

  AstraCollective collective(std::size_t column) {
    const std::string_view word = words_[column];
    AstraCollective c{.type_text = std::string(word), .bytes = number(words_[column + 1], columns[column + 1])};
    const auto type = look_up(collective_types, word);
    if (type) {
      c.type = *type;
    } else if (word != "NONE") {
      const std::string what = std::string(columns[column]) + ": unknown type '" + std::string(word) + "'";
      if (!compat_)
        throw error(word, what + " (known: NONE, " + join(names_of(collective_types)) + ")" +
                              did_you_mean(word, names_of(collective_types)));
      diagnostics_.warning(at(word), "attributes",
                           what + "; it becomes an all-reduce, as in the reference converter");
    } else if (c.bytes != 0 && !compat_) {
      diagnostics_.warning(at(words_[column + 1]), "attributes",
                           std::string(columns[column + 1]) + " is ignored: the type of the collective is NONE");
    }
    c.runs = compat_ || (type && c.bytes != 0);
    return c;
  }

  // Omits the collectives of a layer that this kind of workload does not use.
  void select(AstraLayer& layer, std::size_t index) {
    switch (workload_.kind) {
      case AstraKind::micro:
      case AstraKind::data:
        leave_out(layer, layer.forward, forward + 1);
        leave_out(layer, layer.input_gradient, input_gradient + 1);
        break;
      case AstraKind::model:
        leave_out(layer, layer.weight_gradient, weight_gradient + 1);
        if (index == 0) layer.input_gradient.runs = false;
        break;
      case AstraKind::hybrid_data_model:
      case AstraKind::hybrid_model_data:
        if (index == 0) layer.input_gradient.runs = false;
        break;
      case AstraKind::hybrid_dlrm:
        if (layer.forward.type_text != "ALLTOALL") leave_out(layer, layer.forward, forward + 1);
        if (layer.weight_gradient.type_text == "NONE") layer.weight_gradient.runs = false;
        if (index != 0) leave_out(layer, layer.input_gradient, input_gradient + 1);
    }
  }

  void leave_out(const AstraLayer& layer, AstraCollective& c, std::size_t column) {
    c.runs = false;
    if (c.type_text == "NONE" || c.bytes == 0) return;
    auto& [first, count] = left_out_[column];
    if (count++ == 0) first = {.file = workload_.file, .line = layer.line, .column = at(words_[column]).column};
  }

  void check_last_bottom_layer() {
    if (workload_.kind != AstraKind::hybrid_dlrm) return;
    const std::size_t layers = workload_.layers.size();
    if (layers < 2)
      throw input_error({.file = workload_.file, .line = line_number_}, "a HYBRID_DLRM has at least two layers");
    if (workload_.last_bottom_layer == 0 || workload_.last_bottom_layer >= layers)
      throw input_error(last_bottom_at_, "the last bottom layer must be a number from 1 to " +
                                             std::to_string(layers - 1) + " (the first layer is 0)");
    AstraLayer& embedding = workload_.layers[0];
    if (compat_ && !embedding.forward.runs)
      throw input_error(
          {.file = workload_.file, .line = embedding.line},
          "the reference converter rejects HYBRID_DLRM without an ALLTOALL in the forward pass of the first layer");
    if (workload_.last_bottom_layer + 1 == layers && embedding.input_gradient.runs) {
      embedding.input_gradient.runs = false;
      diagnostics_.warning({.file = workload_.file, .line = embedding.line}, "attributes",
                           "the first layer's input gradient collective is omitted: there is no layer after the "
                           "last bottom layer");
    }
  }

  void report_ignored() const {
    if (extra_words_.line != 0)
      diagnostics_.warning(extra_words_, "attributes", "the word is ignored for this kind of workload");
    if (extra_columns_.line != 0)
      diagnostics_.warning(extra_columns_, "attributes", "columns after the 12 columns of a layer are ignored");
    for (std::size_t column = 0; column < left_out_.size(); ++column) {
      const auto& [first, count] = left_out_[column];
      if (count == 0) continue;
      diagnostics_.warning(first, "attributes",
                           std::string(columns[column]) + " is not part of this kind of workload: " +
                               counted(count, "collective") + " omitted");
    }
    if (updates_ != 0) log_info("omitted the update times of " + counted(updates_, "layer"));
  }

  bool compat_;
  Diagnostics& diagnostics_;
  AstraWorkload workload_;
  std::string_view rest_;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::uint32_t line_number_ = 0;
  std::string_view last_bottom_word_;
  Location last_bottom_at_;
  Location extra_words_;
  Location extra_columns_;
  std::array<std::pair<Location, std::uint64_t>, columns.size()> left_out_{};  // by column: first location, count
  std::uint64_t updates_ = 0;
};

}  // namespace

AstraWorkload read_astra_text(std::string text, const std::string& file, bool compat, Diagnostics& diagnostics) {
  return Parser(std::move(text), file, compat, diagnostics).parse();
}

bool sniff_astra_text(std::string_view head) {
  head = without_mark(head);
  const std::size_t end = head.find_first_of("\r\n");
  if (end == std::string_view::npos) return false;
  const auto first = words_of(head.substr(0, end));
  if (first.empty()) return false;
  const bool known = look_up(kinds, first[0]) || std::ranges::find(other_kinds, first[0]) != other_kinds.end();
  head.remove_prefix(head.find_first_not_of("\r\n", end) == std::string_view::npos
                         ? head.size()
                         : head.find_first_not_of("\r\n", end));
  const auto second = words_of(head.substr(0, head.find_first_of("\r\n")));
  return known && !second.empty() && parse_unsigned(second[0]).has_value();
}

}  // namespace convert
