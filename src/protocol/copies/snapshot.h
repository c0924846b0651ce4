/* SPDX-License-Identifier: MIT */
/* Policies in snapshots (docs/reference/snapshot-format.md). Sections: TMPL, the template (DOMN and KERN in a full one);
 * OPTS, options; PRIO, priors; STAT, the policy's own state, once it has started; FRAM, the framework's state: clock,
 * counts, pending queries, mean, availability.
 *
 * A policy that loads has two states: the one in use and a second one, into which a snapshot is read. They are exchanged
 * when all of it could be read. The second state's memory serves the next snapshot. */
#ifndef TVGP__PROTOCOL_COPIES_SNAPSHOT_H
#define TVGP__PROTOCOL_COPIES_SNAPSHOT_H

#include "base/section.h"
#include "protocol/policy_ops.h"

enum { TVGP__SNAPSHOT_NAME = 64 };

/* The parts of a full snapshot; NULL: not in it. */
typedef struct tvgp__snapshot_parts {
    char name[TVGP__SNAPSHOT_NAME]; /* of the policy */
    int no_kernel;                  /* it was created without a kernel */
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} tvgp__snapshot_parts;

/* FORMAT, VERSION, UNSUPPORTED (a type that is not registered), NOMEM. Forget gives the parts back. */
tvgp_status tvgp__snapshot_read_parts(tvgp_ctx *, const void *bytes, size_t n, tvgp__snapshot_parts *out);
void tvgp__snapshot_forget(tvgp__snapshot_parts *);

/* As tvgp_policy_save and its kin. */
tvgp_status tvgp__snapshot_save(tvgp_policy *, int whole, void *buffer, size_t capacity, size_t *needed);
tvgp_status tvgp__snapshot_load(tvgp_policy *, const void *bytes, size_t n);
/* Of a policy on shared arms. */
tvgp_status tvgp__snapshot_save_part(tvgp_policy *, void *buffer, size_t capacity, size_t *needed);
tvgp_status tvgp__snapshot_load_parts(tvgp_policy *, const void *bytes, size_t n);
/* Gives a policy that was created for a whole snapshot outputs with models as it has them, which become what they are when it is loaded.
 * As of read_parts, and STATE (a kernel is not in it). */
tvgp_status tvgp__snapshot_make_models(tvgp_policy *, const void *bytes, size_t n);
/* The beginning of the section of a feature of outputs: their models, each a snapshot of its own. Refuses another number of them. */
void tvgp__snapshot_visit_models(tvgp_policy *, tvgp__visit *);
tvgp_status tvgp__snapshot_clone(tvgp_policy *, tvgp_policy **out);
/* From here to end the policy goes on with a second state that knows the same. A failed status brings the first one back, which
 * cannot fail. Begin: NOMEM, and UNSUPPORTED as save. */
tvgp_status tvgp__snapshot_begin(tvgp_policy *);
void tvgp__snapshot_end(tvgp_policy *, tvgp_status);
/* Each handle goes on as the other, except for the models of outputs, which stay with theirs. */
void tvgp__snapshot_exchange(tvgp_policy *, tvgp_policy *);

#endif
