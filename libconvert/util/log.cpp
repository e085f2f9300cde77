// SPDX-License-Identifier: MIT
#include "util/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

#include "util/visible.h"

namespace convert {
namespace {

std::atomic<int> log_level{0};
std::mutex prefix_mutex;

std::string& log_prefix() {
  static std::string prefix;
  return prefix;
}

// Each line is one write, so that lines of several threads do not mix.
void log(int level, std::string_view text) {
  if (log_level.load(std::memory_order_relaxed) < level) return;
  std::string line;
  const std::lock_guard lock(prefix_mutex);
  if (!log_prefix().empty()) line = log_prefix() + ": ";
  line.append(visible(text)).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void set_log_level(int level) { log_level = level; }

void set_log_prefix(std::string prefix) {
  const std::lock_guard lock(prefix_mutex);
  log_prefix() = std::move(prefix);
}

void log_note(std::string_view text) { log(0, "note: " + std::string(text)); }
void log_info(std::string_view text) { log(1, text); }
void log_debug(std::string_view text) { log(2, text); }

}  // namespace convert
