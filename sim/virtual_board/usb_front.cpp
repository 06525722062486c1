// SPDX-License-Identifier: Apache-2.0
//
// The socket of a USB device, its bus, endpoint 0, and faults on demand.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "usb_front.hpp"

namespace
{

enum StandardRequest : uint8_t {
	GetStatus = 0,
	ClearFeature = 1,
	SetFeature = 3,
	GetDescriptor = 6,
	GetConfiguration = 8,
	SetConfiguration = 9,
	GetInterface = 10,
	SetInterface = 11,
};
enum Recipient : uint8_t { ToInterface = 1, ToEndpoint = 2 };

} // namespace

// ---------------------------------------------------------------- the socket

UsbFront::UsbFront(Board &board, const std::string &path, uint64_t serial, UsbDevice *device)
    : board_(board), device_(device), path_(path), descriptors_(serial)
{
	if (path.size() >= sizeof(sockaddr_un::sun_path)) {
		throw std::runtime_error("the socket's path is too long; choose a shorter one");
	}
}

int UsbFront::readSocket(void *priv, uint8_t *data, int count)
{
	UsbFront &front = self(priv);
	const ssize_t got = recv(front.socket_, data, static_cast<size_t>(count), 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		return 0;
	}
	if (got <= 0) {
		front.gone_ = true;
		return -1;
	}
	return static_cast<int>(got);
}

int UsbFront::writeSocket(void *priv, uint8_t *data, int count)
{
	UsbFront &front = self(priv);
	const ssize_t put = send(front.socket_, data, static_cast<size_t>(count), MSG_NOSIGNAL);

	if (put < 0 && (errno == EAGAIN || errno == EINTR)) {
		return 0;
	}
	if (put < 0) {
		front.gone_ = true;
		return -1;
	}
	return static_cast<int>(put);
}

