// Package cli reads the command line, starts the screen, and does the work of
// --once and of the commands for scripts. It knows neither Kafka client nor
// terminal library: main hands it what it needs as an Env.
//
// A command has a file of its own. It is thin: it connects (program.go), looks
// (look.go), and adds rows to a printer (printer.go), which writes them as a
// table, JSON or CSV from one description of the columns (sheet.go). What a
// change does is decided in model, as for the screen.
//
// Nothing here touches the modes of a terminal or asks it a question: stdout has
// data, stderr has sentences, and exit.go has the exit codes.
package cli
