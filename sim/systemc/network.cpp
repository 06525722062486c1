// SPDX-License-Identifier: Apache-2.0
#include "extorus/systemc/network.hpp"

#include "device/backend.h"
#include "extorus/registers.h"
#include "extorus/routing.h"
#include "network_impl.hpp"
#include "report.hpp"

namespace extorus
{

namespace
{

// Twice what tables and buffers need for their initialisation, an entry per cycle, and what a poll takes.
unsigned readyPolls(const xt_profile_t &profile)
{
	return 2 * ((1u << profile.lrt_bits) + profile.buffer_cells) + 1000;
}

int routeTopology(const std::string &spec, const NetworkOptions &options, xt_image_t **image, xt_diag_t *diag)
{
	const xt_profile_t *profile;
	xt_topology_t *topology = nullptr;
	xt_route_options_t how = XT_OPTIONS_INIT(xt_route_options_t);
	int status = xt_profile_require(options.profile.empty() ? "extoll" : options.profile.c_str(), &profile, diag);

	if (status == XT_OK) {
		status = xt_algorithm_parse(options.algorithm.c_str(), &how.algorithm, diag);
	}
	if (status == XT_OK) {
		status = xt_topology_parse(spec.c_str(), profile, &topology, diag);
	}
	if (status == XT_OK) {
		status = xt_route(topology, &how, image, diag);
	}
	xt_topology_free(topology);
	return status;
}

} // namespace

// ---------------------------------------------------------------- construction

Network::Network(sc_core::sc_module_name name, const std::string &where, const NetworkOptions &options)
    : sc_module(name), clk_i("clk_i"), rst_ni("rst_ni"), impl_(std::make_unique<Impl>())
{
	xt_diag_t diag;
	const bool isSpec = xt_topology_is_spec(where.c_str());
	const int status = isSpec ? routeTopology(where, options, &impl_->image, &diag)
				  : xt_image_read(where.c_str(), &impl_->image, &diag);

	if (status != XT_OK) {
		fail(*this, diag.text);
	}
	impl_->profile = xt_image_profile(impl_->image);
	if (!options.profile.empty() && options.profile != impl_->profile->name) {
		fail(*this, where + " is an image for profile " + impl_->profile->name + ", not " + options.profile);
	}
	impl_->latency = options.latency ? options.latency : impl_->profile->link_latency;
	if (impl_->latency > XT_MAX_LINK_LATENCY) {
		fail(*this, "a link takes at most " + std::to_string(XT_MAX_LINK_LATENCY) + " cycles");
	}
	impl_->loadFlags = options.byRegisters ? 0 : XT_LOAD_BACKDOOR;
	build(options);
	impl_->traffic.network = this;
	SC_THREAD(boot);
	set_stack_size(StackSize);
}

Network::Impl::~Impl()
{
	xt_device_close(device);
	xt_image_free(image);
}

Network::~Network() = default;

namespace
{

std::string numbered(const char *what, unsigned number)
{
	return what + std::to_string(number);
}

} // namespace

void Network::build(const NetworkOptions &options)
{
	Impl &impl = *impl_;
	const unsigned links = impl.profile->link_ports, nics = impl.profile->nic_ports, count = cards();

	for (unsigned c = 0; c < count; c++) {
		auto wires = std::make_unique<CardWires>(links, nics);
		auto card = std::make_unique<Card>(numbered("card", c).c_str(), impl.profile->name,
			options.engineOf ? options.engineOf(c) : options.engine);
		auto registers = std::make_unique<Registers>(numbered("registers", c).c_str());

		card->setSleep(options.sleep);
		card->clk_i(clk_i);
		card->rst_ni(rst_ni);
		card->link_i(wires->link_i);
		card->link_o(wires->link_o);
		card->nic_i(wires->nic_i);
		card->nic_ready_o(wires->nic_ready_o);
		card->nic_o(wires->nic_o);
		card->nic_ready_i(wires->nic_ready_i);
		card->axil_i(wires->axil_i);
		card->axil_o(wires->axil_o);
		card->idle_o(wires->idle_o);
		registers->clk_i(clk_i);
		registers->axil_o(wires->axil_i);
		registers->axil_i(wires->axil_o);
		for (unsigned n = 0; options.packets && n < nics; n++) {
			auto nic =
				std::make_unique<Nic>(numbered("nic", c * nics + n).c_str(), impl.image, c * nics + n);

			nic->clk_i(clk_i);
			nic->nic_o(wires->nic_i[n]);
			nic->nic_ready_i(wires->nic_ready_o[n]);
			nic->nic_i(wires->nic_o[n]);
			nic->nic_ready_o(wires->nic_ready_i[n]);
			impl.nics.push_back(std::move(nic));
		}
		impl.wires.push_back(std::move(wires));
		impl.cards.push_back(std::move(card));
		impl.registers.push_back(std::move(registers));
	}
	impl.links.resize(static_cast<size_t>(count) * links);
	impl.peers.assign(impl.links.size(), {XT_NO_CARD, 0});
	for (unsigned c = 0; c < count; c++) {
		for (unsigned p = 0; p < links; p++) {
			const xt_peer_t peer = xt_image_peer(impl.image, c, p);

			// A one-way link is a cable as well: credits and acknowledgements come back by it.
			if (peer.card != XT_NO_CARD) {
				impl.peers[c * links + p] = peer;
				impl.peers[peer.card * links + peer.port] = {c, p};
			}
		}
	}
	for (unsigned c = 0; c < count; c++) {
		for (unsigned p = 0; p < links; p++) {
			const xt_peer_t peer = impl.peers[c * links + p];

			if (peer.card == XT_NO_CARD) {
				continue;
			}
			auto link = std::make_unique<Link>(
				(numbered("link", c) + "_" + std::to_string(p)).c_str(), impl.latency);

			link->clk_i(clk_i);
			link->in(impl.wires[c]->link_o[p]);
			link->out(impl.wires[peer.card]->link_i[peer.port]);
			impl.links[c * links + p] = std::move(link);
		}
	}
}

// ---------------------------------------------------------------- parts

unsigned Network::cards() const
{
	return xt_image_cards(impl_->image);
}

unsigned Network::pes() const
{
	return xt_image_pes(impl_->image);
}

const xt_image_t *Network::image() const
{
	return impl_->image;
}

Card &Network::card(unsigned card)
{
	if (card >= cards()) {
		fail(*this, "there is no card " + std::to_string(card) + ", only 0 to " + std::to_string(cards() - 1));
	}
	return *impl_->cards[card];
}

Registers &Network::registers(unsigned card)
{
	this->card(card);
	return *impl_->registers[card];
}

Nic &Network::nic(unsigned pe)
{
	if (impl_->nics.empty()) {
		fail(*this, "this network has no packet sockets; leave NetworkOptions::packets true");
	}
	if (pe >= impl_->nics.size()) {
		fail(*this, "there is no PE " + std::to_string(pe) + ", only 0 to " + std::to_string(pes() - 1));
	}
	return *impl_->nics[pe];
}

Link *Network::link(unsigned card, unsigned port)
{
	this->card(card);
	if (port >= impl_->profile->link_ports) {
		fail(*this, "a card has no link port " + std::to_string(port) + ", only 0 to " +
				    std::to_string(impl_->profile->link_ports - 1));
	}
	return impl_->links[card * impl_->profile->link_ports + port].get();
}

void Network::trace(sc_core::sc_trace_file *file, unsigned number)
{
	const std::string prefix = card(number).name();
	CardWires &wires = *impl_->wires[number];

	for (unsigned p = 0; p < wires.link_i.size(); p++) {
		sc_trace(file, wires.link_i[p].read(), prefix + ".link_i" + std::to_string(p));
		sc_trace(file, wires.link_o[p].read(), prefix + ".link_o" + std::to_string(p));
	}
	for (unsigned n = 0; n < wires.nic_i.size(); n++) {
		const std::string index = std::to_string(n);

		sc_trace(file, wires.nic_i[n].read(), prefix + ".nic_i" + index);
		sc_core::sc_trace(file, wires.nic_ready_o[n], prefix + ".nic_ready_o" + index);
		sc_trace(file, wires.nic_o[n].read(), prefix + ".nic_o" + index);
		sc_core::sc_trace(file, wires.nic_ready_i[n], prefix + ".nic_ready_i" + index);
	}
	sc_trace(file, wires.axil_i.read(), prefix + ".axil_i");
	sc_trace(file, wires.axil_o.read(), prefix + ".axil_o");
	sc_core::sc_trace(file, wires.idle_o, prefix + ".idle_o");
}

// ---------------------------------------------------------------- the start

bool Network::ready() const
{
	return impl_->device != nullptr && impl_->loaded;
}

const sc_core::sc_event &Network::readyEvent() const
{
	return impl_->loadedEvent;
}

void Network::awaitReady()
{
	while (!ready()) {
		sc_core::wait(impl_->loadedEvent);
	}
}

xt_device_t *Network::device()
{
	if (!ready()) {
		fail(*this, "it is not ready yet; wait for readyEvent()");
	}
	return impl_->device;
}

void Network::boot()
{
	Impl &impl = *impl_;
	xt_diag_t diag;

	if (rst_ni.read()) {
		SC_REPORT_WARNING(
			BuildError, (std::string(name()) + ": rst_ni is high; the network waits for a reset").c_str());
	}
	while (rst_ni.read()) {
		sc_core::wait(rst_ni.negedge_event());
	}
	sc_core::wait(rst_ni.posedge_event());
	for (unsigned c = 0; c < cards(); c++) {
		const unsigned mask = 1u << XT_FIELD_STATUS_READY_LSB;
		uint32_t value = 0;

		for (unsigned poll = 0; !(value & mask); poll++) {
			if (impl.registers[c]->read(xt_register_address(XT_REG_STATUS, 0, 0), value) !=
					Registers::Status::Ok ||
				poll == readyPolls(*impl.profile)) {
				fail(*impl.cards[c], "is not ready after its reset");
			}
		}
	}

	int status = xt_device_adopt(trafficBackend(), impl.traffic.engine(), impl.image, &impl.device, &diag);

	if (status == XT_OK) {
		status = xt_device_load(impl.device, impl.image, impl.loadFlags, nullptr, nullptr, &diag);
	}
	if (status != XT_OK) {
		fail(*this, diag.text);
	}
	for (auto &nic : impl.nics) {
		nic->start();
	}
	impl.loaded = true;
	impl.loadedEvent.notify(sc_core::SC_ZERO_TIME);
}

} // namespace extorus
