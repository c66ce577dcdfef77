// Package proxy is the MCP server that desktop agents start: it speaks the Model Context Protocol on two streams, is
// pinned to one workspace, and forwards three tools to a memory API.
package proxy
