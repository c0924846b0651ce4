# SPDX-License-Identifier: MIT
# How long a test takes, as a label: `quick` at most 3 s of one core in a release build, `full` at most about 15, `long` more.
set(tvgp_full_tests
    test_zoo
    zoo_entry
    test_foreign
    test_screen
    test_doubt
    test_dpp
    test_box_learn
    test_context_x
    test_season
    test_badinput_policy
    test_limits
    test_snapshot
    test_snapshot_refused
    test_snapshot_relay
    test_time_unit
    guide
    fleet_sqlite_killed
    examples_list
    tool
    test_small
    figures)
set(tvgp_long_tests
    zoo_quick
    test_torture
    test_conformance
    test_box_conformance
    test_extremes
    test_shared
    test_recursive
    install
    mpi
    late_answers
    controller
    bindings_every
    bindings_wasm
    bindings_python
    bindings_cpp
    bindings_lua
    bindings_node
    bindings_rust)

# Labels the tests that were added in this directory, beside the labels they have.
function(tvgp_label_tests)
    get_property(tests DIRECTORY PROPERTY TESTS)
    foreach(test IN LISTS tests)
        if(test IN_LIST tvgp_long_tests)
            set(length long)
        elseif(test IN_LIST tvgp_full_tests)
            set(length full)
        else()
            set(length quick)
        endif()
        set_property(TEST ${test} APPEND PROPERTY LABELS ${length})
    endforeach()
endfunction()
