# What a program must share with the library that it links: the standard, the precision, the assertions of headers, and no
# contraction, because the linker may keep the program's copy of an inline function.
add_library(mechane_settings INTERFACE)
add_library(mechane::settings ALIAS mechane_settings)
set_target_properties(mechane_settings PROPERTIES EXPORT_NAME settings)
target_compile_features(mechane_settings INTERFACE cxx_std_20)
target_compile_options(mechane_settings INTERFACE -ffp-contract=off)

# Warnings, sanitizers and determinism flags, in one interface target that every module links.
add_library(mechane_flags INTERFACE)

target_compile_options(mechane_flags INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wconversion -Wshadow -Wswitch-enum
  -ffp-contract=off              # the same bytes on machines with and without FMA
  -fno-math-errno)
separate_arguments(_mechane_optimize UNIX_COMMAND "${MECHANE_OPTIMIZE}")
target_compile_options(mechane_flags INTERFACE ${_mechane_optimize})
if(MECHANE_WERROR OR "$ENV{CI}")
  target_compile_options(mechane_flags INTERFACE -Werror)
endif()
if(MECHANE_SANITIZE)
  target_compile_options(mechane_flags INTERFACE -fsanitize=${MECHANE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mechane_flags INTERFACE -fsanitize=${MECHANE_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 and 13 on optional, variant and string under -O3 and under sanitizers.
  target_compile_options(mechane_flags INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict
    -Wno-mismatched-new-delete)
endif()

# What reads files of strangers is compiled with what makes a mistake harder to use; the kernels of the simulation read none.
add_library(mechane_hardened INTERFACE)
set(MECHANE_HARDENED_MODULES usd sourceformats physics resolve ros conformance importer record)
if(MECHANE_HARDEN AND NOT MECHANE_SANITIZE)
  target_compile_options(mechane_hardened INTERFACE -fstack-protector-strong)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(mechane_hardened INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
  target_link_options(mechane_hardened INTERFACE -Wl,-z,relro,-z,now)
endif()
if(MECHANE_STD_ASSERTIONS)
  target_compile_definitions(mechane_hardened INTERFACE _GLIBCXX_ASSERTIONS=1)
endif()

# What passes over a file once: readers and writers of other formats. Nothing of it runs in a loop over steps, and most of what -O2 adds to its compilation goes
# into code that runs a single time.
set(MECHANE_ONCE_MODULES sourceformats ros exporter reduction difference conversion)

if(MECHANE_REAL STREQUAL "double")
  target_compile_definitions(mechane_settings INTERFACE MECHANE_REAL_IS_DOUBLE=1)
elseif(NOT MECHANE_REAL STREQUAL "float")
  message(FATAL_ERROR "MECHANE_REAL is '${MECHANE_REAL}', expected float or double")
endif()
if(MECHANE_ASSERTS OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(mechane_settings INTERFACE MECHANE_ASSERTS=1)
endif()

find_program(MECHANE_CCACHE ccache)
if(MECHANE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${MECHANE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${MECHANE_CCACHE})
  add_compile_options(-fpch-preprocess)  # lets ccache see through precompiled headers
endif()
