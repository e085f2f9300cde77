// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/diagnostic.h"
#include "io/compression.h"
#include "io/fd_output.h"
#include "io/output.h"
#include "io/replace/cleanup.h"
#include "io/replace/read_files.h"
#include "io/replace/replacement.h"
#include "io/set_name.h"
#include "io/set_path.h"

namespace convert {
namespace {

// Each unnamed temporary requires an open descriptor until commit(). Further files get named temporaries, so that a
// set of any size stays below the limit of open files.
constexpr std::size_t max_unnamed = 64;

// Returns the descriptor of "/dev/stdout", "/dev/fd/3" …. Opening such a path again would lose the position in a
// file that the shell opened for appending.
std::optional<int> descriptor_of(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::string_view digits = std::string_view(path).substr(std::min(folder.size(), path.size()));
    if (path.starts_with(folder) && !digits.empty() && digits.size() < 7 &&
        digits.find_first_not_of("0123456789") == std::string_view::npos) {
      return std::atoi(std::string(digits).c_str());
    }
  }
  return std::nullopt;
}

[[noreturn]] void fail(const std::string& path) { throw system_error(path, errno); }

// Returns the path with its real directory, so that a file has one name in State::targets.
std::string absolute(const std::string& path) {
  char* const real = ::realpath(directory_of(path).c_str(), nullptr);
  if (real == nullptr) return path;
  const std::string directory = real;
  std::free(real);
  return (directory == "/" ? "" : directory) + "/" + std::string(file_name_part(path));
}

int link_registered(const std::string& from, const std::string& to) {
  const UnbrokenStep step;
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW);
}

int make_registered_directory(const std::string& path) {
  const UnbrokenStep step;
  return ::mkdir(path.c_str(), 0777);
}

struct PendingFile {
  enum class State : std::uint8_t { open, complete, discarded };
  std::string asked;      // the path as given by the caller, for messages
  std::string target;     // absolute, symbolic links followed
  std::string temporary;  // empty while the file has no name
  bool replaces = false;  // the file exists already
  int fd = -1;
  State state = State::open;
  SignalCleanup cleanup;
};

}  // namespace

struct OutputFiles::State {
  std::mutex mutex;
  std::deque<PendingFile> entries;  // addresses are stable
  std::set<std::string> targets;
  std::set<std::pair<dev_t, ino_t>> kept;
  std::vector<std::string> removals;
  std::vector<std::pair<std::string, SignalCleanup>> new_directories;
  std::size_t unnamed = 0;

  void ensure_directory(const std::string& asked, const std::string& directory, bool make) {
    struct stat status {};
    if (::stat(directory.c_str(), &status) == 0) return;
    if (errno != ENOENT) fail(asked);
    if (!make) fail(directory);
    SignalCleanup cleanup = SignalCleanup::remove_directory(directory);
    if (make_registered_directory(directory) != 0) {
      if (errno != EEXIST) fail(asked);
      return;
    }
    new_directories.emplace_back(directory, std::move(cleanup));
  }

  PendingFile& add(const std::string& asked, const std::string& target, std::optional<mode_t> mode) {
    static const bool can_link_later = ::access("/proc/self/fd", X_OK) == 0;
    PendingFile entry;
    entry.asked = asked;
    entry.target = target;
    entry.replaces = mode.has_value();
    if (can_link_later && unnamed < max_unnamed) {
      entry.fd = ::open(directory_of(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    }
    if (entry.fd >= 0) {
      ++unnamed;
    } else {
      open_named(entry);
    }
    entries.push_back(std::move(entry));
    PendingFile& added = entries.back();
    if (mode && ::fchmod(added.fd, *mode) != 0) {
      const int error = errno;
      ::close(added.fd);
      discard(added);
      throw system_error(asked, error);
    }
    return added;
  }

  void open_named(PendingFile& entry) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      entry.temporary = temporary_name(entry.target);
      entry.cleanup = SignalCleanup::remove_file(entry.temporary);
      entry.fd = create_unbroken(entry.temporary);
      if (entry.fd >= 0) return;
      if (errno != EEXIST) break;
    }
    const int error = errno;
    entry.cleanup.release();
    throw system_error(entry.asked, error);
  }

  // Gives an unnamed temporary a temporary name: a link cannot replace a file, a rename can.
  void name_it(PendingFile& entry) {
    const std::string unnamed_path = "/proc/self/fd/" + std::to_string(entry.fd);
    int result = -1;
    for (int attempt = 0; attempt < 100 && result != 0; ++attempt) {
      const std::string name = temporary_name(entry.target);
      entry.cleanup = SignalCleanup::remove_file(name);
      result = link_registered(unnamed_path, name);
      if (result == 0) entry.temporary = name;
      if (result != 0 && errno != EEXIST) break;
    }
    if (result != 0) {
      const int error = errno;
      entry.cleanup.release();
      throw system_error(entry.asked, error);
    }
    --unnamed;
    close_descriptor(entry);
  }

  void close_descriptor(PendingFile& entry) {
    if (::close(std::exchange(entry.fd, -1)) != 0 && errno != EINTR) fail(entry.asked);
  }

