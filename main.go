// Command sharetop shows Kafka share groups live in a terminal.
package main

func main() {}
