package extract

import (
	"context"
	"net/url"

	"github.com/fleetlake/fleetlake/extract/api"
)

// acceptedTries is how often the lists are requested: without them a run uses the documented ones.
const acceptedTries = 2

// ReadAccepted requests, free of charge, the lists of accepted types and countries: the service
// answers a value that it refuses with the complete list. It returns an *Error without an answer,
// and another error for an answer without lists, or with lists of impossible size.
func (c *Client) ReadAccepted(ctx context.Context) (api.Accepted, error) {
	free := api.ByType
	free.Credits = 0 // whatever the answer is: the service finds nothing that it could bill
	r := api.Request{Operation: free, Parameters: url.Values{"type_specific": {api.RefusedValue},
		"country": {api.RefusedValue}}, WantsRefusal: true}
	var a Answer
	var err error
	for range acceptedTries {
		if a, err = c.once(ctx, r); err == nil || Judge(err) != Wait || Pause(ctx, backoffBase, nil) != nil {
			break
		}
	}
	if err != nil {
		return api.Accepted{}, err
	}
	body, err := a.Entry.RawBody()
	if err != nil {
		return api.Accepted{}, err
	}
	return api.ParseAccepted(body)
}
