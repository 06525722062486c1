/* SPDX-License-Identifier: Apache-2.0 */
#include "heat_map.h"

#include <string.h>

#include "extorus/profiles.h"
#include "plot.h"

enum { MOST_ROWS = 64 };

typedef struct {
	const xt_sim_run_t *run;
	const char *rows[MOST_ROWS]; /* port names */
	unsigned count;
} map_t;

static int is_channel(const xt_sim_run_t *run, unsigned card, unsigned port)
{
	return port >= xt_image_profile(run->image)->link_ports ||
	       xt_image_peer(run->image, card, port).card != XT_NO_CARD;
}

static unsigned row_of(const map_t *map, const char *name)
{
	unsigned row = 0;

	while (row < map->count && strcmp(map->rows[row], name) != 0) {
		row++;
	}
	return row;
}

/* Dimensions first, in their order, then the others as they come. */
static void sort_rows(map_t *map)
{
	for (unsigned i = 1; i < map->count; i++) {
		const char *name = map->rows[i];
		unsigned at = i;

		while (at > 0 && name[0] == 'd' &&
			(map->rows[at - 1][0] != 'd' || strcmp(map->rows[at - 1], name) > 0)) {
			map->rows[at] = map->rows[at - 1];
			at--;
		}
		map->rows[at] = name;
	}
}

static void find_rows(map_t *map)
{
	unsigned ports = xt_profile_ports(xt_image_profile(map->run->image));

	for (unsigned card = 0; card < map->run->result->cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			const char *name = xt_image_port_name(map->run->image, card, port);

			if (is_channel(map->run, card, port) && map->count < MOST_ROWS &&
				row_of(map, name) == map->count) {
				map->rows[map->count++] = name;
			}
		}
	}
	sort_rows(map);
}

static void write_script(const void *context, FILE *out)
{
	const map_t *map = context;
	const xt_sim_run_t *run = map->run;
	unsigned ports = xt_profile_ports(xt_image_profile(run->image));
	char title[512];

	fprintf(out, "$loads << EOD\n");
	for (unsigned card = 0; card < run->result->cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			if (is_channel(run, card, port)) {
				fprintf(out, "%u %u %.4f\n", card,
					row_of(map, xt_image_port_name(run->image, card, port)),
					run->result->port_load[card * ports + port]);
			}
		}
	}
	fprintf(out, "EOD\nunset grid\nset xlabel 'card'\nset ylabel 'output port'\nset xrange [-0.5:%u.5]\n",
		run->result->cards - 1);
	fprintf(out, "set yrange [%u.5:-0.5]\nset tics out\nset ytics (", map->count - 1);
	for (unsigned row = 0; row < map->count; row++) {
		fprintf(out, "%s'%s' %u", row ? ", " : "", map->rows[row], row);
	}
	snprintf(title, sizeof(title), "%s, %s, %s traffic, offered load %g", xt_image_topology(run->image),
		xt_image_algorithm(run->image), run->traffic->pattern, run->traffic->load);
	fprintf(out, ")\nset title ");
	xt_plot_quoted(out, title);
	fprintf(out, "\nset cblabel 'cells per cycle'\nset cbrange [0:1]\n"
		     "set palette defined (0 '#fffff0', 0.25 '#fed976', 0.5 '#fd8d3c', 0.75 '#e31a1c', 1 '#67000d')\n"
		     "set object 1 rectangle from graph 0,0 to graph 1,1 fillcolor rgb '#e6e6e6' fillstyle solid "
		     "noborder behind\n"
		     "plot $loads using 1:2:(0.5):(0.46):3 with boxxyerror fillstyle solid noborder palette notitle\n");
}

int xt_heat_map_draw(const xt_sim_run_t *run, FILE *picture, xt_diag_t *diag)
{
	map_t map = {.run = run};
	xt_plot_t plot = {.width = 1080, .script = write_script, .context = &map};

	find_rows(&map);
	plot.height = 170 + 24 * map.count;
	return xt_plot_draw(&plot, picture, diag);
}

static int draw(void *run, FILE *picture, xt_diag_t *diag)
{
	return xt_heat_map_draw(run, picture, diag);
}

int xt_heat_map(const xt_sim_run_t *run, const char *path, xt_diag_t *diag)
{
	return xt_write_file(path, draw, (void *)run, diag);
}
