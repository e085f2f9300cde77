// SPDX-License-Identifier: MIT
#include "util/parallel.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace convert {
namespace {

using Step = std::function<void(std::size_t slot, std::size_t i)>;

class Pool {
 public:
  Pool(std::size_t n, std::size_t window, const Step& work) : n_(n), window_(window), work_(work), slots_(window) {}
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      n_ = 0;
    }
    may_begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Fewer threads than asked for will do; none at all is false.
  [[nodiscard]] bool start(std::size_t count) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      return !threads_.empty();
    }
    return true;
  }

  // Waits for the result of item i.
  void wait_for(std::size_t i) {
    std::unique_lock lock(mutex_);
    Slot& slot = slots_[i % window_];
    is_ready_.wait(lock, [&] { return slot.ready; });
    slot.ready = false;
    if (slot.error) std::rethrow_exception(std::exchange(slot.error, nullptr));
  }

  // Its slot may be used again.
  void done(std::size_t i) {
    {
      const std::lock_guard lock(mutex_);
      consumed_ = i + 1;
    }
    may_begin_.notify_one();
  }

 private:
  struct Slot {
    bool ready = false;
    std::exception_ptr error;
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      may_begin_.wait(lock, [this] { return next_ >= n_ || next_ < consumed_ + window_; });
      if (next_ >= n_) return;
      const std::size_t i = next_++;
      lock.unlock();
      std::exception_ptr error;
      try {
        work_(i % window_, i);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      slots_[i % window_] = {true, error};
      if (error) {  // items before it have begun already; none after it is needed
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
  const Step& work_;
  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;
  std::size_t next_ = 0;
  std::size_t consumed_ = 0;
};

}  // namespace

unsigned default_jobs() {
  cpu_set_t usable;  // hardware_concurrency() counts the machine's
  if (sched_getaffinity(0, sizeof usable, &usable) == 0)
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&usable)));
  return std::max(1U, std::thread::hardware_concurrency());
}

void run_ordered(unsigned jobs, std::size_t n, std::size_t window, const Step& work, const Step& consume) {
  if (jobs > 1 && n > 1) {
    Pool pool(n, window, work);
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
    work(i % window, i);
    consume(i % window, i);
  }
}

}  // namespace convert
