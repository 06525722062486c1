// SPDX-License-Identifier: Apache-2.0
#include "wave_view.hpp"

#include <cstdlib>
#include <memory>

#include "extorus/link_state.h"

namespace
{

// The signals of one port, link or NIC; what differs by the port's kind comes from outside.
class PortView
{
      public:
	PortView(WaveView &view, const xt_profile_t &profile, const std::string &card, unsigned port)
	    : view_(view), port_(port), ports_(xt_profile_ports(&profile)), vcBits_(xt_profile_vc_bits(&profile)),
	      cellBits_(profile.cell_bits), switch_(card + ".i_switch"),
	      input_(switch_ + ".g_input[" + std::to_string(port) + "].i_input_unit")
	{
	}
	void wire(const std::string &label, const std::string &scope, const std::string &name)
	{
		view_.show(label, {scope, name, 0}, Names::None);
	}
	void vc(const std::string &label, const std::string &scope, const std::string &name)
	{
		view_.show(label, {scope, name, vcBits_}, Names::Vc);
	}
	// Received cells are those of the input unit, which knows the heads.
	void packetsIn()
	{
		view_.showPackets("packets in",
			{{input_, "received_o", 0}, {input_, "received_first_o", 0}, {input_, "header_o", 64}, 0});
	}
	void packetsOut(const std::string &scope, const std::string &valid, const std::string &cell)
	{
		view_.showPackets("packets out",
			{{scope, valid, 0}, {switch_, "sent_first_o", ports_}, {scope, cell, cellBits_}, port_});
	}

      private:
	WaveView &view_;
	unsigned port_, ports_, vcBits_, cellBits_;
	std::string switch_, input_;
};

void showLink(WaveView &view, const xt_profile_t &profile, const std::string &card, unsigned port, xt_peer_t peer)
{
	const bool layer = xt_profile_features(&profile) & XT_FEATURE_LINK_LAYER;
	const std::string link =
		card + ".g_link[" + std::to_string(port) + "].i_port." + (layer ? "g_layer" : "g_plain") + ".i_link";
	const std::string name = "port " + std::to_string(port) +
				 (peer.card == XT_NO_CARD ? std::string(": not connected")
							  : ": to card " + std::to_string(peer.card) + " port " +
								    std::to_string(peer.port));
	PortView shown(view, profile, card, port);

	view.beginGroup(name);
	if (layer) {
		view.show("state", {link, "state_o", 2}, Names::LinkState);
		view.show("cause", {link, "cause_o", 3}, Names::LinkCause);
		shown.wire("CRC error", link, "crc_error_o");
		shown.wire("replay", link, "replay_o");
	}
	shown.packetsIn();
	shown.wire("cell in", link, "rx_valid_o");
	shown.vc("VC in", link, "rx_vc_o");
	shown.packetsOut(link, "tx_valid_i", "tx_cell_i");
	shown.wire("cell out", link, "tx_valid_i");
	shown.vc("VC out", link, "tx_vc_i");
	shown.wire("credit in", link, "rx_credit_valid_o");
	shown.vc("VC of credit in", link, "rx_credit_vc_o");
	shown.wire("credit out", link, "tx_credit_valid_i");
	shown.vc("VC of credit out", link, "tx_credit_vc_i");
	view.endGroup(name);
}

void showNic(WaveView &view, const xt_profile_t &profile, const std::string &card, unsigned nic)
{
	const std::string scope = card + ".g_nic[" + std::to_string(nic) + "].i_port.";
	const std::string inject = scope + "i_inject", eject = scope + "i_eject";
	const unsigned port = profile.link_ports + nic;
	const std::string name = "port " + std::to_string(port) + ": NIC " + std::to_string(nic);
	PortView shown(view, profile, card, port);

	view.beginGroup(name);
	shown.packetsIn();
	shown.wire("cell in", inject, "valid_o");
	shown.vc("VC in", inject, "vc_o");
	shown.wire("from the PE: tvalid", inject, "tvalid_i");
	shown.wire("from the PE: tready", inject, "tready_o");
	shown.wire("from the PE: tlast", inject, "tlast_i");
	shown.packetsOut(eject, "valid_i", "cell_i");
	shown.wire("cell out", eject, "valid_i");
	shown.wire("to the PE: tvalid", eject, "tvalid_o");
	shown.wire("to the PE: tready", eject, "tready_i");
	shown.wire("to the PE: tlast", eject, "tlast_o");
	view.endGroup(name);
}

std::vector<std::string> vcNames(const xt_profile_t &profile)
{
	std::vector<std::string> names;

	for (unsigned t = 0; t < profile.tcs; t++) {
		for (unsigned v = 0; v < xt_profile_tc_vcs(&profile, t); v++) {
			names.push_back("TC" + std::to_string(t) + " VC" + std::to_string(v) +
					(profile.tc[t].vc[v] == XT_VC_ADAPTIVE ? " adaptive" : ""));
		}
	}
	return names;
}

} // namespace

