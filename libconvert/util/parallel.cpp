// SPDX-License-Identifier: MIT
#include "util/parallel.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "util/in_turn.h"

namespace convert {
namespace {

using SlotWork = std::function<void(std::size_t slot, std::size_t i)>;

using Actions = std::vector<std::function<void()>>;
thread_local Actions* left_to_do = nullptr;  // of the item that this thread works on

// Result of an item beside its value: an exception, and deferred actions.
struct Outcome {
  std::exception_ptr error;
  Actions actions;

  // Runs the deferred actions, and throws the exception.
  void take() {
    for (const auto& action : std::exchange(actions, {})) action();
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }
};

Outcome do_work(const SlotWork& work, std::size_t slot, std::size_t i) {
  Outcome outcome;
  Actions* const outer = std::exchange(left_to_do, &outcome.actions);
  try {
    work(slot, i);
  } catch (...) {
    outcome.error = std::current_exception();
  }
  left_to_do = outer;
  return outcome;
}

class OrderedPool {
 public:
  OrderedPool(std::size_t n, std::size_t window, const SlotWork& work)
      : n_(n), window_(window), work_(work), slots_(window) {}
  ~OrderedPool() {
    {
      const std::lock_guard lock(mutex_);
      n_ = 0;
    }
    may_begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  OrderedPool(const OrderedPool&) = delete;
  OrderedPool& operator=(const OrderedPool&) = delete;

  // Starts `count` threads, or as many as the system allows. Returns false if no thread started.
  [[nodiscard]] bool start(std::size_t count) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      return !threads_.empty();
    }
    return true;
  }

  // Waits for the result of item i, and runs its deferred actions.
  void wait_for(std::size_t i) {
    std::optional<Outcome>& slot = slots_[i % window_];
    std::unique_lock lock(mutex_);
    is_ready_.wait(lock, [&] { return slot.has_value(); });
    Outcome outcome = std::move(*slot);
    slot.reset();
    lock.unlock();
    outcome.take();
  }

  // Frees the slot of item i.
  void done(std::size_t i) {
    {
      const std::lock_guard lock(mutex_);
      consumed_ = i + 1;
    }
    may_begin_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      may_begin_.wait(lock, [this] { return next_ >= n_ || next_ < consumed_ + window_; });
      if (next_ >= n_) return;
      const std::size_t i = next_++;
      lock.unlock();
      Outcome outcome = do_work(work_, i % window_, i);
      lock.lock();
      const bool failed = outcome.error != nullptr;
      slots_[i % window_] = std::move(outcome);
      if (failed) {  // earlier items have already begun; later ones are not needed
        n_ = std::min(n_, next_);
        may_begin_.notify_all();
      }
      is_ready_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable may_begin_;
  std::condition_variable is_ready_;
  std::size_t n_;
  const std::size_t window_;
  const SlotWork& work_;
  std::vector<std::optional<Outcome>> slots_;
  std::vector<std::thread> threads_;
  std::size_t next_ = 0;
  std::size_t consumed_ = 0;
};

}  // namespace

unsigned default_jobs() {
  cpu_set_t usable;  // hardware_concurrency() counts all CPUs of the machine
  if (sched_getaffinity(0, sizeof usable, &usable) == 0)
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&usable)));
  return std::max(1U, std::thread::hardware_concurrency());
}

void run_ordered(unsigned jobs, std::size_t n, std::size_t window, const SlotWork& work, const SlotWork& consume) {
  if (jobs > 1 && n > 1) {
    OrderedPool pool(n, window, work);
    if (pool.start(std::min<std::size_t>(jobs, n))) {
      for (std::size_t i = 0; i < n; ++i) {
        pool.wait_for(i);
        consume(i % window, i);
        pool.done(i);
      }
      return;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    do_work(work, i % window, i).take();
    consume(i % window, i);
  }
}

bool works_on_item() { return left_to_do != nullptr; }

void in_turn(std::function<void()> f) {
  if (left_to_do == nullptr) return f();
  left_to_do->push_back(std::move(f));
}

}  // namespace convert
