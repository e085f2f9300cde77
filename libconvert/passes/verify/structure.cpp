// SPDX-License-Identifier: MIT
#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/algorithm/runtime_limits.h"
#include "core/words.h"
#include "passes/verify/verify.h"

namespace convert {
namespace {

class StructureChecker {
 public:
  StructureChecker(const Algorithm& a, Diagnostics& diagnostics, const RuntimeLimits* target)
      : a_(a), diagnostics_(diagnostics), target_(target) {}

  void check() {
    std::int32_t rank = 0;
    for (const Gpu& gpu : a_.gpus) {
      std::int32_t id = 0;
      for (const Threadblock& tb : a_.threadblocks(gpu)) check_threadblock(gpu, tb, rank, id++);
      check_copies(gpu, rank);
      check_connections(gpu, rank);
      if (!a_.scheduled) check_limits(gpu, rank);
      ++rank;
    }
    if (a_.scheduled) return;  // no runtime runs a schedule directly
    if (target_ != nullptr) check_target(*target_);
    const auto has_copies = [](const Gpu& g) { return !g.copies.empty(); };
    const auto first = std::find_if(a_.gpus.begin(), a_.gpus.end(), has_copies);
    if (first != a_.gpus.end() && runs_outofplace(a_)) {
      diagnostics_.warning(at_line(first->line), "limits",
                           "<copy> elements are executed as copies at the start; the runtimes ignore them");
    }
  }

 private:
  [[nodiscard]] Location at(const Step& s) const { return {.file = a_.file, .line = s.line, .column = s.column}; }
  [[nodiscard]] Location at_line(std::uint32_t line) const { return {.file = a_.file, .line = line}; }
  static std::string place(std::int32_t rank, std::int32_t tb, std::size_t step) {
    return "gpu " + std::to_string(rank) + " threadblock " + std::to_string(tb) + " step " + std::to_string(step);
  }

  void check_threadblock(const Gpu& gpu, const Threadblock& tb, std::int32_t rank, std::int32_t id) {
    const auto steps = a_.steps_of(tb);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& s = steps[i];
      if (s.unreadable) continue;
      const auto error = [&](const char* rule, const std::string& what) {
        diagnostics_.error(at(s), rule, place(rank, id, i) + " (" + std::string(name(s.type)) + ")" + what);
      };
      if (gpu.complete) check_dependency(gpu, s, id, i, error);
      if (s.type == StepType::nop) {
        const bool closed = i + 1 < steps.size() && (steps[i + 1].depid >= 0 || steps[i + 1].unreadable);
        if (s.depid < 0) error("deps", ": a nop without a dependency");
        if (!closed) error("deps", ": a nop must be followed by a step that has a dependency of its own");
        continue;
      }
      if (s.cnt <= 0 || s.cnt > max_step_chunks)
        error("steps", ": moves " + std::to_string(s.cnt) + " chunks; 1…" + std::to_string(max_step_chunks) +
                           " are allowed");
      if (sends(s.type) && tb.send < 0) error("peers", ": sends, but its threadblock has no send peer");
      if (receives(s.type) && tb.recv < 0) error("peers", ": receives, but its threadblock has no recv peer");
      if (reads_src(s.type)) check_offset(gpu, s, "src", s.src_buf, s.src_off, error);
      if (writes_dst(s.type)) check_offset(gpu, s, "dst", s.dst_buf, s.dst_off, error);
    }
  }

  template <typename Report>
  void check_dependency(const Gpu& gpu, const Step& s, std::int32_t id, std::size_t position, const Report& error) {
    if (s.depid == -1) return;
    const auto steps_of = [&](std::int32_t tb) {
      return a_.tbs[gpu.first_tb + static_cast<std::uint32_t>(tb)].step_count;
    };
    if (s.depid < -1 || static_cast<std::uint32_t>(s.depid) >= gpu.tb_count) {
      error("deps", " depends on threadblock " + std::to_string(s.depid) + ", which does not exist");
    } else if (s.deps < 0 || static_cast<std::uint32_t>(s.deps) >= steps_of(s.depid)) {
      error("deps", " depends on threadblock " + std::to_string(s.depid) + " step " + std::to_string(s.deps) +
                        ", which does not exist");
    } else if (s.depid == id && static_cast<std::size_t>(s.deps) >= position) {
      const bool itself = static_cast<std::size_t>(s.deps) == position;
      error("deps", std::string(" depends on ") + (itself ? "itself" : "a later step of its own threadblock"));
    }
  }

