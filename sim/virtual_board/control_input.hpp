// SPDX-License-Identifier: Apache-2.0
//
// Commands of standard input, a line each.
#pragma once

#include <poll.h>
#include <string>
#include <unistd.h>

class ControlInput
{
      public:
	// Takes a line that has come whole, without waiting. False: there is none.
	bool next(std::string &line)
	{
		size_t end = pending_.find('\n');

		if (end == std::string::npos) {
			receive();
			end = pending_.find('\n');
		}
		if (end == std::string::npos) {
			return false;
		}
		line = pending_.substr(0, end);
		pending_.erase(0, end + 1);
		return true;
	}
	bool over() const
	{
		return over_;
	}

      private:
	void receive()
	{
		pollfd polled = {STDIN_FILENO, POLLIN, 0};
		char text[256];

		if (poll(&polled, 1, 0) <= 0) {
			return;
		}
		const ssize_t got = read(STDIN_FILENO, text, sizeof(text));

		if (got > 0) {
			pending_.append(text, static_cast<size_t>(got));
		}
		over_ = got <= 0;
	}

	std::string pending_;
	bool over_ = false;
};
