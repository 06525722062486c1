// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "front.hpp"

namespace
{
class TcpFront : public Front
{
      public:
	TcpFront(Board &board, unsigned port) : board_(board)
	{
		sockaddr_in address = {};
		socklen_t length = sizeof(address);
		const int one = 1;

		address.sin_family = AF_INET;
		address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		address.sin_port = htons(static_cast<uint16_t>(port));
		listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(listener_, reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0 ||
			listen(listener_, 1) != 0 ||
			getsockname(listener_, reinterpret_cast<sockaddr *>(&address), &length) != 0) {
			throw std::runtime_error("TCP port " + std::to_string(port) + ": " + strerror(errno) +
						 "; choose another with --tcp, 0 for any");
		}
		printf("tcp:127.0.0.1:%u\n", static_cast<unsigned>(ntohs(address.sin_port)));
		fflush(stdout);
	}
	~TcpFront() override
	{
		close(listener_);
		hangUp();
	}

	void serve(int timeout) override
	{
		const bool connected = host_ >= 0;
		pollfd polled = {connected ? host_ : listener_, POLLIN, 0};

		if (connected) {
			polled.events = static_cast<short>((board_.fromHost.size() < Board::Room ? POLLIN : 0) |
							   (board_.toHost.empty() ? 0 : POLLOUT));
		}
		if (poll(&polled, 1, timeout) <= 0) {
			return;
		}
		if (!connected) {
			answer();
			return;
		}
		if (polled.revents & (POLLIN | POLLHUP | POLLERR)) {
			read();
		}
		if (host_ >= 0 && polled.revents & POLLOUT) {
			write();
		}
	}

      private:
	void answer()
	{
		const int one = 1;

		host_ = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
		setsockopt(host_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		board_.restart();
	}
	void read()
	{
		uint8_t data[65536];
		const ssize_t got = recv(host_, data, sizeof(data), 0);

		if (got > 0) {
			board_.fromHost.push(data, static_cast<size_t>(got));
		} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
			hangUp();
		}
	}
	void write()
	{
		const ssize_t put = send(host_, board_.toHost.data(), board_.toHost.size(), MSG_NOSIGNAL);

		if (put > 0) {
			board_.toHost.drop(static_cast<size_t>(put));
		} else if (put < 0 && errno != EAGAIN && errno != EINTR) {
			hangUp();
		}
	}
	void hangUp()
	{
		if (host_ >= 0) {
			close(host_);
			host_ = -1;
			board_.toHost.clear();
		}
	}

	Board &board_;
	int listener_ = -1, host_ = -1;
};
} // namespace

std::unique_ptr<Front> tcpFront(Board &board, unsigned port)
{
	return std::make_unique<TcpFront>(board, port);
}
