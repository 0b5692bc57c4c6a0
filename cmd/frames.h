/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included in front of each file where cmd/frames.ld leaves .eh_frame out of the command: the same data are
 * in .debug_frame then, which is debugging data and not loaded.
 */
#ifndef DT_CMD_FRAMES_H
#define DT_CMD_FRAMES_H

__asm__(".cfi_sections .eh_frame, .debug_frame");

#endif
