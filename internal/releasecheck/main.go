// Command releasecheck rehearses a release from a clone, before anything is
// published. It needs no network but the module proxy.
//
//	go run ./internal/releasecheck          what make release-check runs
//	go run ./internal/releasecheck -api     writes the exported API into api/
//	go run ./internal/releasecheck -tidy    go mod tidy for every module
//
// A rehearsal takes these steps:
//
//  1. Every module that users install from is packed, in the order of its
//     requirements, into a module proxy of files. The packed go.mod requires the
//     other modules at the version of the rehearsal; go.sum has their sums.
//  2. go mod tidy -diff and go build run in each packed module without go.work,
//     and go mod tidy -diff in each module that serves development.
//  3. The command is installed from an empty directory, and run.
//  4. For each public package, a program that imports nothing else of errclass is
//     built and run in an empty directory. The program for slogclass must stay
//     small in modules.
//  5. The exported API is compared with api/ and with that of the last tag.
//
// The version of a rehearsal is never used twice, and its files are removed from
// the module cache at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	writeAPI := flag.Bool("api", false, "write the exported API into api/ and stop")
	tidy := flag.Bool("tidy", false, "run go mod tidy for every module and stop")
	keep := flag.Bool("keep", false, "keep the temporary folder and print its name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	if err := run(ctx, *writeAPI, *tidy, *keep); err != nil {
		fmt.Fprintln(os.Stderr, err)
		fmt.Fprintln(os.Stderr, "release check: FAILED")
		stop()
		os.Exit(1) //nolint:gocritic // stop has run
	}
	fmt.Printf("release check: done in %.0f s\n", time.Since(start).Seconds())
}

func run(ctx context.Context, writeAPI, tidy, keep bool) (err error) {
	repo, err := load(ctx)
	if err != nil {
		return err
	}
	if writeAPI {
		return repo.writeAPI(ctx)
	}
	dir, err := os.MkdirTemp("", "errclass-release-")
	if err != nil {
		return err
	}
	r, err := newRehearsal(ctx, repo, dir)
	if err != nil {
		return err
	}
	defer func() {
		if keep {
			fmt.Println("kept:", dir)
			return
		}
		err = errors.Join(err, r.clean())
	}()
	if tidy {
		return r.tidyAll(ctx)
	}
	return r.check(ctx)
}
