package flight

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow/flight"
)

// sessionOptions are the options of a session. They are constants, since each query is for itself: a client may
// set what holds anyway, as the JDBC driver does with the catalog of its address.
var sessionOptions = map[string]string{"catalog": "fleet", "schema": "main"}

// SetSessionOptions accepts the options that hold anyway, and says of each other one that there is no such
// option or that it has no such value.
func (s *service) SetSessionOptions(_ context.Context, r *flight.SetSessionOptionsRequest) (*flight.SetSessionOptionsResult, error) {
	result := &flight.SetSessionOptionsResult{Errors: map[string]*flight.SetSessionOptionsResultError{}}
	for name, value := range r.GetSessionOptions() {
		switch is, known := sessionOptions[name]; {
		case !known:
			result.Errors[name] = &flight.SetSessionOptionsResultError{Value: flight.SetSessionOptionsResultErrorInvalidName}
		case value.GetOptionValue() != nil && value.GetStringValue() != is:
			result.Errors[name] = &flight.SetSessionOptionsResultError{Value: flight.SetSessionOptionsResultErrorInvalidValue}
		}
	}
	return result, nil
}

// GetSessionOptions sends the options.
func (s *service) GetSessionOptions(context.Context, *flight.GetSessionOptionsRequest) (*flight.GetSessionOptionsResult, error) {
	options := map[string]any{}
	for name, value := range sessionOptions {
		options[name] = value
	}
	values, err := flight.NewSessionOptionValues(options)
	return &flight.GetSessionOptionsResult{SessionOptions: values}, err
}

// CloseSession ends nothing: a session has nothing of its own.
func (s *service) CloseSession(context.Context, *flight.CloseSessionRequest) (*flight.CloseSessionResult, error) {
	return &flight.CloseSessionResult{Status: flight.CloseSessionResultClosed}, nil
}
