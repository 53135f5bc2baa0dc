import ArgumentParser
import Glibc

// When a reader goes away (`callqa calls | head`), write(2) should return EPIPE instead of killing the process.
signal(SIGPIPE, SIG_IGN)
// When a file exceeds the size limit, write(2) should return EFBIG, so that the database can roll back.
signal(SIGXFSZ, SIG_IGN)
// Output contains personal data, so only the owner can read it unless --mode says otherwise.
ModeOptions.apply(0o600)

exit(Entry.run(Machine.words))
