// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "tables/file.hpp"

#include "input_test.hpp"

#include <sys/stat.h>

#include <thread>

namespace warpdex::tables {
namespace {

class file : public input_test {
 protected:
  static std::string text_of(file_bytes const& bytes) { return {bytes.begin(), bytes.end()}; }

  static std::string refusal(std::string const& path) {
    try {
      file_bytes const bytes(path);
    } catch (io_error const& e) {
      return e.what();
    }
    return "accepted";
  }
};

TEST_F(file, of_any_length) {
  for (std::size_t const length : {0, 1, 65535, 65536, 65537, 5000000}) {
    std::string const written(length, 'x');
    EXPECT_EQ(text_of(file_bytes(input_test::file("a", written))), written);
  }
}

/// A mapped file would end the process here.
TEST_F(file, bytes_stay_when_it_is_cut_short) {
  std::string const written(1 << 20, 'x');
  file_bytes const bytes(input_test::file("a", written));
  std::filesystem::resize_file(path("a"), 0);
  EXPECT_EQ(text_of(bytes), written);
}

TEST_F(file, pipe_of_any_length) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (std::size_t const length : {0, 1, 65536, 5000000}) {
    std::string const written(length, 'x');
    std::thread writer([&] { std::ofstream(path("pipe")) << written; });
    file_bytes const bytes(path("pipe"));
    writer.join();
    EXPECT_EQ(text_of(bytes), written);
  }
}

TEST_F(file, that_does_not_say_its_length) { EXPECT_NE(file_bytes("/proc/self/status").size(), 0u); }

TEST_F(file, that_may_have_no_end) {
  EXPECT_EQ(refusal("/dev/null"), "/dev/null: is a device; a file, a pipe or a terminal was expected");
}

}  // namespace
}  // namespace warpdex::tables
