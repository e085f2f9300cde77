// SPDX-License-Identifier: MIT
// Writes pages of hand-made data for the tests in the browser: samples NAME OUT.html.
#include <cstdio>
#include <string_view>

#include "io/output.h"
#include "page/page.h"

namespace {

using namespace convert;

void write_shell(Output& out) {
  const Column columns[] = {
      {"raw_u8", std::vector<std::uint8_t>{0, 1, 255}, Column::Code::raw},
      {"raw_f64", std::vector<double>{0.5, -1e300, 9007199254740992}, Column::Code::raw},
      {"delta_i32", std::vector<std::int32_t>{5, 5, -2147483648, 2147483647, 0}, Column::Code::delta},
      {"delta_f64", std::vector<double>{0, 9007199254740992, -9007199254740992, 1, 64, 63, 128},
       Column::Code::delta},
      {"dict_i32", std::vector<std::int32_t>{0, 200, 3}, Column::Code::dict},
      {"none", std::vector<double>{}, Column::Code::delta},
  };
  write_page(PageKind::report, "shell </title><script>alert(1)</script> & \xff",
             R"({"title":"shell","sub":"<b>","texts":["</script><script>alert(1)</script>"]})", columns, out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  OutputFiles files;
  const auto out = files.create(argv[2]);
  if (argv[1] == std::string_view("shell")) write_shell(*out);
  out->close();
  files.commit();
  return 0;
}
