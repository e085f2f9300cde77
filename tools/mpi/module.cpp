// SPDX-License-Identifier: MIT
// The module etkit-mpi.so: the only code that uses MPI.
#include <mpi.h>

#include <algorithm>

#include "mpi/session.h"

namespace tools {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30U;  // MPI counts in int

class Session final : public MpiSession {
 public:
  Session() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(const void* bytes, std::size_t n, int to, int tag) override {
    const char* at = static_cast<const char*>(bytes);
    do {
      const std::size_t part = std::min(piece, n);
      MPI_Send(at, static_cast<int>(part), MPI_CHAR, to, tag, MPI_COMM_WORLD);
      at += part;
      n -= part;
    } while (n != 0);
  }

  void receive(void* bytes, std::size_t n, int from, int tag) override {
    char* at = static_cast<char*>(bytes);
    do {
      const std::size_t part = std::min(piece, n);
      MPI_Recv(at, static_cast<int>(part), MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      at += part;
      n -= part;
    } while (n != 0);
  }

  [[nodiscard]] std::optional<Message> arrived() override {
    MPI_Status status;
    int there = 0, bytes = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    return Message{status.MPI_SOURCE, status.MPI_TAG, static_cast<std::size_t>(bytes)};
  }

  void follow_first() override {
    int go = 1;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }

  [[nodiscard]] bool all(bool ok) override {
    int mine = ok ? 1 : 0, least = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least == 1;
  }

  void finish() override {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

extern "C" void etkit_start_mpi(std::unique_ptr<MpiSession>& session) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (provided >= MPI_THREAD_SERIALIZED) session = std::make_unique<Session>();
}

}  // namespace tools
