package fingerprint

import (
	"encoding/binary"
	"math/bits"
)

// These are the primes of xxHash.
const (
	prime1 uint64 = 11400714785074694791
	prime2 uint64 = 14029467366897019727
	prime3 uint64 = 1609587929392839161
	prime4 uint64 = 9650029242287828579
	prime5 uint64 = 2870177450012600261
)

// stripe is the number of bytes that xxHash processes in one step.
const stripe = 32

// digest computes the hash XXH64 with seed 0:
// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
type digest struct {
	lanes [4]uint64
	size  int       // bytes written
	n     int       // bytes in buf
	buf   [256]byte // bytes that are not hashed yet
}

// start makes an empty digest ready for use.
func (d *digest) start() {
	p1, p2 := prime1, prime2 // constants must not overflow
	d.lanes = [4]uint64{p1 + p2, p2, 0, -p1}
}

func (d *digest) write(text string) {
	d.size += len(text)
	for {
		n := copy(d.buf[d.n:], text)
		d.n += n
		if n == len(text) {
			return
		}
		text = text[n:]
		d.readStripes()
	}
}

// readStripes hashes the full stripes of the buffer and keeps the remaining bytes.
func (d *digest) readStripes() {
	b := d.buf[:d.n]
	v0, v1, v2, v3 := d.lanes[0], d.lanes[1], d.lanes[2], d.lanes[3]
	for ; len(b) >= stripe; b = b[stripe:] {
		v0 = round(v0, binary.LittleEndian.Uint64(b))
		v1 = round(v1, binary.LittleEndian.Uint64(b[8:]))
		v2 = round(v2, binary.LittleEndian.Uint64(b[16:]))
		v3 = round(v3, binary.LittleEndian.Uint64(b[24:]))
	}
	d.lanes = [4]uint64{v0, v1, v2, v3}
	d.n = copy(d.buf[:], b)
}

// sum returns the hash of all written bytes. The digest must not be used afterwards.
func (d *digest) sum() uint64 {
	h := prime5
	if d.size >= stripe {
		d.readStripes()
		h = bits.RotateLeft64(d.lanes[0], 1) + bits.RotateLeft64(d.lanes[1], 7) +
			bits.RotateLeft64(d.lanes[2], 12) + bits.RotateLeft64(d.lanes[3], 18)
		for _, lane := range d.lanes {
			h = (h^round(0, lane))*prime1 + prime4
		}
	}
	h += uint64(d.size)
	b := d.buf[:d.n]
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^round(0, binary.LittleEndian.Uint64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

func round(lane, input uint64) uint64 {
	return bits.RotateLeft64(lane+input*prime2, 31) * prime1
}
