// SPDX-License-Identifier: Apache-2.0
#include "wave.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#if VM_TRACE
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "extorus/atomic_file.h"
#include "wave_view.hpp"

namespace
{

constexpr const char *PacketFilter =
#include "wave_packets.inc"
	;

int writeText(const std::string &path, const std::string &text, xt_diag_t *diag)
{
	xt_output_t *output;
	int status = xt_output_open(path.c_str(), &output, diag);

	if (status != XT_OK) {
		return status;
	}
	// The commit reports what is lost.
	std::fwrite(text.data(), 1, text.size(), xt_output_stream(output));
	return xt_output_commit(output, diag);
}

bool isOurs(const std::string &save)
{
	std::ifstream file(save);
	std::string line;

	return !file || (std::getline(file, line) && line.rfind(SaveFileMark, 0) == 0);
}

} // namespace

// Everything but what depends on the addresses.
int Wave::writeNames(xt_diag_t *diag) const
{
	const WavePaths paths(path_);
	int status = xt_make_folder((paths.names + "/.surfer/mappings").c_str(), diag);

	for (const NameTable &table : nameTables(*profile_)) {
		if (status == XT_OK) {
			status = writeText(paths.table(table), tableText(table), diag);
		}
	}
	if (status == XT_OK) {
		status = writeText(paths.filter(), PacketFilter, diag);
	}
	if (status == XT_OK && chmod(paths.filter().c_str(), 0755) != 0) {
		status = xt_fail(diag, XT_ERR_IO, "waves: %.300s: %s", paths.filter().c_str(), std::strerror(errno));
	}
	return status == XT_OK ? writeText(paths.commands(), surferCommands(*profile_, cards_, peers_), diag) : status;
}

int Wave::open(const xt_network_t &network, const std::vector<Vxt_card *> &models, xt_diag_t *diag)
{
	if (!network.wave_path) {
		return XT_OK;
	}
	struct stat info;

	if (stat(network.wave_path, &info) == 0 && S_ISDIR(info.st_mode)) {
		return xt_fail(
			diag, XT_ERR_IO, "waves: %.300s: is a folder; give the name of a file", network.wave_path);
	}
	path_ = network.wave_path;
	temporary_ = path_ + ".part" + std::to_string(getpid());
	from_ = network.wave_from;
	to_ = network.wave_to;
	profile_ = network.profile;
	peers_.assign(network.peers, network.peers + static_cast<size_t>(network.cards) * network.profile->link_ports);
	addresses_.assign(network.cards, NoAddress);
	file_ = std::make_unique<VerilatedFstC>();
	for (unsigned i = 0; i < network.wave_card_count; i++) {
		cards_.push_back(network.wave_cards[i]);
		models[network.wave_cards[i]]->trace(file_.get(), 99);
	}
	file_->open(temporary_.c_str());
	if (!file_->isOpen()) {
		return xt_fail(
			diag, XT_ERR_IO, "waves: cannot write %.300s: %s", temporary_.c_str(), std::strerror(errno));
	}
	const int status = writeNames(diag);

	if (status != XT_OK) {
		file_->close();
		std::remove(temporary_.c_str());
	}
	return status;
}

Wave::~Wave()
{
	if (file_ && file_->isOpen()) {
		file_->close();
		if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
			std::remove(temporary_.c_str());
			return;
		}
		const WavePaths paths(path_);
		xt_diag_t diag;

		// Nobody listens any more; the names folder could be written when the run began.
		if (writeText(paths.fields(), packetFields(*profile_, addresses_), &diag) == XT_OK &&
			isOurs(paths.save)) {
			writeText(paths.save, gtkwaveSave(*profile_, paths, cards_, peers_), &diag);
		}
	}
}

#else

int Wave::open(const xt_network_t &network, const std::vector<Vxt_card *> &, xt_diag_t *diag)
{
	return network.wave_path ? xt_fail(diag, XT_ERR_UNSUPPORTED, "waves: this simulator was built without them")
				 : XT_OK;
}

#endif
