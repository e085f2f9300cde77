// SPDX-License-Identifier: MIT
#include "mpi/link_team.h"

#include <cstdint>
#include <utility>

#include "mpi/session.h"

namespace tools {
namespace {

constexpr int tag_size = 1;
constexpr int tag_bytes = 2;

class MpiLinkTeam final : public LinkTeam {
 public:
  explicit MpiLinkTeam(std::unique_ptr<MpiSession> session) : session_(std::move(session)) {}

  [[nodiscard]] bool leads() const override { return session_->rank() == 0; }
  [[nodiscard]] std::size_t number() const override { return static_cast<std::size_t>(session_->rank()); }
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(session_->size()); }

  [[nodiscard]] bool all(bool ok) override {
    const bool all_ok = session_->all(ok);
    if (!all_ok) failure_known_ = true;
    return all_ok;
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
  void send(const std::string& bytes) {
    const std::uint64_t size = bytes.size();
    session_->send(&size, sizeof size, 0, tag_size);
    session_->send(bytes.data(), bytes.size(), 0, tag_bytes);
  }
  std::string receive(int from) {
    std::uint64_t size = 0;
    session_->receive(&size, sizeof size, from, tag_size);
    std::string bytes(size, '\0');
    session_->receive(bytes.data(), bytes.size(), from, tag_bytes);
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