  // An aliased buffer has the size that the collective defines, whatever is declared.
  template <typename Report>
  void check_offset(const Gpu& gpu, const Step& s, const char* side, Buffer buffer, std::int32_t offset,
                    const Report& error) {
    const std::int32_t in = input_chunks(a_.collective, a_.chunks, a_.ranks());
    const std::int32_t out = output_chunks(a_.collective, a_.chunks, a_.ranks());
    std::int64_t size = gpu.s_chunks;
    if (buffer == Buffer::input) size = std::max(gpu.i_chunks, a_.inplace ? in : 0);
    if (buffer == Buffer::output) size = std::max(gpu.o_chunks, a_.inplace ? out : 0);
    if (offset >= 0 && std::int64_t{offset} + std::max(s.cnt, 1) <= size) return;
    error("offsets", std::string(": ") + side + " " + letter(buffer) + "[" + std::to_string(offset) + "…" +
                         std::to_string(std::int64_t{offset} + std::max(s.cnt, 1) - 1) +
                         "] is outside of a buffer of " + std::to_string(size) + " chunks");
  }

  void check_copies(const Gpu& gpu, std::int32_t rank) {
    const std::int32_t in = std::max(gpu.i_chunks, input_chunks(a_.collective, a_.chunks, a_.ranks()));
    const std::int32_t out = std::max(gpu.o_chunks, output_chunks(a_.collective, a_.chunks, a_.ranks()));
    std::unordered_set<std::int32_t> written;
    for (const Copy& c : gpu.copies) {
      const std::string what = "gpu " + std::to_string(rank) + ": <copy> from i[" + std::to_string(c.i_off) +
                               "] to o[" + std::to_string(c.o_off) + "]";
      if (c.i_off < 0 || c.i_off >= in || c.o_off < 0 || c.o_off >= out) {
        diagnostics_.error(at_line(gpu.line), "offsets", what + " is outside of the buffers");
      } else if (!written.insert(c.o_off).second) {
        diagnostics_.error(at_line(gpu.line), "offsets", what + ": another <copy> writes the same chunk");
      }
    }
  }

  void check_connections(const Gpu& gpu, std::int32_t rank) {
    std::unordered_map<std::uint64_t, std::int32_t> owners[2];
    std::int32_t id = 0;
    for (const Threadblock& tb : a_.threadblocks(gpu)) {
      bool uses_send = false;
      bool uses_recv = false;
      for (const Step& s : a_.steps_of(tb)) {
        uses_send |= sends(s.type);
        uses_recv |= receives(s.type);
      }
      const auto claim = [&](int side, std::int32_t peer) {
        const auto key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32) |
                         static_cast<std::uint32_t>(tb.chan);
        const auto [entry, added] = owners[side].try_emplace(key, id);
        if (added) return;
        diagnostics_.error(at_line(tb.line), "connections",
                           "gpu " + std::to_string(rank) + ": threadblocks " + std::to_string(entry->second) +
                               " and " + std::to_string(id) + " both " + (side == 0 ? "send to" : "receive from") +
                               " gpu " + std::to_string(peer) + " on channel " + std::to_string(tb.chan) +
                               "; a connection has one threadblock per side");
      };
      if (uses_send && tb.send >= 0) claim(0, tb.send);
      if (uses_recv && tb.recv >= 0) claim(1, tb.recv);
      ++id;
    }
  }

