/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "extorus/routing.h"
#include "options/options.h"
#include "sweep.h"

/* The parts of "ALGORITHM[+TIES-ties][+classic-dateline][+adaptive[+free-crossings][:SELECT]][/PROFILE]". */
typedef struct {
	char algorithm[32], select[32], profile[32];
	xt_ties_t ties;
	int classic_dateline, adaptive, free_crossings;
} routing_t;

static const char *const ties_text[] = {[XT_TIES_DEFAULT] = "",
	[XT_TIES_POSITIVE] = "+positive-ties",
	[XT_TIES_BY_COORDINATE] = "+coordinate-ties",
	[XT_TIES_BY_SOURCE] = "+source-ties"};

/* Up to one of `ends`, into a word of 32 characters; past it, or NULL if it is empty or too long. */
static const char *take_word(const char *text, const char *ends, char *word)
{
	size_t length = strcspn(text, ends);

	if (length == 0 || length >= 32) {
		return NULL;
	}
	memcpy(word, text, length);
	word[length] = '\0';
	return text + length;
}

static const char classic_dateline_text[] = "+classic-dateline";
static const char adaptive_text[] = "+adaptive";
static const char free_crossings_text[] = "+free-crossings";

/* Past `mark`, which is then set, if the text begins with it. */
static const char *take_mark(const char *text, const char *mark, int *is_set)
{
	const size_t length = strlen(mark);

	*is_set = text && strncmp(text, mark, length) == 0;
	return *is_set ? text + length : text;
}

static int parse_routing(const char *text, routing_t *routing, xt_diag_t *diag)
{
	const char *rest = take_word(text, "+:/", routing->algorithm);

	for (xt_ties_t ties = XT_TIES_POSITIVE; rest && ties <= XT_TIES_BY_SOURCE; ties++) {
		if (strncmp(rest, ties_text[ties], strlen(ties_text[ties])) == 0) {
			routing->ties = ties;
			rest += strlen(ties_text[ties]);
			break;
		}
	}
	rest = take_mark(rest, classic_dateline_text, &routing->classic_dateline);
	rest = take_mark(rest, adaptive_text, &routing->adaptive);
	rest = take_mark(rest, free_crossings_text, &routing->free_crossings);
	if (rest && *rest == ':') {
		rest = take_word(rest + 1, "/", routing->select);
	}
	if (rest && *rest == '/') {
		rest = take_word(rest + 1, "", routing->profile);
	}
	if (!rest || *rest || (routing->select[0] && !routing->adaptive)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"routing \"%.80s\" is not "
			"ALGORITHM[+TIES-ties][+classic-dateline][+adaptive[+free-crossings][:SELECT]]"
			"[/PROFILE], like dor or ts-dor+adaptive:3-priority",
			text);
	}
	return XT_OK;
}

enum { CRC_BYTES = 4 };

/* What a network is goes by its content: a file may have changed since its results were made. */
static int hash_image(xt_sweep_network_t *network, xt_diag_t *diag)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	int status = xt_image_encode(network->image, &bytes, &size, diag);

	if (status == XT_OK) {
		/* An image ends with its CRC; the CRC of all of it says nothing. */
		snprintf(network->image_hash, sizeof(network->image_hash), "%08lx%08lx",
			crc32_z(0, bytes, size - CRC_BYTES), adler32_z(1, bytes, size));
	}
	free(bytes);
	return status;
}

