// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpdex::cli {

/// The results of a run of the command.
struct outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs the built command in a separate folder for each test.
class cli_test : public testing::Test {
 protected:
  cli_test() {
    std::string name = (std::filesystem::temp_directory_path() / "warpdex_cli_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + name);
    folder_ = name;
  }
  ~cli_test() override { std::filesystem::remove_all(folder_); }

  void write(std::string const& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::string read(std::string const& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  bool exists(std::string const& name) const { return std::filesystem::exists(folder_ / name); }

  std::size_t number_of_files() const {
    auto const files = std::filesystem::directory_iterator(folder_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  std::filesystem::path const& folder() const { return folder_; }

  /// Runs `warpdex` with arguments as a shell would; `before` is shell code that goes first.
  outcome run(std::string const& arguments, std::string const& before = "") const {
    std::string const streams = (folder_ / "..").lexically_normal().string() + folder_.filename().string();
    std::string const command = "cd '" + folder_.string() + "' && " + before + " '" WARPDEX_COMMAND "' " + arguments +
                                " >'" + streams + ".out' 2>'" + streams + ".err'";
    int const status = std::system(command.c_str());
    outcome result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (auto const& [suffix, text] : {std::pair{".out", &result.out}, std::pair{".err", &result.err}}) {
      std::ifstream file(streams + suffix, std::ios::binary);
      std::ostringstream all;
      all << file.rdbuf();
      *text = all.str();
      std::filesystem::remove(streams + suffix);
    }
    return result;
  }

  /// Expects success and returns what was written to standard output.
  std::string output_of(std::string const& arguments) const {
    outcome const r = run(arguments);
    EXPECT_EQ(r.exit_code, 0) << arguments << "\n" << r.err;
    return r.out;
  }

  /// Expects an exit code and a part of the message, and nothing on standard output.
  std::string expect_failure(std::string const& arguments, int exit_code, std::string const& part) const {
    outcome const r = run(arguments);
    EXPECT_EQ(r.exit_code, exit_code) << arguments << "\n" << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << arguments << "\n" << r.err << "lacks: " << part;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_LT(r.err.size(), 2000u) << arguments;
    return r.err;
  }

  bool has_gpu() const { return nlohmann::json::parse(output_of("info --json"))["backends"]["cuda"].get<bool>(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace warpdex::cli
