// SPDX-License-Identifier: Apache-2.0
#include "wave.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#if VM_TRACE
#include <sys/stat.h>
#include <unistd.h>

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
	return XT_OK;
}

Wave::~Wave()
{
	if (file_ && file_->isOpen()) {
		file_->close();
		if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
			std::remove(temporary_.c_str());
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
