// SPDX-License-Identifier: MIT
// The journal lists all changes before the first one is made. From each state in which a process can be killed, the
// same two functions continue: apply(), forward, and undo(), back. They inspect the file system to find how far a
// killed process came.
#include "io/replace/replacement.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <ranges>
#include <set>

#include "core/diagnostic.h"
#include "io/descriptor.h"
#include "io/fd_output.h"
#include "io/replace/cleanup.h"
#include "io/set_path.h"

namespace convert {
namespace {

bool name_exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// Moves the old file aside and the new one to its target. The old file gets a second name (a hard link) at no cost,
// so that the target is never missing. It is renamed on file systems without hard links (FAT).
int apply(const FileChange& c) {
  if (c.is_removal) {
    if (!name_exists(c.target)) return 0;
    return ::rename(c.target.c_str(), c.backup.c_str()) == 0 ? 0 : errno;
  }
  if (!name_exists(c.temporary)) return 0;  // already at its target
  if (!name_exists(c.backup) && ::link(c.target.c_str(), c.backup.c_str()) != 0 && errno != ENOENT &&
      ::rename(c.target.c_str(), c.backup.c_str()) != 0) {
    return errno;
  }
  return ::rename(c.temporary.c_str(), c.target.c_str()) == 0 ? 0 : errno;
}

// The new file gets its temporary name back first, so that the journal is right at each moment. An old file without
// a second name is still at its target, whatever happened to the new one, and is not touched.
int undo(const FileChange& c) {
  if (!c.is_removal && !name_exists(c.temporary)) {
    if (c.old != FileStamp{} && !name_exists(c.backup)) return 0;
    if (::rename(c.target.c_str(), c.temporary.c_str()) != 0) return errno;
  }
  if (!name_exists(c.backup)) return 0;
  if (name_exists(c.target)) {  // the target is its second name
    ::unlink(c.backup.c_str());
    return 0;
  }
  return ::rename(c.backup.c_str(), c.target.c_str()) == 0 ? 0 : errno;
}

struct Attempt {
  ReplaceResult result = ReplaceResult::done;
  const std::string* failed = nullptr;
  int error = 0;
};

Attempt undo_all(const std::vector<FileChange>& changes) {
  Attempt attempt{.result = ReplaceResult::undone};
  for (const FileChange& c : std::views::reverse(changes)) {
    const int error = undo(c);
    if (error != 0) attempt = {.result = ReplaceResult::unfinished, .failed = &c.target, .error = error};
  }
  return attempt;
}

// Allocates no memory, see UnbrokenStep. The caller removes the journal.
Attempt apply_all(const std::vector<FileChange>& changes) {
  Attempt attempt;
  for (const FileChange& c : changes) {
    attempt.error = apply(c);
    if (attempt.error == 0) continue;
    attempt.failed = &c.target;
    break;
  }
  if (attempt.failed != nullptr) attempt.result = undo_all(changes).result;
  return attempt;
}

// Removes the journal after the last change or its reversal. Returns whether it was removed: it stays while files
// are left over, and the next process tries again.
bool remove_journal(const std::string& journal, const std::vector<FileChange>& changes, ReplaceResult result) {
  if (result == ReplaceResult::unfinished) return false;
  bool is_clean = true;
  for (const FileChange& c : changes) {
    if (result == ReplaceResult::done && ::unlink(c.backup.c_str()) != 0 && errno != ENOENT) is_clean = false;
  }
  return is_clean && (::unlink(journal.c_str()) == 0 || errno == ENOENT);
}

// Directories of the replaced files. A rename is on disk after its directory has been synced.
class Directories {
 public:
  Directories(const std::string& journal, const std::vector<FileChange>& changes) {
    std::set<std::string> names = {directory_of(journal)};
    for (const FileChange& c : changes) names.insert(directory_of(c.target));
    for (const std::string& name : names)
      fds_.emplace_back(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  [[nodiscard]] int sync() const {
    for (const Descriptor& fd : fds_) {
      if (const int error = fd.get() < 0 ? 0 : sync_file(fd.get()); error != 0) return error;
    }
    return 0;
  }

 private:
  std::deque<Descriptor> fds_;
};

// Gives the journal its name; never replaces an existing one.
int place(const std::string& from, const std::string& journal) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, journal.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), journal.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

// The journal under a temporary name, locked as long as the descriptor is open.
class NewJournal {
 public:
  NewJournal(const std::string& journal, const std::vector<FileChange>& changes)
      : journal_(journal),
        temporary_(temporary_name(journal)),
        cleanup_(SignalCleanup::remove_file(temporary_)),
        fd_(create_unbroken(temporary_)) {
    if (fd_.get() < 0) throw system_error(journal_, errno);
    (void)::flock(fd_.get(), LOCK_EX | LOCK_NB);
    struct stat status {};
    int error = ::fstat(fd_.get(), &status) == 0 ? 0 : errno;
    if (error == 0) error = write_all(fd_.get(), journal_text(journal_, status.st_ino, changes));
    if (error == 0) error = sync_file(fd_.get());
    if (error == 0) return;
    ::unlink(temporary_.c_str());
    throw system_error(journal_, error);
  }
  NewJournal(const NewJournal&) = delete;
  NewJournal& operator=(const NewJournal&) = delete;
  ~NewJournal() { ::unlink(temporary_.c_str()); }

