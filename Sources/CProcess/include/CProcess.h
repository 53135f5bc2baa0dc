#ifndef CQA_PROCESS_H
#define CQA_PROCESS_H

/// Word `index` of the command line as the loader handed it over, the program's name being 0; NULL behind the last.
const char *_Nullable cqa_argument(int index);
#endif
