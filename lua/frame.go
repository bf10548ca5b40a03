package lua

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// frameKind is the first byte of a frame between server and worker.
type frameKind byte

// The frames. All but frameBody and frameContent carry JSON.
const (
	frameSettings frameKind = 'S' // to the worker, once: settings
	frameReady    frameKind = 'Y' // from the worker, once: readyMessage
	frameContent  frameKind = 'I' // to the worker: part of the request's body
	frameStart    frameKind = 'R' // to the worker: startMessage
	frameCancel   frameKind = 'X' // to the worker: the client has left
	frameCall     frameKind = 'C' // from the worker: callMessage
	frameReply    frameKind = 'A' // to the worker: replyMessage
	frameHead     frameKind = 'H' // from the worker: headMessage
	frameBody     frameKind = 'B' // from the worker: part of the response's body
	frameDone     frameKind = 'D' // from the worker: doneMessage
)

// maxFrame bounds a frame's payload, in bytes.
const maxFrame = 4 << 20

// bodyFrame is the largest piece of a body that is sent at once.
const bodyFrame = 64 << 10

var errFrameTooLarge = errors.New("lua: message too large")

// writeFrame writes one frame.
func writeFrame(w io.Writer, kind frameKind, payload []byte) error {
	if len(payload) > maxFrame {
		return errFrameTooLarge
	}
	var head [5]byte
	head[0] = byte(kind)
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload)))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// sendJSON writes a frame with a JSON payload and flushes.
func sendJSON(w *bufio.Writer, kind frameKind, v any) error {
	payload, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := writeFrame(w, kind, payload); err != nil {
		return err
	}
	return w.Flush()
}

// readFrame reads one frame into buf, which grows as needed; the payload is
// valid until the next call with the same buf.
func readFrame(r io.Reader, buf *[]byte) (frameKind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int(binary.BigEndian.Uint32(head[1:]))
	if n > maxFrame {
		return 0, nil, errFrameTooLarge
	}
	if cap(*buf) < n {
		*buf = make([]byte, n)
	}
	payload := (*buf)[:n]
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, fmt.Errorf("lua: cut message: %w", err)
	}
	return frameKind(head[0]), payload, nil
}
