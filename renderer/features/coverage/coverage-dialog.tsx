import { type FormEvent, useState } from 'react'
import type { CoverageReport } from '#core/contract/coverage.ts'
import { host } from '#renderer/host.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import type { Browse } from '#renderer/ui/data/browse.ts'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { useJob } from '#renderer/ui/data/use-job.ts'
import { KeepButton } from '#renderer/ui/nodes/keep-button.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { JobProgress } from '#renderer/ui/parts/job-progress.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import table from '#renderer/ui/styles/text-table.module.css'
import { fileNameOf, formatCount, plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import styles from './coverage.module.css'
import { type CoverageSection, coverageMarkdown, sectionsOf, verdictOf } from './coverage-sections.ts'

type Props = {
  readonly conversationId: number
  readonly browse: Browse
  readonly onClose: () => void
}

/** Asks for the transcript, compares, and shows the result. */
function CoverageDialog({ conversationId, browse, onClose }: Props) {
  const [path, setPath] = useState('')
  const [isBrowsing, setBrowsing] = useState(false)
  const check = useJob()
  const report = check.job?.result?.kind === 'coverage' ? check.job.result.value : null
  const trimmed = path.trim().replace(/^"(.*)"$/, '$1')
  const compare = () => check.start({ kind: 'coverage', conversationId, path: trimmed, format: 'auto' })
  const choose = async () => {
    if (!host.pickTranscripts) return setBrowsing(true)
    const [chosen] = await host.pickTranscripts()
    if (chosen !== undefined) setPath(chosen)
  }
  if (isBrowsing) {
    const close = () => setBrowsing(false)
    const take = (chosen: string) => {
      setPath(chosen)
      close()
    }
    return browse('Choose the agent’s transcript', take, close)
  }
  return (
    <Dialog
      title="Check against the agent’s transcript"
      width={760}
      onClose={onClose}
      actions={
        report !== null ? (
          <>
            <ExportCoverage report={report} />
            <Button onClick={check.forget}>Another transcript…</Button>
            <Button look="primary" data-autofocus="" onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Close</Button>
            <Button look="primary" disabled={trimmed === '' || check.isRunning} onClick={compare}>
              Compare
            </Button>
          </>
        )
      }
    >
      <div className={styles.body}>
        {report !== null ? (
          <CoverageResult report={report} onLeave={onClose} />
        ) : check.isRunning ? (
          <JobProgress job={check.job} title="Comparing…" />
        ) : (
          <>
            <p>
              Agents keep their own record of a session. This memory is compared with it, message by message: what never
              arrived, what arrived twice, and what differs. Both are only read.
            </p>
            <TranscriptField path={path} onPath={setPath} onChoose={() => void choose()} onSubmit={compare} />
          </>
        )}
        {check.error !== null && <ErrorLine error={check.error} />}
      </div>
    </Dialog>
  )
}

type CoverageResultProps = {
  readonly report: CoverageReport
  /** Called when a message is chosen, which is shown behind the dialog. */
  readonly onLeave: () => void
}

/** What the comparison found, kind by kind. */
function CoverageResult({ report, onLeave }: CoverageResultProps) {
  return (
    <>
      <div>
        <h3 className={styles.verdict} data-ok={report.ok}>
          {verdictOf(report)}
        </h3>
        <p className="dim" title={report.path}>
          {plural(report.inTranscript, 'message')} in {fileNameOf(report.path)}, {formatCount(report.inDatabase)} in the
          memory, {formatCount(report.matched)} of them the same
          {report.skippedLines > 0 &&
            ` · ${plural(report.skippedLines, 'line')} of the transcript not read as messages`}
        </p>
      </div>
      {sectionsOf(report).map((section) => (
        <FindingsTable key={section.title} section={section} onLeave={onLeave} />
      ))}
      {report.notes.map((note) => (
        <p key={note} className="dim">
          {note}
        </p>
      ))}
    </>
  )
}

/** The comparison as a file. */
function ExportCoverage({ report }: { readonly report: CoverageReport }) {
  const name = `${fileNameOf(report.path)}.coverage`
  const save = (ending: string, type: string, text: string) => saveFile(`${name}.${ending}`, new Blob([text], { type }))
  return (
    <Menu
      label="Export the comparison"
      isFramed
      items={[
        { label: 'Markdown, without texts', onSelect: () => save('md', 'text/markdown', coverageMarkdown(report)) },
        {
          label: 'JSON, with excerpts',
          onSelect: () => save('json', 'application/json', JSON.stringify(report, null, 2)),
        },
      ]}
    >
      Export
    </Menu>
  )
}

type TranscriptFieldProps = {
  readonly path: string
  readonly onPath: (path: string) => void
  readonly onChoose: () => void
  readonly onSubmit: () => void
}

/** A path to type or paste, or to choose. */
function TranscriptField({ path, onPath, onChoose, onSubmit }: TranscriptFieldProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (path.trim() !== '') onSubmit()
  }
  return (
    <form className={styles.field} onSubmit={submit}>
      <input
        className={styles.path}
        type="text"
        data-autofocus=""
        placeholder="Path of the transcript: a .jsonl, .json, .md or .traj file"
        aria-label="Path of the transcript"
        spellCheck={false}
        autoComplete="off"
        value={path}
        onChange={(event) => onPath(event.target.value)}
      />
      <Button onClick={onChoose}>Choose…</Button>
    </form>
  )
}

