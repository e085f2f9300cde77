// SPDX-License-Identifier: MIT
#include "io/replace/read_files.h"

#include <sys/stat.h>

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "core/diagnostic.h"

namespace convert {
namespace {

std::atomic<ReadFiles> protection{ReadFiles::replaced};
std::mutex files_mutex;

std::set<std::pair<dev_t, ino_t>>& files() {
  static std::set<std::pair<dev_t, ino_t>> noted;
  return noted;
}

}  // namespace

void protect_read_files(ReadFiles how) { protection = how; }

void note_read_file(const struct stat& status) {
  if (protection == ReadFiles::replaced || !S_ISREG(status.st_mode)) return;
  const std::lock_guard lock(files_mutex);
  files().emplace(status.st_dev, status.st_ino);
}

void note_read_file(const std::string& path) {
  struct stat status {};
  if (protection != ReadFiles::replaced && ::stat(path.c_str(), &status) == 0) note_read_file(status);
}

void refuse_read_file(const struct stat& status, const std::string& path) {
  const ReadFiles how = protection;
  if (how == ReadFiles::replaced) return;
  const std::lock_guard lock(files_mutex);
  if (!files().contains({status.st_dev, status.st_ino})) return;
  throw usage_error(path + " is an input; give the result another name" +
                    (how == ReadFiles::refused_by_default ? ", or replace it with --in-place" : ""));
}

}  // namespace convert
