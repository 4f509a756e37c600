package main

import (
	"context"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/errclass/errclass/internal/release/workspace"
)

// exported returns the exported API of each public package. The keys are the names of
// the files in api/. Each value has one line for each exported name, method and field.
func (repo *repository) exported(ctx context.Context) (map[string]string, error) {
	public, err := repo.public(ctx)
	if err != nil {
		return nil, err
	}
	api := map[string]string{}
	for _, work := range workspace.Dirs {
		some := slices.DeleteFunc(slices.Clone(public), func(p pkg) bool { return p.work != work })
		if len(some) == 0 {
			continue
		}
		files, err := repo.exports(ctx, work, some)
		if err != nil {
			return nil, err
		}
		compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
			return os.Open(files[path])
		})
		for _, p := range some {
			typed, err := compiled.Import(p.ImportPath)
			if err != nil {
				return nil, err
			}
			name := strings.TrimPrefix(p.ImportPath, root+"/")
			api["api/"+name+".txt"] = strings.Join(lines(typed), "\n") + "\n"
		}
	}
	return api, nil
}

// exports maps the import paths of packages to their files of export data. work is a
// directory with a go.work.
func (repo *repository) exports(ctx context.Context, work string, public []pkg) (map[string]string, error) {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, p := range public {
		args = append(args, p.ImportPath)
	}
	out, err := repo.goOutput(ctx, work, args...)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return files, nil
}

// lines returns the lines that describe the exported API of p.
func lines(p *types.Package) []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	relative := types.RelativeTo(p)
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Const:
			add("const %s %s = %s", name, types.TypeString(object.Type(), relative), object.Val())
		case *types.TypeName:
			describe(object, relative, add)
		default:
			add("%s", types.ObjectString(object, relative))
		}
	}
	slices.Sort(all)
	return all
}

// describe adds the lines for a type, its exported fields and its methods.
func describe(object *types.TypeName, relative types.Qualifier, add func(string, ...any)) {
	name := object.Name()
	fields, ok := object.Type().Underlying().(*types.Struct)
	if !ok || object.IsAlias() {
		add("%s", types.ObjectString(object, relative))
	} else {
		head, _, _ := strings.Cut(types.ObjectString(object, relative), " struct{")
		add("%s struct", head)
		for field := range fields.Fields() {
			if field.Exported() {
				add("field %s.%s %s", name, field.Name(), types.TypeString(field.Type(), relative))
			}
		}
	}
	if object.IsAlias() || types.IsInterface(object.Type()) {
		return
	}
	values := types.NewMethodSet(object.Type())
	for method := range types.NewMethodSet(types.NewPointer(object.Type())).Methods() {
		f := method.Obj()
		if !f.Exported() {
			continue
		}
		receiver := name
		if values.Lookup(f.Pkg(), f.Name()) == nil {
			receiver = "*" + name
		}
		signature := strings.TrimPrefix(types.TypeString(method.Type(), relative), "func")
		add("method (%s) %s%s", receiver, f.Name(), signature)
	}
}

// writeAPI replaces the files in api/.
func (repo *repository) writeAPI(ctx context.Context) error {
	api, err := repo.exported(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(repo.dir, "api")); err != nil {
		return err
	}
	for name, text := range api {
		name = filepath.Join(repo.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compareAPI compares the exported API with api/ and with the last release. From v1 on,
// the API must have every line of the last release, unless the major version is new.
func (repo *repository) compareAPI(ctx context.Context) error {
	api, err := repo.exported(ctx)
	if err != nil {
		return err
	}
	kept, err := repo.keptAPI()
	if err != nil {
		return err
	}
	if changes := append(prefixed("-", missing(kept, api)), prefixed("+", missing(api, kept))...); len(changes) > 0 {
		return fmt.Errorf("it differs from api/. If that is intended, run make api and commit:\n%s", strings.Join(changes, "\n"))
	}
	tag, last, err := repo.lastAPI(ctx)
	if err != nil || tag == "" {
		return err
	}
	gone := prefixed("-", missing(last, api))
	fmt.Printf("              %d lines of the API of %s changed or removed\n", len(gone), tag)
	if len(gone) == 0 {
		return nil
	}
	text := strings.Join(gone, "\n")
	if major := semver.Major(tag); major != "v0" && major == semver.Major(repo.base) {
		return fmt.Errorf("%s lacks these lines of %s, so programs that use them would not compile:\n%s", repo.base, tag, text)
	}
	fmt.Println(text)
	return nil
}

// keptAPI reads the files in api/.
func (repo *repository) keptAPI() (map[string]string, error) {
	kept := map[string]string{}
	err := filepath.WalkDir(filepath.Join(repo.dir, "api"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(repo.dir, name)
		kept[filepath.ToSlash(relative)] = string(data)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	return kept, err
}

// lastAPI reads the files in api/ of the last release. Before the first release, tag
// is "".
func (repo *repository) lastAPI(ctx context.Context) (tag string, api map[string]string, err error) {
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = repo.dir
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w", args[0], err)
		}
		return string(out), nil
	}
	out, err := git("tag", "--list", "v*", "--merged", "HEAD")
	if err != nil {
		return "", nil, err
	}
	tags := slices.DeleteFunc(strings.Fields(out), func(t string) bool { return !semver.IsValid(t) })
	if len(tags) == 0 {
		fmt.Println("              no earlier release to compare with")
		return "", nil, nil
	}
	tag = slices.MaxFunc(tags, semver.Compare)
	names, err := git("ls-tree", "-r", "--name-only", tag, "api/")
	if err != nil {
		return "", nil, err
	}
	api = map[string]string{}
	for name := range strings.Lines(names) {
		name = strings.TrimSpace(name)
		if api[name], err = git("show", tag+":"+name); err != nil {
			return "", nil, err
		}
	}
	return tag, api, nil
}

// missing compares each file in a with the file of the same name in b. It returns the
// lines that only the file in a has. The name of the file precedes each line.
func missing(a, b map[string]string) []string {
	var all []string
	for name, text := range a {
		has := strings.Split(b[name], "\n")
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); !slices.Contains(has, line) {
				all = append(all, name+": "+line)
			}
		}
	}
	slices.Sort(all)
	return all
}

func prefixed(prefix string, lines []string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = prefix + line
	}
	return all
}