type CheckProps = {
  readonly conversationId: number
  /** Shows the folders of the machine when the host has no file dialog of its own. */
  readonly browse: Browse
}

/** Opens the comparison of a conversation with the agent's own transcript. */
export function CheckAgainstTranscript({ conversationId, browse }: CheckProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)} title="What of the agent’s own transcript never arrived in this memory?">
        Check against transcript…
      </Button>
      {isOpen && <CoverageDialog conversationId={conversationId} browse={browse} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The number of rows on the page. The export has all that are listed. */
const SHOWN = 100

type FindingsTableProps = { readonly section: CoverageSection; readonly onLeave: () => void }

/** Findings of one kind: the line of the transcript, the role, the text, and the message in the memory. */
function FindingsTable({ section, onLeave }: FindingsTableProps) {
  const { title, explanation, count, rows } = section
  const rest = count - Math.min(rows.length, SHOWN)
  return (
    <details className={styles.section} open={section.isFault}>
      <summary>
        {title} · {formatCount(count)}
      </summary>
      <p className="dim">{explanation}</p>
      <table className={classNames(table.table, styles.table)}>
        <thead>
          <tr>
            <th scope="col" className={table.number}>
              line
            </th>
            <th scope="col">{section.roleColumn}</th>
            <th scope="col" className={styles.text}>
              text
            </th>
            {section.messageColumn !== null && <th scope="col">{section.messageColumn}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.key}>
              <td className={table.number}>{row.line === null ? '–' : formatCount(row.line)}</td>
              <td className={classNames(section.roleColumn === 'field' && styles.fieldName)}>{row.role}</td>
              <td className={styles.text}>
                <bdi>
                  <MarkedText text={row.excerpt} />
                </bdi>
                {row.stored !== null && (
                  <>
                    <br />
                    <span className="dim">{row.storedLabel}: </span>
                    <bdi>
                      <MarkedText text={row.stored} />
                    </bdi>
                  </>
                )}
              </td>
              {/* The row is no control. The link in it leaves the dialog. */}
              {section.messageColumn !== null && (
                <td>
                  {row.messageId !== null && <LeavingLink id={row.messageId} onLeave={onLeave} />}
                  {row.messageId !== null && row.stored !== null && (
                    <KeepButton id={row.messageId} sentence={row.excerpt} />
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className="dim">and {formatCount(rest)} more</p>}
    </details>
  )
}

function LeavingLink({ id, onLeave }: { readonly id: string; readonly onLeave: () => void }) {
  return (
    // biome-ignore lint/a11y: the link inside takes the key and the click; this only closes what stands before it
    <span onClick={onLeave}>
      <NodeLink id={id} view="messages" />
    </span>
  )
}
