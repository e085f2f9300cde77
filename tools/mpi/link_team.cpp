// SPDX-License-Identifier: MIT
// For a build with MPI.
#include "mpi/link_team.h"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "mpi/session.h"

namespace tools {
namespace {

constexpr int tag_size = 1;
constexpr int tag_bytes = 2;
constexpr std::uint64_t piece = std::uint64_t{1} << 30U;  // MPI counts in int

class MpiLinkTeam final : public LinkTeam {
 public:
  explicit MpiLinkTeam(std::unique_ptr<MpiSession> session) : session_(std::move(session)) {}

  [[nodiscard]] bool leads() const override { return session_->rank() == 0; }
  [[nodiscard]] std::size_t number() const override { return static_cast<std::size_t>(session_->rank()); }
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(session_->size()); }

  [[nodiscard]] bool all(bool ok) override {
    int mine = ok ? 1 : 0, least = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (least == 0) failure_known_ = true;
    return least == 1;
  }

  [[nodiscard]] std::vector<std::string> gather(const std::string& bytes) override {
    if (!leads()) {
      send(bytes);
      return {};
    }
    std::vector<std::string> all = {bytes};
    for (int from = 1; from < session_->size(); ++from) all.push_back(receive(from));
    return all;
  }

  void leave(bool ok) override {
    if (ok || failure_known_) session_->finish();
  }

 private:
  static void send(const std::string& bytes) {
    const std::uint64_t size = bytes.size();
    MPI_Send(&size, 1, MPI_UINT64_T, 0, tag_size, MPI_COMM_WORLD);
    for (std::uint64_t at = 0; at < size; at += piece) {
      MPI_Send(bytes.data() + at, static_cast<int>(std::min(piece, size - at)), MPI_CHAR, 0, tag_bytes,
               MPI_COMM_WORLD);
    }
  }
  static std::string receive(int from) {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, from, tag_size, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::string bytes(size, '\0');
    for (std::uint64_t at = 0; at < size; at += piece) {
      MPI_Recv(bytes.data() + at, static_cast<int>(std::min(piece, size - at)), MPI_CHAR, from, tag_bytes,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return bytes;
  }

  std::unique_ptr<MpiSession> session_;
  bool failure_known_ = false;  // to all processes
};

}  // namespace

std::unique_ptr<LinkTeam> join_link_team() {
  auto session = MpiSession::join();
  if (session == nullptr) return nullptr;
  return std::make_unique<MpiLinkTeam>(std::move(session));
}

}  // namespace tools