  [[nodiscard]] int place() const { return convert::place(temporary_, journal_); }

 private:
  const std::string& journal_;
  std::string temporary_;
  SignalCleanup cleanup_;
  Descriptor fd_;
};

// Waits for the process that replaces the files to end. Returns false if the journal is gone then.
bool lock(const Descriptor& fd, const std::string& journal) {
  constexpr int max_wait_ms = 60'000;
  constexpr timespec pause{0, 10'000'000};
  for (int waited_ms = 0; ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; waited_ms += 10) {
    if (waited_ms >= max_wait_ms)
      throw Error(Error::Kind::system, {.file = journal}, "another process is replacing these files; try again");
    ::nanosleep(&pause, nullptr);
  }
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 && status.st_nlink > 0;
}

std::string read_all(int fd, const std::string& journal) {
  std::string text;
  std::array<char, 65536> block{};
  for (;;) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got == 0) return text;
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) throw system_error(journal, errno);
  }
}

enum class Progress : std::uint8_t { pending, applied, changed };

// Returns the progress of a change. A file that is neither the old nor the new one has been changed. In a copy of
// the files, times mean nothing, and targets that were not replaced yet are not checked.
Progress progress_of(const FileChange& c, bool in_copy) {
  const auto is = [in_copy](const std::string& path, const FileStamp& known) {
    const FileStamp found = stamp_of(path);
    return in_copy ? found.size_bytes == known.size_bytes : found == known;
  };
  if (c.is_removal) {
    if (!name_exists(c.target)) return Progress::applied;
    return !name_exists(c.backup) && (in_copy || is(c.target, c.old)) ? Progress::pending : Progress::changed;
  }
  if (!name_exists(c.temporary)) return is(c.target, c.fresh) ? Progress::applied : Progress::changed;
  const bool untouched = in_copy || !name_exists(c.target) || is(c.target, c.old);
  return untouched && is(c.temporary, c.fresh) ? Progress::pending : Progress::changed;
}

enum class Way : std::uint8_t { forward, back };

// Returns the direction that overwrites only old files: forward if each file is the old or the new one. A copy is
// reverted to the old files unless all are replaced, which preserves files at targets that were not replaced yet.
Way way_of(const std::string& journal, const std::vector<FileChange>& changes, bool is_copy) {
  const FileChange* changed = nullptr;
  for (const FileChange& c : changes) {
    if (changed == nullptr && progress_of(c, false) == Progress::changed) changed = &c;
  }
  if (changed == nullptr) return Way::forward;
  if (is_copy) {
    bool sound = true, is_done = true, can_go_back = true;
    for (const FileChange& c : changes) {
      const Progress progress = progress_of(c, true);
      sound = sound && progress != Progress::changed;
      is_done = is_done && progress == Progress::applied;
      can_go_back = can_go_back && (progress == Progress::pending || c.old == FileStamp{} || name_exists(c.backup));
    }
    if (sound && is_done) return Way::forward;
    if (sound && can_go_back) return Way::back;
  }
  throw input_error(
      {.file = journal},
      "the replacement of files in this journal was interrupted, and " + changed->target +
          " has been changed since, so nothing is overwritten; check or recreate these files, and remove "
          "the journal (old files that had been replaced are beside it, .*.etkit-*.old)");
}

