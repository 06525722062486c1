// SPDX-License-Identifier: Apache-2.0
#include "extorus/systemc/card.hpp"

#include <dlfcn.h>

#include "device/card_engine.h"
#include "extorus/profiles.h"
#include "report.hpp"

namespace extorus
{

using sc_core::sc_in;
using sc_core::sc_out;

namespace
{

static_assert(decltype(Frame::words)::Most >= XT_PIN_FRAME_WORDS, "a signal holds the frames of any profile");
static_assert(decltype(Beat::cell)::Most >= XT_PIN_CELL_WORDS, "a signal holds the cells of any profile");

const xt_profile_t *findProfile(const std::string &name)
{
	return xt_profile_find(name.c_str());
}

unsigned linksOf(const std::string &name)
{
	const xt_profile_t *profile = findProfile(name);

	return profile ? profile->link_ports : 0;
}

unsigned nicsOf(const std::string &name)
{
	const xt_profile_t *profile = findProfile(name);

	return profile ? profile->nic_ports : 0;
}

unsigned lowest(uint32_t set)
{
	return static_cast<unsigned>(__builtin_ctz(set));
}

} // namespace

const char *engineName(Engine engine)
{
	return engine == Engine::Rtl ? "rtl" : "model";
}

struct Card::Impl {
	~Impl()
	{
		if (card) {
			functions->close(card);
		}
		if (library) {
			dlclose(library);
		}
	}

