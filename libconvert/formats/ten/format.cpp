// SPDX-License-Identifier: MIT
#include "formats/format.h"

#include <string>

#include "core/diagnostic.h"
#include "formats/json/head.h"
#include "formats/ten/ten.h"
#include "util/utf8.h"

namespace convert {
namespace {

enum class Spelling : std::uint8_t { none, ten_json, ten_csv, tacos_csv, teccl };

std::string_view without_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

// Returns the spelling, determined by the first key that identifies it.
Spelling spelling_of(std::string_view head) {
  head = without_space(head);
  if (head.starts_with("#ten-schedule")) return Spelling::ten_csv;
  if (head.starts_with("NPUs Count,")) return Spelling::tacos_csv;
  JsonHead json(head);
  if (!json.open('{'))
    return head.starts_with('#') && head.find("\n#npu_count,") != std::string_view::npos ? Spelling::ten_csv
                                                                                         : Spelling::none;
  while (const auto key = json.key()) {
    if (*key == "1-Epoch_Duration" || *key == "7-Flows" || *key == "6-Flows") return Spelling::teccl;
    const std::string_view value = json.skip();
    if (*key == "format") return value == "\"ten-schedule\"" ? Spelling::ten_json : Spelling::none;
  }
  return Spelling::none;
}

bool is_schedule(std::string_view head) { return spelling_of(head) != Spelling::none; }

Schedule read(std::string text, const std::string& file, const FormatOptions& options, Diagnostics& diagnostics) {
  text.erase(0, text.size() - without_mark(text).size());
  constexpr std::size_t sniff_bytes = 4096;
  switch (spelling_of(std::string_view(text).substr(0, sniff_bytes))) {
    case Spelling::ten_csv: return read_ten_csv(text, file, options, diagnostics);
    case Spelling::tacos_csv: return read_tacos_csv(text, file, options, diagnostics);
    case Spelling::teccl: return read_teccl(text, file, options, diagnostics);
    case Spelling::ten_json: return read_ten_json(text, file, options, diagnostics);
    case Spelling::none: break;
  }
  if (without_space(text).starts_with('{')) return read_ten_json(text, file, options, diagnostics);
  throw input_error({.file = file},
                    "is not a schedule: expected '#ten-schedule,1', a JSON object with \"format\": "
                    "\"ten-schedule\", TACOS's 'NPUs Count,…' or TE-CCL's JSON");
}

void write(const Schedule& schedule, const FormatOptions& options, std::string& out) {
  const std::string form = options.get("form").value_or("json");
  const std::string ways = options.get("ways").value_or("links");
  if (ways != "links" && ways != "via") throw usage_error("ways=" + ways + ": expected links or via");
  const WayForm way_form = ways == "via" ? WayForm::via : WayForm::links;
  if (form == "json") return write_ten_json(schedule, way_form, out);
  if (form == "csv") return write_ten_csv(schedule, way_form, out);
  throw usage_error("form=" + form + ": expected json or csv");
}

}  // namespace

extern const Format ten_format;
const Format ten_format = {
    .name = "ten",
    .summary = "time-expanded-network schedule: ten-schedule, TACOS's CSV, TE-CCL's JSON",
    .suffixes = {".ten", ".ten.json", ".ten.csv"},
    .read_options = {{"repair", "yes|no",
                      "drop redundant copies and compute new times from the link order (default: no)"},
                     {"chunk_size", "BYTES", "size of a chunk, if the file has none"},
                     {"collective", "NAME", "collective that the demands must match, if the file has none"},
                     {"elem_bytes", "N", "size of an element of a reduction in bytes (default: 4)"}},
    .write_options = {{"form", "json|csv", "(default: csv for a file named .ten.csv, else json)"},
                      {"ways", "links|via",
                       "transfers over switches: one transfer per link, or one in total (default: links)"}},
    .suffix_options = {{".ten.csv", "form", "csv"}},
    .sniff = is_schedule,
    .read_schedule = read,
    .write_schedule = write,
};

}  // namespace convert
