// SPDX-License-Identifier: MIT
// Where results go: standard output, or files that appear whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

class Error;

enum class Compression : std::uint8_t { none, gzip, zstd };
// By suffix: ".gz", ".tgz", ".zst", else none.
[[nodiscard]] Compression compression_of(std::string_view path);
// "ring.et" of "ring.et.gz"; other names as they are.
[[nodiscard]] std::string_view without_compression_suffix(std::string_view path);
// Whether the name is that of a tar: .tar, .tar.gz, .tar.zst, .tgz.
[[nodiscard]] bool is_tar_name(std::string_view path);

// A byte sink. Every failure throws Error(system) with the name ("<stdout>: No space left on device").
// A reader that went away (EPIPE, where SIGPIPE is ignored) is such a failure too: is_broken_pipe() tells.
class Output {
 public:
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual void write(std::string_view bytes) = 0;
  // Ends the stream: flushes the compressor and the buffer and checks that everything was taken.
  // Without close() the result is discarded (a file never appears).
  virtual void close() = 0;
  [[nodiscard]] const std::string& name() const { return name_; }

 protected:
  explicit Output(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

// True for the Error that an Output throws when its reader has gone: a tool ends quietly then.
[[nodiscard]] bool is_broken_pipe(const Error& error);

// Standard output, named "<stdout>". Nothing is written before the first full buffer or close().
[[nodiscard]] std::unique_ptr<Output> open_stdout(Compression compression = Compression::none);
// Collects into `to` (tests, benchmarks).
[[nodiscard]] std::unique_ptr<Output> memory_output(std::string& to);

// A group of files that replace their targets together: all of them or none. Each is written under a temporary name
// in the target's directory (an unnamed O_TMPFILE where the file system has it); commit() brings them to the disk
// and gives them all their names after the last one is complete. If one cannot have it, or a stale file cannot go,
// the earlier ones are put back. A process that is killed in between leaves a journal, ".NAME.etkit-replace" beside
// the set: the next one that reads or writes the set finishes what was begun (see replacement.h). Destruction
// without commit(), an error, SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporaries and leave earlier files as
// they were. A replaced file keeps its mode; a symbolic link to a file is followed. Devices, pipes and
// "/dev/stdout" cannot be replaced: they are written directly.
class OutputFiles {
 public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  // Thread-safe. The Output must be closed before commit(). Compression by the path's suffix. Throws
  // Error(usage) if the path was given before.
  [[nodiscard]] std::unique_ptr<Output> create(const std::string& path);
  // The same of a file of a set: makes the last directory of the path if only that is missing.
  [[nodiscard]] std::unique_ptr<Output> create_in_set(const std::string& path);
  // Makes create() refuse these files with Error(usage): they are read, and nothing takes their place.
  void keep(const std::vector<std::string>& inputs);
  // The same of a path that goes with a set, whether there is such a file or not. Throws Error(usage) if the path
  // was given before.
  void reserve(const std::string& path);
  // Files that commit() removes after the renames (stale ranks of a larger set).
  void remove_on_commit(std::string path);
  void commit();

 private:
  struct State;
  std::unique_ptr<Output> create(const std::string& path, bool make_directory);

  std::shared_ptr<State> state_;  // shared with the Outputs
};

// True if OutputFiles writes `path` directly: what it names exists and is neither a regular file nor a directory
// (symbolic links followed), or it is an open descriptor ("/dev/stdout", "/dev/fd/63"), of whatever kind.
[[nodiscard]] bool is_stream_path(const std::string& path);

}  // namespace convert
