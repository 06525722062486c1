/* SPDX-License-Identifier: Apache-2.0
 *
 * A device is a network of cards behind a URI. "sim:SPEC" is RTL co-simulation, "model:SPEC" the fast model, which
 * does the same cycle by cycle. "usb:", "ftdi:", "uart:FILE" and "tcp:HOST:PORT" are boards. */
#ifndef EXTORUS_DEVICE_H
#define EXTORUS_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/image.h"
#include "extorus/options_size.h"
#include "extorus/profile.h"
#include "extorus/ranks.h"
#include "extorus/traffic.h"

XT_BEGIN_C

typedef struct xt_device xt_device_t;

/* Opens "SCHEME:REST". "sim:SPEC" co-simulates the cards of a topology (for example
 * "sim:twin:2x2x2x2x2"), reset and with empty tables; "sim:FILE" wires the network as the image FILE
 * says and leaves the tables empty. Options follow, each after a ';':
 *   profile=NAME      the cards of a SPEC (default extoll); a FILE names its own
 *   latency=CYCLES    of every link (default: the profile's)
 *   evaluate=all      also evaluate idle cards; the results are the same, only later
 *   switch=input-queued   of model: alone: the literature's switch, one FIFO per VC and no RTL, with
 *   port-buffer=FLITS     at each port (default 128), divided among the VCs in use; and, as in routers of the
 *                         BlueGene class,
 *   crossbar=vc           a crossbar input for each VC of a port, not one for the port
 *   transit=first         packets from links go before packets from NICs
 *   injection-queues=N    queues of a NIC for each traffic class (default 1), which divide its flits
 *   wave=FILE.fst     waves of the runs, with wave-cards=0,5 (default 0), wave-from=CYCLE, wave-to=CYCLE
 * "model:" takes the same, but for waves. The simulator of profile P is the shared object extorus-cosim-P.so (for
 * waves extorus-cosim-P-trace.so), the model extorus-model-P.so, the input-queued switch extorus-input-queued.so,
 * in $EXTORUS_PLUGIN_DIR if that is set; otherwise in extorus/ or plugins/ as seen from the shared library, in plugins/
 * or ../plugins/ or ../lib/extorus/ as seen from the running program, or where the build was told.
 * "usb:" is the board on USB, "ftdi:" that behind the FIFO of an FTDI chip, "uart:/dev/ttyUSB0" one at a serial port,
 * "tcp:localhost:5555" one that a server speaks for. Options, likewise after ';' (usb: and ftdi: alone may have
 * the first one at once, as in "usb:serial=0123"):
 *   serial=NUMBER     the board with this serial number
 *   baud=RATE         of uart: (default 1000000)
 *   timeout=MS        without an answer until requests are repeated (default 1000), and retries=N (default 3)
 *   wait=MS           for a board that is not there yet (default 0)
 *   wiring=SPEC       or an image file: how the cards are connected; without it images of any wiring are taken
 * Opening a board changes nothing in its cards. A device may be used by several threads at once if it is a board;
 * other devices by one at a time.
 * In simulated networks link ports that are connected to nothing are disabled (LINK_DISABLE), the others wait until
 * they are up. XT_ERR_NODEVICE: no such scheme, simulator or board, or a card that does not answer as it should.
 * XT_ERR_TIMEOUT: a link that does not come up, or a board that does not answer. XT_ERR_PERMISSION, _BUSY, _AMBIGUOUS,
 * _VERSION, _PROTOCOL, _MISMATCH: a board that cannot be used, and the diagnostic says what to do. On success *out must
 * be closed with xt_device_close. */
XT_API int xt_device_open(const char *uri, xt_device_t **out, xt_diag_t *diag);
XT_API void xt_device_close(xt_device_t *device); /* NULL is allowed */

typedef enum {
	XT_LOG_ERROR,
	XT_LOG_WARNING,
	XT_LOG_INFO,
} xt_log_level_t;

/* One line about a board and the way to it: what was lost and repeated, events. Called by any thread, also by one of
 * the library's own, one call at a time; it must not call the library. */
typedef void (*xt_log_t)(void *context, xt_log_level_t level, const char *text);

/* Whether the caller wants the end, for example after a signal. Called by any thread; it must not call the library. */
typedef int (*xt_interrupted_t)(void *context);