void UsbFront::connect()
{
	sockaddr_un address = {};

	socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	address.sun_family = AF_UNIX;
	path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
	if (::connect(socket_, reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0) {
		close(socket_);
		socket_ = -1;
		return;
	}
	// Only now, so that connecting is over when it returns.
	if (fcntl(socket_, F_SETFL, O_NONBLOCK) != 0) {
		throw std::runtime_error(std::string("socket: ") + strerror(errno));
	}

	uint32_t caps[USB_REDIR_CAPS_SIZE] = {};

	usbredirparser_caps_set_cap(caps, usb_redir_cap_connect_device_version);
	usbredirparser_caps_set_cap(caps, usb_redir_cap_ep_info_max_packet_size);
	usbredirparser_caps_set_cap(caps, usb_redir_cap_64bits_ids);
	usbredirparser_caps_set_cap(caps, usb_redir_cap_32bits_bulk_length);
	usbredirparser_caps_set_cap(caps, usb_redir_cap_device_disconnect_ack);
	parser_ = usbredirparser_create();
	parser_->priv = this;
	parser_->log_func = [](void *, int level, const char *message) {
		if (level <= usbredirparser_warning) {
			fprintf(stderr, "usbredir: %s\n", message);
		}
	};
	parser_->read_func = readSocket;
	parser_->write_func = writeSocket;
	parser_->hello_func = [](void *p, usb_redir_hello_header *) { self(p).onHello(); };
	parser_->reset_func = [](void *p) { self(p).onReset(); };
	parser_->device_disconnect_ack_func = [](void *) {};
	parser_->set_configuration_func = [](void *p, uint64_t id, usb_redir_set_configuration_header *h) {
		self(p).onSetConfiguration(id, h->configuration);
	};
	parser_->get_configuration_func = [](void *p, uint64_t id) {
		usb_redir_configuration_status_header status = {usb_redir_success, self(p).configuration_};

		usbredirparser_send_configuration_status(self(p).parser_, id, &status);
	};
	parser_->set_alt_setting_func = [](void *p, uint64_t id, usb_redir_set_alt_setting_header *h) {
		std::vector<uint8_t> none;
		const bool taken = self(p).answer(ToInterface, SetInterface, h->alt, h->interface, 0, none);
		usb_redir_alt_setting_status_header status = {
			uint8_t(taken ? usb_redir_success : usb_redir_stall), h->interface, 0};

		self(p).forget();
		usbredirparser_send_alt_setting_status(self(p).parser_, id, &status);
	};
	parser_->get_alt_setting_func = [](void *p, uint64_t id, usb_redir_get_alt_setting_header *h) {
		usb_redir_alt_setting_status_header status = {usb_redir_success, h->interface, 0};

		usbredirparser_send_alt_setting_status(self(p).parser_, id, &status);
	};
	parser_->cancel_data_packet_func = [](void *p, uint64_t id) { self(p).onCancel(id); };
	parser_->control_packet_func = [](void *p, uint64_t id, usb_redir_control_packet_header *h, uint8_t *data,
					       int size) {
		self(p).onControl(id, h, data, size);
		usbredirparser_free_packet_data(self(p).parser_, data);
	};
	parser_->bulk_packet_func = [](void *p, uint64_t id, usb_redir_bulk_packet_header *h, uint8_t *data, int size) {
		self(p).onBulk(id, h, data, size);
		usbredirparser_free_packet_data(self(p).parser_, data);
	};
	usbredirparser_init(parser_, "extorus board", caps, USB_REDIR_CAPS_SIZE, usbredirparser_fl_usb_host);
}

void UsbFront::hangUp()
{
	if (parser_) {
		usbredirparser_destroy(parser_);
		close(socket_);
	}
	parser_ = nullptr;
	socket_ = -1;
	greeted_ = plugged_ = gone_ = false;
	out_.clear();
	in_.clear();
	answered_.clear();
}

void UsbFront::serve(int timeout)
{
	if (!parser_) {
		connect();
		if (!parser_) {
			poll(nullptr, 0, 20);
			return;
		}
	}
	takeOut();
	giveIn();
	pollfd polled = {socket_, POLLIN, 0};

	if (usbredirparser_has_data_to_write(parser_)) {
		polled.events |= POLLOUT;
	}
	if (poll(&polled, 1, timeout) > 0) {
		if (polled.revents & (POLLIN | POLLHUP | POLLERR)) {
			usbredirparser_do_read(parser_);
		}
		if (!gone_ && polled.revents & POLLOUT) {
			usbredirparser_do_write(parser_);
		}
	}
	takeOut();
	if (gone_) {
		hangUp();
	}
}

// ---------------------------------------------------------------- the bus

void UsbFront::onHello()
{
	greeted_ = true;
	if (wanted_) {
		plug();
	}
}

// QEMU wants to know interfaces and endpoints before the device comes.
void UsbFront::plug()
{
	usb_redir_interface_info_header interfaces = {};
	usb_redir_ep_info_header endpoints = {};
	usb_redir_device_connect_header device = {};

	wanted_ = true;
	if (!greeted_ || plugged_) {
		return;
	}
	interfaces.interface_count = 1;
	interfaces.interface_class[0] = EXTORUS_LINE_USB_CLASS;
	interfaces.interface_subclass[0] = EXTORUS_LINE_USB_SUBCLASS;
	interfaces.interface_protocol[0] = 1;
	for (unsigned i = 0; i < 32; i++) {
		endpoints.type[i] = usb_redir_type_invalid;
	}
	endpoints.type[0] = endpoints.type[16] = usb_redir_type_control;
	endpoints.max_packet_size[0] = endpoints.max_packet_size[16] = UsbDescriptors::ControlPacket;
	endpoints.type[Out & 15] = endpoints.type[16 + (In & 15)] = usb_redir_type_bulk;
	endpoints.max_packet_size[Out & 15] = endpoints.max_packet_size[16 + (In & 15)] = UsbDescriptors::BulkPacket;
	device.speed = usb_redir_speed_high;
	device.vendor_id = EXTORUS_LINE_USB_VENDOR;
	device.product_id = EXTORUS_LINE_USB_PRODUCT;
	device.device_version_bcd = UsbDescriptors::Release;
	usbredirparser_send_interface_info(parser_, &interfaces);
	usbredirparser_send_ep_info(parser_, &endpoints);
	usbredirparser_send_device_connect(parser_, &device);
	plugged_ = true;
	onReset();
}

void UsbFront::unplug()
{
	wanted_ = false;
	if (plugged_) {
		usbredirparser_send_device_disconnect(parser_);
		forget();
	}
	plugged_ = false;
}

void UsbFront::onReset()
{
	configuration_ = 0;
	if (device_) {
		device_->reset();
	}
	forget();
}

// Reset of the bus, or a configuration: frames begin anew.
void UsbFront::forget()
{
	halted_.clear();
	out_.clear();
	in_.clear();
	answered_.clear();
	board_.restart();
}

void UsbFront::onSetConfiguration(uint64_t id, uint8_t value)
{
	usb_redir_configuration_status_header status = {usb_redir_stall, value};
	std::vector<uint8_t> none;

	if (answer(0, SetConfiguration, value, 0, 0, none)) {
		status.status = usb_redir_success;
		configuration_ = value;
		forget();
	}
	usbredirparser_send_configuration_status(parser_, id, &status);
}

// ---------------------------------------------------------------- endpoint 0

// Answers a request; false: it is stalled.
bool UsbFront::answer(
	uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length, std::vector<uint8_t> &data)
{
	const uint8_t recipient = type & 0x1f;

	if (device_) {
		if (request == ClearFeature) {
			halted_.erase(index); // of a fault
		}
		return device_->request(type, request, value, index, length, data);
	}
	if ((type & 0x60) != 0) { // not of the standard
		return false;
	}
	switch (request) {
	case GetDescriptor:
		return descriptors_.get(static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value), data);
	case GetStatus:
		data = {static_cast<uint8_t>(recipient == ToEndpoint ? halted_.count(index) : 0), 0};
		return true;
	case GetConfiguration:
		data = {configuration_};
		return true;
	case SetConfiguration:
		return value <= 1;
	case GetInterface:
		data = {0};
		return true;
	case SetInterface:
		return value == 0 && index == 0;
	case ClearFeature:
		halted_.erase(index);
		return true;
	case SetFeature:
		if (recipient == ToEndpoint) {
			halted_.insert(index);
		}
		return true;
	default:
		return false;
	}
}

