// SPDX-License-Identifier: Apache-2.0
#include "shape.hpp"

#include "failure.hpp"

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

static Shape make_shape()
{
	Shape s{};
	const xt_profile_t *p = xt_profile_find(STRING(XT_PROFILE));
	xt_diag_t diag{};

	if (!p || xt_profile_check(p, &diag) != XT_OK) {
		fail("profile " STRING(XT_PROFILE) " cannot be used: %s", p ? diag.text : "it is not built in");
	}
	s.profile = p;
	s.header = xt_profile_header(p);
	s.frame = xt_profile_frame(p);
	s.hash = xt_profile_hash(p);
	s.features = xt_profile_features(p);
	s.links = p->link_ports;
	s.nics = p->nic_ports;
	s.ports = p->link_ports + p->nic_ports;
	s.tcs = p->tcs;
	s.vcs = xt_profile_vcs(p);
	s.vc_bits = xt_profile_vc_bits(p);
	s.cell_bits = p->cell_bits;
	s.cell_words = (p->cell_bits + 31) / 32;
	s.packet_cells = p->packet_cells;
	s.buffer_cells = p->buffer_cells;
	s.reserved = p->reserved_cells;
	s.pool = xt_profile_shared_cells(p);
	for (unsigned t = 0; t < s.tcs; t++) {
		s.first_vc[t] = xt_profile_first_vc(p, t);
		s.vc_count[t] = xt_profile_tc_vcs(p, t);
		s.deterministic[t] = xt_profile_deterministic_vcs(p, t);
		for (unsigned v = 0; v < s.vc_count[t]; v++) {
			s.vc_tc[s.first_vc[t] + v] = t;
		}
	}
	s.grt_entries = 1u << p->grt_bits;
	s.lrt_entries = 1u << p->lrt_bits;
	return s;
}

unsigned Shape::length_class(unsigned cells) const
{
	for (unsigned i = 0; i < profile->length_classes; i++) {
		if (profile->length_class[i] >= cells) {
			return profile->length_class[i];
		}
	}
	return packet_cells;
}

const Shape &shape()
{
	static const Shape s = make_shape();
	return s;
}
