// SPDX-License-Identifier: MIT
#include <string>
#include <tvgp.h>

int main(int argc, char **argv) {
    tvgp_ctx *ctx = nullptr;
    const bool ok = argc == 2 && std::string(tvgp_version()) == argv[1] && tvgp_ctx_create(nullptr, &ctx) == TVGP_OK;
    tvgp_ctx_destroy(ctx);
    return ok ? 0 : 1;
}
