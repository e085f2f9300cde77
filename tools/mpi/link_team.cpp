// SPDX-License-Identifier: MIT
#include "mpi/link_team.h"

#include <utility>

#include "mpi/session.h"

namespace tools {
namespace {

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
    return session_->gather(bytes);
  }

  void leave(bool ok) override {
    if (ok || failure_known_) session_->finish();
  }

 private:
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
