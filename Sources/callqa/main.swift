import ArgumentParser
import Glibc

// A reader that went away (`callqa calls | head`) is no reason to die by signal: write(2) says EPIPE instead.
signal(SIGPIPE, SIG_IGN)
// Nor is a limit on the size of files: write(2) says EFBIG, and the database rolls back.
signal(SIGXFSZ, SIG_IGN)
// What is written here is about people: nobody else may read it unless --mode says so.
ModeOptions.apply(0o600)

exit(Entry.run(Machine.words))
