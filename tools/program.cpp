// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/program.hpp"

#include "tables/escape.hpp"
#include "tools/commit.hpp"
#include "tools/json_text.hpp"

#include <warpdex/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpdex {
namespace {

// Messages may contain names and arguments of any bytes, which must not control a terminal. Some messages have lines.
std::string for_terminal(std::string_view message) { return tables::escaped(message, "\n"); }

int run_action(CLI::App const& app, cli_context const& context) {
  auto const report = [&](exit_code code, char const* what) -> int {
    std::string const message = for_terminal(what);
    std::string const text = context.json ? json_text({{"error", message}, {"exit_code", static_cast<int>(code)}})
                                          : fmt::format("{}: {}", app.get_name(), message);
    std::fprintf(stderr, "%s\n", text.c_str());
    return code;
  };
  try {
    return context.action();
  } catch (usage_error const& e) {
    return report(exit_usage, e.what());
  } catch (out_of_memory const& e) {
    return report(exit_out_of_memory, e.what());
  } catch (std::bad_alloc const&) {
    return report(exit_out_of_memory, "out of host memory");
  } catch (device_error const& e) {
    return report(exit_out_of_memory, e.what());
  } catch (std::exception const& e) {
    return report(exit_bad_input, e.what());
  }
}

/// @return the edit distance of two words; a swap of adjacent letters counts as one edit
std::size_t distance(std::string const& a, std::string const& b) {
  std::vector<std::vector<std::size_t>> of(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        of[i][j] = i + j;
        continue;
      }
      of[i][j] = std::min({of[i - 1][j] + 1, of[i][j - 1] + 1, of[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        of[i][j] = std::min(of[i][j], of[i - 2][j - 2] + 1);
    }
  return of.back().back();
}

/// @return what a message adds after an unknown word: the nearest of `known`, or all if none is near
std::string hint(std::string_view unknown, std::vector<std::string> const& known) {
  std::string const word = CLI::detail::to_lower(std::string(unknown));
  std::size_t best = 1 + std::min<std::size_t>(3, (word.size() + 1) / 3);  // words at this distance are not near
  std::string const* nearest = nullptr;
  for (std::string const& name : known)
    if (auto const d = distance(word, CLI::detail::to_lower(name)); d < best) {
      best = d;
      nearest = &name;
    }
  return nearest == nullptr ? fmt::format("; known are {}", fmt::join(known, ", "))
                            : fmt::format("; did you mean {}?", *nearest);
}

bool takes_value(CLI::Option const& option) { return option.get_items_expected_max() > 0; }

/// @return what is wrong with the first word, if it is no command
std::optional<std::string> unknown_command(CLI::App const& app, int argc, char** argv) {
  char** word = argv + 1;
  while (word != argv + argc && std::string_view(*word).starts_with('-')) {
    CLI::Option const* const option = app.get_option_no_throw(*word);
    word += option != nullptr && takes_value(*option) && word + 1 != argv + argc ? 2 : 1;
  }
  if (word == argv + argc) return {};
  std::vector<std::string> names;
  for (CLI::App const* const command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), *word) != names.end()) return {};
  return "there is no command " + tables::in_quotes(*word) + hint(*word, names);
}

/// The chosen command and the commands that it belongs to, from the program down.
std::vector<CLI::App const*> chosen_commands(CLI::App const& app) {
  std::vector<CLI::App const*> out = {&app};
  for (auto deeper = app.get_subcommands(); !deeper.empty(); deeper = deeper[0]->get_subcommands())
    out.push_back(deeper[0]);
  return out;
}

std::string name_of(std::span<CLI::App const* const> commands) {
  std::string out;
  for (CLI::App const* const command : commands) out += (out.empty() ? "" : " ") + command->get_name();
  return out;
}

/// @return what is wrong with the first option that the chosen command does not have, or that ends with its `=`, for
/// which the parser takes the next word
std::optional<std::string> wrong_option(CLI::App const& app, int argc, char** argv) {
  auto const commands = chosen_commands(app);
  std::vector<std::string> names;
  for (CLI::App const* const command : commands)
    for (CLI::Option const* const option : command->get_options())
      for (std::string const& name : option->get_lnames()) names.push_back("--" + name);
  bool is_value = false;
  for (char** word = argv + 1; word != argv + argc; ++word) {
    std::string_view const name = std::string_view(*word).substr(0, std::string_view(*word).find('='));
    if (std::exchange(is_value, false) || !name.starts_with("--")) continue;
    if (name == "--") break;
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fmt::format("there is no option {}{}", tables::in_quotes(name), hint(name, names));
    if (name.size() + 1 == std::string_view(*word).size()) return std::string(name) + ": its value is empty";
    for (CLI::App const* const command : commands)
      if (CLI::Option const* const option = command->get_option_no_throw(std::string(name)))
        is_value = takes_value(*option) && name == *word;
  }
  return {};
}

/// Refuses empty values, which mostly are those of variables that nobody set. `--probe ""` is a value: the empty
/// string, or none.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options())
    if (takes_value(*option) && option->get_name() != "--probe")
      option->check([](std::string const& value) { return value.empty() ? "its value is empty" : ""; });
  for (CLI::App* const command : app.get_subcommands({})) refuse_empty_values(*command);
}

}  // namespace

void occupy_standard_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void add_program_flags(CLI::App& app, cli_context& context, std::string const& json) {
  std::string const at = *commit == '\0' ? "" : fmt::format(" ({})", commit);
  app.set_version_flag("--version", fmt::format("{} {}{}", app.get_name(), version(), at),
                       "Print the version and the commit");
  app.add_flag("--json", context.json, json + "; goes with every subcommand");
  app.add_flag("-q,--quiet", context.quiet, "No summaries and no progress; goes with every subcommand");
  app.fallthrough();             // which subcommands inherit
  app.require_subcommand(0, 1);  // a missing one gets a better message below
}

int run_program(CLI::App& app, cli_context& context, std::string footer, int argc, char** argv) {
  app.footer(std::move(footer));  // after the subcommands, or they would inherit it
  refuse_empty_values(app);
  app.failure_message([&](CLI::App const* parsed, CLI::Error const& e) {
    // The parser may see first that an option is missing, which is the one that was misspelt.
    auto const wrong = wrong_option(*parsed, argc, argv);
    return fmt::format("{}: {}; see {} --help\n", app.get_name(), wrong ? *wrong : e.what(),
                       name_of(chosen_commands(*parsed)));
  });
  if (argc <= 1) {
    std::cout << app.help();
    return exit_success;
  }
  if (auto const unknown = unknown_command(app, argc, argv)) {
    std::fputs(for_terminal(fmt::format("{}: {}\n", app.get_name(), *unknown)).c_str(), stderr);
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
    if (auto const wrong = wrong_option(app, argc, argv)) throw CLI::ValidationError(*wrong);
  } catch (CLI::ParseError const& e) {
    std::ostringstream problem;
    bool const fine = app.exit(e, std::cout, problem) == 0;
    std::fputs(for_terminal(problem.str()).c_str(), stderr);
    return fine ? exit_success : exit_usage;
  }
  if (!context.action) {
    fmt::print(stderr, "{0}: a subcommand is needed; see {0} --help\n", app.get_name());
    return exit_usage;
  }
  return run_action(app, context);
}

}  // namespace warpdex
