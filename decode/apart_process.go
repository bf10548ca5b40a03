package decode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"example.com/iiifd/decode/plan"
	"example.com/iiifd/source"
)

// DrawCommand is the hidden sub-command under which the program runs
// DrawMain. It takes no arguments.
const DrawCommand = "draw"

// DrawMain makes one drawing for a server that started this process: it reads
// the order from in and the source from descriptor 3, and writes the picture
// to out. Where it fails it returns an error whose text belongs, alone, on the
// standard error. It sets limits on the whole process.
func DrawMain(in io.Reader, out io.Writer) error {
	err := drawOrder(in, out)
	if err == nil {
		return nil
	}
	failed := apartFailure{Kind: Internal, Detail: err.Error()}
	if e, ok := errors.AsType[*Error](err); ok {
		failed = apartFailure{Kind: e.Kind, Detail: e.Detail()}
	}
	text, err := json.Marshal(failed)
	if err != nil {
		return err
	}
	return errors.New(string(text))
}

func drawOrder(in io.Reader, out io.Writer) error {
	var order apartOrder
	if err := json.NewDecoder(in).Decode(&order); err != nil {
		return fmt.Errorf("order: %w", err)
	}
	e, err := Start(order.Config, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	defer e.Close()
	obj, err := lent(os.NewFile(apartSource, "source"), order.Plan.Shape)
	if err != nil {
		return err
	}
	defer obj.Close()
	if err := confineDrawing(order.Plan.Peak()); err != nil {
		return err
	}
	if order.File != "" {
		f, err := os.OpenFile(order.File, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(e.Render(context.Background(), obj, order.Plan, f), f.Close())
	}
	w := bufio.NewWriterSize(out, 64<<10)
	if err := e.Render(context.Background(), obj, order.Plan, w); err != nil {
		return err
	}
	return w.Flush()
}

// lentObject is a source that another process has opened.
type lentObject struct {
	io.ReaderAt
	file *os.File
	info source.Info
}

func (o *lentObject) Info() source.Info { return o.info }

// Path implements source.Object; nothing opens it by its name.
func (o *lentObject) Path() string { return "" }

func (o *lentObject) Close() error { return o.file.Close() }

// Verify implements source.Object. The server looks whether the file changed.
func (o *lentObject) Verify() error { return nil }

// lent takes over a file, or all that comes out of a pipe.
func lent(f *os.File, s plan.Shape) (*lentObject, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	o := &lentObject{ReaderAt: f, file: f, info: source.Info{Size: s.FileSize, Page: s.Page}}
	if fi.Mode().IsRegular() {
		return o, nil
	}
	var all bytes.Buffer
	all.Grow(int(s.FileSize) + bytes.MinRead)
	if _, err := all.ReadFrom(f); err != nil {
		return nil, err
	}
	if int64(all.Len()) != s.FileSize {
		return nil, newError(Corrupt, "the source is cut off", nil)
	}
	o.ReaderAt = bytes.NewReader(all.Bytes())
	return o, nil
}
