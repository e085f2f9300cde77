// SPDX-License-Identifier: MIT
// Command-line parser of one tool: options by group, help, and the values given.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tools {

struct ToolInfo {
  std::string name;                                           // "et-split", of tool_list()
  std::string operands;                                       // "[INPUT...]", for the usage line
  std::vector<std::pair<std::string, std::string>> examples;  // command, what it does
  bool reads_files = true;                                    // offers --max-expand, which limits their size
};

// Command-line parser, a thin wrapper over CLI11. `names` is "-f,--from" or "--rank". `value` is the name of the
// argument in the help: "N", "a|b|c". An argument named FILE, PATH, PREFIX or INPUT is a path, which the history
// shortens to its base name. Throws Error(usage) for a malformed value, and for a second value of an option that
// takes one.
class App {
 public:
  struct Option;
  // Stores one argument of option `name`; throws Error(usage) if the argument is malformed.
  using Apply = std::function<void(const std::string& name, const std::string& text)>;

  explicit App(const ToolInfo& info);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Puts the options added next under this heading. The help prints Input, Output, the others, Common.
  void group(std::string title);

  App& add_flag(const std::string& names, bool& to, const std::string& help);
  App& add_count(const std::string& names, int& to, const std::string& help);  // -vv
  App& add_option(const std::string& names, std::optional<std::string>& to, const std::string& value,
                  const std::string& help);
  // Adds an option for a list, separated by commas, that may be given several times; empty elements are refused.
  App& add_list(const std::string& names, std::vector<std::string>& to, const std::string& value,
                const std::string& help);
  // Adds an option that may be given several times; keeps the texts as given.
  App& add_texts(const std::string& names, std::vector<std::string>& to, const std::string& value,
                 const std::string& help);
  // Adds an option with these choices; its help ends with the default, which is what `to` holds.
  App& add_choice(const std::string& names, std::string& to, const std::vector<std::string>& choices,
                  const std::string& help);
  App& add_choice(const std::string& names, std::optional<std::string>& to, const std::vector<std::string>& choices,
                  const std::string& help);
  // `To` is std::int64_t, or std::optional of it.
  template <class To>
  App& add_integer(const std::string& names, To& to, std::int64_t min, std::int64_t max, const std::string& value,
                   const std::string& help);
  App& add_bytes(const std::string& names, std::optional<std::int64_t>& to, const std::string& value,
                 const std::string& help);
  // Adds an option for a list of sizes, as add_list() does.
  App& add_bytes(const std::string& names, std::vector<std::int64_t>& to, const std::string& value,
                 const std::string& help);
  // Sets picoseconds, of the same types; a bare number is nanoseconds.
  template <class To>
  App& add_time(const std::string& names, To& to, const std::string& value, const std::string& help);
  App& add_operands(std::vector<std::string>& to, const std::string& value, const std::string& help);
  // Omits the option that was added last from the history: it cannot change a result.
  App& no_history();
  // Shows the option that was added last only in the help of all options.
  App& advanced();

  enum class Request : std::uint8_t { run, help, help_all, version };
  // Parses the command line. The Error(usage) for an unknown option suggests a similar option, if there is one.
  [[nodiscard]] Request parse(int argc, const char* const* argv);

  // Returns the long name of the first option of a group that was given; empty if none was.
  [[nodiscard]] std::string first_given(std::string_view group) const;
  // Returns the help, at most 80 columns wide: the options of daily use, which fit one screen (50 lines), or all
  // options.
  [[nodiscard]] std::string help(bool all) const;
  // Returns the given options as one line: long names in the order of the help, then the operands, with base names
  // of files. Omits options that cannot change a result: the group Common, and options with no_history().
  [[nodiscard]] std::string canonical_arguments() const;

 private:
  struct State;
  App& add(const std::string& names, const std::string& value, const std::string& help, Apply apply,
           bool repeatable = false);
  App& declare(Option option);
  std::unique_ptr<State> state_;
};

}  // namespace tools
