# Compiler settings and the trn_library() helper.
set(CMAKE_CXX_STANDARD 17)  # libsystemc on Debian 12 is built for C++17 and links with nothing else
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # assertions are TRN_CHECK, on in every build

option(TRNSIM_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(TRNSIM_FUZZ "libFuzzer targets of tests/fuzz; needs clang" OFF)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(trn_flags INTERFACE)
target_compile_options(trn_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
target_include_directories(trn_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_link_options(trn_flags INTERFACE -Wl,--build-id=sha1)  # base/build_info.h
if(TRNSIM_SANITIZE)
  target_compile_options(trn_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(trn_flags INTERFACE -fsanitize=address,undefined)
endif()

if(TRNSIM_FUZZ)
  target_compile_options(trn_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_options(trn_flags INTERFACE -fsanitize=address,undefined)
endif()

# UNITY: six files to a compiler run. Most of a file's time is its headers', and a release build from nothing
# takes 4.5 minutes of two cores, not 7.7; two files of such a target may not use one name for things of their own.
option(TRNSIM_UNITY "Compile several files at once in the targets that allow it" OFF)
function(trn_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TRNSIM_UNITY} UNITY_BUILD_BATCH_SIZE 6)
endfunction()

# trn_library(name [UNITY] [SOURCES files] [FOLDERS folders] [DEPENDS libraries]): every .cpp of the folders (not
# of their subfolders) in one static library; trn_ is put before its own names.
function(trn_library name)
  cmake_parse_arguments(ARG "UNITY" "" "SOURCES;FOLDERS;DEPENDS" ${ARGN})
  set(sources ${ARG_SOURCES})
  foreach(folder ${ARG_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  add_library(trn_${name} STATIC ${sources})
  target_link_libraries(trn_${name} PUBLIC trn_flags)
  if(ARG_UNITY)
    trn_unity(trn_${name})
  endif()
  foreach(dependency ${ARG_DEPENDS})
    if(TARGET trn_${dependency})
      set(dependency trn_${dependency})
    endif()
    target_link_libraries(trn_${name} PUBLIC ${dependency})
  endforeach()
endfunction()
