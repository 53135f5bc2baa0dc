#ifndef CQA_PROCESS_H
#define CQA_PROCESS_H

/// Word `index` of the command line as the loader handed it over, the program's name being 0; NULL behind the last.
const char *_Nullable cqa_argument(int index);

/// Two paths change places at once, so that neither is ever absent (renameat2, RENAME_EXCHANGE); -1 and errno where the
/// file system cannot.
int cqa_exchange(const char *_Nonnull one, const char *_Nonnull other);
#endif
