package search

// Query is what a person asked for, as words to look up.
type Query struct {
	// Terms are the analysed words, stop words dropped, without repeats. Each is plain letters and digits: none of
	// them is syntax to any index.
	Terms []string
}
