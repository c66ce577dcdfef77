// Package redact takes values that look like secrets out of conversations, before anything is made of them. It goes by
// the shape of values: keys and tokens of known vendors, private keys, passwords in connection strings, and values that
// look random under a name that says secret. The word "password" alone is nothing.
//
//	clean, found := redact.Turns([]api.Turn{
//		{Role: "user", Content: "psql postgres://app:Zk7vQ93x@db-2/orders says: too many clients"},
//	})
//	// clean[0].Content: psql postgres://app:[redacted:connection_password]@db-2/orders says: too many clients
//	// found: [{Turn: 0, Kind: "connection_password", Count: 1}]
package redact