  // Writes the contents to disk. A sync of each of many files would wait for as many commits of the file system's
  // own journal. One sync of the file system waits for one commit, although it includes data of other programs.
  void sync() {
    constexpr std::size_t most_single = 8;
    std::map<dev_t, std::vector<PendingFile*>> by_device;
    for (PendingFile& entry : entries) {
      struct stat status {};
      if (entry.state != PendingFile::State::complete) continue;
      const bool found =
          (entry.fd >= 0 ? ::fstat(entry.fd, &status) : ::stat(entry.temporary.c_str(), &status)) == 0;
      if (!found) fail(entry.asked);
      by_device[status.st_dev].push_back(&entry);
    }
    for (const auto& [device, files] : by_device) {
      const bool at_once = files.size() > most_single;
      for (const PendingFile* entry : files) {
        const int fd = entry->fd >= 0 ? entry->fd : ::open(entry->temporary.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) fail(entry->asked);
        const int error = !at_once ? sync_file(fd) : ::syncfs(fd) != 0 ? errno : 0;
        if (fd != entry->fd) ::close(fd);
        if (error != 0) throw system_error(entry->asked, error);
        if (at_once) break;
      }
    }
  }

  // Gives the file a name beside its target.
  FileChange complete(PendingFile& entry) {
    if (entry.temporary.empty()) name_it(entry);
    const FileStamp fresh = stamp_of(entry.temporary);
    if (fresh == FileStamp{}) fail(entry.asked);
    return {.target = entry.target,
            .temporary = entry.temporary,
            .backup = backup_name(entry.temporary),
            .is_removal = false,
            .fresh = fresh,
            .old = stamp_of(entry.target)};
  }

  // Discards an entry. The descriptor of an open entry belongs to its Output.
  void discard(PendingFile& entry) noexcept {
    if (entry.state == PendingFile::State::discarded) return;
    if (entry.temporary.empty()) {
      --unnamed;
    } else {
      ::unlink(entry.temporary.c_str());
    }
    if (entry.state == PendingFile::State::complete && entry.fd >= 0) ::close(entry.fd);
    entry.state = PendingFile::State::discarded;
    entry.cleanup.release();
  }

  void discard_all() noexcept {
    const std::lock_guard lock(mutex);
    for (PendingFile& entry : entries) discard(entry);
    for (const auto& [directory, cleanup] : new_directories) ::rmdir(directory.c_str());
    new_directories.clear();
  }

  // Returns the removals of files that exist and that no file of the group replaces.
  std::vector<FileChange> removal_changes() const {
    std::vector<FileChange> changes;
    std::set<std::string> replaced;
    for (const PendingFile& entry : entries) {
      if (!removals.empty() && entry.state == PendingFile::State::complete) replaced.insert(absolute(entry.asked));
    }
    for (const std::string& path : removals) {
      const FileStamp old = stamp_of(path);
      if (old == FileStamp{} || replaced.contains(absolute(path))) continue;
      FileChange& change = changes.emplace_back();
      change.is_removal = true;
      change.old = old;
      change.target = absolute(path);
      change.temporary = temporary_name(change.target);
      change.backup = backup_name(change.temporary);
    }
    return changes;
  }

  // The registration of a renamed file may end later: a temporary name that no longer exists is harmless.
  void rename_one(PendingFile& entry) {
    int error = 0;
    {
      const UnbrokenStep step;
      if (::rename(entry.temporary.c_str(), entry.target.c_str()) != 0) error = errno;
    }
    if (error != 0) throw system_error(entry.asked, error);
  }

  // Returns the path that the journal is named after: the path of the set, as its readers will pass it, not of a
  // file beside the set.
  std::string lead() const {
    const PendingFile* first = nullptr;
    for (const PendingFile& entry : entries) {
      if (entry.state != PendingFile::State::complete) continue;
      if (set_member(entry.asked)) return absolute(entry.asked);
      if (first == nullptr) first = &entry;
    }
    return absolute(first != nullptr ? first->asked : removals.front());
  }

  void rename_all(const std::vector<FileChange>& changes) {
    ReplaceFailure failure;
    const ReplaceResult result = replace_files(lead(), changes, failure);
    if (result == ReplaceResult::done) return;
    for (const PendingFile& entry : entries) {
      if (entry.target == failure.path) failure.path = entry.asked;
    }
    if (result == ReplaceResult::undone) throw system_error(failure.path, failure.error);
    for (PendingFile& entry : entries) {  // the journal requires their names
      entry.state = PendingFile::State::discarded;
      entry.cleanup.release();
    }
    throw Error(Error::Kind::system, {.file = failure.path},
                std::string(std::strerror(failure.error)) +
                    "; the files replaced before could not be restored; when the cause is removed, run any etkit "
                    "tool on the set to complete the replacement");
  }

  class FileOutput;
};

