// SPDX-License-Identifier: MIT
#include <array>
#include <type_traits>
#include <vector>

#include "profile/json/fields.h"
#include "profile/json/json.h"
#include "util/json_writer.h"

namespace convert {
namespace {

class ProfileWriter {
 public:
  explicit ProfileWriter(std::string& out) : json_(out) {}

  void write(WorkloadProfile& profile) {
    json_.begin_object();
    json_.line(1).member("kind", profile_kind);
    json_.line(1).member("version", WorkloadProfile::version);
    json_.line(1).member("k", profile.k);
    tables(profile, [&](std::string_view name, auto& rows) {
      json_.line(1).key(name).begin_array();
      for (auto& row : rows) {
        json_.line(2);
        value(row);
      }
      if (!rows.empty()) json_.line(1);
      json_.end_array();
    });
    json_.line().end_object();
  }

 private:
  template <class T>
  void value(T& x) {
    if constexpr (std::is_same_v<T, std::uint32_t>) {
      x == no_index ? json_.value(-1) : json_.value(x);
    } else if constexpr (std::is_enum_v<T>) {
      json_.value(static_cast<std::int64_t>(x));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      json_.value(x);
    } else {
      json_.begin_array();
      parts(x);
      json_.end_array();
    }
  }
  template <class T>
  void parts(std::vector<T>& list) {
    for (T& x : list) value(x);
  }
  template <class T, std::size_t n>
  void parts(std::array<T, n>& list) {
    for (T& x : list) value(x);
  }
  template <class T>
  void parts(T& x) {
    fields(x, [&](auto&... part) { (value(part), ...); });
  }

  JsonWriter json_;
};

}  // namespace

std::string profile_json(const WorkloadProfile& profile) {
  std::string out;
  WorkloadProfile copy = profile;  // fields() takes non-const references, as it also reads
  ProfileWriter(out).write(copy);
  out += '\n';
  return out;
}

}  // namespace convert
