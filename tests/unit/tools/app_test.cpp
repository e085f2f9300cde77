// SPDX-License-Identifier: MIT
#include "common/app.h"

#include <gtest/gtest.h>

#include <sstream>

#include "common/expect_error.h"
#include "common/options.h"
#include "core/diagnostic.h"

namespace tools {
namespace {

struct Given {
  InputOptions input;
  OutputOptions output;
  CommonOptions common;
  std::vector<std::string> rules;
  std::optional<std::int64_t> size;
};

class AppTest : public testing::Test {
 protected:
  AppTest()
      : app({"et-validate",
             "[INPUT...]",
             {{"et-validate a", "one"}, {"et-validate b", "two"}, {"et-validate c", "three"}}}) {
    add_input_options(app, given.input);
    add_output_options(app, given.output);
    app.group("Rules");
    app.add_list("--rules", given.rules, "RULE,...", "rules to check").advanced();
    app.add_bytes("--size", given.size, "BYTES", "size");
    add_common_options(app, given.common, true);
  }

  App::Request parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "et-validate");
    return app.parse(static_cast<int>(arguments.size()), arguments.data());
  }

  std::string failure(const std::vector<const char*>& arguments) {
    return convert::test::error_message([&] { (void)parse(arguments); }, convert::Error::Kind::usage);
  }

  Given given;
  App app;
};

TEST_F(AppTest, TakesOptionsAndOperandsInAnyOrder) {
  EXPECT_EQ(parse({"a", "-vv", "--size", "1MiB", "-", "-q", "--rules=ids,deps", "[b,c]", "--rules", "pairs"}),
            App::Request::run);
  EXPECT_EQ(given.input.operands, (std::vector<std::string>{"a", "-", "[b,c]"}));
  EXPECT_EQ(given.rules, (std::vector<std::string>{"ids", "deps", "pairs"}));
  EXPECT_EQ(given.size, 1 << 20);
  EXPECT_EQ(given.common.verbose, 2);
  EXPECT_TRUE(given.common.quiet);
}

TEST_F(AppTest, TwoDashesEndOptions) {
  (void)parse({"-q", "--", "--size", "-v"});
  EXPECT_EQ(given.input.operands, (std::vector<std::string>{"--size", "-v"}));
  EXPECT_EQ(given.common.verbose, 0);
}

TEST_F(AppTest, HelpAndVersionAreRequests) {
  EXPECT_EQ(parse({"-h"}), App::Request::help);
  EXPECT_EQ(parse({"--version"}), App::Request::version);
}

TEST_F(AppTest, NamesTheNearestOption) {
  EXPECT_EQ(failure({"--ruls", "ids"}), "unknown option '--ruls'; did you mean '--rules'?");
  EXPECT_EQ(failure({"--complete-nonsense=1"}), "unknown option '--complete-nonsense'; see --help");
  EXPECT_EQ(failure({"-x"}), "unknown option '-x'; see --help");
}

TEST_F(AppTest, DoesNotAbbreviate) {
  EXPECT_EQ(failure({"--rule", "ids"}), "unknown option '--rule'; did you mean '--rules'?");
}

TEST_F(AppTest, RefusesWrongValues) {
  EXPECT_EQ(failure({"-o"}), "option --output requires a value");
  EXPECT_EQ(failure({"--from=", "a"}), "option --from requires a value");
  EXPECT_EQ(failure({"--force=1"}), "option --force takes no value");
  EXPECT_EQ(failure({"-o", "a", "--output", "b"}), "--output is given more than once");
  EXPECT_EQ(failure({"-j", "many"}), "--jobs many: expected an integer from 0 to 4096");
  EXPECT_EQ(failure({"--color", "alway"}), "--color alway: expected auto|always|never; did you mean 'always'?");
  EXPECT_EQ(failure({"--size", "3x"}), "--size 3x: not a size in bytes (examples: 4096, 64KiB, 1MB)");
  EXPECT_EQ(failure({"--rules", "a,,b"}), "--rules a,,b: an element of the list is empty");
}

TEST_F(AppTest, HelpOfDailyUseOmitsAdvancedOptions) {
  const std::string help = app.help(false);
  EXPECT_NE(help.find("--size"), std::string::npos);
  EXPECT_EQ(help.find("--rules"), std::string::npos);
  EXPECT_EQ(help.find("--werror"), std::string::npos);
  EXPECT_EQ(help.find("et-validate c"), std::string::npos);  // two examples
  EXPECT_NE(help.find("\nMore options: et-validate --help all. Manual page: et-validate(1).\n"), std::string::npos);
  EXPECT_NE(app.help(true).find("et-validate c"), std::string::npos);
  EXPECT_EQ(parse({"--help"}), App::Request::help);
}

TEST_F(AppTest, HelpAll) {
  EXPECT_EQ(parse({"--help", "all"}), App::Request::help_all);
  EXPECT_EQ(parse({"-h", "all"}), App::Request::help_all);
  EXPECT_EQ(parse({"--help=all"}), App::Request::help_all);
}

TEST_F(AppTest, HelpFitsInEightyColumns) {
  const std::string help = app.help(true);
  EXPECT_EQ(help.find("et-validate - check traces, prove collective algorithms\n\nUsage: et-validate [options] "
                      "[INPUT...]\n\nInput:\n"),
            0U);
  EXPECT_LT(help.find("\nOutput:\n"), help.find("\nRules:\n"));
  EXPECT_LT(help.find("\nRules:\n"), help.find("\nCommon:\n"));
  EXPECT_LT(help.find("\nCommon:\n"), help.find("\nExamples:\n"));
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(AppTest, CanonicalArgumentsKeepWhatChangesTheResult) {
  (void)parse({"-j", "4", "/data/my ring.xml", "-o", "out/ring", "-v", "-f", "msccl,size=1MiB", "--color", "never",
               "--progress", "never", "-q", "--rules", "ids", "--no-history"});
  EXPECT_EQ(app.canonical_arguments(), "--from msccl,size=1MiB --rules ids 'my ring.xml'");
}

TEST_F(AppTest, CanonicalArgumentsHaveNoFolders) {
  (void)parse({"ring", "-f", "flexflow,devices=/home/me/maps/a.csv,single=yes"});
  EXPECT_EQ(app.canonical_arguments(), "--from flexflow,devices=a.csv,single=yes ring");
  (void)parse({"ring", "-f", "ten,bw=50GB/s"});
  EXPECT_EQ(app.canonical_arguments(), "--from ten,bw=50GB/s ring");
}

TEST(Options, ProgramNamePresetsFormats) {
  InputOptions input;
  OutputOptions output;
  preset_formats("/usr/bin/et-convert", input, output);
  EXPECT_FALSE(input.from || output.to);
  preset_formats("/usr/bin/msccl2chakra", input, output);
  EXPECT_EQ(input.from, "msccl");
  EXPECT_EQ(output.to, "chakra");
}

TEST(Options, Operands) {
  InputOptions input;
  input.operands = {"a", "-"};
  EXPECT_EQ(inputs(input), input.operands);
}

}  // namespace
}  // namespace tools
