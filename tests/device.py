# SPDX-License-Identifier: MIT
"""device.py check|write BUILD: cross-compiles the library with arm-none-eabi-gcc for two policies, with and without messages and parts,
and runs programs under qemu-system-arm: the one of docs/guide/embedded.md, one that must decide as on this machine, one that calls
parts that are left out, and examples/device/box_rows.c. Numbers of docs/guide/cross-compiling.md are compared with what is printed, to 5 %; `write` replaces them.
BUILD is a native build with libtvgp_plain.a. By night; exits with 77 where the compiler or qemu is missing."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/guide/cross-compiling.md"
BOARD = ROOT / "examples/device"
WORK = ROOT / "build/device"
CPU = ["-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16"]
POLICIES = "tv-gp-ucb;auto-gp-ucb"
QEMU = ["qemu-system-arm", "-M", "mps2-an500", "-nographic", "-semihosting-config", "enable=on,target=native", "-icount", "shift=0", "-kernel"]
DECIDES = r"""
#include <stdio.h>
#include <tvgp.h>
static int play(tvgp_ctx *ctx, const char *text) {
    tvgp_policy *p;
    tvgp_query q;
    double x[2];
    if (tvgp_policy_create_described(ctx, text, &p) != TVGP_OK)
        return printf("%s\n", tvgp_ctx_errmsg(ctx));
    for (int t = 0; t < 60; t++) {
        if (tvgp_policy_ask_one(p, t, &q, x) != TVGP_OK || tvgp_policy_tell_value(p, q.id, x[0] * (1 - x[0]) + .01 * (t % 7)) != TVGP_OK)
            return printf("%s\n", tvgp_ctx_errmsg(ctx));
        printf("%d ", (int)q.arm);
    }
    puts(text);
    tvgp_policy_destroy(p);
    return 0;
}
int main(void) {
    tvgp_ctx *ctx;
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK)
        return 1;
    play(ctx, "tv-gp-ucb grid=0:1:16 se=.2");
    play(ctx, "auto-gp-ucb grid=0:1:16 matern52=.2");
    play(ctx, "auto-gp-ucb names=a,b,c");
    play(ctx, "tv-gp-ucb grid=0:1:0");
    return 0;
}
"""

# Without the parts all but serve: what needs one is refused, and nothing else.
ABSENT = r"""
#include <stdio.h>
#include <tvgp.h>
int main(void) {
    tvgp_ctx *ctx;
    tvgp_policy *p;
    tvgp_query q;
    double x, cost = 1;
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK || tvgp_policy_create_described(ctx, "tv-gp-ucb grid=0:1:16 se=.2", &p) != TVGP_OK)
        return 1;
    printf("%s", tvgp_status_name(tvgp_policy_set_budget(p, 1, 1, 1)));
    printf(" %s", tvgp_status_name(tvgp_policy_set_costs(p, 1, &cost)));
    printf(" %s", tvgp_status_name(tvgp_policy_learn_history_table(p, 1, NULL, &cost)));
    printf(" %s", tvgp_status_name(tvgp_ctx_register_kernel(ctx, NULL, NULL, NULL)));
    printf(" %s", tvgp_status_name(tvgp_policy_set_f64(p, "switch.cost", 1)));
    printf(" %s", tvgp_status_name(tvgp_policy_set_f64(p, "exploration.floor", .1)));
    printf(" %s", tvgp_status_name(tvgp_policy_ask_one(p, 1, &q, &x)));
    printf(" %s", tvgp_status_name(tvgp_policy_set_f64(p, "exploration.floor", 0)));
    printf(" %s\n", tvgp_status_name(tvgp_policy_ask_one(p, 1, &q, &x)));
    return 0;
}
"""

# One policy without descriptions, nor any other part.
ALONE = r"""
#include <tvgp.h>
static tvgp_status play(tvgp_ctx *ctx) {
    static double X[16];
    const double lengthscale = .2;
    tvgp_domain *arms;
    tvgp_kernel *kernel;
    tvgp_policy *p;
    tvgp_query q;
    double x;
    for (int i = 0; i < 16; i++)
        X[i] = i / 15.;
    tvgp_status status = tvgp_domain_arms(ctx, 16, 1, X, &arms);
    if (status == TVGP_OK)
        status = tvgp_kernel_se(ctx, 1, 1, 1, &lengthscale, &kernel);
    if (status == TVGP_OK)
        status = tvgp_policy_create(ctx, NAME, arms, kernel, &p);
    for (int t = 0; t < 60 && status == TVGP_OK; t++) {
        status = tvgp_policy_ask_one(p, t, &q, &x);
        if (status == TVGP_OK)
            status = tvgp_policy_tell_value(p, q.id, x * (1 - x));
    }
    return status;
}
int main(void) {
    tvgp_ctx *ctx;
    return tvgp_ctx_create(NULL, &ctx) != TVGP_OK || play(ctx) != TVGP_OK;
}
"""
LARGEST = 256 # kB of the library in such a program
REFUSED = " ".join([*["TVGP_ERR_UNSUPPORTED"] * 4, "TVGP_ERR_NOTFOUND", "TVGP_OK", "TVGP_ERR_UNSUPPORTED", "TVGP_OK", "TVGP_OK"]) + "\n"


def run(command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True, cwd=ROOT, **options)


def library(messages, parts=""):
    build = WORK / (parts or ("messages" if messages else "bare"))
    run(["cmake", "--toolchain", "src/package/arm-none-eabi.cmake", "-B", build, "-DCMAKE_BUILD_TYPE=MinSizeRel", "-DTVGP_BLAS=none",
         f"-DTVGP_POLICIES={POLICIES}", f"-DTVGP_MESSAGES={'ON' if messages else 'OFF'}", f"-DTVGP_PARTS={parts}", "-DTVGP_WERROR=ON", "-DTVGP_BUILD_TESTS=OFF",
         "-DTVGP_BUILD_EXAMPLES=OFF", "-DTVGP_BUILD_BENCH=OFF", "-DTVGP_INSTALL=OFF"], stdout=subprocess.DEVNULL)
    run(["cmake", "--build", build, "-j", os.cpu_count(), "--target", "tvgp"], stdout=subprocess.DEVNULL)
    return build / "libtvgp.a"


def link(source, archive, *more):
    program = WORK / "program.elf"
    run(["arm-none-eabi-gcc", *CPU, "-Os", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", "include", "-I", "src", source, BOARD / "board.c", *more,
         archive, "-lm", "--specs=rdimon.specs", "-nostartfiles", "-T", BOARD / "board.ld", "-Wl,--gc-sections", "-o", program])
    return program


def played(program):
    return run([*QEMU, program], stdout=subprocess.PIPE, timeout=600).stdout


def text_of(program):
    sections = run(["arm-none-eabi-size", program], stdout=subprocess.PIPE).stdout.splitlines()[1].split()
    return (int(sections[0]) + int(sections[1])) / 1e3


def text_of_library(map_file):
    """Text and data of libtvgp.a in a linked program, by the linker's map."""
    total, section = 0, ""
    for line in map_file.read_text(encoding="utf-8").splitlines():
        named = re.match(r" (\.\S+)\s*(.*)", line)
        section, rest = (named[1], named[2]) if named else (section, line)
        placed = re.match(r"\s*0x0*([0-9a-f]*)\s+0x([0-9a-f]+)\s+\S*libtvgp\.a\(", rest)
        if placed and placed[1] and re.match(r"\.(text|rodata|data)", section):
            total += int(placed[2], 16)
    return total / 1e3


