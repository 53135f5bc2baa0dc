import ArgumentParser
import Glibc

// A reader that went away (`callqa calls | head`) is no reason to die by signal: write(2) says EPIPE instead.
signal(SIGPIPE, SIG_IGN)

exit(Entry.run(Array(CommandLine.arguments.dropFirst())))
