// SPDX-License-Identifier: MIT
// Preloaded into a tool: counts its calls that change files, and makes one fail, or kills the tool before one.
//   ETKIT_FAULT_AT=N      the N-th call, from 1 (0: none)
//   ETKIT_FAULT_KIND      eio: it fails with EIO; kill: SIGKILL before it
//   ETKIT_FAULT_REPEAT=1  eio: all later calls fail too
//   ETKIT_FAULT_LOG=FILE  gets a line for each call
// Writes to standard output and standard error are not counted, nor are calls that change nothing.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::atomic<long> calls{0};

// Bypasses the functions below.
void note(std::string_view call) {
  const char* const log = std::getenv("ETKIT_FAULT_LOG");
  if (log == nullptr) return;
  const long fd = ::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = std::string(call) + '\n';
  if (::syscall(SYS_write, fd, line.data(), line.size()) < 0) std::abort();
  ::syscall(SYS_close, fd);
}

// Returns whether this call must fail.
bool is_hit(std::string_view call) {
  const int error = errno;
  const char* const at_text = std::getenv("ETKIT_FAULT_AT");
  const char* const kind = std::getenv("ETKIT_FAULT_KIND");
  const long at = at_text != nullptr ? std::atol(at_text) : 0;
  const long number = ++calls;
  note(call);
  errno = error;
  if (at == 0 || number < at || (number > at && std::getenv("ETKIT_FAULT_REPEAT") == nullptr)) return false;
  if (kind != nullptr && std::string_view(kind) == "kill") ::kill(::getpid(), SIGKILL);
  errno = EIO;
  return true;
}

bool is_missing(const char* path) {
  struct stat status {};
  const int error = errno;
  const bool missing = ::lstat(path, &status) != 0;
  errno = error;
  return missing;
}

template <class Function>
Function* real(Function* /*same type*/, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
  return !is_missing(from) && is_hit("rename") ? -1 : real(rename, "rename")(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return is_hit("renameat2") ? -1 : real(renameat2, "renameat2")(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) noexcept {
  return !is_missing(from) && is_hit("link") ? -1 : real(link, "link")(from, to);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return is_hit("linkat") ? -1 : real(linkat, "linkat")(from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) noexcept {
  return !is_missing(path) && is_hit("unlink") ? -1 : real(unlink, "unlink")(path);
}
int mkdir(const char* path, mode_t mode) noexcept {
  return is_hit("mkdir") ? -1 : real(mkdir, "mkdir")(path, mode);
}
int fchmod(int fd, mode_t mode) noexcept { return is_hit("fchmod") ? -1 : real(fchmod, "fchmod")(fd, mode); }
int fdatasync(int fd) { return is_hit("fdatasync") ? -1 : real(fdatasync, "fdatasync")(fd); }
int syncfs(int fd) noexcept { return is_hit("syncfs") ? -1 : real(syncfs, "syncfs")(fd); }
ssize_t write(int fd, const void* bytes, size_t n) {
  return fd > 2 && is_hit("write") ? -1 : real(write, "write")(fd, bytes, n);
}

}  // extern "C"
