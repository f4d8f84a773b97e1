// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/scratch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace warpdex::io {
namespace {

descriptor without_name(std::filesystem::path const& folder) {
  expect_no_zero(folder);
  descriptor made(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (made || (errno != EOPNOTSUPP && errno != EISDIR)) return made;
  std::string name = (folder / ".warpdex-XXXXXX").string();  // some file systems have no files without names
  made = descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (made) ::unlink(name.c_str());
  return made;
}

}  // namespace

scratch_file::scratch_file(std::filesystem::path const& folder) : folder_(folder) {
  descriptor made = without_name(folder);
  if (!made) fail_io(folder, "cannot make a file in this folder");
  file_ = std::make_shared<descriptor const>(std::move(made));
}

void scratch_file::write(void const* data, std::uint64_t bytes, std::uint64_t at) {
  write_at(file_->get(), folder_ / "a file without a name", data, bytes, at);
}

std::shared_ptr<mapping const> scratch_file::map(std::uint64_t bytes) const {
  return std::make_shared<mapping const>(folder_, file_, bytes);
}

}  // namespace warpdex::io
