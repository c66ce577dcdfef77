package search

import (
	"strings"
	"unicode"
)

// flushDense emits a run of a dense script as pairs of characters. A run of one is a word by itself; in an index
// characters that are often words by themselves are there alone too.
func (a *analyser) flushDense() {
	if len(a.dense) == 0 {
		return
	}
	clusters := a.clusters()
	for i, cluster := range clusters {
		if len(clusters) == 1 || a.purpose == forIndex && standsAlone(cluster) {
			a.emit(cluster)
		}
		if i > 0 {
			a.emit(clusters[i-1] + cluster)
		}
	}
	a.dense = a.dense[:0]
}

// clusters returns the characters of the run, each with its marks.
func (a *analyser) clusters() []string {
	var clusters []string
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			clusters = append(clusters, b.String())
			b.Reset()
		}
	}
	for _, r := range a.dense {
		switch {
		case unicode.IsMark(r):
			if b.Len() < maxWord {
				writeMark(&b, r)
			}
		case unicode.IsLetter(r), unicode.IsNumber(r):
			end()
			b.WriteRune(r)
		}
	}
	end()
	return clusters
}

func standsAlone(cluster string) bool {
	for _, r := range cluster {
		return unicode.In(r, unicode.Han, unicode.Hangul)
	}
	return false
}
