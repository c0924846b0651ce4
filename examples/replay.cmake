# SPDX-License-Identifier: MIT
# What sensor_replay is made of, here and as `tvgp replay`.
set(replay_sources)
foreach(name sensor_replay csv empirical_kernel progress readings replay replay_arguments sensor_field settings stopwatch)
    list(APPEND replay_sources ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
endforeach()
