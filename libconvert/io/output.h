// SPDX-License-Identifier: MIT
// Output streams: standard output, and groups of files that are replaced atomically.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

class Error;

enum class Compression : std::uint8_t { none, gzip, zstd };
// Returns the compression of a path's suffix: ".gz", ".tgz", ".zst", else none.
[[nodiscard]] Compression compression_of(std::string_view path);
// Returns the path without .gz or .zst: "ring.et" for "ring.et.gz".
[[nodiscard]] std::string_view without_compression_suffix(std::string_view path);
// Returns whether a path has the suffix of a tar: .tar, .tar.gz, .tar.zst, .tgz.
[[nodiscard]] bool is_tar_name(std::string_view path);

// A byte sink. Every failure throws Error(system) with the name ("<stdout>: No space left on device"). This
// includes a reader that has closed the pipe (EPIPE, if SIGPIPE is ignored); see is_broken_pipe().
class Output {
 public:
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual void write(std::string_view bytes) = 0;
  // Ends the stream: flushes the compressor and the buffer, and checks that everything was written. Without
  // close(), a file never appears, and a pipe or standard output lacks the bytes that were not flushed.
  virtual void close() = 0;
  [[nodiscard]] const std::string& name() const { return name_; }

 protected:
  explicit Output(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

// Returns whether an Output threw the error because its reader closed the pipe. A tool then exits silently.
[[nodiscard]] bool is_broken_pipe(const Error& error);

// Opens standard output, named "<stdout>". Writes nothing before the first full buffer or close().
[[nodiscard]] std::unique_ptr<Output> open_stdout(Compression compression = Compression::none);
// Returns an Output that appends to `to`.
[[nodiscard]] std::unique_ptr<Output> memory_output(std::string& to);

// Writes a group of files that replace their targets together: all or none. Each file is written as a
// temporary in the target's directory: the first 64 without a name (O_TMPFILE), the others with a name. commit()
// renames them to their targets. If a rename or the removal of a stale file fails, the earlier files are restored.
// A process that is killed during commit() leaves a journal, ".NAME.etkit-replace" beside the set; the next process
// that reads or writes the set completes the replacement (see replacement.h). Destruction without commit(), SIGINT,
// SIGTERM, SIGHUP and SIGPIPE remove the temporaries and leave earlier files unchanged. A replaced file keeps its
// mode; a symbolic link to a file is followed. Devices, pipes and "/dev/stdout" are written directly.
class OutputFiles {
 public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  // Opens a file of the group, compressed according to the path's suffix. It must be closed before commit().
  // Thread-safe. Throws Error(usage) if the path was given before.
  [[nodiscard]] std::unique_ptr<Output> create(const std::string& path);
  // Does the same for a file of a set. Creates the last directory of the path if only that is missing.
  [[nodiscard]] std::unique_ptr<Output> create_in_set(const std::string& path);
  // Makes create() reject these files, which are inputs, with Error(usage).
  void keep(const std::vector<std::string>& inputs);
  // Makes create() reject this path, which belongs to a set, whether or not the file exists. Throws Error(usage) if
  // the path was given before.
  void reserve(const std::string& path);
  // Makes commit() remove a file after the renames, such as a stale rank of a larger set, unless a file of the
  // group replaces it.
  void remove_on_commit(std::string path);
  // Writes the files to disk, except a single new file, and renames them to their targets. Throws Error(system)
  // with the file that failed; the message states whether earlier files could not be restored. Throws
  // std::logic_error if a file is still open.
  void commit();

 private:
  struct State;
  std::unique_ptr<Output> create(const std::string& path, bool make_directory);

  std::shared_ptr<State> state_;  // shared with the Outputs
};

// Returns whether OutputFiles writes `path` directly: it exists and is neither a regular file nor a directory
// (symbolic links followed), or it is an open descriptor ("/dev/stdout", "/dev/fd/63") of any kind.
[[nodiscard]] bool is_stream_path(const std::string& path);

}  // namespace convert
