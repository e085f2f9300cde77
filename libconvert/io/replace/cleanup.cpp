// SPDX-License-Identifier: MIT
#include "io/replace/cleanup.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

namespace convert {

// Slots are never freed, only reused, so that the handler can walk the list at any moment. A path is owned by the
// thread that exchanges it for null, so the handler never sees freed memory.
struct CleanupSlot {
  std::atomic<char*> file{nullptr};
  std::atomic<char*> directory{nullptr};
  std::atomic<pid_t> group{0};
  CleanupSlot* next = nullptr;
};

namespace {

static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

constexpr int max_wait_ms = 60'000;  // a step may rename very many files
constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

std::atomic<CleanupSlot*> first_slot{nullptr};
// A step increments the count and then reads the flag; the handler sets the flag and then reads the count. At least
// one of the two sees the other.
std::atomic<bool> ending{false};
std::atomic<int> steps{0};

struct FreeSlots {
  std::mutex mutex;
  std::vector<CleanupSlot*> slots;
};

FreeSlots& free_slots() {
  static auto* const free = new FreeSlots;  // never destroyed: static objects may still release slots
  return *free;
}

// Waits until the process ends.
[[noreturn]] void park() {
  for (;;) ::pause();
}

extern "C" void on_ending_signal(int number) {
  const int saved_errno = errno;
  if (ending.exchange(true)) park();  // another thread ends the process
  for (CleanupSlot* slot = first_slot.load(); slot != nullptr; slot = slot->next) {
    if (const pid_t group = slot->group.exchange(0); group > 0) ::kill(-group, SIGKILL);
  }
  constexpr timespec millisecond{0, 1'000'000};
  for (int i = 0; steps.load() > 0 && i < max_wait_ms; ++i) ::nanosleep(&millisecond, nullptr);
  for (CleanupSlot* slot = first_slot.load(); slot != nullptr; slot = slot->next) {
    if (const char* file = slot->file.exchange(nullptr)) ::unlink(file);
  }
  for (CleanupSlot* slot = first_slot.load(); slot != nullptr; slot = slot->next) {
    if (const char* directory = slot->directory.exchange(nullptr)) ::rmdir(directory);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);  // blocked here, so it takes effect when the handler returns
  errno = saved_errno;
}

void install_handlers() {
  for (const int number : ending_signals) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 ||
        action.sa_handler != SIG_DFL) {
      continue;
    }
    action = {};
    action.sa_handler = on_ending_signal;
    sigfillset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
  }
}

void install_handlers_once() {
  static std::once_flag installed;
  std::call_once(installed, install_handlers);
}

CleanupSlot* take_slot() {
  install_handlers_once();
  FreeSlots& free = free_slots();
  const std::lock_guard lock(free.mutex);
  if (free.slots.empty()) {
    free.slots.push_back(new CleanupSlot);
    free.slots.back()->next = first_slot.load();
    first_slot.store(free.slots.back());
  }
  CleanupSlot* const slot = free.slots.back();
  free.slots.pop_back();
  return slot;
}

char* copy_of(const std::string& path) {
  char* const copy = ::strdup(path.c_str());
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}

}  // namespace

SignalCleanup SignalCleanup::remove_file(const std::string& path) {
  CleanupSlot* const slot = take_slot();
  slot->file.store(copy_of(path));
  return SignalCleanup(slot);
}

SignalCleanup SignalCleanup::remove_directory(const std::string& path) {
  CleanupSlot* const slot = take_slot();
  slot->directory.store(copy_of(path));
  return SignalCleanup(slot);
}

SignalCleanup SignalCleanup::kill_group(pid_t group) {
  CleanupSlot* const slot = take_slot();
  slot->group.store(group);
  return SignalCleanup(slot);
}

void SignalCleanup::release() noexcept {
  if (slot_ == nullptr) return;
  std::free(slot_->file.exchange(nullptr));
  std::free(slot_->directory.exchange(nullptr));
  slot_->group.store(0);
  FreeSlots& free = free_slots();
  const std::lock_guard lock(free.mutex);
  free.slots.push_back(slot_);
  slot_ = nullptr;
}

UnbrokenStep::UnbrokenStep() {
  install_handlers_once();
  sigset_t held;
  sigemptyset(&held);
  for (const int number : ending_signals) sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
  ++steps;
  if (!ending.load()) return;
  --steps;
  park();
}

UnbrokenStep::~UnbrokenStep() {
  --steps;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int create_unbroken(const std::string& path) {
  const UnbrokenStep step;
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

void park_if_ending() {
  if (ending.load()) park();
}

}  // namespace convert
