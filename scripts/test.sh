#!/usr/bin/env bash
# Installs, builds and runs every test; the unit tests under ASan and UBSan first.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh
scripts/lint.sh --format
cmake --preset asan >/dev/null
cmake --build --preset asan
ctest --preset asan -LE long
cmake --preset release >/dev/null
cmake --build --preset release
ctest --preset release
