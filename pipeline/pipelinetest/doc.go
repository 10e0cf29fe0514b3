// Package pipelinetest makes data directories with a history, for the tests of the packages that read,
// repair and resume one.
package pipelinetest
