// Package machine reads how much memory a process can still take: of the machine, and of the control
// groups (version 1 and 2) that it runs in, of which the tightest counts. It also turns off core files, which
// would have the key. It keeps nothing.
package machine
