// Package search turns text into the words that are indexed, queries into the words that are looked up, and candidates
// into an order.
package search
