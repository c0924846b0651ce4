/* SPDX-License-Identifier: MIT */
/** @file
 * Stores: policies that many workers share in a database, a server or a folder (docs/reference/stores.md).
 *
 * A store is a table of functions of the caller that lock, read and write a description, numbered lines and a snapshot. The library
 * does everything else: it reads and checks the arguments of calls, keeps a bounded number of policies in memory, recognises
 * those that another worker or a rollback has overtaken, replays lines, and appends the lines of a call after its last step has
 * succeeded. tvgp.h does not include this header.
 *
 * Experimental: may change in any minor version.
 */
#ifndef TVGP_STORE_H
#define TVGP_STORE_H

#include "serve.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tvgp_store tvgp_store; /**< A store. */

/** A policy as it is stored. */
typedef struct tvgp_store_row {
    int64_t id;              /**< Number of the policy in the store, >= 1, unique. 0: not stored yet. */
    int64_t n;               /**< Number of its last line; 0: there are none. */
    int64_t chain;           /**< Checksum of the description and all lines up to n. */
    int64_t snapshot_every;  /**< Number of lines after which a new snapshot is written, >= 1. */
    const char *description; /**< Description, for tvgp_policy_create_described. */
} tvgp_store_row;

/** Functions of a store. They return 0, or a status of their own, -1000 to -1999, which ends the call under way and which it
 * returns. After one has failed only `unlock` is called. They must not leave by an exception or longjmp, and must not call the
 * store except as stated (TVGP_ERR_REENTRANT). Texts and bytes that they receive are valid during the function only. */
typedef struct tvgp_store_type {
    size_t struct_size; /**< sizeof(tvgp_store_type). */
    size_t copies;      /**< Largest number of policies in memory, the least recently used is dropped; 0: 64. */
    int64_t epoch;      /**< Random number of this worker in 1 .. 2^53 - 1, written with each query. */
    /** Optional. Begins a call that reads or (write 1) writes: a transaction, or a part of the one that encloses it. */
    int32_t (*lock)(void *user, int32_t write);
    /** Optional. Ends it: keeps what was written (keep 1), or undoes it. Without it the caller undoes a failed call. */
    int32_t (*unlock)(void *user, int32_t keep);
    /** Finds a policy by its name; with write 1 no other worker changes it before unlock. Sets row, whose id is 0 if there is none;
     * its description stays valid until the store's next function is called. */
    int32_t (*read_description)(void *user, const char *name, int32_t write, tvgp_store_row *row);
    /** Passes lines first .. last in order to tvgp_store_take_event, those that exist, and stops if that returns another value
     * than 0. A negative one is returned. */
    int32_t (*read_events)(void *user, int64_t id, int64_t first, int64_t last, tvgp_store *store);
    /** Stores n new lines with their checksums, numbered row->n - n + 1 .. row->n, and then row->n and row->chain. A line that exists
     * beyond the earlier row->n is replaced. With row->id 0 and n 0 creates the policy `name`. */
    int32_t (*append)(void *user, const char *name, const tvgp_store_row *row, size_t n, const char *const *lines,
                      const int64_t *chains);
    /** Passes the newest snapshot to tvgp_store_take_snapshot and returns its status; 0 if there is none. */
    int32_t (*read_snapshot)(void *user, int64_t id, tvgp_store *store);
    /** Replaces the snapshot, which is the state after line n. */
    int32_t (*write_snapshot)(void *user, int64_t id, int64_t n, int64_t chain, size_t size, const void *bytes);
    /** Deletes the lines below `first`; first 0: the policy with everything that belongs to it. */
    int32_t (*remove)(void *user, int64_t id, int64_t first);
    /** Optional. Gives the time for calls without one, such as the seconds since 1970. */
    double (*now)(void *user);
} tvgp_store_type;

/** Kinds of results (tvgp_store_reply.kind): which members hold. */
enum {
    TVGP_STORE_NOTHING = 0, /**< The call failed. */
    TVGP_STORE_TAKEN,       /**< `taken`. */
    TVGP_STORE_VALUE,       /**< `value`. */
    TVGP_STORE_BYTES,       /**< `bytes`, `size`. */
    TVGP_STORE_ESTIMATE,    /**< `estimate`. */
    TVGP_STORE_QUERIES,     /**< Queries: `epoch`, `id`, `arm`, `name`, `x`, and propensities in `first`. */
    TVGP_STORE_MOMENTS,     /**< Arms: `arm`, `name`, `x`, means and standard deviations. */
    TVGP_STORE_SHARES       /**< Arms: `arm`, `name`, `x`, probabilities and shares. */
};

