import type { ErrorCode, ErrorInfo } from '../core/contract/error.ts'

/** The title of an error and its next step. The sentence between them comes from the core. */
export type ErrorText = { readonly title: string; readonly next: string }

const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  invalid_argument: {
    title: 'This request cannot be right',
    next: 'Change what was entered and try again.',
  },
  conversation_required: {
    title: 'Which conversation?',
    next: 'Choose one in the list on the left.',
  },
  file_missing: {
    title: 'There is no file at this path',
    next: 'It may have been moved or deleted, or lie on a disk that is not mounted. Choose another one below.',
  },
  file_is_folder: {
    title: 'This is a folder',
    next: 'Choose a memory file inside it.',
  },
  file_not_readable: {
    title: 'The file may not be read',
    next: 'Give yourself read permission to it and to the folders above it, then try again.',
  },
  file_empty: {
    title: 'The file is empty',
    next: 'It holds no byte yet. Its agent may not have written anything; try again once it has.',
  },
  file_truncated: {
    title: 'The file ends too early',
    next: 'Part of it is missing, as after an interrupted copy or download. Copy it again from its origin, or salvage what is there.',
  },
  file_corrupt: {
    title: 'The database is damaged',
    next: 'Its pages do not fit together. Take the newest backup, or salvage what can still be read into a new file.',
  },
  not_a_database: {
    title: 'This is not a database',
    next: 'A memory is an SQLite file. A transcript (.jsonl) can be imported from the welcome page.',
  },
  not_a_memory: {
    title: 'This database is not an agent’s memory',
    next: 'Its tables are none that is known here. Check that it is the memory file and not another database beside it.',
  },
  unsupported_system: {
    title: 'This system’s memory cannot be opened yet',
    next: 'The file was recognised, but this version has no adapter for it. It was left untouched.',
  },
  newer_version: {
    title: 'The file is newer than this app',
    next: 'Update LCM Inspector to open it.',
  },
  no_memory_open: {
    title: 'No memory is open',
    next: 'Open one from the welcome page.',
  },
  not_found: {
    title: 'Nothing has this id here',
    next: 'It may belong to another conversation or file, or have been removed by the system that wrote it.',
  },
  read_only_dialect: {
    title: 'This file belongs to another system',
    next: 'It is opened read-only and stays as it is. Make a working copy and change that.',
  },
  read_only_file: {
    title: 'This file may not be written',
    next: 'Give yourself write permission to the file and its folder, then open it again.',
  },
  switched_off: {
    title: 'Switched off by LCM_ENABLED',
    next: 'Set LCM_ENABLED to true where it is set (environment or settings), then try again.',
  },
  unsupported: {
    title: 'This file cannot answer that',
    next: 'The system that wrote it does not record what is needed.',
  },
  pattern_too_slow: {
    title: 'This pattern takes too long',
    next: 'Look-around and back-references can take for ever on some texts. Write it without them, or narrow the search.',
  },
  statement_refused: {
    title: 'This statement is refused',
    next: 'A memory is only read here. Write one SELECT; repairs and changes by hand have views of their own.',
  },
  statement_stopped: {
    title: 'The statement was stopped',
    next: 'Narrow it by a WHERE or a LIMIT. Nothing else was held up by it.',
  },
  transcript_unreadable: {
    title: 'The transcript cannot be read',
    next: 'Check that it is a transcript in a supported format and that you may read it.',
  },
  disk_full: {
    title: 'The disk is full',
    next: 'Make room on it and try again; what was written before is sound.',
  },
  model_failed: {
    title: 'No model answers',
    next: 'What was answered before is kept. Settle what the sentence above names, then go on.',
  },
  ledger_refused: {
    title: 'Nothing is written to this ledger',
    next: 'The memory itself is sound, and what is pending stays in it.',
  },
  plan_stale: {
    title: 'The memory has changed since',
    next: 'Nothing was written. Make a new plan and look at it again.',
  },
  message_conflict: {
    title: 'This message is stored with another content',
    next: 'A stored message never changes. Give the changed one an id of its own.',
  },
  server_refused: {
    title: 'The server refused',
    next: 'Check the address, the user and the password, then connect again.',
  },
  server_failed: {
    title: 'The server could not do that',
    next: 'Its log says why. Try again.',
  },
  server_unavailable: {
    title: 'The server cannot be reached',
    next: 'Check that it runs and that this machine may reach it, then try again.',
  },
  conflict: {
    title: 'It was changed meanwhile',
    next: 'Nothing was written. Pull the conversation again and make the change there.',
  },
  sqlite_failed: {
    title: 'The database refused',
    next: 'Try again. If it happens twice, check the memory under Health.',
  },
  grant_expired: {
    title: 'The permission to read has ended',
    next: 'Ask the question again: it gets a new one.',
  },
  grant_exceeded: {
    title: 'The permission to read is used up',
    next: 'Ask a narrower question, or allow more tokens.',
  },
  grant_scope: {
    title: 'This lies outside what may be read',
    next: 'Ask the question of a summary that covers it.',
  },
  cancelled: {
    title: 'Cancelled',
    next: 'What was done until then stays valid.',
  },
  internal: {
    title: 'Something in the app went wrong',
    next: 'This is a mistake of ours. Copy the details into a report, and try again.',
  },
  locked: {
    title: 'Somebody else is at work',
    next: 'Try again in a moment.',
  },
}

/** Returns the title and the next step of an error code. */
export const errorText = (code: ErrorCode): ErrorText => ERROR_TEXTS[code]

const isCode = (value: unknown): value is ErrorCode => typeof value === 'string' && Object.hasOwn(ERROR_TEXTS, value)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Describes anything that was thrown. An error that is not an `LcmError` is internal. */
export function toErrorInfo(error: unknown): ErrorInfo {
  const data = isObject(error) && isObject(error.data) ? error.data : error
  if (isObject(data) && isCode(data.code) && typeof data.message === 'string')
    return {
      code: data.code,
      message: data.message,
      retryable: data.retryable === true,
      ...(isObject(data.details) && { details: data.details }),
    }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message, retryable: false }
}

/** The text that the Copy button of an error puts on the clipboard. */
export function errorReport(info: ErrorInfo): string {
  const details = info.details ? `\n${JSON.stringify(info.details, null, 2)}` : ''
  return `${info.code}: ${info.message}${details}`
}
