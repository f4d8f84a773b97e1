// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// An example of docs/guide/cpp.md, line by line, as a program that is built and run as a test. A second test compares
// the two texts (document_agrees.cmake).
#include <warpdex/index.hpp>

#include <cstdio>
#include <filesystem>
#include <vector>

int main() {
  warpdex::execution const exec;
  std::vector<std::uint32_t> const keys = {30, 10, 20, 10};
  auto const path = std::filesystem::temp_directory_path() / "warpdex_guide_life.wdx";
  auto index = warpdex::index::build("B+(16)", keys, exec);
  std::vector<std::uint32_t> const more = {25, 30}, more_rows = {4, 5};
  index.insert(more, more_rows, exec);            // entries are added: 30 now has two rows
  index.insert_or_assign(more, more_rows, exec);  // 25 and 30 have these rows alone
  index.erase(more, exec);

  warpdex::index const snapshot = index.clone(exec);  // lookups on it may run while `index` changes
  index.save(path);                                   // appears complete or not at all
  auto const again = warpdex::index::load(path, exec.with_threads(2));
  auto const mapped = warpdex::index::load(path, exec, true);  // on CPUs: used in place in the file
  auto const quick = warpdex::index::load(path, exec, true, warpdex::check::none);  // at once: your own files only

  std::printf("entries: %d\n", static_cast<int>(again.size()));
  bool const right = snapshot.size() == 3 && again.size() == 3 && mapped.count(10u) == 2 && !mapped.contains(30u);
  std::filesystem::remove(path);
  return right ? 0 : 1;
}