	const xt_profile_t *profile = nullptr;
	Engine engine = Engine::Rtl;
	const xt_card_engine_t *functions = nullptr;
	void *library = nullptr;
	xt_card_t *card = nullptr;
	unsigned cellWords = 0, frameWords = 0;
	xt_card_inputs_t in{};
	xt_card_outputs_t out{};
	uint32_t shownLinks = 0, shownNics = 0; // that have something valid on their pins
	unsigned transfers = 0;                 // of AXI4-Lite, begun and not answered
	uint64_t evaluated = 0;
	bool sleeps = true, asleep = false;
	sc_core::sc_event_or_list wake;
};

Card::Card(sc_core::sc_module_name name, const std::string &profile, Engine engine)
    : sc_module(name), clk_i("clk_i"), rst_ni("rst_ni"), link_i("link_i", linksOf(profile)),
      link_o("link_o", linksOf(profile)), nic_i("nic_i", nicsOf(profile)), nic_ready_o("nic_ready_o", nicsOf(profile)),
      nic_o("nic_o", nicsOf(profile)), nic_ready_i("nic_ready_i", nicsOf(profile)), axil_i("axil_i"), axil_o("axil_o"),
      idle_o("idle_o"), impl_(std::make_unique<Impl>())
{
	xt_diag_t diag;

	impl_->engine = engine;
	if (xt_profile_require(profile.c_str(), &impl_->profile, &diag) != XT_OK ||
		xt_plugin_load_card(engine == Engine::Rtl ? "cosim" : "model", impl_->profile, &impl_->functions,
			&impl_->library, &diag) != XT_OK ||
		impl_->functions->open(&impl_->card, &diag) != XT_OK) {
		fail(*this, diag.text);
	}
	impl_->cellWords = (impl_->profile->cell_bits + 31) / 32;
	impl_->frameWords = (xt_profile_frame(impl_->profile).bits + 31) / 32;
	SC_METHOD(step);
	sensitive << clk_i.pos();
	dont_initialize();
}

Card::~Card() = default;

const xt_profile_t &Card::profile() const
{
	return *impl_->profile;
}

Engine Card::engine() const
{
	return impl_->engine;
}

void Card::setTables(const uint64_t *grt, const uint64_t *lrt)
{
	impl_->functions->set_tables(impl_->card, grt, lrt);
}

uint64_t Card::evaluated() const
{
	return impl_->evaluated;
}

void Card::setSleep(bool allowed)
{
	impl_->sleeps = allowed;
}

void Card::drive()
{
	xt_card_inputs_t &in = impl_->in;

	in.rst_n = rst_ni.read();
	in.link_valid = in.nic_valid = in.nic_last = in.nic_ready = 0;
	for (unsigned p = 0; p < link_i.size(); p++) {
		const Frame &frame = link_i[p].read();

		if (frame.valid) {
			in.link_valid |= 1u << p;
			std::copy_n(frame.words.data(), impl_->frameWords, in.link_frame[p]);
		}
	}
	for (unsigned n = 0; n < nic_i.size(); n++) {
		const Beat &beat = nic_i[n].read();

		if (beat.valid) {
			in.nic_valid |= 1u << n;
			in.nic_last |= static_cast<uint32_t>(beat.last) << n;
			std::copy_n(beat.cell.data(), impl_->cellWords, in.nic_data[n]);
		}
		in.nic_ready |= static_cast<uint32_t>(nic_ready_i[n].read()) << n;
	}

	const AxiRequest &axil = axil_i.read();

	in.awvalid = axil.awvalid;
	in.awaddr = axil.awaddr;
	in.wvalid = axil.wvalid;
	in.wdata = axil.wdata;
	in.bready = axil.bready;
	in.arvalid = axil.arvalid;
	in.araddr = axil.araddr;
	in.rready = axil.rready;
	if (!in.rst_n) {
		impl_->transfers = 0;
		return;
	}
	impl_->transfers += (in.wvalid && impl_->out.wready) + (in.arvalid && impl_->out.arready);
	impl_->transfers -= (in.bready && impl_->out.bvalid) + (in.rready && impl_->out.rvalid);
}

void Card::show()
{
	const xt_card_outputs_t &out = impl_->out;

	for (uint32_t rest = out.link_valid | impl_->shownLinks; rest; rest &= rest - 1) {
		const unsigned p = lowest(rest);
		Frame frame;

		frame.valid = out.link_valid >> p & 1;
		if (frame.valid) {
			frame.words.assign(out.link_frame[p], impl_->frameWords);
		}
		link_o[p].write(frame);
	}
	for (uint32_t rest = out.nic_valid | impl_->shownNics; rest; rest &= rest - 1) {
		const unsigned n = lowest(rest);
		Beat beat;

		beat.valid = out.nic_valid >> n & 1;
		if (beat.valid) {
			beat.last = out.nic_last >> n & 1;
			beat.user = out.nic_user >> n & 1;
			beat.cell.assign(out.nic_data[n], impl_->cellWords);
		}
		nic_o[n].write(beat);
	}
	impl_->shownLinks = out.link_valid;
	impl_->shownNics = out.nic_valid;
	for (unsigned n = 0; n < nic_ready_o.size(); n++) {
		nic_ready_o[n].write(out.nic_ready >> n & 1);
	}

	AxiResponse axil;

	axil.awready = out.awready;
	axil.wready = out.wready;
	axil.bvalid = out.bvalid;
	axil.bresp = static_cast<uint8_t>(out.bresp);
	axil.arready = out.arready;
	axil.rvalid = out.rvalid;
	axil.rresp = static_cast<uint8_t>(out.rresp);
	axil.rdata = out.rdata;
	axil_o.write(axil);
	idle_o.write(out.idle);
}

// Another step with the same inputs would change nothing.
bool Card::rests() const
{
	const xt_card_inputs_t &in = impl_->in;

	return impl_->sleeps && impl_->out.idle && in.rst_n && !impl_->out.link_valid && !impl_->out.nic_valid &&
	       !in.link_valid && !in.nic_valid && !in.awvalid && !in.wvalid && !in.arvalid && !impl_->transfers;
}

void Card::step()
{
	if (impl_->asleep) {
		impl_->asleep = false;
		// Woken by an input: it counts at the next edge, unless this is one.
		if (!clk_i.posedge()) {
			return;
		}
	}
	drive();
	if (impl_->functions->step(impl_->card, &impl_->in, &impl_->out) != XT_OK) {
		report(*this, BuildError, "out of memory");
	}
	impl_->evaluated++;
	show();
	if (!rests()) {
		return;
	}
	if (impl_->wake.size() == 0) {
		impl_->wake |= rst_ni.value_changed_event();
		impl_->wake |= axil_i.value_changed_event();
		for (unsigned p = 0; p < link_i.size(); p++) {
			impl_->wake |= link_i[p].value_changed_event();
		}
		for (unsigned n = 0; n < nic_i.size(); n++) {
			impl_->wake |= nic_i[n].value_changed_event();
		}
	}
	impl_->asleep = true;
	next_trigger(impl_->wake);
}

} // namespace extorus
