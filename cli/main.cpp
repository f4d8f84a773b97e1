// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "app.hpp"

int main(int argc, char** argv) { return warpdex::cli::run(argc, argv); }
