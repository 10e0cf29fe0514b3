// Package turns shares what only a few may use at a time, so that no client waits for another one's flood.
//
// A client may take one more place only while it has fewer than are free. So one client alone has half of the places
// at most, two have three quarters, and the last place is for one that has none. The same holds for the places of
// those who wait. A place that becomes free goes to who has waited longest of those who may have it.
//
// A client is a name: that of a token, or an address. The caller puts it into the context of a request.
package turns
