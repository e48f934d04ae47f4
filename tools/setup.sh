# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by run, test and .ci/run: installs what is missing, builds a preset. Sourced from the
# folder of the sources. Prints to stderr only; stdout belongs to the program that is run.

build_packages=(g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev libyaml-cpp-dev
                zlib1g-dev libzstd-dev libdnnl-dev libgtest-dev libgmock-dev libbenchmark-dev
                libboost-context-dev libcurl4-openssl-dev)
# Of ambidex-clang and ambidex-simt.
port_packages=(libclang-22-dev llvm-22-dev libclang-cpp22-dev lld-22 libseccomp-dev)

die() {  # EXIT_CODE "kind: message"
  echo "$2" >&2
  exit "$1"
}

missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      echo "$package"
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Asks dpkg first, so that nothing happens, and no network is needed, where all is there.
need_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    need_commands "$@"
    return
  fi
  local missing log
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    die 4 "unsupported: packages are missing; as root: apt-get install ${missing[*]}"
  fi
  echo "installing ${missing[*]}" >&2
  log=$(mktemp)
  if ! install_packages "${missing[@]}" >"$log" 2>&1; then
    echo "unsupported: apt-get could not install ${missing[*]}; its last words:" >&2
    tail -n 20 "$log" >&2
    rm -f "$log"
    exit 4
  fi
  rm -f "$log"
}

# The package lists are fetched only if those at hand do not do.
install_packages() {
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends)
  as_root "${install[@]}" "$@" && return
  as_root apt-get update -q && as_root "${install[@]}" "$@"
}

# Of all that is built only `ambidex port` needs clang 22, which not every Debian has: without it
# the release preset is configured without them, and stays so.
release_options=()
need_port_packages() {
  ! grep -qsFx "AMBIDEX_PORT:BOOL=OFF" build/release/CMakeCache.txt || return 0
  if ! (need_packages "${port_packages[@]}"); then
    echo "note: building without ambidex port, which needs clang 22" >&2
    release_options=(-DAMBIDEX_PORT=OFF)
  fi
}

# Not a Debian: the tools are looked for, the libraries are left to find_package.
need_commands() {
  local tool
  for tool in cmake ninja c++; do
    command -v "$tool" >/dev/null ||
      die 4 "unsupported: no $tool; install what Debian calls: $*"
  done
}

# build_preset NAME [--target ...]. Quiet unless it fails. The lock keeps two runs in one folder
# from building over each other.
build_preset() {
  local preset=$1 folder=build/$1 log
  mkdir -p "$folder"
  log=$folder/build.log
  exec 9>"$folder/.lock"
  if command -v flock >/dev/null; then flock 9; fi
  if [[ -f $folder/CMakeCache.txt ]] &&
     ! grep -qFx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/build.ninja"  # a moved checkout
  fi
  if [[ ! -f $folder/build.ninja || CMakePresets.json -nt $folder/build.ninja ]]; then
    echo "building $folder" >&2
    local options=()
    [[ $preset != release ]] || options=("${release_options[@]}")
    cmake --preset "$preset" "${options[@]}" >"$log" 2>&1 9>&- || build_failed "$log"
  fi
  cmake --build "$folder" "${@:2}" >"$log" 2>&1 9>&- || build_failed "$log"
  exec 9>&-
}

build_failed() {
  echo "internal: the build failed; the end of $1:" >&2
  tail -n 60 "$1" >&2
  exit 70
}
