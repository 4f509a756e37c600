// Command check rehearses a release in a clone before anything is published. The
// only server that it needs is the module proxy.
//
//	go run ./internal/release/check          rehearse (make release-check)
//	go run ./internal/release/check -api     write the exported API to api/
//	go run ./internal/release/check -tidy    run go mod tidy for every module
//
// A rehearsal has these steps:
//
//  1. Pack every released module into a module proxy on disk. Each module comes
//     after the modules that it requires.
//  2. Check that go mod tidy would change no module. Build each packed module without
//     go.work.
//  3. Install the command from an empty directory, and run it.
//  4. For each public package, build and run a program in a new directory. The
//     program imports no other package of errclass. The program for slogclass
//     must depend on few modules.
//  5. Compare the exported API with api/ and with the last tag.
//
// Each rehearsal packs the modules at a new version. At the end, it removes this version
// from the module cache.
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
	writeAPI := flag.Bool("api", false, "write the exported API to api/ and stop")
	tidy := flag.Bool("tidy", false, "run go mod tidy for every module and stop")
	keep := flag.Bool("keep", false, "keep the temporary directory and print its name")
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