void UsbFront::onControl(uint64_t id, usb_redir_control_packet_header *header, uint8_t *, int size)
{
	usb_redir_control_packet_header reply = *header;
	std::vector<uint8_t> data;

	reply.status = usb_redir_success;
	if (size != 0 ||
		!answer(header->requesttype, header->request, header->value, header->index, header->length, data)) {
		reply.status = usb_redir_stall;
		data.clear();
	}
	if (header->requesttype & DirectionIn) {
		data.resize(std::min<size_t>(data.size(), header->length));
		reply.length = static_cast<uint16_t>(data.size());
	}
	usbredirparser_send_control_packet(parser_, id, &reply, data.empty() ? nullptr : data.data(),
		header->requesttype & DirectionIn ? static_cast<int>(data.size()) : 0);
}

// ---------------------------------------------------------------- faults

// "plug", "unplug", "unplug cancel", "go", or "stall|unplug|short|hold|corrupt in|out BYTES".
bool UsbFront::control(const std::string &line)
{
	char name[16] = "", direction[8] = "";
	unsigned long long bytes = 0;
	const int fields = sscanf(line.c_str(), "%15s %7s %llu", name, direction, &bytes);
	const std::string word = name;
	Fault fault;

	if (fields == 1 && word == "plug") {
		hold_ = false;
		plug();
		return true;
	}
	if (fields == 1 && word == "unplug") {
		unplug();
		return true;
	}
	if (fields == 1 && word == "go") {
		hold_ = unplugOnCancel_ = false;
		faults_.clear();
		return true;
	}
	if (fields == 2 && line == "unplug cancel") {
		unplugOnCancel_ = true;
		return true;
	}
	fault.in = strcmp(direction, "in") == 0;
	fault.after = bytes;
	if (word == "stall") {
		fault.kind = Fault::Stall;
	} else if (word == "unplug") {
		fault.kind = Fault::Unplug;
	} else if (word == "short") {
		fault.kind = Fault::Short;
	} else if (word == "hold") {
		fault.kind = Fault::Hold;
	} else if (word == "corrupt") {
		fault.kind = Fault::Corrupt;
	}
	if (fields != 3 || fault.kind == Fault::None || (!fault.in && strcmp(direction, "out") != 0)) {
		return false;
	}
	faults_.push_back(fault);
	return true;
}

std::unique_ptr<Front> usbFront(Board &board, const std::string &path, uint64_t serial, UsbDevice *device)
{
	return std::make_unique<UsbFront>(board, path, serial, device);
}