  // Checks the algorithm as a whole against the limits of a runtime.
  void check_target(const RuntimeLimits& target) {
    const std::string runtime = std::string("the ") + target.name + " runtime ";
    if (!knows(target, a_.collective_text))
      diagnostics_.error({.file = a_.file}, "limits",
                         "coll=\"" + a_.collective_text + "\": " + runtime + "accepts " + join(target.collectives));
    if (!a_.attributes.empty()) check_attributes(target);
    check_parser(target);
    if (target.adds_received) return;
    const auto fused =
        std::ranges::find_if(a_.steps, [](const Step& s) { return receives(s.type) && s.type != StepType::recv; });
    if (fused != a_.steps.end())
      diagnostics_.error(at(*fused), "limits",
                         "step " + std::string(name(fused->type)) + ": " + runtime +
                             "accepts s, r, cpy, re and nop; use et-generate --target to write only these");
  }

  // Checks the <algo> attributes that the parsers of the runtimes require, for algorithms read from a file.
  void check_attributes(const RuntimeLimits& target) {
    const auto require = [&](const char* attribute) {
      const bool given = std::ranges::any_of(a_.attributes, [&](const auto& x) { return x.first == attribute; });
      if (!given)
        diagnostics_.error({.file = a_.file}, "attributes",
                           std::string("<algo> has no attribute '") + attribute + "', which the " + target.name +
                               " runtime requires");
    };
    if (&target == &msccl_limits) return require("name");
    for (const char* attribute : {"minBytes", "maxBytes", "outofplace"}) require(attribute);
  }

  // Checks for input that the parsers of the runtimes reject or read differently.
  void check_parser(const RuntimeLimits& target) {
    const bool msccl = &target == &msccl_limits;
    if (msccl && a_.max_bytes == 0)
      diagnostics_.error({.file = a_.file}, "limits",
                         "maxBytes=\"0\": the MSCCL runtime never uses the algorithm, as it requires fewer bytes "
                         "than maxBytes; only RCCL treats 0 as unlimited");
    constexpr std::size_t most_gpus = 1024;  // children of an element
    if (a_.gpus.size() > most_gpus)
      diagnostics_.error({.file = a_.file}, "limits",
                         "<algo> has " + std::to_string(a_.gpus.size()) +
                             " <gpu> elements; the runtimes accept at most " + std::to_string(most_gpus));
    std::int32_t rank = 0;
    for (const Gpu& gpu : a_.gpus) {
      if (msccl) check_buffer_sizes(gpu, rank);
      std::int32_t id = 0;
      for (const Threadblock& tb : a_.threadblocks(gpu)) check_parsed_steps(gpu, tb, rank, id++);
      ++rank;
    }
  }

  // MSCCL requires declared buffers to have the size that the collective defines.
  void check_buffer_sizes(const Gpu& gpu, std::int32_t rank) {
    const auto check = [&](const char* attribute, std::int32_t chunks, std::int32_t expected) {
      if (chunks <= 0 || chunks == expected) return;
      diagnostics_.error(at_line(gpu.line), "limits",
                         "gpu " + std::to_string(rank) + " has " + attribute + "=\"" + std::to_string(chunks) +
                             "\"; the MSCCL runtime requires " + std::to_string(expected) +
                             " or 0 with nchunksperloop=\"" + std::to_string(a_.chunks) + "\"");
    };
    check("i_chunks", gpu.i_chunks, input_chunks(a_.collective, a_.chunks, a_.ranks()));
    check("o_chunks", gpu.o_chunks, output_chunks(a_.collective, a_.chunks, a_.ranks()));
  }