/** Result of a call. Arrays belong to the store and are valid until its next call. Members that a call does not use are 0. */
typedef struct tvgp_store_reply {
    int64_t taken;      /**< 1; 0: the query is not pending, or `fit` had nothing to do. `trim`: number of deleted lines. */
    int64_t epoch;      /**< `ask`: the store's epoch. */
    size_t n;           /**< Number of queries or arms; `ask`: 0 if nothing can be asked now. */
    size_t dim;         /**< Number of coordinates. */
    int32_t list;       /**< 1 if the call gives a list (`ask_slate`, `arms`, `shares`); 0 if it gives one entry. */
    int32_t kind;       /**< One of the kinds above. */
    const int64_t *id;  /**< `ask`: ids (n). */
    const int64_t *arm; /**< Arms (n); -1 on a box. */
    const char *const *name;      /**< Names of the actions (n); NULL: they have none. */
    const double *x;              /**< Points, n x dim, row-major. */
    const double *first;          /**< Propensities, means (`best`, `arms`) or probabilities (`shares`) (n). */
    const double *second;         /**< Standard deviations (`best`, `arms`) or shares (`shares`) (n). */
    double value;                 /**< `stat`: the value. */
    const void *bytes;            /**< `state`: a snapshot (size). */
    size_t size;                  /**< Number of bytes. */
    tvgp_value_estimate estimate; /**< `off_policy_value`: the estimates. */
} tvgp_store_reply;

/** Opens a store.
 *
 * Policies live in contexts of their own with the allocator, logger, interrupt function and quotas of `ctx`, as they are at the time of
 * a call; the quota of bytes holds for each policy.
 *
 * @param ctx              The context; kept alive. Messages of calls are read from it (tvgp_ctx_errmsg).
 * @param type             The functions, copied.
 * @param user             First argument of the functions.
 * @param destroy_or_null  Called with user by tvgp_store_close; not called on error.
 * @param[out] out         The store; release it with tvgp_store_close.
 * @retval TVGP_ERR_ARG    A function is missing, struct_size is too small, or epoch is out of range.
 */
TVGP_API tvgp_status tvgp_store_open(tvgp_ctx *ctx, const tvgp_store_type *type, void *user, tvgp_destroy_fn destroy_or_null,
                                     tvgp_store **out);

/** Makes a call, all of it or nothing.
 *
 * Each argument is a key and a value: JSON, or a bare text where a text or a number is wanted. A key NULL stands for a JSON object
 * whose members are arguments. A value NULL or `null` is an argument that is not given. Actions may be given by name if the
 * description has names. A time is a number or a text of ISO 8601; without one the store's `now` is used, and questions are answered
 * for the newest time seen if theirs is earlier. A supplied time that is more than 1000 median steps after the newest one, and in
 * the future of `now`, is refused unless the description sets time.max_step. The calls and their arguments:
 *
 * - create: description, snapshot_every (100)
 * - ask: t, context (number or list), candidates (list of points), means, available (list of actions); for this ask alone
 * - ask_slate: slate (1 .. 32), and all of ask
 * - tell: id, y (none: no outcome), t, epoch, exposure, reference, noise, outputs (list: one for each of the
 *   constraints), partial (true: the query stays pending), censored (right: the outcome is at least y; left: at most)
 * - observe: x (point, or name of an action), y, t, exposure, reference, noise, outputs, censored
 * - skip, fail: id, t, epoch
 * - set_available: arms (list of actions; none: all)
 * - extend: arms (names of new actions; without names their points), points (if they have both), means
 * - set_budget: budget, period, asks
 * - set_costs: costs (number or list)
 * - set_cost_weight: weight
 * - set_payoffs: payoffs (list; empty: 1 for all)
 * - charge: id, cost
 * - fit: pieces (8): does work of later asks (tvgp_policy_fit); taken is 0 if there was nothing to do,
 *   as with fit=off
 * - best, arms: t
 * - shares: t, draws (1024), power (1), floor (0)
 * - stat: key
 * - state
 * - off_policy_value: description (or uniform, or arm=3), half_life
 * - trim: before: deletes the lines that come before the first ask at or after this time, after writing a snapshot
 * - drop
 * - apply: line: an event of another worker, which must be the next one
 *
 * Costs the calls of the library that it makes, a replay of the lines since the store's own last call, and on the first use of a
 * policy reading its snapshot and replaying at most snapshot_every lines. A call that is refused after its first step costs the same
 * again in the next one.
 *
 * @param store      The store.
 * @param call       Name of the call.
 * @param policy     Name of the policy.
 * @param n          Number of arguments.
 * @param keys       Keys (n).
 * @param values     Values (n).
 * @param[out] out   The result, valid until the store's next call. On error it is unchanged.
 * @retval TVGP_ERR_NOTFOUND     No such call, argument, policy or name of an action; the message gives the most similar one.
 * @retval TVGP_ERR_ARG          An argument cannot be read (message), is missing or given twice; the policy exists already; or the time
 *                               is too far ahead.
 * @retval TVGP_ERR_TICKET       The epoch is not the one in which the query was asked.
 * @retval TVGP_ERR_FORMAT       A line is missing, damaged or does not belong to the description; so is the snapshot.
 * @retval TVGP_ERR_REENTRANT    Called from inside a call on the same store.
 * @retval TVGP_ERR_CALLBACK     A function of the store returned a status outside -1000 .. -1999; others are returned unchanged.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 * @return otherwise as the calls of the library.
 */
