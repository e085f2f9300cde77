// SPDX-License-Identifier: MIT
#include "common/form.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <vector>

#include "core/diagnostic.h"
#include "formats/format.h"
#include "io/output.h"
#include "io/replace/read_files.h"
#include "io/set_path.h"

namespace tools {
namespace {

constexpr std::array<std::string_view, 13> known_suffixes = {
    "csv", "dot", "et", "html", "json", "md", "pdf", "perfetto-trace", "pftrace", "png", "run", "svg", "xml"};

// Whether the tool has --in-place, and whether it was given; global, like the protected inputs.
bool in_place_offered = false;
bool in_place_given = false;

// Returns the suffix below a compression suffix: "pdf" for "a.pdf.gz".
std::string_view suffix_of(const std::string& output) {
  const std::string_view name = convert::file_name_part(convert::without_compression_suffix(output));
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string_view::npos ? "" : name.substr(dot + 1);
}

}  // namespace

std::string form_of_suffix(const std::optional<std::string>& output,
                           std::initializer_list<std::string_view> forms) {
  if (!output) return "text";
  const std::string_view suffix = suffix_of(*output);
  if (std::ranges::find(forms, suffix) != forms.end()) return std::string(suffix);
  if (std::ranges::find(known_suffixes, suffix) == known_suffixes.end()) return "text";
  std::string others;
  for (const std::string_view form : forms) others += ", ." + std::string(form);
  throw convert::usage_error("-o " + *output + ": the output is text, or by suffix" + others.substr(1) + "; not ." +
                             std::string(suffix));
}

void refuse_suffix_of_other_kind(const std::optional<std::string>& output, const std::string& kinds,
                                 std::initializer_list<std::string_view> own, std::string_view option) {
  if (!output) return;
  const std::string_view suffix = suffix_of(*output);
  if (std::ranges::find(own, suffix) != own.end()) return;
  if (std::ranges::find(known_suffixes, suffix) == known_suffixes.end()) return;
  throw convert::usage_error(std::string(option) + " " + *output + ": the output is " + kinds + "; not ." +
                             std::string(suffix));
}

void refuse_suffix_of_other_kind(const OutputOptions& output) {
  using namespace convert;
  if (output.to || output.to_stdout()) return;
  if (format_by_suffix(without_compression_suffix(*output.path), Direction::write) != nullptr) return;
  std::vector<std::string_view> suffixes;
  for (const Format* const format : all_formats()) {
    if (!format->can_write()) continue;
    for (const std::string_view suffix : format->suffixes) {
      if (std::ranges::find(suffixes, suffix) == suffixes.end()) suffixes.push_back(suffix);
    }
  }
  std::string kinds = "a set, PREFIX.0.et and so on, or by suffix";
  for (const std::string_view suffix : suffixes) kinds += " " + std::string(suffix);
  refuse_suffix_of_other_kind(output.path, kinds, {});
}

void check_plot_name(const std::string& path) {
  std::string suffix = std::filesystem::path(path).extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<const char*, 9> others = {".png", ".pdf",  ".jpg", ".jpeg", ".gif",
                                                 ".eps", ".html", ".ps",  ".webp"};
  if (std::find(others.begin(), others.end(), suffix) == others.end()) return;
  const std::string svg = std::filesystem::path(path).replace_extension(".svg").string();
  throw convert::usage_error("--plot " + path + ": a plot is SVG; name it " + svg +
                             ", which rsvg-convert or inkscape convert to a " + suffix.substr(1) + " file");
}

void add_in_place_option(App& app) {
  in_place_offered = true;
  app.add_flag("--in-place", in_place_given, "allow an output to be an input").no_history().advanced();
}

void protect_inputs() {
  using convert::ReadFiles;
  convert::protect_read_files(in_place_given     ? ReadFiles::replaced
                              : in_place_offered ? ReadFiles::refused_by_default
                                                 : ReadFiles::refused);
}

}  // namespace tools
