// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/spec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/api_border.hpp"
#include "base/words.hpp"

namespace warpdex {
namespace {

/// All option names, in their canonical spelling. The code that resolves a spec decides what their values mean.
constexpr std::array<std::string_view, 13> option_names = {"layout", "rows",     "pairs", "lanes",   "threads",
                                                           "probes", "schedule", "pin",   "reorder", "scan",
                                                           "tracer", "ranges",   "filter"};

/// Characters of the longest text that is parsed. Index files store resolved specs, which are far shorter.
constexpr std::size_t max_length = 1024;

/// Characters of a text that a message shows before and after the caret.
constexpr std::size_t shown_before = 60;
constexpr std::size_t shown_after = 30;

constexpr bool is_letter(char c) noexcept { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string message(std::string_view text, std::size_t position, std::string_view what) {
  position = std::min(position, text.size());
  std::size_t const first = position > shown_before ? position - shown_before : 0;
  std::size_t const last = std::min(text.size(), position + shown_after);
  std::string line = first > 0 ? "..." : "";
  std::size_t column = line.size();
  for (std::size_t i = first; i < last; ++i) {
    if (i == position) column = line.size();
    line += shown(text[i]);
  }
  if (position >= last) column = line.size();
  if (last < text.size()) line += "...";
  return fmt::format("spec: {}\n  {}\n  {}^", what, line, std::string(column, ' '));
}

/// Parses a spec in one pass over the text. Canonical spelling only changes case, so positions stay the same. The
/// parser does not know which structures there are: `canonical` asks the registry.
class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(std::size_t position, std::string const& what) const {
    throw spec_error(message(text_, position, what));
  }

  void check_characters() const {
    if (text_.empty()) fail(0, "empty text; expected the name of a structure, such as AO+BS");
    if (text_.size() > max_length)
      fail(max_length, fmt::format("{} characters, of which at most {} are allowed", text_.size(), max_length));
    for (std::size_t i = 0; i < text_.size(); ++i)
      if (!is_printable(text_[i]))
        fail(i, text_[i] == ' ' ? "a blank; a spec has none"
                                : fmt::format("the byte {}; expected printable ASCII", in_quotes(text_.substr(i, 1))));
  }

  std::string structure() {
    std::size_t end = 0;
    while (end < text_.size() && text_[end] != '(' && text_[end] != '/') {
      if (text_[end] == ')' || text_[end] == ',' || text_[end] == '=')
        fail(end,
             fmt::format("unexpected '{}'; expected the name of a structure, then '(' or '/' or the end", text_[end]));
      ++end;
    }
    at_ = end;
    if (end == 0) fail(0, "expected the name of a structure, such as AO+BS");
    return std::string(text_.substr(0, end));
  }

  std::vector<spec::word> arguments() {
    std::vector<spec::word> result;
    if (at_ == text_.size() || text_[at_] != '(') return result;
    std::size_t const bracket = at_;
    do {
      ++at_;
      spec::word w = argument(bracket);
      if (!w.name.empty()) refuse_second(result, w, "argument");
      result.push_back(std::move(w));
    } while (text_[at_] == ',');
    ++at_;
    if (at_ < text_.size() && text_[at_] != '/')
      fail(at_, fmt::format("unexpected '{}' after the bracket; expected '/' or the end", text_[at_]));
    return result;
  }

  std::vector<spec::word> options() {
    std::vector<spec::word> result;
    while (at_ < text_.size()) {
      ++at_;  // the '/'
      spec::word w = option();
      refuse_second(result, w, "option");
      result.push_back(std::move(w));
    }
    return result;
  }

 private:
  /// Moves to the next of `/ = ( ) ,` and returns the text before it.
  std::string_view word() {
    auto const begin = at_;
    at_ = std::min(text_.find_first_of("/=(),", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  spec::word argument(std::size_t bracket) {
    spec::word w;
    w.position = at_;
    auto text = word();
    if (at_ < text_.size() && text_[at_] == '=') {
      check_name(text, w.position, "an argument");
      w.name = lowered(text);
      ++at_;
      text = word();
      if (text.empty()) fail(at_, fmt::format("the argument {} has no value", w.name));
    }
    if (at_ == text_.size() || text_[at_] == '/')
      fail(at_, fmt::format("missing ')' for the '(' at character {}", bracket + 1));
    if (text_[at_] != ',' && text_[at_] != ')')
      fail(at_, fmt::format("unexpected '{}' in an argument; expected ',' or ')'", text_[at_]));
    if (text.empty()) fail(at_, "empty argument; expected a value or name=value");
    w.value = text;
    return w;
  }

  spec::word option() {
    spec::word w;
    w.position = at_;
    auto const name = word();
    if (name.empty()) fail(w.position, fmt::format("expected an option, one of {}", listed(option_names)));
    if (at_ < text_.size() && text_[at_] != '=' && text_[at_] != '/')
      fail(at_, fmt::format("unexpected '{}' in an option; expected option=value", text_[at_]));
    auto const known =
        std::find_if(option_names.begin(), option_names.end(), [&](auto n) { return same_word(n, name); });
    if (known == option_names.end())
      fail(w.position, fmt::format("unknown option {}{}", in_quotes(name), hint(name, option_names)));
    w.name = *known;
    if (at_ < text_.size() && text_[at_] == '=') {
      ++at_;
      w.value = word();
    }
    if (at_ < text_.size() && text_[at_] != '/')
      fail(at_, fmt::format("unexpected '{}' in the value of {}; expected '/' or the end", text_[at_], w.name));
    if (w.value.empty()) fail(at_, fmt::format("the option {} has no value; expected {}=value", w.name, w.name));
    return w;
  }

  void check_name(std::string_view name, std::size_t position, std::string_view what) const {
    if (name.empty()) fail(position, fmt::format("expected the name of {} before '='", what));
    for (std::size_t i = 0; i < name.size(); ++i)
      if (!is_letter(name[i]) && !(i > 0 && (is_digit(name[i]) || name[i] == '_')))
        fail(position + i, fmt::format("unexpected '{}' in the name of {}; expected a letter", name[i], what));
  }

  void refuse_second(std::vector<spec::word> const& earlier, spec::word const& w, std::string_view what) const {
    for (auto const& other : earlier)
      if (other.name == w.name)
        fail(w.position, fmt::format("second {} {}; the first is at character {}", what, w.name, other.position + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

spec::word const* named(std::vector<spec::word> const& words, std::string_view name) noexcept {
  for (auto const& w : words)
    if (same_word(w.name, name)) return &w;
  return nullptr;
}

}  // namespace

spec::spec(std::string_view text) {
  run_call("spec", [&] {
    parser p(text);
    p.check_characters();
    structure_ = p.structure();
    arguments_ = p.arguments();
    options_ = p.options();

    text_ = text;
    text_.replace(0, structure_.size(), structure_);
    for (auto const* words : {&arguments_, &options_})
      for (auto const& w : *words) text_.replace(w.position, w.name.size(), w.name);
  });
}

spec::spec(std::string structure, std::vector<word> arguments, std::vector<word> options)
    : text_(structure), structure_(std::move(structure)), arguments_(std::move(arguments)),
      options_(std::move(options)) {
  auto const append = [this](word& w) {
    w.position = text_.size();
    text_ += w.name.empty() ? w.value : w.name + "=" + w.value;
  };
  for (auto& w : arguments_) {
    text_ += &w == &arguments_.front() ? '(' : ',';
    append(w);
  }
  if (!arguments_.empty()) text_ += ')';
  for (auto& w : options_) {
    text_ += '/';
    append(w);
  }
}

spec::word const* spec::option(std::string_view name) const noexcept { return named(options_, name); }

spec::word const* spec::argument(std::string_view name) const noexcept { return named(arguments_, name); }

void spec::fail(std::size_t position, std::string const& what) const {
  throw spec_error(message(text_, position, what));
}

std::uint64_t spec::number(word const& w, std::uint64_t lowest, std::uint64_t highest) const {
  std::size_t const position = w.position + (w.name.empty() ? 0 : w.name.size() + 1);
  auto const subject = w.name.empty() ? std::string("the argument") : w.name;
  std::uint64_t value = 0;
  char const* const end = w.value.data() + w.value.size();
  auto const [stop, failure] = std::from_chars(w.value.data(), end, value);
  auto const wanted = fmt::format("expected a number from {} to {}", lowest, highest);
  if (failure == std::errc::invalid_argument || stop != end)
    fail(position + static_cast<std::size_t>(stop - w.value.data()),
         fmt::format("{} is {}, which is no number; {}", subject, in_quotes(w.value), wanted));
  if (failure == std::errc::result_out_of_range || value < lowest || value > highest)
    fail(position, fmt::format("{} is {}; {}", subject, in_quotes(w.value), wanted));
  return value;
}

}  // namespace warpdex
