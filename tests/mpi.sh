#!/bin/sh
# SPDX-License-Identifier: MIT
# mpi.sh NM SHARED_ARMS LIBTVGP LIBTVGP_MPI: with 1, 2 and 3 ranks the example plays the same arms, twice the same bits; libtvgp
# needs no MPI, and libtvgp_mpi shows nothing but its own names. Says so and passes where there is no mpirun.
set -eu
nm=$1 program=$2 library=$3 mpi=$4
if "$nm" -D "$library" | grep -E ' [A-Za-z] (MPI_|ompi_)'; then
    echo "mpi.sh: libtvgp knows MPI"
    exit 1
fi
if "$nm" -D --defined-only "$mpi" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -v '^tvgp_mpi_'; then
    echo "mpi.sh: libtvgp_mpi shows names that are not its own"
    exit 1
fi
if ! command -v mpirun >/dev/null; then
    echo "mpi.sh: mpirun is not installed, nothing is played"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

play() { # ranks, arms, file
    # Open MPI: as root in a container, and more ranks than cores.
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        OMPI_MCA_mpi_yield_when_idle=1 mpirun -np "$1" "$program" --arms "$2" --steps 150 --csv >"$3"
}

for arms in 97 5000; do
    play 1 $arms "$work/1"
    [ "$(wc -l <"$work/1")" = 150 ]
    play 2 $arms "$work/2"
    play 2 $arms "$work/2again"
    play 3 $arms "$work/3"
    cmp "$work/2" "$work/2again"
    cut -d, -f1,2 "$work/1" >"$work/arms"
    for ranks in 2 3; do
        cut -d, -f1,2 "$work/$ranks" | diff "$work/arms" - >&2
    done
done
