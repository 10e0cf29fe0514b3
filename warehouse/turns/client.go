package turns

import (
	"context"
	"net"
	"net/netip"
)

type clientKey struct{}

// For returns a context for a client.
func For(ctx context.Context, client string) context.Context {
	return context.WithValue(ctx, clientKey{}, client)
}

// Client is for whom a context is; "" is the program itself, and any caller that gave no name.
func Client(ctx context.Context) string {
	name, _ := ctx.Value(clientKey{}).(string)
	return name
}

// networkBits are those of an IPv6 address that name a network: who has one has all of its addresses.
const networkBits = 64

// OfAddress is the name of a client that has no other: its address without the port, and of IPv6 its network.
func OfAddress(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		if network, err := ip.Prefix(networkBits); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
