// SPDX-License-Identifier: Apache-2.0
//
// What a viewer shows of a wave file: the signals of each card, by port, with states and packets by name. One
// description serves every viewer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "extorus/profiles.h"
#include "extorus/topology.h"

// A numbered state with names; index into nameTables().
enum class Names { None, LinkState, LinkCause, ErrorKind, AdaptiveSelect, Vc };

struct NameTable {
	std::string name; // of the file, and of the format in Surfer
	unsigned bits;
	std::vector<std::string> values;
};

// One for each of Names but None, in their order.
std::vector<NameTable> nameTables(const xt_profile_t &profile);
// A file that is both a mapping of Surfer and a translation of GTKWave, which takes the first two lines for values that
// never come.
std::string tableText(const NameTable &table);

// A signal of the wave file; `bits` 0: a single wire without a range.
struct WaveSignal {
	std::string scope, name;
	unsigned bits;
};

// Packets at one place: in a cycle with `valid` a cell passes, the head of its packet in one with `first` too. `header`
// begins with the packet's header then. Of `first`, bit `port` counts.
struct WavePackets {
	WaveSignal valid, first, header;
	unsigned port;
};

class WaveView
{
      public:
	virtual ~WaveView() = default;
	virtual void beginGroup(const std::string &name) = 0;
	virtual void endGroup(const std::string &name) = 0;
	virtual void show(const std::string &label, const WaveSignal &signal, Names names) = 0;
	virtual void showPackets(const std::string &label, const WavePackets &packets) = 0;
};

// `peers`: of the card's link ports.
void showCard(WaveView &view, const xt_profile_t &profile, unsigned card, const xt_peer_t *peers);

// Where the files of a view are. `wave` is the absolute path of the wave file, `save` that of GTKWave's save file, and
// `names` the folder of what both viewers translate by.
struct WavePaths {
	std::string wave, save, names;

	explicit WavePaths(const std::string &wavePath);
	std::string table(const NameTable &table) const;
	std::string filter() const;
	std::string fields() const;
	std::string commands() const;
};

// How GTKWave's save file begins if it is from here.
constexpr const char *SaveFileMark = "[*] Written by extorus";
// The text of GTKWave's save file, and of Surfer's command file.
std::string gtkwaveSave(const xt_profile_t &profile, const WavePaths &paths, const std::vector<unsigned> &cards,
	const std::vector<xt_peer_t> &peers);
std::string surferCommands(
	const xt_profile_t &profile, const std::vector<unsigned> &cards, const std::vector<xt_peer_t> &peers);
// What wave_packets.py reads: the header's fields, and the cards by their addresses. NoAddress: the card was given
// none.
constexpr uint32_t NoAddress = UINT32_MAX;
std::string packetFields(const xt_profile_t &profile, const std::vector<uint32_t> &addresses);
