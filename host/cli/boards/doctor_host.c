/* SPDX-License-Identifier: Apache-2.0
 *
 * What `extorus doctor` says of the machine: versions, and what is plugged in. */
#include <dirent.h>
#include <ftdi.h>
#include <libusb.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor.h"
#include "extorus/protocol.h"
#include "extorus/version.h"
#include "options/command.h"

enum { FTDI = 0x0403, TEXT = 128 };
#define RULES "70-extorus.rules"

/* Tests have files of their own there. */
static const char *root(void)
{
	const char *named = getenv("EXTORUS_SYSTEM_ROOT");

	return named ? named : "";
}

/* The first line of a file below `folder`; "" without one. */
static const char *read_line(const char *folder, const char *name, char text[TEXT])
{
	char path[3 * PATH_MAX];
	FILE *file;

	text[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	if (file) {
		if (fgets(text, TEXT, file)) {
			text[strcspn(text, "\n")] = '\0';
		}
		fclose(file);
	}
	return text;
}

static void note_system(xt_doctor_t *d)
{
	const struct libusb_version *usb = libusb_get_version();
	struct utsname system = {0};
	char folder[PATH_MAX], text[TEXT], distribution[TEXT];
	const char *name;

	(void)uname(&system);
	snprintf(folder, sizeof(folder), "%s/etc", root());
	name = read_line(folder, "os-release", distribution);
	name += strncmp(name, "PRETTY_NAME=", 12) == 0 ? 12 : 0;
	json_object_set_new(d->facts, "command",
		json_pack("{s:s, s:s, s:s}", "version", xt_version_string(), "headers", XT_VERSION_STRING, "commit",
			xt_commit));
	json_object_set_new(d->facts, "system",
		json_pack("{s:s, s:s, s:s, s:s}", "kernel", system.sysname, "release", system.release, "machine",
			system.machine, "distribution", name));
	snprintf(text, sizeof(text), "%u.%u.%u", usb->major, usb->minor, usb->micro);
	json_object_set_new(d->facts, "libraries",
		json_pack("{s:s, s:s}", "libusb", text, "libftdi", ftdi_get_library_version().version_str));
	if (strcmp(xt_version_string(), XT_VERSION_STRING) != 0) {
		xt_doctor_find(d, "host", "the command and the library are of different versions",
			"install both anew, from one build");
	}
}

static int has_rules(void)
{
	static const char *const folders[] = {"/etc/udev/rules.d", "/run/udev/rules.d", "/lib/udev/rules.d",
		"/usr/lib/udev/rules.d", "/usr/local/lib/udev/rules.d"};
	char path[2 * PATH_MAX];
	int found = 0;

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/" RULES, root(), folders[i]);
		found |= access(path, F_OK) == 0;
	}
	return found;
}

static const char *remedy_for_permission(void)
{
	return has_rules() ? RULES " is there: join the group plugdev, log in again, and plug the board in again"
			   : "the udev rule is missing: copy " RULES " of `make install` to /etc/udev/rules.d, run "
			     "`udevadm control --reload`, and plug the board in again";
}

/* An interface says so, or vendor and product do. */
static int is_board(const char *folder, const char *entry, unsigned long vendor, unsigned long product)
{
	char name[NAME_MAX + 32], text[TEXT];

	snprintf(name, sizeof(name), "%s:1.0/interface", entry);
	return (vendor == XT_USB_VENDOR && product == XT_USB_PRODUCT) ||
	       strcmp(read_line(folder, name, text), XT_USB_INTERFACE_NAME) == 0;
}

/* Boards, and FTDI chips, which some boards have. */
static void note_usb(xt_doctor_t *d, const char *folder, const char *entry, json_t *list, unsigned *boards)
{
	char path[2 * PATH_MAX], node[2 * PATH_MAX], problem[2 * PATH_MAX + 64], about[NAME_MAX + 8], text[TEXT],
		serial[TEXT];
	unsigned long vendor, product, bus, number;
	int ours, open;

	snprintf(path, sizeof(path), "%s/%s", folder, entry);
	vendor = strtoul(read_line(path, "idVendor", text), NULL, 16);
	product = strtoul(read_line(path, "idProduct", text), NULL, 16);
	bus = strtoul(read_line(path, "busnum", text), NULL, 10);
	number = strtoul(read_line(path, "devnum", text), NULL, 10);
	ours = is_board(path, entry, vendor, product);
	if (!ours && vendor != FTDI) {
		return;
	}
	*boards += (unsigned)ours;
	snprintf(node, sizeof(node), "%s/dev/bus/usb/%03lu/%03lu", root(), bus, number);
	open = access(node, R_OK | W_OK) == 0;
	snprintf(about, sizeof(about), "usb %s", entry);
	snprintf(problem, sizeof(problem), "%04lx:%04lx: no permission for %s", vendor, product, node);
	if (access(node, F_OK) != 0) {
		snprintf(problem, sizeof(problem), "%04lx:%04lx: there is no %s", vendor, product, node);
		xt_doctor_find(d, about, problem, "in a container, hand /dev/bus/usb in; else start udev");
	} else if (!open && ours) {
		xt_doctor_find(d, about, problem, remedy_for_permission());
	}
	read_line(path, "serial", serial);
	json_array_append_new(
		list, json_pack("{s:s, s:I, s:I, s:s, s:s, s:s, s:b, s:b}", "at", entry, "vendor", (json_int_t)vendor,
			      "product", (json_int_t)product, "serial", serial, "name",
			      read_line(path, "product", text), "node", node, "board", ours, "may_open", open));
}

static void note_serial_ports(xt_doctor_t *d)
{
	char folder[PATH_MAX], path[2 * PATH_MAX];
	json_t *list = json_array();
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/dev", root());
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "ttyUSB", 6) == 0 || strncmp(entry->d_name, "ttyACM", 6) == 0) {
			int open;

			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
			open = access(path, R_OK | W_OK) == 0;
			json_array_append_new(list, json_pack("{s:s, s:b}", "file", path, "may_open", open));
			if (!open) {
				xt_doctor_find(d, path, "no permission for this serial port",
					"join the group of the file (dialout) and log in again");
			}
		}
	}
	if (dir) {
		closedir(dir);
	}
	json_object_set_new(d->facts, "serial_ports", list);
}

void xt_doctor_look_at_host(xt_doctor_t *d, unsigned *boards)
{
	json_t *list = json_array();
	char folder[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	note_system(d);
	*boards = 0;
	snprintf(folder, sizeof(folder), "%s/sys/bus/usb/devices", root());
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.' && !strchr(entry->d_name, ':')) {
			note_usb(d, folder, entry->d_name, list, boards);
		}
	}
	if (dir) {
		closedir(dir);
	}
	json_object_set_new(d->facts, "usb", list);
	json_object_set_new(d->facts, "udev_rule", json_boolean(has_rules()));
	note_serial_ports(d);
}
