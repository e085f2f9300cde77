// SPDX-License-Identifier: MIT
#include "common/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <span>

#include "about/tool_list.h"
#include "common/text.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace tools {

using convert::usage_error;

struct App::Option {
  std::string names{};
  std::string value{};  // empty: a flag
  std::string help{};
  std::string group{};
  CLI::Option* cli = nullptr;
  bool operand = false;
  bool in_history = true;
  bool daily = true;
};

namespace {

using Option = App::Option;

constexpr std::size_t help_column = 26;
constexpr std::string_view common_group = "Common";

std::string long_name(const std::string& names) {
  const std::size_t at = names.find("--");
  return at == std::string::npos ? names : names.substr(at);
}

bool is_path(const Option& o) {
  constexpr std::array<std::string_view, 4> paths = {"FILE", "PATH", "PREFIX", "INPUT"};
  return std::find(paths.begin(), paths.end(), o.value) != paths.end();
}

void append_option(std::string& out, const Option& o) {
  std::string left = "  ";
  const std::size_t comma = o.names.find(',');
  if (comma != std::string::npos) {
    left += o.names.substr(0, comma) + ", " + o.names.substr(comma + 1);
  } else if (o.operand) {
    left += o.value;
  } else {
    left += "    " + o.names;
  }
  if (!o.operand && !o.value.empty()) left += ' ' + o.value;
  if (left.size() + 2 > help_column) {
    out += left + '\n';
    left.clear();
  }
  left.resize(help_column, ' ');
  out += left;
  append_wrapped(out, o.help, help_column, help_column);
}

[[noreturn]] void bad_value(const std::string& name, const std::string& text, const std::string& expected) {
  throw usage_error(name + ' ' + shell_quote(text) + ": " + expected);
}

// Returns a function that stores the argument of an option in `to`, which is optional or has a default.
template <typename To>
App::Apply set_choice(To& to, const std::vector<std::string>& choices) {
  return [&to, choices](const std::string& name, const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      const std::string near = convert::nearest(text, choices);
      bad_value(name, text,
                "expected " + convert::join(choices, "|") + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    to = text;
  };
}

// Returns the option in a CLI11 message such as "--jobs: 1 required N missing" or "force was given a …".
std::string option_in(std::string message, const std::vector<Option>& options) {
  message.resize(std::min(message.find_first_of(": "), message.size()));
  for (const Option& o : options) {
    const std::string name = o.cli->get_name();
    if (name.ends_with(message) && name.size() <= message.size() + 2) return long_name(o.names);
  }
  return {};
}

}  // namespace

struct App::State {
  ToolInfo info;
  CLI::App cli;
  std::vector<Option> options;
  std::string group;