// Completes one journal. Returns false if it still exists although only its removal remains.
bool finish_journal(const std::string& journal) {
  // Without O_NONBLOCK, open() would wait for a pipe of that name.
  const Descriptor fd(::open(journal.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (fd.get() < 0) {
    if (errno == ENOENT) return true;
    throw system_error(journal, errno);
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw system_error(journal, errno);
  if (!S_ISREG(status.st_mode))
    throw input_error({.file = journal}, "is not a regular file, but has the name of a journal; remove it");
  if (!lock(fd, journal)) return true;
  const auto [inode, changes] = parse_journal(journal, read_all(fd.get(), journal));
  const Way way = way_of(journal, changes, inode != status.st_ino);
  const Attempt attempt = way == Way::forward ? apply_all(changes) : undo_all(changes);
  if (attempt.result == ReplaceResult::unfinished) {
    throw Error(Error::Kind::system, {.file = journal},
                "the replacement of files in this journal was interrupted, and cannot be completed (" +
                    *attempt.failed + ": " + std::strerror(attempt.error) +
                    "); run any etkit tool on them with write permission");
  }
  const bool is_gone = remove_journal(journal, changes, attempt.result);
  for (const FileChange& c : changes) {
    if (is_gone && attempt.result == ReplaceResult::undone && !c.is_removal) ::unlink(c.temporary.c_str());
  }
  return is_gone;
}

// Makes the changes after placing the journal. Allocates no memory, see UnbrokenStep.
Attempt apply_new(const std::string& journal, const std::vector<FileChange>& changes, const Directories& folders) {
  Attempt attempt{.result = ReplaceResult::undone, .failed = &journal, .error = folders.sync()};
  if (attempt.error == 0) attempt = apply_all(changes);
  if (attempt.result == ReplaceResult::done) (void)folders.sync();
  const bool is_gone = remove_journal(journal, changes, attempt.result);
  if (attempt.result == ReplaceResult::undone && !is_gone) attempt.result = ReplaceResult::unfinished;
  return attempt;
}

}  // namespace

int sync_file(int fd) {
  while (::fdatasync(fd) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return 0;  // no data can be lost
    if (errno != EINTR) return errno;
  }
  return 0;
}

ReplaceResult replace_files(const std::string& lead, const std::vector<FileChange>& changes,
                            ReplaceFailure& failure) {
  const std::string journal = journal_path(lead);
  const NewJournal written(journal, changes);
  const Directories folders(journal, changes);
  for (;;) {
    if (!finish_journal(journal)) throw system_error(journal, EEXIST);
    Attempt attempt;
    int error = 0;
    {
      const UnbrokenStep step;
      error = written.place();
      if (error == 0) attempt = apply_new(journal, changes, folders);
    }
    if (error == EEXIST) continue;  // another process was faster
    if (error != 0) throw system_error(journal, error);
    if (attempt.failed != nullptr) failure = {*attempt.failed, attempt.error};
    return attempt.result;
  }
}

void finish_replacement(const std::string& path) {
  const std::string journal = journal_path(path);
  if (name_exists(journal)) (void)finish_journal(journal);
}

void finish_replacements_in(const std::string& directory) {
  std::vector<std::string> journals;
  DIR* const stream = ::opendir(directory.c_str());
  if (stream == nullptr) return;  // the reader of the directory reports the error
  while (const dirent* entry = ::readdir(stream)) {
    if (is_journal_name(entry->d_name)) journals.push_back(directory + "/" + entry->d_name);
  }
  ::closedir(stream);
  std::ranges::sort(journals);
  for (const std::string& journal : journals) (void)finish_journal(journal);
}

}  // namespace convert
