// Package cli reads the command line, starts the screen, and does the work of
// --once. It knows neither Kafka client nor terminal library: main hands it
// what it needs as an Env.
//
// --once writes to stdout and stderr and nothing else: it never touches the
// modes of a terminal and never asks one a question.
package cli
