// SPDX-License-Identifier: MIT
// etkit: lists the tools, starts a tool, or reports what this machine has.
#include <iostream>
#include <string>

#include "about/version.h"
#include "etkit/doctor.h"
#include "etkit/start.h"
#include "programs.h"

int tools::etkit(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "--help";
  if (command == "-h" || command == "--help" || command == "help") {
    std::cout << tools::etkit_help();
  } else if (command == "--version") {
    std::cout << "etkit " << tools::version_text();
  } else if (command == "doctor") {
    std::cout << tools::doctor_report();
  } else {
    return tools::start_tool(command, argv + 1);
  }
  std::cout.flush();
  return std::cout.good() ? 0 : 2;
}