def sizes(source, archives):
    """A row for each policy: the program with this one alone, with messages, without, and without parts but serve; and of a program
    that creates it without a description, the library's share."""
    names = re.findall(r"^    X\((\w+)\)", (ROOT / "src/policy/builtin.h").read_text(), re.M)
    lists = [["tv_gp_ucb", "auto_gp_ucb"], *([name] for name in names)]
    lines = ["policies                messages  none    no parts  library"]
    for chosen in lists:
        (WORK / "list.h").write_text("#define TVGP__BUILTINS(X) " + " ".join(f"X({name})" for name in chosen) + "\n")
        more = (f'-DTVGP__BUILTIN_LIST="{WORK}/list.h"', "-DTVGP_LIBRARY", ROOT / "src/policy/builtin.c")
        with_texts, without, serve = (text_of(link(source, archive, *more)) for archive in archives[:3])
        name = "two" if len(chosen) == 2 else {"random_arm": "random"}.get(chosen[0], chosen[0].replace("_", "-"))
        link(WORK / "alone.c", archives[3], *more, f'-DNAME="{chosen[0].replace("_", "-")}"', f"-Wl,-Map={WORK}/program.map")
        lines.append(f"{name:22} {with_texts:5.0f} kB  {without:4.0f} kB  {serve:4.0f} kB    {text_of_library(WORK / 'program.map'):4.0f} kB")
    return "\n".join(lines) + "\n"