static int make_image(const char *spec, const char *given, xt_sweep_network_t *network, xt_diag_t *diag)
{
	xt_route_options_t options = XT_OPTIONS_INIT(xt_route_options_t);
	const xt_profile_t *profile;
	xt_topology_t *topology;
	routing_t routing = {0};
	int status;

	if (!given) {
		if ((status = xt_profile_require(XT_DEFAULT_PROFILE, &profile, diag)) != XT_OK ||
			(status = xt_topology_parse_any(spec, profile, &topology, diag)) != XT_OK) {
			return status;
		}
		given = xt_algorithm_name(xt_algorithm_usual(topology));
		xt_topology_free(topology);
	}
	if ((status = parse_routing(given, &routing, diag)) != XT_OK ||
		(status = xt_algorithm_parse(routing.algorithm, &options.algorithm, diag)) != XT_OK) {
		return status;
	}
	options.adaptive = routing.adaptive;
	options.ties = routing.ties;
	options.classic_dateline = routing.classic_dateline;
	options.free_crossings = routing.free_crossings;
	if (routing.select[0]) {
		if ((status = xt_select_parse(routing.select, &network->settings.select, diag)) != XT_OK) {
			return status;
		}
		network->settings.given = XT_SETTING_SELECT;
	}
	if (!routing.profile[0]) {
		status = xt_route_parse(spec, &options, &topology, diag);
	} else if ((status = xt_profile_require(routing.profile, &profile, diag)) == XT_OK) {
		status = xt_topology_parse(spec, profile, &topology, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	status = xt_route(topology, &options, &network->image, diag);
	snprintf(network->name, sizeof(network->name), "%s@%s%s%s%s%s%s%s/%s", xt_topology_spec(topology),
		routing.algorithm, ties_text[routing.ties], routing.classic_dateline ? classic_dateline_text : "",
		routing.adaptive ? adaptive_text : "", routing.free_crossings ? free_crossings_text : "",
		routing.select[0] ? ":" : "", routing.select, xt_topology_profile(topology)->name);
	xt_topology_free(topology);
	return status == XT_OK ? hash_image(network, diag) : status;
}

int xt_sweep_network_make(const char *text, const char *routing, xt_sweep_network_t *network, xt_diag_t *diag)
{
	const char *at = strrchr(text, '@');
	char spec[XT_SPEC_SIZE];
	size_t length = at ? (size_t)(at - text) : strlen(text);

	*network = (xt_sweep_network_t){0};
	if (length >= sizeof(spec)) {
		return xt_fail(diag, XT_ERR_RANGE, "\"%.60s...\" is too long for a topology", text);
	}
	memcpy(spec, text, length);
	spec[length] = '\0';
	return make_image(spec, at ? at + 1 : routing, network, diag);
}

int xt_sweep_network_identify(
	xt_sweep_network_t *network, const char *engine, const xt_device_switch_t *device_switch, xt_diag_t *diag)
{
	const char *kind = device_switch->kind ? device_switch->kind : engine;
	uint32_t sum;
	int status = xt_simulator_sum(kind, xt_image_profile(network->image), &sum, diag);

	snprintf(network->simulator, sizeof(network->simulator), "%08" PRIx32, sum);
	return status;
}

void xt_sweep_network_free(xt_sweep_network_t *network)
{
	xt_image_free(network->image);
	network->image = NULL;
}

int xt_sweep_network_open(const xt_sweep_network_t *network, const char *engine,
	const xt_device_switch_t *device_switch, unsigned link_latency, xt_device_t **device, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_image_profile(network->image);
	char uri[XT_NETWORK_NAME + 128];
	int status;

	*device = NULL;
	snprintf(uri, sizeof(uri), "%s:%s;profile=%s;latency=%u%s", strcmp(engine, "model") == 0 ? "model" : "sim",
		xt_image_topology(network->image), profile->name, link_latency ? link_latency : profile->link_latency,
		xt_switch_text(device_switch).text);
	if ((status = xt_device_open(uri, device, diag)) != XT_OK) {
		return status;
	}
	status = xt_device_load(*device, network->image, XT_LOAD_BACKDOOR | XT_LOAD_NO_VERIFY, NULL, NULL, diag);
	if (status == XT_OK && network->settings.given) {
		status = xt_device_configure(*device, &network->settings, diag);
	}
	return status;
}

const char *xt_sweep_network_label(const xt_sweep_network_t *network)
{
	return network->label ? network->label : network->name;
}
