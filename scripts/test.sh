#!/usr/bin/env bash
# Installs, builds and runs every test; then the unit tests again under ASan and UBSan.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh
cmake --preset asan >/dev/null
cmake --build --preset asan
ctest --preset asan -LE long
cmake --preset release >/dev/null
cmake --build --preset release
ctest --preset release
