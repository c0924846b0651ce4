/* SPDX-License-Identifier: MIT */
/* FILE       a head of text, then a whole snapshot (docs/reference/snapshot-format.md):
 *                tvgp state 1
 *                clock steps              or seconds
 *                max_step 50              time.max_step, where it was set
 *                names red,green,blue     where arms have names
 *                available 101            where some arms may not be asked
 *                calls 17                 that changed it
 *                line {"n":17,..}         of the log, the last one
 *                snapshot 8936            bytes
 * FILE.log   a line of JSON for each call that changed something, numbered by n
 * FILE.lock  empty; locked by who writes, for as long as the program lives
 *
 * FILE is written as FILE.new-XXXXXX, brought to the disk and renamed, so that there is one state or the next at any moment. Its line
 * is in it: if the log does not end in that line, the next call that writes adds it. Where an older FILE was put back the log
 * goes on with numbers it had already, and of two lines of one number the later counts. A log is appended to only if it ends in a line
 * of this program. All files have the permissions of FILE before anything is in them. */
#define _XOPEN_SOURCE 700 /* fcntl, fsync, mkstemp, realpath */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[] = "tvgp state ", version[] = "1";
static const char *const clocks[] = {"steps", "seconds"};
static const int64_t MOST_CALLS = (int64_t)1 << 53;

static _Noreturn void cannot(const char *what, const char *path) {
    tool_exit(TOOL_REFUSED, "%s: cannot %s: %s", path, what, strerror(errno));
}

