#!/usr/bin/env bash
# Installs, builds and runs every test; first the unit tests under ASan and UBSan, and a short run of the fuzzers.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh
scripts/lint.sh --format
cmake --preset asan >/dev/null
cmake --build --preset asan
ctest --preset asan -LE 'long|properties|browser'
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
ctest --preset fuzz
cmake --preset release >/dev/null
cmake --build --preset release
ctest --preset release
