package eval

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// CrossValidate runs the trainer in dir/cmd/train with the go command. It returns the
// trainer's cross-validated predictions. For each message, the model was trained
// without messages of the same product. Messages of the trainer and of the go command
// go to stderr.
func CrossValidate(dir string, stderr io.Writer) (Predictions, error) {
	if info, err := os.Stat(filepath.Join(dir, "cmd", "train")); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: no folder cmd/train, so no trainer; cross-validation needs the folder corpus of a clone", dir)
	}
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("cross-validation runs the trainer with the go command: %w", err)
	}
	const trainer = "go run ./cmd/train -predictions -"
	cmd := exec.Command(path, "run", "./cmd/train", "-predictions", "-")
	cmd.Dir = dir
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", dir, trainer, err)
	}
	return ReadPredictions(bytes.NewReader(out), fmt.Sprintf("%s: %s", dir, trainer))
}