def missing(archive):
    """Exported functions that the library does not define."""
    names = re.findall(r"^ *(tvgp_\w+);$", (ROOT / "src/package/tvgp.map").read_text(), re.M)
    defined = set(re.findall(r" [TDR] (tvgp_\w+)$", run(["arm-none-eabi-nm", archive], stdout=subprocess.PIPE).stdout, re.M))
    return [name for name in names if name not in defined]


def compare(page, printed):
    """The same words, and numbers that differ by at most 5 % and a unit of the last digit."""
    number = r"\d+(?:\.\d+)?"
    if re.sub(number, "0", page).split() != re.sub(number, "0", printed).split():
        return False
    pairs = zip(re.findall(number, page), re.findall(number, printed))
    return all(abs(float(a) - float(b)) <= 0.05 * float(b) + (0.1 if "." in b else 1) for a, b in pairs)


def main():
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if not shutil.which(program):
            print(f"skipped: needs {program}")
            return 77
    if sys.argv[1] == "check" and os.environ.get("TVGP_TESTS") != "all":
        print("skipped: by night")
        return 77
    WORK.mkdir(parents=True, exist_ok=True)
    archives = [library(True), library(False), library(False, "serve"), library(False, "none")]
    (WORK / "alone.c").write_text(ALONE)
    (WORK / "decides.c").write_text(DECIDES)
    run(["cc", "-O2", "-I", "include", WORK / "decides.c", f"{sys.argv[2]}/libtvgp_plain.a", "-lm", "-o", WORK / "decides"])
    here, there = run([WORK / "decides"], stdout=subprocess.PIPE).stdout, played(link(WORK / "decides.c", archives[0]))
    wrong = [] if here == there else [f"other decisions or messages:\n{here}{there}"]
    (WORK / "absent.c").write_text(ABSENT)
    refused = played(link(WORK / "absent.c", archives[2]))
    wrong += [f"without parts: {refused}"] if refused != REFUSED else []
    wrong += [f"no part, no {name}" for archive in archives[2:] for name in missing(archive)]
    program = run([sys.executable, "-B", "tests/guide.py", "extract", "docs/guide/embedded.md", "c"], stdout=subprocess.PIPE).stdout
    (WORK / "page.c").write_text(program)
    printed = [played(link(WORK / "page.c", archives[0])), sizes(WORK / "page.c", archives), played(link(BOARD / "box_rows.c", archives[0]))]
    shares = [float(share) for share in re.findall(r"(\d+) kB$", printed[1], re.M)][1:]
    wrong += [f"the library with one policy has {max(shares):.0f} kB; at most {LARGEST}"] if max(shares) > LARGEST else []
    page = PAGE.read_text(encoding="utf-8")
    for i, text in enumerate(printed):
        block = list(re.finditer(r"```text\n(.*?)```\n", page, re.S))[i]
        if sys.argv[1] == "write":
            page = page[:block.start(1)] + text + page[block.end(1):]
        elif not compare(block.group(1), text):
            wrong.append(f"{PAGE.name} has other numbers; printed:\n{text}")
    PAGE.write_text(page, encoding="utf-8")
    print("\n".join(wrong) or "cross-compiled programs decide as here, and the page has their numbers")
    return bool(wrong)


sys.exit(main())
