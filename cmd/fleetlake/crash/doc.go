// Package crash has tests only: they build the program, and break it on purpose. They kill the real process
// before, in and after any of its system calls and any answer of the service, make its disk fail, fill up or
// disappear, and compare what is there after the command was repeated with a run that nobody disturbed.
//
// They are a package of their own because they take minutes: go test runs packages side by side, and
// gives each ten minutes.
package crash
