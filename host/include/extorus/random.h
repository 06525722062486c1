/* SPDX-License-Identifier: Apache-2.0
 *
 * Pseudo-random numbers: xoshiro256** (Blackman and Vigna, public domain), one independent stream per
 * user, seeded by splitmix64. */
#ifndef EXTORUS_RANDOM_H
#define EXTORUS_RANDOM_H

#include <stdint.h>

typedef struct {
	uint64_t s[4];
} xt_random_t;

/* splitmix64's output function: a good hash of 64 bits. */
static inline uint64_t xt_mix64(uint64_t z)
{
	z += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline void xt_random_seed(xt_random_t *random, uint64_t seed, uint64_t stream)
{
	uint64_t state = xt_mix64(seed) ^ xt_mix64(~stream);

	for (int i = 0; i < 4; i++) {
		random->s[i] = xt_mix64(state);
		state += 0x9e3779b97f4a7c15u;
	}
}

static inline uint64_t xt_random_next(xt_random_t *random)
{
	uint64_t *s = random->s;
	uint64_t x = s[1] * 5;
	uint64_t t = s[1] << 17;

	x = ((x << 7) | (x >> 57)) * 9;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return x;
}

/* Uniform in 0 .. n-1, n > 0; the bias is below n / 2^32. */
static inline uint32_t xt_random_below(xt_random_t *random, uint32_t n)
{
	return (uint32_t)(((xt_random_next(random) >> 32) * n) >> 32);
}

/* Uniform in [0, 1), by 2^53: C++14 has no hexadecimal fractions. */
static inline double xt_random_unit(xt_random_t *random)
{
	return (double)(xt_random_next(random) >> 11) / 9007199254740992.0;
}

#endif
