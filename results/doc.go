// Package results is what is left of a run or a sweep: the folder on disk, the JSON object of the
// last line of output, the story of a violation, the tables on a terminal, JUnit XML and Markdown.
//
// It holds plain, written forms. It knows the history and what the invariants are called, and
// nothing of worlds or faults; the runner fills the forms in. Everything shown to a person or a parser is escaped here.
package results
