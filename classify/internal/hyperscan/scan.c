//go:build ignore

// scan.c is the other side of main.go: it compiles patterns with Hyperscan and
// scans texts in block mode whenever it is told to.
//
//	scan INPUT
//
// INPUT holds two numbers in text, each followed by a newline: how many
// patterns and how many texts follow. Each of these is its length in bytes, a
// newline and the bytes.
//
// On standard output it says "accepted" and the numbers of the patterns that
// Hyperscan takes. Then every line on standard input is a number of rounds; the
// answer is how many nanoseconds these took over all texts, and how many
// matches were reported in one round.

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hs/hs.h>

// As Go's regexp with (?i): bytes, no dot-all, ^ and $ at the text's ends.
// A pattern is reported once a text, and may match the empty text.
#define FLAGS (HS_FLAG_CASELESS | HS_FLAG_SINGLEMATCH | HS_FLAG_ALLOWEMPTY)

struct bytes {
	char *data;
	size_t len;
};

static void die(const char *what) {
	fprintf(stderr, "scan: %s\n", what);
	exit(1);
}

static void *allocate(size_t n) {
	void *p = malloc(n ? n : 1);
	if (!p)
		die("out of memory");
	return p;
}

static size_t read_number(FILE *f) {
	unsigned long n;
	if (fscanf(f, "%lu", &n) != 1 || fgetc(f) != '\n')
		die("input: a number is missing");
	return n;
}

static struct bytes *read_all(FILE *f, size_t n) {
	struct bytes *all = allocate(n * sizeof *all);
	for (size_t i = 0; i < n; i++) {
		all[i].len = read_number(f);
		all[i].data = allocate(all[i].len + 1);
		if (fread(all[i].data, 1, all[i].len, f) != all[i].len)
			die("input: a text is cut off");
		all[i].data[all[i].len] = 0;
	}
	return all;
}

static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *count) {
	(void)id, (void)from, (void)to, (void)flags;
	++*(unsigned long *)count;
	return 0;
}

// compile builds the database of all patterns that Hyperscan takes and prints
// which these are.
static hs_database_t *compile(struct bytes *patterns, size_t n) {
	const char **exprs = allocate(n * sizeof *exprs);
	unsigned *ids = allocate(n * sizeof *ids), *flags = allocate(n * sizeof *flags);
	unsigned taken = 0;
	hs_database_t *db = NULL;
	hs_compile_error_t *err = NULL;
	for (size_t i = 0; i < n; i++) {
		if (hs_compile(patterns[i].data, FLAGS, HS_MODE_BLOCK, NULL, &db, &err) != HS_SUCCESS) {
			hs_free_compile_error(err);
			continue;
		}
		hs_free_database(db);
		exprs[taken] = patterns[i].data;
		flags[taken] = FLAGS;
		ids[taken++] = i;
	}
	// What each pattern alone may have, a set may not.
	while (taken > 0 && hs_compile_multi(exprs, flags, ids, taken, HS_MODE_BLOCK, NULL, &db, &err) != HS_SUCCESS) {
		if (err->expression < 0)
			die(err->message);
		size_t at = err->expression, behind = taken - at - 1;
		memmove(exprs + at, exprs + at + 1, behind * sizeof *exprs);
		memmove(ids + at, ids + at + 1, behind * sizeof *ids);
		taken--;
		hs_free_compile_error(err);
	}
	if (taken == 0)
		die("no pattern is left");
	printf("accepted");
	for (unsigned i = 0; i < taken; i++)
		printf(" %u", ids[i]);
	printf("\n");
	fflush(stdout);
	free(exprs);
	free(ids);
	free(flags);
	return db;
}

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

int main(int argc, char **argv) {
	if (argc != 2)
		die("usage: scan INPUT");
	FILE *f = fopen(argv[1], "rb");
	if (!f)
		die(strerror(errno));
	size_t n_patterns = read_number(f), n_texts = read_number(f);
	struct bytes *patterns = read_all(f, n_patterns), *texts = read_all(f, n_texts);
	fclose(f);

	hs_database_t *db = compile(patterns, n_patterns);
	hs_scratch_t *scratch = NULL;
	if (hs_alloc_scratch(db, &scratch) != HS_SUCCESS)
		die("no scratch space");

	unsigned long rounds;
	while (scanf("%lu", &rounds) == 1) {
		unsigned long matches = 0;
		uint64_t begin = now();
		for (unsigned long r = 0; r < rounds; r++)
			for (size_t i = 0; i < n_texts; i++)
				if (hs_scan(db, texts[i].data, texts[i].len, 0, scratch, on_match, &matches) != HS_SUCCESS)
					die("hs_scan failed");
		uint64_t took = now() - begin;
		printf("%llu %lu\n", (unsigned long long)took, rounds ? matches / rounds : 0);
		fflush(stdout);
	}
	return 0;
}
