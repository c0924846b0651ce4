/* SPDX-License-Identifier: MIT */
/* The interface of Redis that the module uses. No package has the header redismodule.h, and Redis passes its functions at run time. */
#ifndef TVGP_REDIS_API_H
#define TVGP_REDIS_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct RedisModuleCtx RedisModuleCtx;
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleKey RedisModuleKey;
typedef struct RedisModuleType RedisModuleType;
typedef struct RedisModuleIO RedisModuleIO;
typedef struct RedisModuleDigest RedisModuleDigest;

typedef struct type_methods {
    uint64_t version;
    void *(*rdb_load)(RedisModuleIO *, int);
    void (*rdb_save)(RedisModuleIO *, void *);
    void (*aof_rewrite)(RedisModuleIO *, RedisModuleString *, void *);
    size_t (*mem_usage)(const void *);
    void (*digest)(RedisModuleDigest *, void *);
    void (*free)(void *);
} type_methods;

enum { OK = 0, READ = 1, WRITE = 2, EMPTY = 0, API = 1, HANDLE_IO_ERRORS = 1 };

typedef int command_fn(RedisModuleCtx *, RedisModuleString **, int);

/* clang-format off */
#define IMPORTS(X) \
    X(void *, Alloc, (size_t)) X(void *, Realloc, (void *, size_t)) X(void, Free, (void *)) \
    X(void, SetModuleAttribs, (RedisModuleCtx *, const char *, int, int)) X(void, SetModuleOptions, (RedisModuleCtx *, int)) \
    X(int, CreateCommand, (RedisModuleCtx *, const char *, command_fn *, const char *, int, int, int)) \
    X(RedisModuleType *, CreateDataType, (RedisModuleCtx *, const char *, int, type_methods *)) \
    X(const char *, StringPtrLen, (const RedisModuleString *, size_t *)) \
    X(int, StringToLongLong, (const RedisModuleString *, long long *)) \
    X(RedisModuleKey *, OpenKey, (RedisModuleCtx *, RedisModuleString *, int)) X(void, AutoMemory, (RedisModuleCtx *)) \
    X(int, KeyType, (RedisModuleKey *)) X(int, DeleteKey, (RedisModuleKey *)) \
    X(RedisModuleType *, ModuleTypeGetType, (RedisModuleKey *)) X(void *, ModuleTypeGetValue, (RedisModuleKey *)) \
    X(int, ModuleTypeSetValue, (RedisModuleKey *, RedisModuleType *, void *)) \
    X(int, Replicate, (RedisModuleCtx *, const char *, const char *, ...)) X(int, ReplicateVerbatim, (RedisModuleCtx *)) \
    X(int, ReplyWithError, (RedisModuleCtx *, const char *)) X(int, ReplyWithLongLong, (RedisModuleCtx *, long long)) \
    X(int, ReplyWithDouble, (RedisModuleCtx *, double)) X(int, ReplyWithArray, (RedisModuleCtx *, long)) \
    X(int, ReplyWithNull, (RedisModuleCtx *)) X(int, ReplyWithStringBuffer, (RedisModuleCtx *, const char *, size_t)) \
    X(int, WrongArity, (RedisModuleCtx *)) X(long long, Milliseconds, (void)) X(void, GetRandomBytes, (unsigned char *, size_t)) \
    X(void, SaveSigned, (RedisModuleIO *, int64_t)) X(int64_t, LoadSigned, (RedisModuleIO *)) \
    X(void, SaveStringBuffer, (RedisModuleIO *, const char *, size_t)) X(char *, LoadStringBuffer, (RedisModuleIO *, size_t *)) \
    X(int, IsIOError, (RedisModuleIO *)) X(void, EmitAOF, (RedisModuleIO *, const char *, const char *, ...))
#define DECLARE(result, name, arguments) static result (*name) arguments;
#define IMPORT(result, name, arguments) {"RedisModule_" #name, &name},
IMPORTS(DECLARE)
static const struct {
    const char *name;
    void *at;
} imports[] = {IMPORTS(IMPORT)};
/* clang-format on */

#endif
