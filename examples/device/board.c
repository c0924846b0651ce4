/* SPDX-License-Identifier: MIT */
/* Start of a program on a Cortex-M without an operating system: vectors, floating-point unit, data and zeros. printf writes through
 * the debugger (semihosting), here qemu-system-arm -M mps2-an500; another board needs other addresses in board.ld. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern unsigned char stack_top[], data_begin[], data_end[], data_image[], zero_begin[], zero_end[];
extern int main(void);
extern void initialise_monitor_handles(void); /* of newlib: connects printf */

void board_reset(void), board_fault(void);
void _init(void), _fini(void); /* called by newlib around main */

void _init(void) {}

void _fini(void) {}

void board_reset(void) {
    *(volatile uint32_t *)0xe000ed88 |= 0xf << 20; /* access to the floating-point unit */
    __asm volatile("dsb\n isb");
    memcpy(data_begin, data_image, (size_t)(data_end - data_begin));
    memset(zero_begin, 0, (size_t)(zero_end - zero_begin));
    initialise_monitor_handles();
    exit(main());
}

/* Ends the program with status 1. */
void board_fault(void) {
    __asm volatile("mov r0, #0x18\n ldr r1, =0x20023\n bkpt 0xab");
    for (;;)
        continue;
}

static const struct {
    unsigned char *stack;
    void (*handler[6])(void);
} vectors __attribute__((section(".vectors"), used)) = {
    stack_top, {board_reset, board_fault, board_fault, board_fault, board_fault, board_fault}};
