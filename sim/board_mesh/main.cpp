// SPDX-License-Identifier: Apache-2.0
//
// Whole boards under Verilator, wired pin to pin. A host reaches each board by TCP.
#include <argp.h>
#include <atomic>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "board_mesh.hpp"
#include "virtual_board/control_input.hpp"
#include "virtual_board/front.hpp"
#include "virtual_board/number_argument.hpp"

namespace
{
// Cycles between two services of the front ends.
constexpr unsigned Slice = 256;

const argp_option options[] = {
	{"nodes", 'n', "WxHxD", 0, "Boards in each dimension, up to three (default 2x2)", 0},
	{"boards", 'b', "NUMBER", 0, "Instead of --nodes: so many boards, wired by --cable", 0},
	{"cable", 'c', "B.L-B.L", 0, "A cable between links of boards; 0.1-0.1 is a loop-back plug. Can be repeated",
		0},
	{"skew", 'k', "CYCLES", 0, "Most cycles by which a lane lags behind another (default 3)", 0},
	{"jitter", 'j', "CYCLES", 0, "A board's clock leaves out a cycle after so many (default: never)", 0},
	{"blur", 'u', nullptr, 0,
		"Each bit of a lane comes by chance a tick late, of 16 in a cycle of the ECPIX-5 and 4 elsewhere", 0},
	{"seed", 's', "NUMBER", 0, "Of lags and bit errors (default 1)", 0},
	{nullptr, 0, nullptr, 0, nullptr, 0},
};

void parseNodes(argp_state *state, BoardMesh::Options &o, const std::string &text)
{
	std::istringstream words(text);
	std::string word;
	unsigned dimension = 0, boards = 1;

	o.nodes = {1, 1, 1};
	while (std::getline(words, word, 'x')) {
		if (dimension == o.nodes.size()) {
			argp_error(state, "nodes \"%s\": at most three dimensions", text.c_str());
		}
		o.nodes[dimension] = static_cast<unsigned>(numberArgument(state, "nodes", word.c_str(), 1, 16));
		boards *= o.nodes[dimension++];
	}
	if (dimension < 2 || boards > 16) {
		argp_error(state, "nodes \"%s\": two or three numbers are needed, as 2x2, at most 16 boards",
			text.c_str());
	}
}

void parseCable(argp_state *state, BoardMesh::Options &o, const char *text)
{
	BoardMesh::End one, other;
	char rest;

	if (sscanf(text, "%3u.%3u-%3u.%3u%c", &one.board, &one.link, &other.board, &other.link, &rest) != 4) {
		argp_error(state, "cable \"%s\" is not BOARD.LINK-BOARD.LINK, as 0.1-1.0", text);
	}
	o.cables.push_back({one, other});
}

error_t parse(int key, char *argument, argp_state *state)
{
	BoardMesh::Options *o = static_cast<BoardMesh::Options *>(state->input);

	switch (key) {
	case 'n':
		parseNodes(state, *o, argument);
		return 0;
	case 'b':
		o->boards = static_cast<unsigned>(numberArgument(state, "boards", argument, 1, 16));
		return 0;
	case 'c':
		parseCable(state, *o, argument);
		return 0;
	case 'k':
		o->skew = static_cast<unsigned>(numberArgument(state, "skew", argument, 0, 8));
		return 0;
	case 'j':
		o->jitter = static_cast<unsigned>(numberArgument(state, "jitter", argument, 0, UINT32_MAX));
		if (o->jitter && o->jitter < 16) {
			argp_error(state, "jitter \"%s\" is neither 0 nor a number from 16 on", argument);
		}
		return 0;
	case 'u':
		o->blurred = true;
		return 0;
	case 's':
		o->seed = numberArgument(state, "seed", argument, 0, UINT64_MAX);
		return 0;
	case ARGP_KEY_END:
		if (!o->boards && !o->cables.empty()) {
			argp_error(state, "--cable needs --boards");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const argp parser = {options, parse, nullptr,
	"Virtual boards wired pin to pin; what happens to cables comes by standard input.", nullptr, nullptr, nullptr};

std::atomic<bool> stop{false};

void onSignal(int)
{
	stop = true;
}

bool obey(BoardMesh &mesh, const std::string &line)
{
	std::istringstream words(line);
	std::string verb;
	unsigned a = 0, b = 0, oneIn = 0;

	words >> verb;
	if (verb == "errors" && words >> oneIn) {
		if (words >> a >> b) {
			return mesh.errors(a, b, oneIn);
		}
		mesh.errors(oneIn);
		return true;
	}
	if (verb == "shift" && words >> oneIn >> a >> b) {
		return mesh.shift(a, b, oneIn);
	}
	if ((verb == "press" || verb == "release") && words >> a) {
		return mesh.press(a, verb == "press");
	}
	if ((verb == "pull" || verb == "plug") && words >> a >> b) {
		return mesh.pull(a, b, verb == "pull");
	}
	return verb == "cycles";
}

// The end of standard input ends the process.
void readControl(BoardMesh &mesh, ControlInput &input)
{
	for (std::string line; input.next(line);) {
		std::cout << (obey(mesh, line) ? "ok " : "unknown ") << line << " at cycle " << mesh.cycles()
			  << std::endl;
	}
	stop = stop || input.over();
}
} // namespace

int main(int argc, char **argv)
{
	BoardMesh::Options options;

	argp_parse(&parser, argc, argv, 0, nullptr, &options);
	signal(SIGTERM, onSignal);
	signal(SIGINT, onSignal);
	try {
		BoardMesh mesh(options);
		std::vector<std::unique_ptr<Front>> fronts;
		ControlInput input;

		for (unsigned i = 0; i < mesh.boards(); i++) {
			fronts.push_back(tcpFront(mesh.board(i), 0)); // prints the device
		}
		while (!stop) {
			mesh.run(Slice);
			for (std::unique_ptr<Front> &front : fronts) {
				front->serve(0);
			}
			readControl(mesh, input);
		}
		fprintf(stderr, "cycles %" PRIu64 ", wrong bits %" PRIu64 "\n", mesh.cycles(), mesh.wrongBits());
	} catch (const std::exception &failure) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, failure.what());
		return 1;
	}
	return 0;
}
