import { useQuery } from '@tanstack/react-query'
import type { ImportPreview as Preview, PreviewedFile } from '#core/contract/import.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import table from '#renderer/ui/styles/text-table.module.css'
import { fileNameOf, formatBytes, formatCount, plainName, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './import-preview.module.css'

type Props = {
  readonly paths: readonly string[]
  readonly onImport: (paths: readonly string[]) => void
  readonly onBack: () => void
}

/** What an import would add, shown before anything is written. */
export function ImportPreview({ paths, onImport, onBack }: Props) {
  const preview = useQuery(api.machine.previewImport.queryOptions({ input: { paths: [...paths] } }))
  if (preview.error !== null)
    return <ErrorState error={preview.error} actions={<Button onClick={onBack}>Back</Button>} />
  if (preview.data === undefined)
    return (
      <main className={styles.main}>
        <Loading what="what the transcripts hold" lines={6} />
        <div className={styles.actions}>
          <Button onClick={onBack}>Back</Button>
        </div>
      </main>
    )
  const usable = preview.data.files.filter((file) => file.format !== null)
  return (
    <main className={styles.main}>
      <div>
        <h2 className={styles.title}>{headline(preview.data, usable)}</h2>
        <p className="dim">
          They come into a memory of their own; the transcripts stay as they are. Compactions that the agent made itself
          become summaries of what they replaced, so that it shows what the agent forgot.
        </p>
      </div>
      <div className={styles.scroller}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">session</th>
              <th scope="col">format</th>
              <th scope="col" className={table.number}>
                messages
              </th>
              <th scope="col" className={table.number}>
                compactions
              </th>
              <th scope="col" className={table.number}>
                size
              </th>
              <th scope="col" className={table.number}>
                began
              </th>
            </tr>
          </thead>
          <tbody>
            {preview.data.files.map((file) => (
              <FileRow key={file.path} file={file} />
            ))}
          </tbody>
        </table>
      </div>
      {(preview.data.notLookedAt > 0 || preview.data.passedOverCount > 0) && (
        <p className="dim">
          {preview.data.notLookedAt > 0 &&
            `${plural(preview.data.notLookedAt, 'more file')} could not be looked at in so short a time: what of them is a transcript comes in as well. `}
          {preview.data.passedOverCount > 0 && passedOverText(preview.data.passedOverCount)}
        </p>
      )}
      <div className={styles.actions}>
        <Button
          look="primary"
          disabled={usable.length + preview.data.notLookedAt === 0}
          onClick={() => onImport(paths)}
        >
          Import {plural(usable.length + preview.data.notLookedAt, 'file')}
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </main>
  )
}

const passedOverText = (count: number): string =>
  count === 1
    ? '1 file of the folder is no transcript and is left alone.'
    : `${formatCount(count)} files of the folder are no transcripts and are left alone.`

function headline({ files, notLookedAt }: Preview, usable: readonly PreviewedFile[]): string {
  if (usable.length === 0 && notLookedAt > 0) return `${plural(notLookedAt, 'file')} that may be transcripts`
  if (usable.length === 0) return `Nothing here can be imported: ${files[0]?.error ?? 'no transcript was found'}`
  const messages = usable.reduce((sum, file) => sum + file.messages, 0)
  const least = usable.some((file) => file.isAtLeast) ? 'at least ' : ''
  const more = notLookedAt > 0 ? `, and ${plural(notLookedAt, 'more file')}` : ''
  return `${plural(usable.length, 'transcript')} with ${least}${plural(messages, 'message')}${more}`
}

function FileRow({ file }: { readonly file: PreviewedFile }) {
  const title = file.title ?? file.cwd ?? file.sessionId
  return (
    <tr>
      <th scope="row" title={file.path}>
        <span className={styles.name}>
          <bdi>{plainName(title ?? fileNameOf(file.path))}</bdi>
        </span>
        <span className={styles.path}>
          <bdi>{plainName(fileNameOf(file.path))}</bdi>
        </span>
      </th>
      <td>
        {file.format === null ? (
          <span className={styles.error}>{file.error ?? 'no transcript'}</span>
        ) : (
          <>
            <Chip>{file.label ?? file.format}</Chip> {file.stored !== null && <Chip tone="fine">known</Chip>}
            {file.newer !== null && (
              <span className={styles.path}>
                version {file.newer.written}, tried up to {file.newer.tried}
              </span>
            )}
          </>
        )}
      </td>
      <td className={table.number}>
        {file.format !== null && `${file.isAtLeast ? '≥ ' : ''}${formatCount(file.messages)}`}
      </td>
      <td className={table.number}>{file.compactions > 0 && formatCount(file.compactions)}</td>
      <td className={table.number}>{formatBytes(file.bytes)}</td>
      <td className={table.number}>{file.firstAtMs !== null && <TimeText atMs={file.firstAtMs} />}</td>
    </tr>
  )
}
