import Glibc

// A browser that ended is told by write(2), not by a signal.
signal(SIGPIPE, SIG_IGN)
// What is written here may be about people: nobody else may read it.
umask(0o077)

Probe.main()