TVGP_API tvgp_status tvgp_store_call(tvgp_store *store, const char *call, const char *policy, size_t n,
                                     const char *const *keys, const char *const *values, const tvgp_store_reply **out);

/** Makes a call whose arguments are words, as a command of a server has them.
 *
 * The required arguments come first, each a word: description of create and off_policy_value; slate of ask_slate; id and y of
 * tell; x and y of observe; id of skip and fail; arms of set_available and extend; all of set_budget; costs, weight, payoffs, line,
 * before and key; id and cost of charge. Each other argument is its name, in any case, and its value.
 *
 * @param store      The store.
 * @param call       Name of the call.
 * @param policy     Name of the policy.
 * @param n          Number of words.
 * @param words      Words (n).
 * @param[out] out   The result, valid until the store's next call. On error it is unchanged.
 * @retval TVGP_ERR_ARG  The number of words does not fit.
 * @return otherwise as tvgp_store_call.
 */
TVGP_API tvgp_status tvgp_store_call_words(tvgp_store *store, const char *call, const char *policy, size_t n,
                                           const char *const *words, const tvgp_store_reply **out);

/** Writes the result of the last call as JSON, ended by a NUL: a query is {"id":1,"epoch":5,"arm":0,"name":"a","x":[0],
 * "propensity":1}; without an entry null.
 *
 * @param store           The store.
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the text; NULL: only *needed is written.
 * @param[out] needed     Size of the text, including the NUL.
 * @retval TVGP_ERR_BUFFER  The buffer is too small; *needed is written.
 */
TVGP_API tvgp_status tvgp_store_text(tvgp_store *store, size_t capacity, void *buffer_or_null, size_t *needed);

/** Takes a line, from inside read_events of the store.
 *
 * @param store  The store.
 * @param n      Number of the line.
 * @param chain  Its checksum.
 * @param line   The line.
 * @retval TVGP_DONE       No more lines are wanted.
 * @retval TVGP_ERR_STATE  No call of the store is reading lines.
 * @return otherwise what ends the call.
 */
TVGP_API tvgp_status tvgp_store_take_event(tvgp_store *store, int64_t n, int64_t chain, const char *line);

/** Takes a snapshot, from inside read_snapshot of the store.
 *
 * @param store  The store.
 * @param n      Number of the last line that it contains.
 * @param chain  Checksum of that line.
 * @param size   Its size, in bytes.
 * @param bytes  The snapshot (size).
 * @retval TVGP_ERR_STATE  No call of the store is reading a snapshot.
 * @return otherwise what ends the call.
 */
TVGP_API tvgp_status tvgp_store_take_snapshot(tvgp_store *store, int64_t n, int64_t chain, size_t size, const void *bytes);

/** Closes a store. Policies stay stored; copies in memory are freed.
 *
 * @param store  A store, or NULL (no effect). No call may be under way.
 */
TVGP_API void tvgp_store_close(tvgp_store *store);

#ifdef __cplusplus
}
#endif
#endif
