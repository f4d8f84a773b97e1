// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "io/temporary.hpp"

#include <warpdex/replacement.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/random.hpp"
#include "io/names.hpp"

namespace warpdex {
namespace io {

struct list_place {
  static constexpr int free = -1;
  static constexpr int taken = -2;

  std::atomic<int> folder = free;  ///< descriptor of the folder, set before the file exists
  std::atomic<std::uint64_t> number = 0;
};

namespace {

constexpr std::string_view before_number = ".warpdex-";
constexpr std::string_view after_number = ".tmp";

using short_name = std::array<char, before_number.size() + number_digits + after_number.size() + 1>;

/// @return the name of a new file. It is short, so every file system takes it. Safe in a signal handler
short_name name_of(std::uint64_t number) noexcept {
  short_name name{};
  auto* at = std::copy(before_number.begin(), before_number.end(), name.data());
  for (std::size_t i = number_digits; i-- > 0;) *at++ = "0123456789abcdef"[number >> (4 * i) & 15];
  std::copy(after_number.begin(), after_number.end(), at);
  return name;
}

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

constinit std::array<list_place, 64> new_files;

/// Locks a new file. Where files have no locks it stays without.
/// @return false if another process took it for one that was abandoned, and has removed it or will
bool claim(descriptor const& file) noexcept {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat status {};
  return ::fstat(file.get(), &status) != 0 || status.st_nlink != 0;
}

}  // namespace

listing::listing() noexcept {
  for (auto& place : new_files)
    if (int expected = list_place::free; place.folder.compare_exchange_strong(expected, list_place::taken)) {
      place_ = &place;
      return;
    }
}

listing::~listing() { show(list_place::free, 0); }

void listing::set(int folder, std::uint64_t number) noexcept {
  show(list_place::taken, number);
  show(folder, number);
}

void listing::show(int folder, std::uint64_t number) noexcept {
  if (place_ == nullptr) return;
  place_->number = number;
  place_->folder = folder;
}

temporary::temporary(descriptor const& folder, std::filesystem::path const& path, mode_t mode) : folder_(folder.get()) {
  while (!file) {
    number_ = random_number();
    listing_.set(folder_, number_);
    file = descriptor(::openat(folder_, name_of(number_).data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file && errno != EEXIST && errno != EINTR) fail_io(path, "cannot create a file in its folder");
    if (file && !claim(file)) file = descriptor(-1);
  }
  lock_ = descriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));  // keeps the lock when `file` is closed
  if (lock_) return;
  int const failure = errno;
  ::unlinkat(folder_, name_of(number_).data(), 0);
  fail_io(path, "cannot create a file in its folder", failure);
}

temporary::~temporary() {
  if (!in_place_) ::unlinkat(folder_, name_of(number_).data(), 0);
}

bool temporary::rename(std::filesystem::path const& name) noexcept {
  in_place_ = ::renameat(folder_, name_of(number_).data(), folder_, name.c_str()) == 0;
  return in_place_;
}

std::optional<std::uint64_t> temporary_number(std::string_view name) noexcept {
  if (!name.starts_with(before_number) || !name.ends_with(after_number)) return {};
  name.remove_prefix(before_number.size());
  return numbered(name.substr(0, name.size() - std::min(name.size(), after_number.size())));
}

bool remove_abandoned(descriptor const& folder, std::uint64_t number) noexcept {
  short_name const name = name_of(number);
  descriptor const file(::openat(folder.get(), name.data(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return errno == ENOENT;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
  return ::unlinkat(folder.get(), name.data(), 0) == 0 || errno == ENOENT;
}

}  // namespace io

void remove_unfinished() noexcept {
  for (auto const& place : io::new_files)
    if (int const folder = place.folder; folder >= 0) ::unlinkat(folder, io::name_of(place.number).data(), 0);
}

}  // namespace warpdex
