#!/usr/bin/env bash
# Installs what trnsim is built with, on Debian 12. Does nothing when all of it is there.
set -euo pipefail
packages=(g++ cmake ninja-build ccache pkg-config python3 git ca-certificates
  libsystemc-dev libboost-dev nlohmann-json3-dev libprotobuf-dev protobuf-compiler libcli11-dev libfmt-dev
  libeigen3-dev libsqlite3-dev libboost-filesystem-dev
  libgtest-dev libbenchmark-dev clang-format clang libclang-rt-14-dev
  slurm-wlm munge parallel)
# The report page is built with npm, and tested in a browser.
command -v npm >/dev/null || packages+=(nodejs npm)
packages+=(chromium fonts-noto-core fonts-noto-mono)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"
