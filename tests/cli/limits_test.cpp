// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.hpp"
#include "support/sanitizers.hpp"

/// @file
/// The command with unusual numbers of threads and cores, or with little address space.
namespace warpdex::cli {
namespace {

class limits : public cli_test {
 protected:
  void SetUp() override {
    // It takes terabytes of address space, and must be loaded first.
    if (test::under_address_sanitizer) GTEST_SKIP() << "not under AddressSanitizer";
    std::string keys;
    for (int i = 0; i < 200000; ++i) keys += std::to_string(i * 37 % 200003) + "\n";
    write("keys.txt", keys);
    write("probes.txt", keys.substr(0, keys.size() / 2));
  }

  /// Shell code after which the command sees 32 cores and can start `threads` threads.
  static std::string on_32_cores(std::string const& threads) {
    return "LD_PRELOAD='" WARPDEX_POOR_MACHINE "' WARPDEX_TEST_CORES=32 WARPDEX_TEST_THREADS=" + threads;
  }
};

TEST_F(limits, unknown_instruction_sets_are_refused) {
  if (!WARPDEX_CPU_DISPATCH) GTEST_SKIP() << "this build has one instruction set";
  std::string const find = "-q find --index AO+BS --keys keys.txt --probe 37";
  EXPECT_EQ(run(find, "WARPDEX_ISA=baseline").out, "probe,row\n37,1\n");
  outcome const r = run(find, "WARPDEX_ISA=avx3");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.err.find("WARPDEX_ISA is 'avx3'; did you mean avx2?"), std::string::npos) << r.err;
}

TEST_F(limits, threads_that_cannot_be_had_are_not_missed) {
  std::string const expected = output_of("-q find --index AO+BS --keys keys.txt --probes probes.txt --threads 1");
  for (int const threads : {0, 1, 2, 5, 31}) {
    for (std::string const index : {"AO+BS", "'HT(open)'", "'B+(16)'"}) {
      outcome const r = run("-q find --index " + index + " --keys keys.txt --probes probes.txt",
                            on_32_cores(std::to_string(threads)));
      EXPECT_EQ(r.exit_code, 0) << threads << " threads, " << index;
      EXPECT_EQ(r.err, "") << threads << " threads, " << index;
      EXPECT_EQ(r.out, expected) << threads << " threads, " << index;
    }
  }
}

/// If anything is missing, the command says so, or does without.
TEST_F(limits, address_space_may_end_anywhere) {
  std::uint64_t const size = 1 << 21;
  write("many.uint32", std::string(reinterpret_cast<char const*>(&size), sizeof size) + std::string(4 * size, 'k'));
  int done = 0;
  int refused = 0;
  for (int megabytes = 20; megabytes <= 420; megabytes += 10) {
    std::string const before = "ulimit -v " + std::to_string(megabytes * 1000) + "; " + on_32_cores("31");
    if (run("--version", before).exit_code != 0) continue;  // not even the command could be loaded
    for (std::string const keys : {"keys.txt", "many.uint32"}) {
      outcome const r = run("-q build --index AO+BS --out out.wdx --keys " + keys, before);
      EXPECT_TRUE(r.exit_code == 0 || r.exit_code == 3) << keys << ", " << megabytes << " MB\n" << r.err;
      EXPECT_EQ(r.err.empty(), r.exit_code == 0) << keys << ", " << megabytes << " MB";
      ++(r.exit_code == 0 ? done : refused);
    }
  }
  EXPECT_GT(done, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(limits, more_threads_than_cores_are_no_word_worth) {
  for (std::string const threads : {"5", "4096"}) {
    outcome const r = run("-q --json build --index AO+BS --keys keys.txt --out out.wdx --threads " + threads);
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.err, "");
  }
}

}  // namespace
}  // namespace warpdex::cli
