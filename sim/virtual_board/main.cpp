// SPDX-License-Identifier: Apache-2.0
//
// The virtual board: the RTL of a bridge and its cards, reached by TCP or as a USB device of QEMU.
#include <argp.h>
#include <atomic>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include "control_input.hpp"
#include "front.hpp"
#include "number_argument.hpp"
#include "virtual_board.hpp"

namespace
{
struct Options {
	std::optional<unsigned> port; // TCP
	std::string usb;
	uint64_t serial = 1;
	bool control = false;
	std::optional<StreamBoard::Kind> stream; // no RTL
};

const argp_option options[] = {
	{"tcp", 't', "PORT", 0,
		"Listen at a TCP port of this machine, 0 for any; the device is then tcp:127.0.0.1:PORT", 0},
	{"usb", 'u', "SOCKET", 0, "Be a USB device of the QEMU whose usb-redir listens at this Unix socket", 0},
	{"serial", 's', "NUMBER", 0, "Serial number (default 1)", 0},
	{"stream", 'r', "KIND", 0, "No RTL: loop gives back every byte, sink takes all, source gives bytes without end",
		0},
	{"control", 'c', nullptr, 0,
		"Read faults to cause from standard input, a line each (sim/virtual_board/README.md)", 0},
	{nullptr, 0, nullptr, 0, nullptr, 0},
};

error_t parse(int key, char *argument, argp_state *state)
{
	Options *o = static_cast<Options *>(state->input);

	switch (key) {
	case 't':
		o->port = static_cast<unsigned>(numberArgument(state, "tcp", argument, 0, UINT16_MAX));
		return 0;
	case 'u':
		o->usb = argument;
		return 0;
	case 's':
		o->serial = numberArgument(state, "serial", argument, 0, UINT64_MAX);
		return 0;
	case 'r':
		if (!StreamBoard::find(argument, o->stream.emplace())) {
			argp_error(state, "stream \"%s\" is neither loop nor sink nor source", argument);
		}
		return 0;
	case 'c':
		o->control = true;
		return 0;
	case ARGP_KEY_END:
		if (o->port.has_value() != o->usb.empty()) {
			argp_error(state, "say either --tcp or --usb");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const argp parser = {options, parse, nullptr, "The virtual board of an extorus bridge.", nullptr, nullptr, nullptr};

std::atomic<bool> stop{false};

void onSignal(int)
{
	stop = true;
}

// The end of standard input ends the process.
void readControl(Front &front, Board &board, ControlInput &input)
{
	for (std::string line; input.next(line);) {
		std::cout << (front.control(line) || board.control(line) ? "ok " : "unknown ") << line << std::endl;
	}
	stop = stop || input.over();
}

void serve(const Options &options, Board &board)
{
	const std::unique_ptr<Front> front =
		options.usb.empty() ? tcpFront(board, *options.port) : usbFront(board, options.usb, options.serial);
	ControlInput input;

	while (!stop) {
		const bool running = board.run();

		front->serve(running ? 0 : 5);
		if (!running) {
			board.wait();
		}
		if (options.control) {
			readControl(*front, board, input);
		}
	}
}
} // namespace

int main(int argc, char **argv)
{
	Options options;

	argp_parse(&parser, argc, argv, 0, nullptr, &options);
	signal(SIGTERM, onSignal);
	signal(SIGINT, onSignal);
	try {
		if (options.stream) {
			StreamBoard board(*options.stream);

			serve(options, board);
		} else {
			RtlBoard board(options.serial);

			serve(options, board);
			const BoardCounts &c = board.counts();
			fprintf(stderr,
				"cycles %" PRIu64 ", bytes received %" PRIu64 ", cycles that refused one %" PRIu64
				", bytes sent %" PRIu64 ", pauses within frames %" PRIu64 "\n",
				c.cycles, c.received, c.refused, c.sent, c.paused);
		}
	} catch (const std::exception &failure) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, failure.what());
		return 1;
	}
	return 0;
}
