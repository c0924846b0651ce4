# SPDX-License-Identifier: MIT
# Cross-compiles for a Cortex-M without an operating system, with newlib: cmake --toolchain src/package/arm-none-eabi.cmake. TVGP_CPU
# are the compiler's options of the processor.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program needs a board
set(TVGP_CPU -mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16 CACHE STRING "Options of the compiler for the processor")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TVGP_CPU)
string(JOIN " " CMAKE_C_FLAGS_INIT ${TVGP_CPU})
