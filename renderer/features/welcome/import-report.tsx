import type { ImportedFile, ImportResult, NewerVersion } from '#core/contract/import.ts'
import { fileNameOf, formatCount, plural } from '#renderer/ui/texts/format.ts'
import styles from './import-preview.module.css'

/** Lines listed of each file. The count beside them is the whole number. */
const MAX_LINES = 50
const MAX_CONVERSATIONS = 100

/** What was imported and what was not, file by file, line by line. */
export function ImportReport({ result }: { readonly result: ImportResult }) {
  return (
    <section className={styles.report}>
      <h2 className={styles.reportTitle}>
        {plural(result.added, 'message')} imported, {plural(result.skipped, 'line')} left out
      </h2>
      {result.files.map((file) => (
        <FileReport key={file.path} file={file} />
      ))}
    </section>
  )
}

function FileReport({ file }: { readonly file: ImportedFile }) {
  const rest = file.skippedCount - Math.min(MAX_LINES, file.skipped.length)
  const notes = notesOf(file)
  return (
    <details className={styles.file} open={notes.length > 0}>
      <summary title={file.path}>
        <span className={styles.reportName}>{fileNameOf(file.path)}</span>
        <span>
          {file.conversationCount > 1 && `${plural(file.conversationCount, 'conversation')}: `}
          {file.error ?? `${formatCount(file.added)} added`}
          {file.alreadyThere > 0 && `, ${formatCount(file.alreadyThere)} known before`}
          {file.completed > 0 && ` (${formatCount(file.completed)} of them complete now)`}
          {file.conflicts > 0 && `, ${plural(file.conflicts, 'conflict')} with what was there`}
          {file.skippedCount > 0 && `, ${plural(file.skippedCount, 'line')} left out`}
        </span>
      </summary>
      {notes.map((note) => (
        <p key={note} className={styles.fileNote}>
          {note}
        </p>
      ))}
      <ul className={styles.lines}>
        {file.conversations.slice(0, MAX_CONVERSATIONS).map(({ conversationId, title, added }) => (
          <li key={conversationId}>
            <span>conversation {formatCount(conversationId)}</span> {title ?? 'without a title'}, {formatCount(added)}{' '}
            added
          </li>
        ))}
        {file.conversationCount > MAX_CONVERSATIONS && (
          <li>and {plural(file.conversationCount - MAX_CONVERSATIONS, 'more conversation')}</li>
        )}
      </ul>
      <ol className={styles.lines}>
        {file.skipped.slice(0, MAX_LINES).map(({ line, reason }) => (
          <li key={line}>
            <span>line {formatCount(line)}</span> {reason}
          </li>
        ))}
        {rest > 0 && <li>and {formatCount(rest)} more</li>}
      </ol>
    </details>
  )
}

/** What is to be known of a file although all of it was read. */
const notesOf = ({ newer, brokenChains = [], conversationCount }: ImportedFile): readonly string[] => [
  ...(newer === null ? [] : [newerText(newer)]),
  ...brokenChains.map(({ conversationId, text }) => {
    const said = conversationCount > 1 ? `Conversation ${formatCount(conversationId)}: ${text}` : text
    return `${said.charAt(0).toUpperCase()}${said.slice(1)}. Window shows what a resume would load.`
  }),
]

const newerText = ({ written, tried }: NewerVersion): string =>
  `Version ${written} wrote it, and the newest that was tried is ${tried}. Coverage says whether all of it is there.`

/** Returns whether every line of every file was imported, and nothing else is to be known of them. */
export const isSound = (result: ImportResult): boolean =>
  result.files.every(
    (file) => file.error === null && file.skippedCount === 0 && file.conflicts === 0 && notesOf(file).length === 0,
  )
