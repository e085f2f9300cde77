// SPDX-License-Identifier: MIT
// For a build with MPI. Worker threads ask process 0 for runs and send results; its main thread answers.
#include "mpi/team.h"

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "mpi/session.h"

namespace tools {
namespace {

using convert::RunQueue;

// A request is the number of the run that has ended and its cells, each with a NUL behind it; or the number alone.
// The answer is a number of a run, or none.
constexpr int tag_request = 1;
constexpr int tag_answer = 2;
constexpr int tag_end = 3;
constexpr std::int64_t none = -1;

std::string encode(std::int64_t run, const std::vector<std::string>& cells) {
  std::string bytes(sizeof run, '\0');
  std::memcpy(bytes.data(), &run, sizeof run);
  for (const std::string& cell : cells) bytes += cell + '\0';
  return bytes;
}

void decode(std::string_view bytes, std::int64_t& run, std::vector<std::string>& cells) {
  std::memcpy(&run, bytes.data(), sizeof run);
  bytes.remove_prefix(sizeof run);
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    cells.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
}

// Is the queue of process 0 as another process sees it. One thread at a time talks.
class RemoteQueue : public RunQueue {
 public:
  std::optional<std::size_t> take() override { return ask(none, {}); }
  void put(std::size_t run, const std::vector<std::string>& result) override {
    const std::lock_guard lock(mutex_);
    send(static_cast<std::int64_t>(run), result);
  }

 private:
  static void send(std::int64_t run, const std::vector<std::string>& cells) {
    const std::string bytes = encode(run, cells);
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, 0, tag_request, MPI_COMM_WORLD);
  }
  std::optional<std::size_t> ask(std::int64_t run, const std::vector<std::string>& cells) {
    const std::lock_guard lock(mutex_);
    send(run, cells);
    std::int64_t next = none;
    MPI_Recv(&next, 1, MPI_INT64_T, 0, tag_answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return next == none ? std::nullopt : std::optional(static_cast<std::size_t>(next));
  }

  std::mutex mutex_;
};

class MpiTeam : public SweepTeam {
 public:
  explicit MpiTeam(std::unique_ptr<MpiSession> session) : session_(std::move(session)) {}
  ~MpiTeam() override {
    if (std::uncaught_exceptions() == 0) session_->finish();
  }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  [[nodiscard]] bool leads() const override { return session_->rank() == 0; }
  void begin() override {
    int go = 1;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  void serve(RunQueue& queue) override {
    for (int ended = 0; ended < session_->size() - 1;) {
      MPI_Status status;
      int there = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
      if (there == 0) {  // a blocking receive would keep a core busy
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      int bytes = 0;
      MPI_Get_count(&status, MPI_CHAR, &bytes);
      std::string message(static_cast<std::size_t>(bytes), '\0');
      MPI_Recv(message.data(), bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      if (status.MPI_TAG == tag_end) {
        ++ended;
      } else {
        answer(queue, message, status.MPI_SOURCE);
      }
    }
  }
  [[nodiscard]] std::unique_ptr<RunQueue> queue() override { return std::make_unique<RemoteQueue>(); }
  void end() override { MPI_Send(nullptr, 0, MPI_CHAR, 0, tag_end, MPI_COMM_WORLD); }

 private:
  static void answer(RunQueue& queue, const std::string& message, int to) {
    std::int64_t run = none;
    std::vector<std::string> cells;
    decode(message, run, cells);
    if (run != none) return queue.put(static_cast<std::size_t>(run), cells);
    const std::optional<std::size_t> next = queue.take();
    const std::int64_t number = next ? static_cast<std::int64_t>(*next) : none;
    MPI_Send(&number, 1, MPI_INT64_T, to, tag_answer, MPI_COMM_WORLD);
  }

  std::unique_ptr<MpiSession> session_;
};

}  // namespace

std::unique_ptr<SweepTeam> join_team() {
  auto session = MpiSession::join();
  if (session == nullptr) return nullptr;
  return std::make_unique<MpiTeam>(std::move(session));
}

}  // namespace tools