  explicit State(const ToolInfo& i) : info(i), cli(summary_of(i.name), i.name) {}
  [[nodiscard]] std::string unexpected(const std::string& argument) const;
  [[nodiscard]] std::vector<std::string> groups() const;
};

App::App(const ToolInfo& info) : state_(std::make_unique<State>(info)) {
  state_->cli.set_help_flag("-h,--help");
  state_->cli.set_version_flag("--version", info.name);
}

App::~App() = default;

void App::group(std::string title) { state_->group = std::move(title); }

App& App::declare(Option option) {
  option.group = state_->group;
  state_->options.push_back(std::move(option));
  return *this;
}

App& App::no_history() {
  state_->options.back().in_history = false;
  return *this;
}

App& App::advanced() {
  state_->options.back().daily = false;
  return *this;
}

App& App::add(const std::string& names, const std::string& value, const std::string& help, Apply apply,
              bool repeatable) {
  const auto check = [name = long_name(names), repeatable, apply = std::move(apply)](const CLI::results_t& given) {
    if (given.size() > 1 && !repeatable) throw usage_error(name + " is given more than once");
    for (const std::string& text : given) apply(name, text);
    return true;
  };
  CLI::Option* cli = state_->cli.add_option(names, check, help);
  cli->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  cli->allow_extra_args(false);  // else CLI11 splits "[a,b]"
  return declare({.names = names, .value = value, .help = help, .cli = cli});
}

App& App::add_flag(const std::string& names, bool& to, const std::string& help) {
  CLI::Option* cli = state_->cli.add_flag_callback(
      names, [&to] { to = true; }, help);
  return declare({.names = names, .help = help, .cli = cli->disable_flag_override()});
}

App& App::add_count(const std::string& names, int& to, const std::string& help) {
  CLI::Option* cli = state_->cli.add_flag_function(
      names, [&to](std::int64_t n) { to = static_cast<int>(n); }, help);
  return declare({.names = names, .help = help, .cli = cli->disable_flag_override()});
}

App& App::add_option(const std::string& names, std::optional<std::string>& to, const std::string& value,
                     const std::string& help) {
  return add(names, value, help, [&to](const auto&, const auto& text) { to = text; });
}

App& App::add_texts(const std::string& names, std::vector<std::string>& to, const std::string& value,
                    const std::string& help) {
  return add(
      names, value, help, [&to](const auto&, const auto& text) { to.push_back(text); }, true);
}

App& App::add_list(const std::string& names, std::vector<std::string>& to, const std::string& value,
                   const std::string& help) {
  const auto split = [&to](const std::string& name, const std::string& text) {
    for (std::string& item : convert::split(text, ',')) {
      if (item.empty()) bad_value(name, text, "an element of the list is empty");
      to.push_back(std::move(item));
    }
  };
  return add(names, value, help, split, true);
}

App& App::add_choice(const std::string& names, std::string& to, const std::vector<std::string>& choices,
                     const std::string& help) {
  return add(names, convert::join(choices, "|"), help + " (default: " + to + ')', set_choice(to, choices));
}

App& App::add_choice(const std::string& names, std::optional<std::string>& to,
                     const std::vector<std::string>& choices, const std::string& help) {
  return add(names, convert::join(choices, "|"), help, set_choice(to, choices));
}

template <class To>
App& App::add_integer(const std::string& names, To& to, std::int64_t min, std::int64_t max,
                      const std::string& value, const std::string& help) {
  return add(names, value, help, [&to, min, max](const std::string& name, const std::string& text) {
    const auto number = convert::parse_int(text);
    if (!number || *number < min || *number > max)
      bad_value(name, text, "expected an integer from " + std::to_string(min) + " to " + std::to_string(max));
    to = *number;
  });
}
template App& App::add_integer(const std::string&, std::int64_t&, std::int64_t, std::int64_t, const std::string&,
                               const std::string&);
template App& App::add_integer(const std::string&, std::optional<std::int64_t>&, std::int64_t, std::int64_t,
                               const std::string&, const std::string&);

App& App::add_bytes(const std::string& names, std::optional<std::int64_t>& to, const std::string& value,
                    const std::string& help) {
  return add(names, value, help, [&to](const std::string& name, const std::string& text) {
    to = convert::parse_bytes(text);
    if (!to) bad_value(name, text, "not a size in bytes (examples: 4096, 64KiB, 1MB)");
  });
}

App& App::add_bytes(const std::string& names, std::vector<std::int64_t>& to, const std::string& value,
                    const std::string& help) {
  const auto parse = [&to](const std::string& name, const std::string& text) {
    for (const std::string& item : convert::split(text, ',')) {
      const auto bytes = convert::parse_bytes(item);
      if (!bytes) bad_value(name, item, "not a size in bytes (examples: 4096, 64KiB, 1MB)");
      to.push_back(*bytes);
    }
  };
  return add(names, value, help, parse, true);
}

template <class To>
App& App::add_time(const std::string& names, To& to, const std::string& value, const std::string& help) {
  return add(names, value, help, [&to](const std::string& name, const std::string& text) {
    const auto time = convert::parse_time(text);
    if (!time) bad_value(name, text, "not a time (examples: 1.5us, 500ns, 30s)");
    to = *time;
  });
}
template App& App::add_time(const std::string&, std::int64_t&, const std::string&, const std::string&);
template App& App::add_time(const std::string&, std::optional<std::int64_t>&, const std::string&,
                            const std::string&);

App& App::add_operands(std::vector<std::string>& to, const std::string& value, const std::string& help) {
  CLI::Option* cli = state_->cli.add_option(
      value,
      [&to](const CLI::results_t& given) {
        to = given;
        return true;
      },
      help);
  // Without allow_extra_args, because CLI11 would split an operand "[a,b]". A large minimum makes CLI11 collect all
  // operands; it is enforced only for required options.
  constexpr int many = CLI::detail::expected_max_vector_size;
  cli->expected(many, many)->allow_extra_args(false);
  cli->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return declare({.value = value, .help = help, .cli = cli, .operand = true});
}

std::string App::State::unexpected(const std::string& argument) const {
  if (argument.size() < 2 || argument[0] != '-') {
    const bool none = std::none_of(options.begin(), options.end(), [](const Option& o) { return o.operand; });
    return "unexpected argument '" + argument + '\'' + (none ? "; files are named by options, see --help" : "");
  }
  const std::string given = argument.substr(0, argument.find('='));
  std::vector<std::string> known = {"--help", "--version"};
  for (const Option& o : options) {
    if (!o.operand) known.push_back(long_name(o.names));
  }
  // One letter is similar to every other letter.
  const std::string near = given.starts_with("--") ? convert::nearest(given, known) : "";
  return "unknown option '" + given + "'" + (near.empty() ? "; see --help" : "; did you mean '" + near + "'?");
}

App::Request App::parse(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];  // "--from=": CLI11 would take the next argument as the value
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw usage_error("option " + std::string(argument.substr(0, argument.size() - 1)) + " requires a value");
    }
    if (argument == "--help=all") return Request::help_all;
    const bool help = argument == "-h" || argument == "--help";
    if (help && i + 1 < argc && std::string_view(argv[i + 1]) == "all") return Request::help_all;
  }
  try {
    state_->cli.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Request::help;
  } catch (const CLI::CallForVersion&) {
    return Request::version;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = state_->cli.remaining();
    throw usage_error(state_->unexpected(extras.empty() ? std::string() : extras.front()));
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string name = option_in(e.what(), state_->options);
    if (name.empty()) throw usage_error(e.what());
    const bool override = std::string_view(e.what()).find("flag override") != std::string_view::npos;
    throw usage_error("option " + name + (override ? " takes no value" : " requires a value"));
  } catch (const CLI::ParseError& e) {
    throw usage_error(e.what());
  }
  return Request::run;
}

