// SPDX-License-Identifier: BSD-2-Clause

package dtrace

/*
#include <dtrace.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// Errors of calls at the wrong time.
var (
	// ErrClosed is returned by every call after Close. It is also an fs.ErrClosed.
	ErrClosed = fmt.Errorf("dtrace: the tracer is closed: %w", fs.ErrClosed)
	// ErrNotStarted is returned by Stop before Go.
	ErrNotStarted = errors.New("dtrace: the trace has not started")
)

// Error is what the library refused, in its own words. Every error of the library is one or wraps one.
// errors.Is(err, fs.ErrPermission) tells whether rights are missing.
type Error struct {
	Errno   int
	Message string
}

func (e *Error) Error() string { return "dtrace: " + e.Message }

// Is makes a lack of rights an fs.ErrPermission.
func (e *Error) Is(target error) bool {
	return target == fs.ErrPermission && e.Errno == C.EDT_ACCESS
}

// CompileError says that a program is wrong. Line and Column count from 1; 0: the error has no place.
type CompileError struct {
	Err          *Error
	Line, Column int
	Excerpt      string // the line, with a mark under the place
}

func (e *CompileError) Error() string {
	text := e.Err.Message
	if e.Line > 0 && !strings.HasPrefix(text, "line ") {
		text = "line " + strconv.Itoa(e.Line) + ": " + text
	}
	if e.Excerpt != "" {
		text += "\n" + e.Excerpt
	}
	return "dtrace: " + text
}

// Unwrap returns the library's error.
func (e *CompileError) Unwrap() error { return e.Err }

// OptionError says that an option is unknown or does not take a value.
type OptionError struct {
	Err    *Error
	Option string
	Hint   string // what may have been meant, or ""
}

func (e *OptionError) Error() string {
	text := "dtrace: option " + e.Option + ": " + e.Err.Message
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns the library's error.
func (e *OptionError) Unwrap() error { return e.Err }

var place = regexp.MustCompile(`(?m)^\s*\S+:(\d+):(\d+) \|`)

// failed is what the last call of the library said. t.mu is held.
func (t *Tracer) failed() *Error {
	n := C.dtrace_errno(t.h)
	return &Error{int(n), C.GoString(C.dtrace_errmsg(t.h, n))}
}

func (t *Tracer) compileFailed() error {
	e := &CompileError{Err: t.failed(), Excerpt: strings.TrimRight(C.GoString(C.dtrace_errexcerpt(t.h)), "\n")}
	if m := place.FindStringSubmatch(e.Excerpt); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Column, _ = strconv.Atoi(m[2])
	}
	return e
}

func (t *Tracer) optionFailed(name string) error {
	return &OptionError{t.failed(), name, strings.TrimSpace(C.GoString(C.dtrace_errexcerpt(t.h)))}
}

// checkText refuses what C would cut off.
func checkText(what, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("dtrace: %s %q has a NUL byte", what, text)
	}
	return nil
}