typedef struct {
	size_t size;  /* sizeof of this struct; see options_size.h */
	xt_log_t log; /* may be NULL */
	void *log_context;
	/* May be NULL. Asked before every access once the device is open: if true, accesses are refused with
	 * XT_ERR_INTERRUPTED, and a load of a board puts the old tables back. */
	xt_interrupted_t interrupted;
	void *interrupted_context;
	/* Of a simulator: the processes that its run goes over. If the back end can, each process has only its own
	 * cards and their neighbours. It refuses registers of the others (XT_ERR_RANGE). After the run rank 0 reaches
	 * all cards. The device can be loaded and configured, and has one run, with the same ranks and rank_cards.
	 * Faults and all else are refused (XT_ERR_UNSUPPORTED). NULL: the process has all cards. */
	xt_ranks_t *ranks;
	const uint32_t *rank_cards;
} xt_open_options_t;

/* xt_device_open with options. */
XT_API int xt_device_open_with(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag);

/* A sum over the plug-in that simulates cards of a profile: "rtl", "model" or "input-queued". The results of another
 * one are other results. */
XT_API int xt_simulator_sum(const char *engine, const xt_profile_t *profile, uint32_t *sum, xt_diag_t *diag);
XT_API const xt_profile_t *xt_device_profile(const xt_device_t *device);
XT_API unsigned xt_device_cards(const xt_device_t *device);
/* "d0-", "d0+", ..., "int", "nic"; "p3" for a link port that this card does not use. */
XT_API const char *xt_device_port_name(const xt_device_t *device, unsigned card, unsigned port);
/* The port of `card` with that name, or that number; XT_ERR_RANGE names the ports there are. */
XT_API int xt_device_find_port(
	const xt_device_t *device, unsigned card, const char *name, unsigned *port, xt_diag_t *diag);

/* `count` consecutive 32-bit registers from byte address `address` of `card`. */
XT_API int xt_device_read(
	xt_device_t *device, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
XT_API int xt_device_write(
	xt_device_t *device, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);

/* Writes a register of all cards, as nearly at once as the device can: on a board without waiting for one card's answer
 * before the next is told. */
XT_API int xt_device_write_all(xt_device_t *device, uint32_t address, uint32_t value, xt_diag_t *diag);
/* While shielded, accesses are carried out in spite of an interrupt: to put back what was changed. */
XT_API void xt_device_shield(xt_device_t *device, int shielded);

/* Called now and then with done out of total; may be NULL. */
typedef void (*xt_progress_t)(void *context, uint64_t done, uint64_t total);

enum {
	XT_LOAD_FORCE = 1,    /* load an image that the check refuses */
	XT_LOAD_BACKDOOR = 2, /* write table memories directly where the device can; otherwise by registers */
	XT_LOAD_NO_VERIFY = 4,
	XT_LOAD_LIVE = 8, /* boards: write while packets flow, without quiescing the cards */
};

/* Checks the image (xt_check_image) and refuses an unsafe one (XT_ERR_UNSAFE) or one of another profile,
 * size or wiring (XT_ERR_MISMATCH). Writes identity, order, masks and tables of every card, and reads back
 * what it wrote: entries at every input port as long as that is at most XT_VERIFY_WORDS words. In larger
 * networks and in simulators it reads those of card 0 at every port and of card c at port c mod ports, or by
 * the back door of card 0 alone. Entries are written to all ports at once; those known to hold the value
 * already, as after a reset, are not written again. After a load by the back door none is known. */
enum { XT_VERIFY_WORDS = 1 << 16 };
XT_API int xt_device_load(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_progress_t progress,
	void *context, xt_diag_t *diag);
/* Reads every entry of every card back at every input port and compares: XT_ERR_MISMATCH names the first
 * difference. */
XT_API int xt_device_verify(
	xt_device_t *device, const xt_image_t *image, xt_progress_t progress, void *context, xt_diag_t *diag);
/* A word in which a device differs from an image. */
typedef struct {
	unsigned card;
	const char *table; /* "grt", "lrt", or the name of a register; constant text */
	unsigned index;    /* of the entry; the TC or port of a register */
	const char *input; /* name of the input port whose table has the entry; "" for a register */
	uint64_t held, wanted;
} xt_table_difference_t;

/* The difference lives until the function returns. */
typedef void (*xt_table_difference_visit_t)(void *context, const xt_table_difference_t *difference);

/* Reads the registers and entries of all cards and calls `visit` for each difference. `progress` is called after each
 * card. XT_ERR_MISMATCH: the image is of another network; and the errors of xt_device_read. */
XT_API int xt_device_compare(xt_device_t *device, const xt_image_t *image, xt_table_difference_visit_t visit,
	void *visit_context, xt_progress_t progress, void *progress_context, xt_diag_t *diag);
/* Whole tables of one input port: 1 << grt_bits and 1 << lrt_bits entries. */
XT_API int xt_device_read_tables(
	xt_device_t *device, unsigned card, unsigned port, uint64_t *grt, uint64_t *lrt, xt_diag_t *diag);

XT_END_C
#endif