std::vector<std::string> App::State::groups() const {
  std::vector<std::string> out = {"Input", "Output"};
  for (const Option& o : options) {
    if (o.group != common_group && std::find(out.begin(), out.end(), o.group) == out.end()) out.push_back(o.group);
  }
  out.emplace_back(common_group);
  return out;
}

std::string App::first_given(std::string_view group) const {
  const auto given = std::find_if(state_->options.begin(), state_->options.end(),
                                  [&](const Option& o) { return o.group == group && o.cli->count() > 0; });
  return given == state_->options.end() ? "" : long_name(given->names);
}

std::string App::help(bool all) const {
  const ToolInfo& info = state_->info;
  std::string out = info.name + " - " + summary_of(info.name) + "\n\n";
  out += "Usage: " + info.name + " [options]" + (info.operands.empty() ? "" : ' ' + info.operands) + '\n';
  for (const std::string& group : state_->groups()) {
    std::string body;
    for (const Option& o : state_->options) {
      if (o.group == group && (all || o.daily)) append_option(body, o);
    }
    if (group == common_group) {
      append_option(body, {.names = "-h,--help", .help = "print this help; --help all: all options"});
      append_option(body, {.names = "--version", .help = "print the version and exit"});
    }
    if (!body.empty()) out += '\n' + group + ":\n" + body;
  }
  if (!info.examples.empty()) out += "\nExamples:\n";
  constexpr std::size_t on_screen = 2;
  const std::size_t shown = all ? info.examples.size() : std::min(info.examples.size(), on_screen);
  for (const auto& [command, purpose] : std::span(info.examples).first(shown)) {
    out += "  " + command + '\n';
    if (purpose.empty()) continue;
    out += "      ";
    append_wrapped(out, purpose, 6, 6);
  }
  out += all ? "\n" : "\nMore options: " + info.name + " --help all. ";
  return out + "Manual page: " + info.name + "(1).\n";
}

std::string App::canonical_arguments() const {
  std::string out;
  std::string operands;
  for (const Option& o : state_->options) {
    if (o.cli == nullptr || o.cli->count() == 0 || !o.in_history || o.group == common_group) continue;
    std::string& to = o.operand ? operands : out;
    if (o.value.empty()) {
      to.append(" ").append(long_name(o.names));
      continue;
    }
    for (const std::string& given : o.cli->results()) {
      if (!o.operand) to.append(" ").append(long_name(o.names));
      to.append(" ").append(shell_quote(is_path(o) ? base_name(given) : without_folders(given)));
    }
  }
  return (out + operands).substr(out.empty() && operands.empty() ? 0 : 1);
}

}  // namespace tools
