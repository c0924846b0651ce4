# SPDX-License-Identifier: MIT
"""A kernel written in Python: python3 own_kernel.py libtvgp.so. The squared exponential, so that its decisions can be
compared with the built-in kernel; nothing but ctypes is needed."""
import ctypes
import math
import sys

F = ctypes.CFUNCTYPE
PTR, SIZE, REALS = ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_double)
BLOCK = F(ctypes.c_int32, PTR, SIZE, REALS, SIZE, REALS, REALS, SIZE)
DIM, ARMS, LENGTHSCALE = 2, 30, 0.3


class KernelType(ctypes.Structure):  # tvgp_kernel_type; what stands behind `block` is left out, and counts as NULL
    _fields_ = [("struct_size", SIZE), ("name", ctypes.c_char_p), ("block", BLOCK)]


class Query(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int64), ("kind", ctypes.c_int32), ("flags", ctypes.c_uint32), ("arm", ctypes.c_int64),
                ("t", ctypes.c_double), ("noise_var", ctypes.c_double), ("score", ctypes.c_double), ("rest", ctypes.c_double * 2)]


def block(_data, n, x, m, z, k, ldk):
    try:
        for i in range(n):
            for j in range(m):
                square = sum(((x[i * DIM + d] - z[j * DIM + d]) / LENGTHSCALE) ** 2 for d in range(DIM))
                k[i * ldk + j] = math.exp(-0.5 * square)
        return 0
    except Exception as error:  # an exception must not leave through C
        print(error, file=sys.stderr)
        return -1000


def main():
    lib = ctypes.CDLL(sys.argv[1])
    lib.tvgp_ctx_errmsg.restype = ctypes.c_char_p
    real = ctypes.c_double

    def call(name, *args):
        status = getattr(lib, name)(*args)
        if status != 0:
            raise RuntimeError(f"{name}: {status} {lib.tvgp_ctx_errmsg(ctx).decode()}")

    ctx, domain, own, built_in = PTR(), PTR(), PTR(), PTR()
    lib.tvgp_ctx_create(None, ctypes.byref(ctx))
    callback = BLOCK(block)  # must live as long as the kernel
    kind = KernelType(ctypes.sizeof(KernelType), b"python-se", callback)
    call("tvgp_ctx_register_kernel", ctx, ctypes.byref(kind), None, None)
    call("tvgp_kernel_of_type", ctx, b"python-se", SIZE(DIM), None, ctypes.byref(own))
    call("tvgp_kernel_se", ctx, SIZE(DIM), real(1), SIZE(1), ctypes.byref(real(LENGTHSCALE)), ctypes.byref(built_in))
    points = (real * (DIM * ARMS))(*[math.fmod((i + 1) * g, 1) for i in range(ARMS) for g in (0.7548776662, 0.5698402909)])
    call("tvgp_domain_arms", ctx, SIZE(ARMS), SIZE(DIM), points, ctypes.byref(domain))
    policies = []
    for kernel in (own, built_in):
        policy = PTR()
        call("tvgp_policy_create", ctx, b"tv-gp-ucb", domain, kernel, ctypes.byref(policy))
        policies.append(policy)
    apart, queries = 0.0, [Query(), Query()]
    for t in range(100):
        for policy, query in zip(policies, queries):
            call("tvgp_policy_ask_one", policy, real(t), ctypes.byref(query), None)
            y = math.sin(0.05 * t + 6 * points[DIM * query.arm])
            call("tvgp_policy_tell_value", policy, ctypes.c_int64(query.id), real(y))
        assert queries[0].arm == queries[1].arm, f"step {t}: arms {queries[0].arm} and {queries[1].arm}"
        apart = max(apart, abs(queries[0].score - queries[1].score))
    print(f"100 decisions of a kernel in Python and of the library's own: the same, scores at most {apart:.1e} apart")
    assert apart < 1e-12
    for policy in policies:
        lib.tvgp_policy_destroy(policy)
    for kernel in (own, built_in):
        lib.tvgp_kernel_destroy(kernel)
    lib.tvgp_domain_destroy(domain)
    lib.tvgp_ctx_destroy(ctx)


main()
