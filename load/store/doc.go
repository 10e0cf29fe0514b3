// Package store keeps the objects of an export: in a directory, or in any store that speaks S3.
//
// An object appears whole or not at all, and only where none is: Put never replaces. Replace
// changes a small object, and only the version that its caller has read. Of two writers one wins,
// and the other one learns it: by ErrExists or ErrChanged.
//
// Names that begin with .fleetlake- are the store's own, and in no listing: temporary files, the two
// lock files of a directory, and the object by which an S3 store shows that it knows conditional writes.
//
// # A directory
//
// The content is copied to a temporary name in the directory of its object, synced, linked to its
// own name (a link fails if the name is there; where the file system has no links, a rename under a
// lock), and the directory is synced. Writers hold a shared lock on a file in the root. A temporary
// file that is there while nobody holds that lock is what a killed writer left: Open and List
// remove it. Replace holds a lock of its own, and compares the SHA-256 of the content.
//
// # S3
//
// Up to 16 MiB go in one PUT, more in parts of 16 MiB or more, at most 10,000 of them. Each carries
// two checks that every store knows. The SHA-256 of its bytes is part of the signature
// (x-amz-content-sha256), so that a store which checks signatures checks the content as well.
// Content-MD5 is the check that S3 had first, and the MD5 is the tag of a part by which a resumed
// upload knows what has arrived. x-amz-checksum-sha256 and checksums in trailers would say no more,
// and several stores refuse them. The object carries the SHA-256 of its whole content as metadata.
// Where a store encrypts with keys of its customer, tags are no MD5: a resumed upload sends all
// parts again.
//
// The content is hashed before anything is sent, so that no object has other content than its
// Source says. It is then read from the file as it is sent: memory does not grow with the file.
//
// # What a crash leaves
//
//	directory, during Put      a temporary file, which the next Open or List removes
//	directory, during Replace  the earlier content or the new one, and perhaps a temporary file
//	S3, during one PUT         nothing, or the whole object
//	S3, during parts           an unfinished upload: the next Put of that key sends what is missing.
//	                           If there is none, a rule of the bucket (AbortIncompleteMultipartUpload)
//	                           removes it
//
// # Errors that pass
//
// A store that is busy, restarts or loses a connection is asked again, with growing delays, for about
// a minute a request. A PUT of which nobody knows whether it arrived succeeds if the object is there
// with its size and its SHA-256, and is not sent again for ever to a store that refuses it and hangs up. What a person must mend is not tried again, and the error says what
// to do. No error holds a key, a secret or a token.
package store
