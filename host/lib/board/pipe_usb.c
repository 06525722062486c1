/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding a board on USB and opening its bulk endpoints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/protocol.h"
#include "usb_transfers.h"

enum { STRING_SIZE = 128, LIST_SIZE = 256 };

typedef struct {
	libusb_context *context;
	libusb_device_handle *handle;
	int interface;
} usb_t;

/* Where a device is a board: its interface and endpoints. */
typedef struct {
	int interface;
	uint8_t in, out, name;
} bridge_t;

static void usb_release(void *owner)
{
	usb_t *usb = owner;

	if (usb->handle) {
		if (usb->interface >= 0) {
			libusb_release_interface(usb->handle, usb->interface);
		}
		libusb_close(usb->handle);
	}
	if (usb->context) {
		libusb_exit(usb->context);
	}
	free(usb);
}

/* An interface of a board's class with a bulk endpoint each way. */
static int is_bridge(const struct libusb_interface_descriptor *d, bridge_t *bridge)
{
	bridge->in = 0;
	bridge->out = 0;
	for (unsigned e = 0; e < d->bNumEndpoints; e++) {
		const struct libusb_endpoint_descriptor *end = &d->endpoint[e];

		if ((end->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) == LIBUSB_TRANSFER_TYPE_BULK) {
			if (end->bEndpointAddress & LIBUSB_ENDPOINT_IN) {
				bridge->in = end->bEndpointAddress;
			} else {
				bridge->out = end->bEndpointAddress;
			}
		}
	}
	bridge->interface = d->bInterfaceNumber;
	bridge->name = d->iInterface;
	return d->bInterfaceClass == XT_USB_CLASS && d->bInterfaceSubClass == XT_USB_SUBCLASS && bridge->in &&
	       bridge->out;
}

static int find_bridge(libusb_device *device, bridge_t *bridge)
{
	struct libusb_config_descriptor *config;
	int found = 0;

	if (libusb_get_active_config_descriptor(device, &config) != 0) {
		return 0;
	}
	for (unsigned i = 0; i < config->bNumInterfaces && !found; i++) {
		if (config->interface[i].num_altsetting > 0) {
			found = is_bridge(&config->interface[i].altsetting[0], bridge);
		}
	}
	libusb_free_config_descriptor(config);
	return found;
}

/* Whether an open device of the right class is ours: by its ids, or by the name of its interface. */
static int is_ours(libusb_device_handle *handle, const struct libusb_device_descriptor *d, const bridge_t *bridge)
{
	unsigned char name[STRING_SIZE] = "";

	return (d->idVendor == XT_USB_VENDOR && d->idProduct == XT_USB_PRODUCT) ||
	       (bridge->name && libusb_get_string_descriptor_ascii(handle, bridge->name, name, sizeof(name)) > 0 &&
		       strcmp((char *)name, XT_USB_INTERFACE_NAME) == 0);
}

/* What a search came to. */
typedef struct {
	libusb_device_handle *handle;
	bridge_t bridge;
	unsigned found;
	int error;            /* of libusb, for a board that cannot be opened */
	char list[LIST_SIZE]; /* the serial numbers of those that were found */
} search_t;

static void note(search_t *s, const char *serial)
{
	size_t used = strlen(s->list);

	snprintf(s->list + used, sizeof(s->list) - used, "%s%s", used ? ", " : "", *serial ? serial : "(none)");
}

static void look_at(libusb_device *device, const char *wanted, search_t *s)
{
	struct libusb_device_descriptor d;
	unsigned char serial[STRING_SIZE] = "";
	libusb_device_handle *handle;
	bridge_t bridge;
	int error;

	if (libusb_get_device_descriptor(device, &d) != 0 || !find_bridge(device, &bridge)) {
		return;
	}
	error = libusb_open(device, &handle);
	if (error) {
		s->error = error;
		return;
	}
	if (d.iSerialNumber) {
		libusb_get_string_descriptor_ascii(handle, d.iSerialNumber, serial, sizeof(serial));
	}
	if (!is_ours(handle, &d, &bridge)) {
		libusb_close(handle);
		return;
	}
	note(s, (char *)serial);
	if (wanted && strcmp(wanted, (char *)serial) != 0) {
		libusb_close(handle);
		return;
	}
	if (s->found++) {
		libusb_close(handle);
		return;
	}
	s->handle = handle;
	s->bridge = bridge;
}

static int search(usb_t *usb, const char *serial, search_t *s, xt_diag_t *diag)
{
	libusb_device **list;
	ssize_t count = libusb_get_device_list(usb->context, &list);

	if (count < 0) {
		return xt_usb_fail((int)count, "listing USB devices", diag);
	}
	for (ssize_t i = 0; i < count; i++) {
		look_at(list[i], serial, s);
	}
	libusb_free_device_list(list, 1);
	usb->handle = s->handle;
	if (s->found == 1) {
		return XT_OK;
	}
	if (s->found > 1) {
		return xt_fail(diag, XT_ERR_AMBIGUOUS, "there are %u boards: %s; choose one by usb:serial=NUMBER",
			s->found, s->list);
	}
	if (s->error) {
		return xt_usb_fail(s->error, "opening the board", diag);
	}
	if (serial) {
		return xt_fail(diag, XT_ERR_NODEVICE, "there is no board with serial number %.60s on USB; there %s %s",
			serial, *s->list ? "is" : "are", *s->list ? s->list : "none");
	}
	return xt_fail(diag, XT_ERR_NODEVICE,
		"there is no board on USB; plug it in, give it power, and load an extorus bitstream into it");
}

int xt_pipe_open_usb(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag)
{
	usb_t *usb = calloc(1, sizeof(*usb));
	search_t s = {0};
	int error, status;

	if (!usb) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	usb->interface = -1;
	error = libusb_init(&usb->context);
	if (error) {
		status = xt_fail(
			diag, XT_ERR_NODEVICE, "USB is not there: %s", libusb_strerror((enum libusb_error)error));
		usb->context = NULL;
	} else {
		status = search(usb, place->serial, &s, diag);
	}
	if (status == XT_OK) {
		libusb_set_auto_detach_kernel_driver(usb->handle, 1);
		error = libusb_claim_interface(usb->handle, s.bridge.interface);
		if (error) {
			status = xt_usb_fail(error, "claiming the board", diag);
		} else {
			usb->interface = s.bridge.interface;
		}
	}
	if (status != XT_OK) {
		usb_release(usb);
		return status;
	}
	return xt_usb_transfers_open(&(xt_usb_setup_t){.context = usb->context,
					     .handle = usb->handle,
					     .in = s.bridge.in,
					     .out = s.bridge.out,
					     .release = usb_release,
					     .owner = usb},
		out, diag);
}