std::vector<NameTable> nameTables(const xt_profile_t &profile)
{
	NameTable state{"extorus_link_state", XT_FIELD_LINK_STATE_STATE_BITS, {}};
	NameTable cause{"extorus_link_cause", XT_FIELD_LINK_STATE_CAUSE_BITS, {}};

	for (unsigned i = 0; i < XT_LINK_STATES; i++) {
		state.values.push_back(xt_link_state_name(i));
	}
	for (unsigned i = 0; i < XT_CAUSES; i++) {
		cause.values.push_back(xt_link_cause_name(i));
	}
	return {state, cause,
		{"extorus_error_kind", XT_FIELD_ERROR_SOURCE_KIND_BITS,
			{"none", "illegal route", "timeout", "poison", "table error"}},
		{"extorus_adaptive_select", 2,
			{"round robin", "never internal", "internal last", "internal last, middle before"}},
		{std::string("extorus_vc_") + profile.name, xt_profile_vc_bits(&profile), vcNames(profile)}};
}

std::string tableText(const NameTable &table)
{
	std::string text = "Name = " + table.name + "\nBits = " + std::to_string(table.bits) + "\n";

	for (size_t i = 0; i < table.values.size(); i++) {
		text += std::to_string(i) + " " + table.values[i] + "\n";
	}
	return text;
}

void showCard(WaveView &view, const xt_profile_t &profile, unsigned number, const xt_peer_t *peers)
{
	const std::string name = "card " + std::to_string(number);
	const std::string card = "card" + std::to_string(number) + ".xt_card";
	const uint32_t features = xt_profile_features(&profile);

	view.beginGroup(name);
	view.show("clock", {card, "clk_i", 0}, Names::None);
	view.show("reset, active low", {card, "rst_ni", 0}, Names::None);
	view.show("idle", {card, "idle_o", 0}, Names::None);
	if (features & XT_FEATURE_MONITORS) {
		view.show("first error",
			{card + ".i_registers.i_monitor_registers.g_monitors.i_error_capture", "kind_o", 3},
			Names::ErrorKind);
	}
	if (features & XT_FEATURE_ADAPTIVE) {
		view.show("adaptive selection", {card + ".i_switch", "select_i", 2}, Names::AdaptiveSelect);
	}
	for (unsigned p = 0; p < profile.link_ports; p++) {
		showLink(view, profile, card, p, peers[p]);
	}
	for (unsigned n = 0; n < profile.nic_ports; n++) {
		showNic(view, profile, card, n);
	}
	view.endGroup(name);
}

WavePaths::WavePaths(const std::string &wavePath) : wave(wavePath)
{
	const size_t slash = wavePath.rfind('/');
	const std::string folder = slash == std::string::npos ? "." : wavePath.substr(0, slash ? slash : 1);
	const std::string file = wavePath.substr(slash == std::string::npos ? 0 : slash + 1);
	const std::unique_ptr<char, void (*)(void *)> real(realpath(folder.c_str(), nullptr), std::free);
	const std::string base = file.size() > 4 && file.compare(file.size() - 4, 4, ".fst") == 0
					 ? file.substr(0, file.size() - 4)
					 : file;

	if (real) {
		wave = std::string(real.get()) + (real.get()[1] ? "/" : "") + file;
	}
	const std::string stem = wave.substr(0, wave.size() - file.size()) + base;

	save = stem + ".gtkw";
	names = stem + ".names";
}

std::string WavePaths::table(const NameTable &table) const
{
	return names + "/.surfer/mappings/" + table.name;
}

std::string WavePaths::filter() const
{
	return names + "/packets.py";
}

std::string WavePaths::fields() const
{
	return names + "/packets.json";
}

std::string WavePaths::commands() const
{
	return names + "/view.sucl";
}

std::string packetFields(const xt_profile_t &profile, const std::vector<uint32_t> &addresses)
{
	const xt_header_layout_t header = xt_profile_header(&profile);
	const struct {
		const char *name;
		unsigned lsb, bits;
	} fields[] = {
		{"destination", header.dest_lsb, header.dest_bits},
		{"source", header.src_lsb, header.src_bits},
		{"length", header.len_lsb, header.len_bits},
		{"tc", header.tc_lsb, header.tc_bits},
	};
	std::string text = "{";

	for (const auto &field : fields) {
		text += std::string("\"") + field.name + "\": [" + std::to_string(field.lsb) + ", " +
			std::to_string(field.bits) + "],\n ";
	}
	text += "\"nics\": " + std::to_string(profile.nic_ports) +
		", \"unit_bits\": " + std::to_string(xt_profile_unit_bits(&profile)) + ",\n \"cards\": {";
	const char *before = "\"";

	for (size_t c = 0; c < addresses.size(); c++) {
		if (addresses[c] != NoAddress) {
			text += before + std::to_string(addresses[c]) + "\": " + std::to_string(c);
			before = ", \"";
		}
	}
	return text + "}}\n";
}
