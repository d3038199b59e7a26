package embedded

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

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

// encode wraps a writer in an encoding chooseEncoding returned.
func encode(w io.Writer, encoding string) (flusher, error) {
	switch encoding {
	case "gzip":
		return gzip.NewWriterLevel(w, gzip.BestSpeed)
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
