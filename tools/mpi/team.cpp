// SPDX-License-Identifier: MIT
// Worker threads request runs from process 0 and send results; the main thread of process 0 answers.
#include "mpi/team.h"

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
#include <vector>

#include "mpi/session.h"

namespace tools {
namespace {

using convert::RunQueue;

// A request is the number of a finished run and its cells, each ending with NUL; or `none`, to get a run. The
// answer is the number of a run, or `none`.
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

// The queue of process 0, for another process. One thread communicates at a time.
class RemoteQueue : public RunQueue {
 public:
  explicit RemoteQueue(MpiSession& session) : session_(session) {}
  std::optional<std::size_t> take() override { return ask(none, {}); }
  void put(std::size_t run, const std::vector<std::string>& result) override {
    const std::lock_guard lock(mutex_);
    send(static_cast<std::int64_t>(run), result);
  }

 private:
  void send(std::int64_t run, const std::vector<std::string>& cells) {
    const std::string bytes = encode(run, cells);
    session_.send(bytes.data(), bytes.size(), 0, tag_request);
  }
  std::optional<std::size_t> ask(std::int64_t run, const std::vector<std::string>& cells) {
    const std::lock_guard lock(mutex_);
    send(run, cells);
    std::int64_t next = none;
    session_.receive(&next, sizeof next, 0, tag_answer);
    return next == none ? std::nullopt : std::optional(static_cast<std::size_t>(next));
  }

  MpiSession& session_;
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
  void begin() override { session_->follow_first(); }
  void compare(const ProcessInputs& inputs) override {
    const std::vector<std::string> all = session_->gather(encode_inputs(inputs));
    if (leads()) require_same_inputs(all);
  }
  void serve(RunQueue& queue) override {
    for (int ended = 0; ended < session_->size() - 1;) {
      const auto arrived = session_->arrived();
      if (!arrived) {  // a blocking receive would keep a core busy
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      std::string message(arrived->bytes, '\0');
      session_->receive(message.data(), message.size(), arrived->from, arrived->tag);
      if (arrived->tag == tag_end) {
        ++ended;
      } else {
        answer(queue, message, arrived->from);
      }
    }
  }
  [[nodiscard]] std::unique_ptr<RunQueue> queue() override { return std::make_unique<RemoteQueue>(*session_); }
  void end() override { session_->send(nullptr, 0, 0, tag_end); }

 private:
  void answer(RunQueue& queue, const std::string& message, int to) {
    std::int64_t run = none;
    std::vector<std::string> cells;
    decode(message, run, cells);
    if (run != none) return queue.put(static_cast<std::size_t>(run), cells);
    const std::optional<std::size_t> next = queue.take();
    const std::int64_t number = next ? static_cast<std::int64_t>(*next) : none;
    session_->send(&number, sizeof number, to, tag_answer);
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