// Writes one file of the group. Its temporary is removed unless it is closed.
class OutputFiles::State::FileOutput final : public Output {
 public:
  FileOutput(std::shared_ptr<State> state, PendingFile& entry)
      : Output(entry.asked),
        state_(std::move(state)),
        entry_(entry),
        fd_(entry.fd),
        stream_(compressed(fd_output(entry.asked, fd_, FdOwner::caller), compression_of(entry.asked))) {}
  ~FileOutput() override {
    if (closed_) return;
    const std::lock_guard lock(state_->mutex);
    ::close(fd_);
    state_->discard(entry_);
  }

  void write(std::string_view bytes) override { stream_->write(bytes); }
  void close() override {
    stream_->close();
    const std::lock_guard lock(state_->mutex);
    if (entry_.state == PendingFile::State::discarded)
      throw std::logic_error("close() after the end of OutputFiles");
    closed_ = true;
    if (!entry_.temporary.empty()) state_->close_descriptor(entry_);
    entry_.state = PendingFile::State::complete;
  }

 private:
  std::shared_ptr<State> state_;
  PendingFile& entry_;
  int fd_;
  std::unique_ptr<Output> stream_;
  bool closed_ = false;
};

namespace {

std::unique_ptr<Output> direct_output(const std::string& path, int fd) {
  if (fd < 0) fail(path);
  return compressed(fd_output(path, fd, FdOwner::output), compression_of(path));
}

}  // namespace

OutputFiles::OutputFiles() : state_(std::make_shared<State>()) {}

OutputFiles::~OutputFiles() {
  park_if_ending();
  state_->discard_all();
}

std::unique_ptr<Output> OutputFiles::create(const std::string& path) { return create(path, false); }
std::unique_ptr<Output> OutputFiles::create_in_set(const std::string& path) { return create(path, true); }

std::unique_ptr<Output> OutputFiles::create(const std::string& path, bool make_directory) {
  if (const std::optional<int> fd = descriptor_of(path)) {
    return direct_output(path, ::fcntl(*fd, F_DUPFD_CLOEXEC, 3));
  }
  finish_replacement(path);
  struct stat status {};
  std::string target = path;
  std::optional<mode_t> mode;
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw system_error(path, EISDIR);
    if (const std::lock_guard lock(state_->mutex); state_->kept.contains({status.st_dev, status.st_ino}))
      throw usage_error(path + " is an input; give the result another name");
    refuse_read_file(status, path);
    if (!S_ISREG(status.st_mode)) return direct_output(path, ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (::access(path.c_str(), W_OK) != 0) fail(path);
    mode = status.st_mode & 0777;
    if (char* const real = ::realpath(path.c_str(), nullptr)) {
      target = real;
      std::free(real);
    }
  } else if (errno != ENOENT) {
    fail(path);
  } else if (file_name_part(path).empty()) {
    throw system_error(path, path.empty() ? ENOENT : EISDIR);
  }
  const std::lock_guard lock(state_->mutex);
  if (!mode) {
    state_->ensure_directory(path, directory_of(path), make_directory);
    target = absolute(path);
  }
  if (state_->targets.contains(target)) throw usage_error("two outputs have the name " + path);
  PendingFile& entry = state_->add(path, target, mode);
  state_->targets.insert(target);
  return std::make_unique<State::FileOutput>(state_, entry);
}

void OutputFiles::keep(const std::vector<std::string>& inputs) {
  const std::lock_guard lock(state_->mutex);
  for (const std::string& input : inputs) {
    struct stat status {};
    if (::stat(input.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      state_->kept.insert({status.st_dev, status.st_ino});
  }
}

void OutputFiles::reserve(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->targets.insert(absolute(path)).second) throw usage_error("two outputs have the name " + path);
}

void OutputFiles::remove_on_commit(std::string path) {
  const std::lock_guard lock(state_->mutex);
  state_->removals.push_back(std::move(path));
}

void OutputFiles::commit() {
  const std::lock_guard lock(state_->mutex);
  for (const PendingFile& entry : state_->entries) {
    if (entry.state == PendingFile::State::open)
      throw std::logic_error("commit() before close() of " + entry.asked);
  }
  std::vector<FileChange> changes;
  const std::vector<FileChange> removals = state_->removal_changes();
  PendingFile* last = nullptr;
  std::size_t count = removals.size();
  bool sync = !removals.empty();
  for (PendingFile& entry : state_->entries) {
    if (entry.state != PendingFile::State::complete) continue;
    last = &entry;
    sync = sync || entry.replaces || ++count > 1;
  }
  if (sync) state_->sync();
  for (PendingFile& entry : state_->entries) {
    if (entry.state == PendingFile::State::complete) changes.push_back(state_->complete(entry));
  }
  changes.insert(changes.end(), removals.begin(), removals.end());
  if (changes.size() > 1 || !removals.empty()) {
    state_->rename_all(changes);
  } else if (last != nullptr) {
    state_->rename_one(*last);
  }
  state_->entries.clear();
  state_->targets.clear();
  state_->new_directories.clear();
  state_->removals.clear();
}

bool is_stream_path(const std::string& path) {
  if (const std::optional<int> fd = descriptor_of(path)) return ::fcntl(*fd, F_GETFD) != -1;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace convert