  void check_parsed_steps(const Gpu& gpu, const Threadblock& tb, std::int32_t rank, std::int32_t id) {
    const auto steps = a_.steps_of(tb);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& s = steps[i];
      if (s.unreadable) continue;
      const auto error = [&](const std::string& what) {
        diagnostics_.error(at(s), "limits", place(rank, id, i) + " (" + std::string(name(s.type)) + ")" + what);
      };
      if (s.depid >= static_cast<std::int32_t>(awaited_threadblocks))
        error(" depends on threadblock " + std::to_string(s.depid) +
              "; the runtimes support dependencies on threadblocks 0…" + std::to_string(awaited_threadblocks - 1));
      // Compare with the declared size, even for an aliased buffer, as the runtimes do.
      const auto look = [&](const char* side, Buffer buffer, std::int32_t offset) {
        const std::int32_t size = buffer == Buffer::input    ? gpu.i_chunks
                                  : buffer == Buffer::output ? gpu.o_chunks
                                                             : gpu.s_chunks;
        if (offset >= size)
          error(std::string(": ") + side + " " + letter(buffer) + "[" + std::to_string(offset) +
                "] is outside of the " + std::to_string(size) + " chunks that <gpu> declares");
      };
      // the runtimes compare no offsets for rrc
      const bool parsed = s.type != StepType::rrc && s.type != StepType::nop;
      if (parsed && reads_src(s.type)) look("src", s.src_buf, s.src_off);
      if (parsed && writes_dst(s.type)) look("dst", s.dst_buf, s.dst_off);
      if (i == 0 || s.type != StepType::re || s.depid >= 0) continue;
      const Step& before = steps[i - 1];
      const bool together = before.type == StepType::re && !before.hasdep && before.dst_buf == s.dst_buf &&
                            before.dst_off == s.dst_off && before.src_buf == s.src_buf;
      if (together && before.cnt != s.cnt)
        error(": the runtimes merge it with the previous step and use its cnt=\"" + std::to_string(s.cnt) +
              "\" for both, not " + std::to_string(before.cnt));
    }
  }

  void check_limits(const Gpu& gpu, std::int32_t rank) {
    std::unordered_map<std::int32_t, std::uint32_t> senders;
    std::unordered_map<std::int32_t, std::uint32_t> receivers;
    std::uint32_t longest = 0;
    std::uint32_t most = 0;
    for (const Threadblock& tb : a_.threadblocks(gpu)) {
      longest = std::max(longest, tb.step_count);
      if (tb.send >= 0) most = std::max(most, ++senders[tb.chan]);
      if (tb.recv >= 0) most = std::max(most, ++receivers[tb.chan]);
    }
    const auto exceed = [&](const std::string& what) {
      if (limit_reported_[what]) return;  // once per kind, as all gpus are usually alike
      limit_reported_[what] = true;
      const Severity severity = target_ == nullptr ? Severity::warning : Severity::error;
      diagnostics_.add({.severity = severity,
                        .where = at_line(gpu.line),
                        .rule = "limits",
                        .message = "gpu " + std::to_string(rank) + " has " + what,
                        .notes = {}});
    };
    if (xml_elements(a_, gpu) > most_xml_elements) {
      const std::string accepted = std::to_string(most_xml_elements);
      exceed("more than " + accepted + " XML elements, including <algo> and each <gpu>; the runtimes accept " +
             accepted);
    }
    const auto limits = target_ == nullptr ? std::span(runtimes) : std::span(target_, 1);
    for (const RuntimeLimits& r : limits) {
      const std::string tail = std::string("; the ") + r.name + " runtime accepts ";
      if (longest > r.steps)
        exceed("a threadblock of more than " + std::to_string(r.steps) + " steps" + tail + std::to_string(r.steps));
      if (gpu.tb_count > r.threadblocks)
        exceed("more than " + std::to_string(r.threadblocks) + " threadblocks" + tail +
               std::to_string(r.threadblocks));
    }
    if (most > threadblocks_per_channel)
      exceed("more than " + std::to_string(threadblocks_per_channel) +
             " threadblocks with a peer on one channel; the runtimes accept " +
             std::to_string(threadblocks_per_channel));
  }

  const Algorithm& a_;
  Diagnostics& diagnostics_;
  const RuntimeLimits* target_;
  std::unordered_map<std::string, bool> limit_reported_;
};

}  // namespace

void check_structure(const Algorithm& algorithm, Diagnostics& diagnostics, const RuntimeLimits* target) {
  StructureChecker(algorithm, diagnostics, target).check();
}

}  // namespace convert
