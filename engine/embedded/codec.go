package embedded

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"sync"

	chcompress "github.com/ClickHouse/ch-go/compress"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// decode undoes a body's Content-Encoding.
func decode(body io.Reader, encoding string) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(body)
	case "deflate":
		return zlib.NewReader(body)
	case "br":
		return brotli.NewReader(body), nil
	case "lz4":
		return lz4.NewReader(body), nil
	case "zstd":
		// One goroutine, so that there is nothing to close.
		return zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	}
	return nil, raise(codeNotImplemented, "NOT_IMPLEMENTED", "Unknown compression method: %s", encoding)
}

// chooseEncoding picks the first encoding of an Accept-Encoding that we write.
func chooseEncoding(accepted string) string {
	for part := range strings.SplitSeq(accepted, ",") {
		name, quality, _ := strings.Cut(part, ";")
		if q := strings.TrimSpace(quality); q == "q=0" || q == "q=0.0" {
			continue
		}
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "gzip", "deflate", "br", "lz4", "zstd":
			return name
		}
	}
	return ""
}

// flusher is a compressing writer.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// gzips are writers to be used again: a new one takes 800 KB, and most answers are a few rows.
type gzips struct{ idle sync.Pool }

// writer is one that is idle, or a new one.
func (g *gzips) writer(to io.Writer) (flusher, error) {
	if w, ok := g.idle.Get().(*gzip.Writer); ok {
		w.Reset(to)
		return &gzipWriter{w, g}, nil
	}
	w, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	return &gzipWriter{w, g}, err
}

// gzipWriter is another's once it is closed.
type gzipWriter struct {
	w    *gzip.Writer
	from *gzips
}

func (g *gzipWriter) Write(data []byte) (int, error) {
	if g.w == nil {
		return 0, io.ErrClosedPipe
	}
	return g.w.Write(data)
}

func (g *gzipWriter) Flush() error {
	if g.w == nil {
		return io.ErrClosedPipe
	}
	return g.w.Flush()
}

func (g *gzipWriter) Close() error {
	if g.w == nil {
		return nil
	}
	err := g.w.Close()
	g.from.idle.Put(g.w)
	g.w = nil
	return err
}

// encode wraps a writer in an encoding chooseEncoding returned.
func (g *gzips) encode(w io.Writer, encoding string) (flusher, error) {
	switch encoding {
	case "gzip":
		return g.writer(w)
	case "deflate":
		return zlib.NewWriterLevel(w, zlib.BestSpeed)
	case "br":
		return brotli.NewWriterLevel(w, brotli.BestSpeed), nil
	case "lz4":
		return lz4.NewWriter(w), nil
	default:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	}
}

// blockWriter writes ClickHouse's own compressed blocks (compress=1).
type blockWriter struct {
	to         io.Writer
	compressor *chcompress.Writer
}

func newBlockWriter(to io.Writer, useZSTD bool) *blockWriter {
	method := chcompress.LZ4
	if useZSTD {
		method = chcompress.ZSTD
	}
	return &blockWriter{to: to, compressor: chcompress.NewWriter(chcompress.Level(0), method)}
}

// maxBlock is how much goes into one compressed block; a reader holds one whole.
const maxBlock = 1 << 20

func (b *blockWriter) Write(data []byte) (int, error) {
	written := 0
	for len(data) > 0 {
		piece := data[:min(len(data), maxBlock)]
		if err := b.compressor.Compress(piece); err != nil {
			return written, err
		}
		if _, err := b.to.Write(b.compressor.Data); err != nil {
			return written, err
		}
		written += len(piece)
		data = data[len(piece):]
	}
	return written, nil
}

func (b *blockWriter) Flush() error { return nil }
func (b *blockWriter) Close() error { return nil }
