package journal

import "io"

// Bounds returns the plan of a segment and its end, which is nil if the run has none. It
// decodes these two entries only.
func Bounds(path string) (*Plan, *End, error) {
	r, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	first, err := r.next()
	if err != nil || first.Plan == nil {
		return nil, nil, ignoreEOF(err)
	}
	var last []byte
	for {
		size, err := r.frame()
		if size == 0 || err != nil { // the end, or a tail that only Read can judge
			break
		}
		last = append(last[:0], r.buf[:size]...)
		r.buf, r.offset = r.buf[size:], r.offset+int64(size)
	}
	if last == nil {
		return first.Plan, nil, nil
	}
	e, err := entryOf(r.dec, last, &r.line)
	if err != nil {
		return first.Plan, nil, nil // the last frame is torn: there is no end
	}
	return first.Plan, e.End, nil
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
