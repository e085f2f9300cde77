// SPDX-License-Identifier: MIT
// Files that the build makes of web/: see embed.py.
#pragma once

#include <string_view>

#include "page/page.h"

namespace convert {

struct PageProgram {
  std::string_view script;    // a module; empty if built without pages
  std::string_view csp_hash;  // "sha256-…", for the page's Content-Security-Policy
};
[[nodiscard]] PageProgram page_program(PageKind kind);
[[nodiscard]] std::string_view page_style();

}  // namespace convert
