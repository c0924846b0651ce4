# SPDX-License-Identifier: MIT
# How long a test takes, as a label: `quick` at most 3 s of one core in a release build and 10 s under sanitizers,
# `full` at most about 15, `long` more. Longer tests start first. `memory`: a longer test that uses memory in a way of its own, and
# is run under sanitizers by tests/run.sh, as quick ones are; the others are by tests/night.sh. `night`: tests/run.sh leaves it out.
set(tvgp_full_tests
    test_first_mistakes
    test_hyper
    test_outcome_units
    test_zoo_players
    test_arm_mixture
    test_before_start
    test_box_priors
    test_conservative
    test_flat
    test_growth
    test_harmonic
    test_robust
    test_setting
    test_thompson
    test_zoo
    zoo_entry
    test_foreign
    test_arm_bounds
    test_misspecified
    test_dpp
    test_box_learn
    test_context_point
    test_season
    test_constraints
    test_box_memory
    test_snapshot
    test_snapshot_refused
    test_snapshot_relay
    test_time_unit
    test_candidates
    test_learn
    test_noisy
    test_switching_cost
    test_bounds
    test_box
    test_box_threads
    test_search
    test_history_prior
    test_side_queries_learn
    test_scenes
    test_same_points
    test_torture
    test_conformance
    test_box_conformance
    test_extremes
    test_small_plain
    test_recursive
    bindings_every
    bindings_python
    bindings_cpp
    bindings_lua
    bindings_node
    bindings_rust
    guide
    fleet_sqlite_killed
    examples_list
    tool
    test_small
    test_small_plain
    late_answers
    controller
    figures)
set(tvgp_long_tests
    zoo_quick
    test_shared
    install
    mpi
    bindings_wasm)
set(tvgp_memory_tests
    test_snapshot_refused)

set(tvgp_night_tests
    bindings_every
    fleet_sqlite_killed
    install
    mpi
    test_small
    test_small_plain
    test_zoo
    zoo_quick)

# Labels the tests that were added in this directory, in addition to the labels they have.
function(tvgp_label_tests)
    get_property(tests DIRECTORY PROPERTY TESTS)
    foreach(test IN LISTS tests)
        set(length quick)
        set(cost 1)
        if(test IN_LIST tvgp_long_tests)
            set(length long)
            set(cost 30)
        elseif(test IN_LIST tvgp_full_tests)
            set(length full)
            set(cost 10)
        endif()
        set_property(TEST ${test} APPEND PROPERTY LABELS ${length})
        if(test IN_LIST tvgp_memory_tests)
            set_property(TEST ${test} APPEND PROPERTY LABELS memory)
        endif()
        if(test IN_LIST tvgp_night_tests)
            set_property(TEST ${test} APPEND PROPERTY LABELS night)
        endif()
        set_property(TEST ${test} PROPERTY COST ${cost})
    endforeach()
endfunction()
