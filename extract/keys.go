package extract

import "sync"

// keys is the key of the service, which may be replaced while requests are in flight.
type keys struct {
	service Service
	mu      sync.Mutex
	current *key
}

// key is a key, with what removes it from texts.
type key struct {
	text     string
	redactor *redactor
}

func newKey(text string) *key { return &key{text, newRedactor(text)} }

// newKeys reads the key.
func newKeys(s Service) *keys {
	k := &keys{service: s, current: newKey(s.Key)}
	k.read()
	return k
}

// now returns the key to send with.
func (k *keys) now() *key {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current
}

// renewed reports whether a request was refused for its key, and there is another one by now, with which it may be sent
// once more: a 401 costs nothing. The key is read again unless an earlier refusal has already brought another.
func (k *keys) renewed(refused *Error) bool {
	if refused.Outcome != OutcomeUnauthorized || refused.key == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == refused.key {
		if k.read(); k.current != refused.key {
			k.service.Log.Warn("the service refused the key; there is a new one, which is used from now on")
		}
	}
	return k.current != refused.key
}

// read replaces the key if there is another one. One that cannot be read, as while its file is replaced, stays.
func (k *keys) read() {
	if k.service.ReadKey == nil {
		return
	}
	switch text, err := k.service.ReadKey(); {
	case err != nil:
		k.service.Log.Warn("the key cannot be read again: the one before stays in use", "error", err)
	case text != k.current.text:
		k.current = newKey(text)
	}
}
