/* Symbols that the library exports, and results that a caller must check. */
#ifndef PARE_EXPORT_H
#define PARE_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define PARE_API __attribute__((visibility("default")))
#define PARE_NODISCARD __attribute__((warn_unused_result))
#else
#define PARE_API
#define PARE_NODISCARD
#endif

#endif
