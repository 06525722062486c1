// SPDX-License-Identifier: Apache-2.0
//
// The save file of GTKWave: a flag line before each trace that has other flags, a filter by its path, then the trace.
#include "wave_view.hpp"

#include <array>
#include <cstdio>

namespace
{

// As in GTKWave's analyzer.h.
enum Flags : uint64_t {
	Hexadecimal = 1 << 1,
	Decimal = 1 << 2,
	Binary = 1 << 3,
	RightJustified = 1 << 5,
	Blank = 1 << 9,
	FileFilter = 1 << 13,
	GroupBegin = 1 << 23,
	GroupEnd = 1 << 24,
	TransactionFilter = 1 << 28,
};

// GTKWave hands the filter's path to a shell and to scanf().
bool canBeFilter(const std::string &path)
{
	return path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-,@%:=") ==
	       std::string::npos;
}

// GTKWave's name: a vector of one wire has an index in place of the range.
std::string path(const WaveSignal &signal)
{
	const std::string name = signal.scope + "." + signal.name;

	return signal.bits == 0 ? name
				: name + (signal.bits == 1 ? "[0]" : "[" + std::to_string(signal.bits - 1) + ":0]");
}

// One wire of a signal, for which GTKWave hands the whole signal to a filter.
std::string wire(const WaveSignal &signal)
{
	return (signal.bits > 1 ? " (0)" : " ") + path(signal);
}

class GtkwaveView : public WaveView
{
      public:
	GtkwaveView(const xt_profile_t &profile, const WavePaths &paths)
	    : tables_(nameTables(profile)), paths_(paths), filtered_(canBeFilter(paths.filter()))
	{
		text_ = std::string(SaveFileMark) + "; a file without this line is not replaced.\n[dumpfile] \"" +
			paths.wave + "\"\n[savefile] \"" + paths.save +
			"\"\n[timestart] 0\n[size] 1400 900\n[signals_width] 260\n";
		if (!filtered_) {
			comment("packets have no names: GTKWave runs no filter with such characters in its path");
		}
	}
	const std::string &text() const
	{
		return text_;
	}
	void beginGroup(const std::string &name) override
	{
		flags(Blank | GroupBegin);
		text_ += "-" + name + "\n";
	}
	void endGroup(const std::string &name) override
	{
		flags(Blank | GroupEnd);
		text_ += "-" + name + "\n";
	}
	void show(const std::string &label, const WaveSignal &signal, Names names) override
	{
		if (names == Names::None) {
			flags(RightJustified | (signal.bits ? Hexadecimal : Binary));
		} else {
			const unsigned table = static_cast<unsigned>(names) - 1;

			flags(RightJustified | Decimal | FileFilter);
			text_ += "^" + std::to_string(table + 1) + " " + paths_.table(tables_[table]) + "\n";
		}
		// Only vectors are translated.
		text_ += (signal.bits == 1 ? "#{" : "+{") + label + "} " + path(signal) + "\n";
	}
	void showPackets(const std::string &label, const WavePackets &packets) override
	{
		if (!filtered_) {
			return;
		}
		flags(RightJustified | Hexadecimal | TransactionFilter);
		text_ += "[transaction_args] \"" + packets.valid.name + " " + packets.first.name + " " +
			 std::to_string(packets.port) + " " + packets.header.name + "\"\n^<1 " + paths_.filter() +
			 "\n#{" + label + "}" + wire(packets.valid) + wire(packets.first) + wire(packets.header) + "\n";
	}

      private:
	void flags(uint64_t wanted)
	{
		std::array<char, 24> line;

		std::snprintf(line.data(), line.size(), "@%llx\n", static_cast<unsigned long long>(wanted));
		text_ += line.data();
	}
	void comment(const std::string &words)
	{
		flags(Blank);
		text_ += "-" + words + "\n";
	}

	std::vector<NameTable> tables_;
	const WavePaths &paths_;
	bool filtered_;
	std::string text_;
};

} // namespace

std::string gtkwaveSave(const xt_profile_t &profile, const WavePaths &paths, const std::vector<unsigned> &cards,
	const std::vector<xt_peer_t> &peers)
{
	GtkwaveView view(profile, paths);

	for (unsigned card : cards) {
		showCard(view, profile, card, peers.data() + static_cast<size_t>(card) * profile.link_ports);
	}
	return view.text();
}
