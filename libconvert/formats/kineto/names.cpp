// SPDX-License-Identifier: MIT
#include "formats/kineto/names.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace convert {
namespace {

template <class T>
using ByText = std::unordered_map<std::string_view, T>;

template <class T>
T find_or_default(const ByText<T>& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? T{} : found->second;
}

// Meanings of a name as a category, a call, and a kind of synchronisation.
struct Meaning {
  KinetoCategory category{};
  bool is_category = false;
  CallKind call{};
  CallKind sync{};
};

Meaning meaning_of(std::string_view name) {
  static const ByText<Meaning> table = [] {
    ByText<Meaning> all;
#define CATEGORY(text, meaning) all[text].category = KinetoCategory::meaning, all[text].is_category = true;
#define CALL(text, meaning) all[text].call = CallKind::meaning;
#define SYNC(text, meaning) all[text].sync = CallKind::meaning;
#include "formats/kineto/names.def"
#undef CATEGORY
#undef CALL
#undef SYNC
    return all;
  }();
  return find_or_default(table, name);
}

}  // namespace

KinetoCategoryName kineto_category(std::string_view name) {
  static constexpr std::array<std::string_view, 8> usual = {"cpu_op",      "user_annotation", "cuda_runtime",
                                                            "cuda_driver", "kernel",          "gpu_memcpy",
                                                            "gpu_memset",  "cuda_sync"};
  const Meaning meaning = meaning_of(name);
  return {meaning.category, meaning.is_category, std::ranges::find(usual, name) != usual.end()};
}

CallKind kineto_call_kind(std::string_view name) { return meaning_of(name).call; }

CallKind kineto_sync_kind(std::string_view name) { return meaning_of(name).sync; }

KinetoArg kineto_arg(std::string_view name) {
  static const ByText<KinetoArg> table = {
      {"External id", KinetoArg::external_id},
      {"external id", KinetoArg::external_id_old},
      {"correlation", KinetoArg::correlation},
      {"Record function id", KinetoArg::rf_id},
      {"Sequence number", KinetoArg::sequence},
      {"Fwd thread id", KinetoArg::forward_thread},
      {"stream", KinetoArg::stream},
      {"queue", KinetoArg::queue},
      {"device", KinetoArg::device},
      {"cuda_sync_kind", KinetoArg::sync_kind},
      {"gpu_sync_kind", KinetoArg::sync_kind},
      {"wait_on_stream", KinetoArg::wait_on_stream},
      {"wait_on_cuda_event_record_corr_id", KinetoArg::record_correlation},
      {"wait_on_gpu_event_record_corr_id", KinetoArg::record_correlation},
      {"Ev Idx", KinetoArg::dropped},
      {"Input Dims", KinetoArg::input_dims},
      {"Input type", KinetoArg::input_types},
      {"Input Strides", KinetoArg::dropped},
      {"Concrete Inputs", KinetoArg::inputs},
      {"Concrete Input Values", KinetoArg::dropped},
      {"Call stack", KinetoArg::dropped},
      {"Python parent id", KinetoArg::dropped},
      {"Python id", KinetoArg::dropped},
      {"Python module id", KinetoArg::dropped},
  };
  return find_or_default(table, name);
}

}  // namespace convert
