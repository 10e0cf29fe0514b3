package flight

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow/flight"
	pb "github.com/apache/arrow/go/v17/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// maxArguments is the greatest row of arguments, as an Arrow stream.
const maxArguments = maxMessage

// transport is the Flight service. It handles what the library would decode in this process: arguments,
// whose compressed buffers could claim any size.
type transport struct {
	flight.FlightServer
	sql *service
}

// Handshake answers a client that asks for a bearer token by user and password: with the token itself.
func (t *transport) Handshake(stream flight.FlightService_HandshakeServer) error {
	if _, err := stream.Recv(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if token := tokenOf(stream.Context()); token != "" {
		if err := stream.SetHeader(metadata.Pairs("authorization", "Bearer "+token)); err != nil {
			return err
		}
	}
	return stream.Send(&flight.HandshakeResponse{})
}

// refusedWrite is the answer to whatever would change something.
var refusedWrite = status.Error(codes.Unimplemented, "this server only reads: no updates, no ingestion, no transactions")

// DoPut takes the arguments of a prepared statement. All else that is put would change something.
func (t *transport) DoPut(stream flight.FlightService_DoPutServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	var wrapped anypb.Any
	if err := proto.Unmarshal(first.GetFlightDescriptor().GetCmd(), &wrapped); err != nil {
		return status.Error(codes.InvalidArgument, "the command cannot be read")
	}
	command, err := wrapped.UnmarshalNew()
	if err != nil {
		return status.Error(codes.InvalidArgument, "the command is not known")
	}
	query, ok := command.(*pb.CommandPreparedStatementQuery)
	if !ok {
		return refusedWrite
	}
	arguments, err := readArguments(stream, first)
	if err != nil {
		return err
	}
	if err := t.sql.prepared.bind(callerOf(stream.Context()), query.GetPreparedStatementHandle(), arguments); err != nil {
		return err
	}
	metadata, err := proto.Marshal(&pb.DoPutPreparedStatementResult{PreparedStatementHandle: query.GetPreparedStatementHandle()})
	if err != nil {
		return err
	}
	return stream.Send(&flight.PutResult{AppMetadata: metadata})
}

// readArguments makes an Arrow stream of the messages of a client, which are not looked into.
func readArguments(stream flight.FlightService_DoPutServer, first *flight.FlightData) ([]byte, error) {
	var all []byte
	for data, err := first, error(nil); ; data, err = stream.Recv() {
		if errors.Is(err, io.EOF) {
			return append(all, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0), nil
		}
		if err != nil {
			return nil, err
		}
		if len(data.GetDataHeader()) > 0 { // else it has only a descriptor or metadata
			all = appendMessage(all, data)
		}
		if len(all) > maxArguments {
			return nil, status.Errorf(codes.InvalidArgument, "the arguments have more than %d bytes", maxArguments)
		}
	}
}

// appendMessage writes a message as Arrow's streams have it: a mark, the length of the header, the
// header up to a multiple of 8 bytes, and the body.
func appendMessage(to []byte, data *flight.FlightData) []byte {
	header := data.GetDataHeader()
	padding := -len(header) & 7
	to = append(to, 0xff, 0xff, 0xff, 0xff)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(header)+padding))
	to = append(append(to, header...), make([]byte, padding)...)
	to = append(to, data.GetDataBody()...)
	return append(to, make([]byte, -len(data.GetDataBody())&7)...)
}