static char *join(const char *path, const char *ending) {
    char *out = tool_alloc(strlen(path) + strlen(ending) + 1);
    strcpy(out, path);
    strcat(out, ending);
    return out;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/* The whole file, followed by a NUL; NULL: it does not exist. */
static char *read_file(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0, got = 0;
    if (!file && errno == ENOENT)
        return NULL;
    if (!file)
        cannot("open it", path);
    do {
        room = room ? 2 * room : 65536;
        char *grown = tool_alloc(room);
        if (bytes)
            memcpy(grown, bytes, got);
        free(bytes);
        bytes = grown;
        got += fread(bytes + got, 1, room - got - 1, file);
    } while (got == room - 1);
    if (ferror(file))
        cannot("read it", path);
    fclose(file);
    *n = got;
    return bytes;
}

typedef struct head {
    const char *path;
    char *at, *end;
    int line;
} head;

/* The next line, ended by a NUL, when it begins with `key`; what stands behind that. NULL: it does not. */
static char *next(head *h, const char *key) {
    const size_t n = strlen(key);
    char *begin = h->at, *end = memchr(begin, '\n', (size_t)(h->end - begin));
    if (!end || (size_t)(end - begin) < n || memcmp(begin, key, n) != 0)
        return NULL;
    *end = '\0';
    h->at = end + 1;
    h->line++;
    return begin + n;
}

static char *need(head *h, const char *key) {
    char *value = next(h, key);
    if (!value)
        tool_exit(TOOL_REFUSED, "%s: line %d does not begin with '%s': no state that this program wrote", h->path,
                  h->line + 1, key);
    return value;
}

static int64_t need_whole(head *h, const char *key) {
    int64_t value;
    const char *text = need(h, key);
    if (!tool_whole(text, &value) || value < 0 || value > MOST_CALLS)
        tool_exit(TOOL_REFUSED, "%s: line %d: '%.40s' is no count", h->path, h->line, text);
    return value;
}

static void read_head(tool_state *s, head *h, size_t *names) {
    if (strcmp(need(h, magic), version) != 0)
        tool_exit(TOOL_REFUSED, "%s: written by a newer version of this program", h->path);
    const char *clock = need(h, "clock ");
    s->clock = strcmp(clock, clocks[TOOL_SECONDS]) == 0;
    if (strcmp(clock, clocks[s->clock]) != 0)
        tool_exit(TOOL_REFUSED, "%s: line %d: no clock '%.40s'", h->path, h->line, clock);
    const char *step = next(h, "max_step "), *list = next(h, "names ");
    if (step && (!tool_number(step, &s->max_step) || s->max_step < 0))
        tool_exit(TOOL_REFUSED, "%s: '%.40s' is no largest step", h->path, step);
    if (list)
        s->name = tool_domain_names(list, names);
    const char *mask = next(h, "available ");
    if (mask)
        s->available = join(mask, "");
    s->calls = need_whole(h, "calls ");
    s->line = join(need(h, "line "), "");
    const int64_t size = need_whole(h, "snapshot ");
    if (size != h->end - h->at)
        tool_exit(TOOL_REFUSED, "%s: %lld bytes of snapshot, %lld are there", h->path, (long long)size,
                  (long long)(h->end - h->at));
}

void tool_state_meet(tool_state *s) {
    const char *sense;
    tool_check(s, tvgp_domain_size(s->domain, &s->n));
    tool_check(s, tvgp_domain_dim(s->domain, &s->dim));
    tool_check(s, tvgp_policy_get_str(s->policy, "sense", &sense));
    s->min = strcmp(sense, "min") == 0;
    if (s->dim > TOOL_DIM)
        tool_exit(TOOL_REFUSED, "points of %zu coordinates, at most %d", s->dim, TOOL_DIM);
}

static void read_state(tool_state *s) {
    size_t n, names = 0;
    char *bytes = read_file(s->path, &n);
    if (!bytes)
        cannot("open it", s->path);
    head h = {.path = s->path, .at = bytes, .end = bytes + n};
    read_head(s, &h, &names);
    tool_check(s, tvgp_policy_restore(s->ctx, (size_t)(h.end - h.at), h.at, NULL, NULL, &s->policy));
    tool_check(s, tvgp_policy_domain(s->policy, &s->domain));
    tool_state_meet(s);
    if (s->name && names != s->n)
        tool_exit(TOOL_REFUSED, "%s: %zu names for %zu arms", s->path, names, s->n);
    if (s->available && strlen(s->available) != s->n)
        tool_exit(TOOL_REFUSED, "%s: available has %zu entries for %zu arms", s->path, strlen(s->available), s->n);
    free(bytes);
}

/* ---- lock and log --------------------------------------------------------------------------------------------------------- */

/* The permissions of FILE; if it does not exist, those that the system gives a new file. */
static mode_t mode_of(const char *path) {
    struct stat there;
    if (stat(path, &there) == 0)
        return there.st_mode & 07777;
    const mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

/* Opens a file that belongs to FILE. An empty one gets the permissions of FILE before anything is in it; one with content loses
 * those that FILE does not give. -1: failed. */
static int open_private(const char *path, const char *name, int flags, struct stat *there) {
    const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0600);
    if (file < 0 || fstat(file, there) < 0)
        return file;
    const mode_t mode = mode_of(path), old = there->st_mode & 07777, wanted = there->st_size ? old & mode : mode;
    if (wanted != old)
        (void)fchmod(file, wanted); /* left as it is where it belongs to another user */
    return file;
}

/* Waits until no other process writes. The lock goes with the program. */
static void take_lock(const char *path) {
    char *name = join(path, ".lock");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat there = {0};
    const int file = open_private(path, name, O_NOFOLLOW, &there);
    if (file < 0)
        cannot("open it", name);
    if (!S_ISREG(there.st_mode) || there.st_size)
        tool_exit(TOOL_REFUSED, "%s is not an empty file, so it cannot be the lock of %s; move one of the two", name, path);
    while (fcntl(file, F_SETLKW, &lock) < 0)
        if (errno != EINTR)
            cannot("lock it", name);
    free(name);
}

/* Where its last whole line begins, 0 also where there is none, and behind which byte it ends. */
static size_t last_line(const char *bytes, size_t n, size_t *end) {
    size_t begin = n;
    while (begin && bytes[begin - 1] != '\n')
        begin--;
    *end = begin;
    for (begin -= begin > 0; begin && bytes[begin - 1] != '\n';)
        begin--;
    return begin;
}

/* How a log ends. */
typedef struct ending {
    size_t size, whole; /* bytes of the log, and those up to the end of its last whole line */
    char *line;         /* the last whole line; empty: there is none */
    int ours;           /* nothing in `line` or behind it is from another program */
} ending;

/* A part of a line of the log, of which the system may have kept zeros; `n` bytes. */
static int is_part(const char *bytes, size_t n) {
    static const char opening[] = "{\"n\":";
    while (n && !bytes[n - 1])
        n--;
    return memcmp(bytes, opening, n < strlen(opening) ? n : strlen(opening)) == 0 && !memchr(bytes, '\0', n);
}

static void read_ending(ending *e, const char *bytes, size_t n, size_t begin, size_t end) {
    int64_t number;
    const size_t length = end > begin ? end - 1 - begin : 0;
    e->whole = e->size - n + end;
    e->line = tool_alloc(length + 1);
    memcpy(e->line, bytes + begin, length);
    e->ours =
        is_part(bytes + end, n - end) && (!e->whole || (strlen(e->line) == length && tool_line_count(e->line, &number)));
}

/* Reads the end alone: a log may be long. */
static ending end_of(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat there;
    ending e = {.ours = 1};
    if (!file && errno == ENOENT)
        return (void)(e.line = join("", "")), e;
    if (!file || fstat(fileno(file), &there) < 0)
        cannot("open it", path);
    e.size = (size_t)there.st_size;
    for (size_t tail = e.size < 65536 ? e.size : 65536; !e.line; tail = e.size / 2 < tail ? e.size : 2 * tail) {
        size_t end;
        char *bytes = tool_alloc(tail + 1);
        if (fseeko(file, (off_t)(e.size - tail), SEEK_SET) < 0 || fread(bytes, 1, tail, file) != tail)
            cannot("read it", path);
        const size_t begin = last_line(bytes, tail, &end);
        if (begin || tail == e.size)
            read_ending(&e, bytes, tail, begin, end);
        free(bytes);
    }
    fclose(file);
    return e;
}

/* The end of FILE.log; a file of another program under that name is refused. */
static ending check_log(const tool_state *s) {
    char *name = join(s->path, ".log");
    const ending e = end_of(name);
    if (!e.ours)
        tool_exit(TOOL_REFUSED, "%s does not end in a line that this program wrote; move it, or give %s another name", name,
                  s->path);
    free(name);
    return e;
}

/* Writes this text and the line end behind the whole lines of the log. 0: done. */
static int append(tool_state *s, const char *lines) {
    char *name = join(s->path, ".log"), *text = join(lines, "\n");
    struct stat there;
    const int file = open_private(s->path, name, 0, &there);
    const off_t at = (off_t)s->log_end;
    const size_t n = strlen(text);
    const int failed = file < 0 || ftruncate(file, at) < 0 || pwrite(file, text, n, at) != (ssize_t)n || fsync(file) < 0;
    if (file >= 0)
        close(file);
    s->log_end += failed ? 0 : n;
    free(name);
    free(text);
    return failed;
}

/* Adds the line of the state, which a program that ended too early left out, unless the log ends in it. A log that ends in another
 * line of the same number or a later one is that of a state that was replaced. */
static void mend_log(tool_state *s) {
    const ending e = check_log(s);
    s->log_end = e.whole;
    if (strcmp(e.line, s->line) != 0 && append(s, s->line))
        cannot("write the log of it", s->path);
    free(e.line);
}

/* The call is made already; a line that cannot be added is added by the next call. */
static void add_line(tool_state *s) {
    if (append(s, s->line))
        fprintf(stderr, "tvgp: %s.log: cannot write it: %s\n", s->path, strerror(errno));
}

size_t tool_state_log(const tool_state *s, char ***line) {
    char *name = join(s->path, ".log");
    size_t n = 0, count = 0, most = 2;
    char *bytes = read_file(name, &n);
    free(name);
    for (size_t i = 0; i < n; i++)
        most += bytes[i] == '\n';
    char **list = tool_alloc(most * sizeof *list);
    int64_t *number = tool_alloc(most * sizeof *number);
    for (char *at = bytes, *end; at && (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        if (!tool_line_count(at, &number[count]))
            continue;
        const int64_t its = number[count];
        size_t before = count;
        while (before && number[before - 1] >= its)
            before--;
        number[before] = its;
        list[before] = at;
        count = before + 1;
    }
    while (count && number[count - 1] >= s->calls)
        count--;
    list[count++] = s->line;
    free(number);
    *line = list;
    return count;
}

/* ---- opening and saving ----------------------------------------------------------------------------------------------------- */

static void make_context(tool_state *s) {
    if (tvgp_ctx_create(NULL, &s->ctx) != TVGP_OK)
        tool_exit(TOOL_REFUSED, "out of memory");
    s->max_step = -1;
}

void tool_state_open(tool_state *s, const char *path, int write) {
    *s = (tool_state){.path = path};
    make_context(s);
    if (write) {
        char *real = realpath(path, NULL); /* what a link points to is written, not the link */
        if (!real)
            cannot("open it", path);
        s->path = real;
        if (access(real, W_OK) < 0) /* it could be replaced, which who made it read-only did not want */
            cannot("write it", path);
        take_lock(s->path);
    }
    read_state(s);
    if (write)
        mend_log(s);
}

void tool_state_new(tool_state *s, const char *path) {
    *s = (tool_state){.path = path};
    make_context(s);
}

void tool_state_claim(tool_state *s) {
    struct stat there;
    for (int locked = 0; locked < 2; locked++) { /* what is there already gets no lock */
        if (lstat(s->path, &there) == 0)
            tool_exit(TOOL_REFUSED, "%s is there already", s->path);
        const ending e = check_log(s);
        s->log_end = e.whole;
        free(e.line);
        if (!locked)
            take_lock(s->path);
    }
}

/* 0: done. */
static int write_all(int file, const char *bytes, size_t n) {
    while (n) {
        const ssize_t written = write(file, bytes, n);
        if (written < 0 && errno != EINTR)
            return -1;
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* A rename is on the disk when its directory is. */
static void sync_directory(const char *path) {
    char *folder = join(path, "");
    char *slash = strrchr(folder, '/');
    strcpy(slash ? slash + (slash == folder) : folder, slash ? "" : ".");
    const int file = open(folder, O_RDONLY | O_CLOEXEC);
    if (file >= 0) { /* where a directory cannot be opened it is left to the system */
        (void)fsync(file);
        close(file);
    }
    free(folder);
}

/* Under a name that no file has, so that nothing is overwritten and no link is followed. */
static void write_file(const tool_state *s, const tool_text *text, const char *snapshot, size_t n) {
    char *fresh = join(s->path, ".new-XXXXXX");
    const int file = mkstemp(fresh);
    if (file < 0)
        cannot("write it", s->path);
    (void)fchmod(file, mode_of(s->path));
    const int failed = write_all(file, text->at, text->n) || write_all(file, snapshot, n) || fsync(file) < 0;
    if (failed || rename(fresh, s->path) < 0) {
        const int reason = errno;
        (void)unlink(fresh); /* a full disk needs the room */
        errno = reason;
        cannot("write it", s->path);
    }
    close(file);
    sync_directory(s->path);
    free(fresh);
}

tool_text tool_state_line(tool_state *s, const char *call) {
    tool_text line = {0};
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    tool_text_add(&line, "{");
    tool_text_whole(&line, "n", ++s->calls);
    tool_text_string(&line, "call", call);
    tool_text_add(&line, ",\"at\":%lld.%03ld", (long long)now.tv_sec, now.tv_nsec / 1000000);
    return line;
}

void tool_state_more(tool_state *s, tool_text *line) {
    tool_text_add(&s->more, "%s%s}", s->more.n ? "\n" : "", line->at);
    free(line->at);
}

/* Lines in front of the last one are in the log before the state is: as long as the state has a smaller number they do not count. */
static void save_more(tool_state *s) {
    if (s->more.n && append(s, s->more.at))
        cannot("write the log of it", s->path);
    free(s->more.at);
}

void tool_state_save(tool_state *s, tool_text *line) {
    tool_text text = {0};
    size_t n = 0;
    tool_text_add(line, "}");
    free(s->line);
    s->line = line->at;
    tool_check(s, tvgp_policy_save_full(s->policy, 0, NULL, &n));
    char *bytes = tool_alloc(n);
    tool_check(s, tvgp_policy_save_full(s->policy, n, bytes, &n));
    tool_text_add(&text, "%s%s\nclock %s\n", magic, version, clocks[s->clock]);
    if (s->max_step >= 0)
        tool_text_add(&text, "max_step %.17g\n", s->max_step);
    for (size_t i = 0; s->name && i < s->n; i++)
        tool_text_add(&text, "%s%s%s", i ? "," : "names ", s->name[i], i + 1 == s->n ? "\n" : "");
    if (s->available)
        tool_text_add(&text, "available %s\n", s->available);
    tool_text_add(&text, "calls %lld\nline %s\nsnapshot %zu\n", (long long)s->calls, s->line, n);
    save_more(s);
    write_file(s, &text, bytes, n);
    add_line(s);
    free(text.at);
    free(bytes);
}

int tool_state_finish(tool_state *s, const tool_call *call, tool_text *line) {
    tool_text text = {0};
    tool_state_save(s, line);
    if (s->said.at && !call->json)
        tool_text_add(&text, "%s\n", s->said.at);
    tool_text_add(&text, "%s\n", call->json ? s->line : "ok");
    tool_text_print(&text);
    tool_state_close(s);
    return 0;
}

size_t tool_state_limits(const tool_state *s) {
    char key[32];
    double value;
    for (size_t k = 0;; k++) {
        snprintf(key, sizeof key, "constraint.observations.%zu", k + 1);
        if (tvgp_policy_stat(s->policy, key, &value) != TVGP_OK)
            return k;
    }
}

/* Whether a mixture of fixed models learns, which begins with the first outcome: auto-gp-ucb on names. */
static int is_mixture(const tool_state *s) {
    const char *policy, *type;
    double noise = 0, fits = 1;
    (void)tvgp_policy_stat(s->policy, "fit.noise_var", &noise);
    (void)tvgp_policy_stat(s->policy, "fit.count", &fits);
    return tvgp_policy_name(s->policy, &policy) == TVGP_OK && strcmp(policy, "auto-gp-ucb") == 0 &&
           tvgp_domain_type_name(s->domain, &type) == TVGP_OK && strcmp(type, "indices") == 0 && noise > 0 && fits == 0;
}

int tool_state_unlearned(const tool_state *s) {
    const char *fit = "off";
    double adopted = 0, records = 0;
    (void)tvgp_policy_stat(s->policy, "history.records", &records);
    return !is_mixture(s) && tvgp_policy_get_str(s->policy, "fit", &fit) == TVGP_OK && strcmp(fit, "off") != 0 &&
           tvgp_policy_stat(s->policy, "fit.adopted", &adopted) == TVGP_OK && adopted == 0 && !(records > 0);
}

void tool_state_close(tool_state *s) {
    for (size_t i = 0; s->name && i < s->n; i++)
        free(s->name[i]);
    free(s->name);
    free(s->available);
    free(s->line);
    free(s->said.at);
    tvgp_policy_destroy(s->policy);
    tvgp_domain_destroy(s->domain);
    tvgp_ctx_destroy(s->ctx);
}

/* ---- times -------------------------------------------------------------------------------------------------------------------- */

double tool_state_newest(const tool_state *s) {
    double t;
    tool_check(s, tvgp_policy_stat(s->policy, "clock", &t));
    return t;
}

static double seconds(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)(now.tv_nsec / 1000000) / 1000;
}

/* Steps forward between the times of the log, and how many. */
static size_t steps_of(const tool_state *s, double **step) {
    char **line;
    const size_t lines = tool_state_log(s, &line);
    double newest = INFINITY, t;
    size_t n = 0;
    *step = tool_alloc(lines * sizeof **step);
    for (size_t i = 0; i < lines; i++) {
        if (!tool_line_number(line[i], "t", &t))
            continue;
        if (t > newest)
            (*step)[n++] = t - newest;
        newest = isfinite(newest) ? fmax(newest, t) : t;
    }
    free(line);
    return n;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 1000 median steps; infinite where there are no steps. */
static double plausible_step(const tool_state *s) {
    double *step;
    const size_t n = steps_of(s, &step);
    qsort(step, n, sizeof *step, by_size);
    const double most = n ? 1000 * (step[(n - 1) / 2] + step[n / 2]) / 2 : INFINITY;
    free(step);
    return most;
}

void tool_state_check_time(const tool_state *s, double t) {
    const double newest = tool_state_newest(s), most = s->max_step < 0 ? plausible_step(s) : s->max_step;
    if (most > 0 && isfinite(newest) && t - newest > most)
        tool_exit(TOOL_REFUSED,
                  "t = %.17g is too far after %.17g, the newest time: the largest plausible step is %.10g (%s "
                  "time.max_step=STEP of create, 0: no limit)",
                  t, newest, most, s->max_step < 0 ? "1000 median steps;" : "as set by");
}

/* The time that the call supplies. */
static double supplied(const tool_state *s, const tool_call *call) {
    tool_state_check_time(s, call->t);
    return call->t;
}

double tool_state_time(const tool_state *s, const tool_call *call) {
    const double newest = tool_state_newest(s);
    if (call->t_given)
        return supplied(s, call);
    if (s->clock == TOOL_SECONDS)
        return fmax(seconds(), newest);
    double log = 0; /* whose rows come before 0 */
    (void)tvgp_policy_stat(s->policy, "history.records", &log);
    return isfinite(newest) ? newest + 1 : log > 0 ? 0 : 1;
}

double tool_state_look(const tool_state *s, const tool_call *call) {
    const double newest = tool_state_newest(s);
    if (call->t_given)
        return supplied(s, call);
    if (s->clock == TOOL_SECONDS)
        return fmax(seconds(), newest);
    return isfinite(newest) ? newest : 0;
}
