// SPDX-License-Identifier: Apache-2.0
//
// A command file of Surfer. A format is a mapping file, which Surfer finds in .surfer/mappings of the folder it runs
// in.
#include "wave_view.hpp"

namespace
{

class SurferView : public WaveView
{
      public:
	explicit SurferView(const xt_profile_t &profile) : tables_(nameTables(profile))
	{
	}
	std::string text() const
	{
		return text_ + "item_unfocus\nzoom_fit\n";
	}
	// A new divider takes one word of letters, digits and underscores; its other name any text.
	void beginGroup(const std::string &name) override
	{
		add("divider_add group", name);
	}
	void endGroup(const std::string &) override
	{
	}
	void show(const std::string &label, const WaveSignal &signal, Names names) override
	{
		variable(label, signal);
		if (names != Names::None) {
			text_ += "item_set_format " + tables_[static_cast<unsigned>(names) - 1].name + "\n";
		}
	}
	// Surfer has no filters: the header, and when it is one.
	void showPackets(const std::string &label, const WavePackets &packets) override
	{
		variable(label + ": head", packets.first);
		variable(label + ": header", packets.header);
		text_ += "item_set_format Hexadecimal\n";
	}

      private:
	void add(const std::string &command, const std::string &label)
	{
		text_ += command + "\nitem_focus " + letters(items_++) + "_\nitem_rename " + label + "\n";
	}
	void variable(const std::string &label, const WaveSignal &signal)
	{
		add("variable_add " + signal.scope + "." + signal.name, label);
	}
	// Surfer's number of an item: hexadecimal digits as the letters a to p.
	static std::string letters(unsigned number)
	{
		std::string digits;

		do {
			digits.insert(digits.begin(), static_cast<char>('a' + number % 16));
			number /= 16;
		} while (number);
		return digits;
	}

	std::vector<NameTable> tables_;
	std::string text_;
	unsigned items_ = 0;
};

} // namespace

std::string surferCommands(
	const xt_profile_t &profile, const std::vector<unsigned> &cards, const std::vector<xt_peer_t> &peers)
{
	SurferView view(profile);

	for (unsigned card : cards) {
		showCard(view, profile, card, peers.data() + static_cast<size_t>(card) * profile.link_ports);
	}
	return view.text();
}
