//go:build !linux

package main

import "errors"

func mountDisk(string) (func(), error) { return nil, errors.ErrUnsupported }
