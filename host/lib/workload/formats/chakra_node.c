/* SPDX-License-Identifier: Apache-2.0 */
#include "chakra_node.h"

#include <string.h>

#include "extorus/workload.h"

static int same(xt_bytes_t text, const char *name)
{
	size_t length = strlen(name);

	return (size_t)(text.end - text.at) == length && memcmp(text.at, name, length) == 0;
}

/* Attributes have their value in the field of its type; -1: not the wire format. */
static int read_attribute(xt_chakra_node_t *node, xt_bytes_t message)
{
	const struct {
		const char *name;
		uint64_t *value;
	} known[] = {{"comm_type", &node->call}, {"comm_size", &node->size}, {"comm_src", &node->source},
		{"comm_dst", &node->destination}, {"comm_tag", &node->tag}};
	xt_bytes_t name = {0}, text = {0};
	uint64_t value = 0;
	xt_field_t field;
	int found;

	while ((found = xt_wire_field(&message, &field)) == 1) {
		if (field.number == 1 && field.is_bytes) {
			name = field.bytes;
		} else if (field.is_bytes) {
			text = field.number > 2 ? field.bytes : text;
		} else {
			/* sint32 and sint64 have the sign in the lowest bit. */
			value = field.number == 15 || field.number == 17 ? field.value >> 1 ^ -(field.value & 1)
									 : field.value;
		}
	}
	if (found < 0 || !name.at) {
		return -1;
	}
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (same(name, known[i].name)) {
			*known[i].value = value;
		}
	}
	if (same(name, "is_cpu_op")) {
		node->host = value != 0;
	}
	if (same(name, "pg_name")) {
		size_t length = (size_t)(text.end - text.at), most = sizeof(node->group) - 1;

		memset(node->group, 0, sizeof(node->group));
		if (length) {
			memcpy(node->group, text.at, length < most ? length : most);
		}
	}
	return 1;
}

int xt_chakra_node_read(xt_chakra_node_t *node, xt_bytes_t message)
{
	xt_field_t field;
	int found;

	*node = (xt_chakra_node_t){.message = message, .host = 1, .begin = XT_NO_EVENT, .end = XT_NO_EVENT};
	while ((found = xt_wire_field(&message, &field)) == 1) {
		if (field.number == 1) {
			node->id = field.value;
		} else if (field.number == 3) {
			node->type = field.value;
		} else if (field.number == 7) {
			node->micros = field.value;
		} else if (field.number == 10 && field.is_bytes && read_attribute(node, field.bytes) < 0) {
			return -1;
		}
	}
	return found < 0 ? -1 : 1;
}
