import { useMemo } from 'react'
import { assertNever } from '#renderer/assert-never.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { type EmbeddedFile, isEmbedded, readEmbedded } from '#renderer/ui/pictures/embedded-file.ts'
import { PdfPages } from '#renderer/ui/pictures/pdf-pages.tsx'
import { Picture } from '#renderer/ui/pictures/picture.tsx'
import { formatBytes, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { useFound } from '#renderer/ui/texts/found-texts.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { linesIn } from '#renderer/ui/texts/text-pieces.ts'
import styles from './block-view.module.css'
import type { Block } from './blocks.ts'
import { DiffText } from './diff-text.tsx'
import { Disclosure } from './disclosure.tsx'
import { patchLines } from './edit-diff.ts'
import { useFold } from './folds.tsx'
import type { Look } from './look.ts'
import { PreviewText } from './preview-text.tsx'
import { ToolCall } from './tool-call.tsx'
import { jsonIn } from './tool-line.ts'

/** What a folded text shows of its beginning. */
const FIRST_CHARS = 240

type Props = {
  readonly block: Block
  /** The key of its fold state, unique in the conversation. */
  readonly foldKey: string
  /** How prose is shown. */
  readonly look: Look
  /** True for a result below its call, which is folded to one line. */
  readonly isUnderCall?: boolean
  /** Loads all texts of the message. Set when some of them were cut. */
  readonly onWhole?: (() => void) | undefined
}

/** One block of a message. */
export function BlockView({ block, foldKey, look, isUnderCall = false, onWhole }: Props) {
  const prose = look === 'rendered' ? 'markdown' : 'prose'
  switch (block.kind) {
    case 'text':
      return <PreviewText text={block.text} foldKey={foldKey} face={prose} onWhole={onWhole} />
    case 'reasoning':
      return <Folded foldKey={foldKey} label="reasoning" text={block.text} face={prose} onWhole={onWhole} />
    case 'subtask':
      return <Folded foldKey={foldKey} label={block.title} text={block.text} face={prose} onWhole={onWhole} />
    case 'mark':
      return <Folded foldKey={foldKey} label={block.label} text={block.text} face="code" onWhole={onWhole} />
    case 'tool_call':
      return <ToolCall call={block} foldKey={foldKey} onWhole={onWhole} />
    case 'tool_result':
      return block.output.trim() === '' ? (
        <p className="small">{block.isError ? 'failed, no output' : 'no output'}</p>
      ) : isUnderCall ? (
        <FoldedResult result={block} foldKey={foldKey} onWhole={onWhole} />
      ) : (
        <PreviewText
          text={block.output}
          foldKey={foldKey}
          face="code"
          language={jsonIn(block.output)}
          tone={block.isError ? 'error' : 'quoted'}
          onWhole={onWhole}
        />
      )
    case 'patch':
      return <DiffText lines={patchLines(block.text)} foldKey={foldKey} />
    case 'file':
      return <FileBlock file={block} foldKey={foldKey} />
    case 'compaction':
      return <CompactionNote compaction={block} />
    default:
      return assertNever(block)
  }
}

type FoldedProps = {
  readonly foldKey: string
  readonly label: string
  readonly text: string
  readonly face: 'code' | 'prose' | 'markdown'
  readonly onWhole: (() => void) | undefined
}

function Folded({ foldKey, label, text, face, onWhole }: FoldedProps) {
  const [isOpen, toggle] = useFold(foldKey)
  const first = firstLine(text)
  return (
    <Disclosure
      isOpen={isOpen}
      onToggle={toggle}
      head={
        <>
          <span className={styles.label}>
            <MarkedText text={label} />
          </span>
          {!isOpen && (
            <span className={styles.first}>
              <MarkedText text={first} />
            </span>
          )}
        </>
      }
    >
      <div className={styles.folded}>
        <PreviewText text={text} foldKey={`${foldKey} text`} face={face} onWhole={onWhole} />
      </div>
    </Disclosure>
  )
}

type ResultProps = {
  readonly result: Extract<Block, { kind: 'tool_result' }>
  readonly foldKey: string
  readonly onWhole: (() => void) | undefined
}

/** A result in one line. What a search found in it is unfolded at first. */
function FoldedResult({ result, foldKey, onWhole }: ResultProps) {
  const { output, isError } = result
  const found = useFound(foldKey.slice(0, foldKey.indexOf('/')))
  const isFound = found?.texts.some((text) => output.includes(text)) ?? false
  const [isTurned, toggle] = useFold(`${foldKey} result`)
  const isOpen = isTurned !== isFound
  return (
    <Disclosure
      isOpen={isOpen}
      onToggle={toggle}
      head={
        <>
          <span className={styles.label}>result</span>
          {isError && <Chip tone="error">failed</Chip>}
          <code className={styles.output}>
            <bdi>
              <MarkedText text={isOpen ? '' : firstLine(output)} />
            </bdi>
          </code>
          <span className={styles.size}>{plural(linesIn(output.trimEnd()), 'line')}</span>
        </>
      }
    >
      <PreviewText
        text={output}
        foldKey={foldKey}
        face="code"
        language={jsonIn(output)}
        tone={isError ? 'error' : 'plain'}
        onWhole={onWhole}
      />
    </Disclosure>
  )
}

const firstLine = (text: string): string => text.trimStart().slice(0, FIRST_CHARS).replaceAll(/\s+/g, ' ')

/** A compaction that the agent recorded. */
function CompactionNote({ compaction }: { readonly compaction: Extract<Block, { kind: 'compaction' }> }) {
  const { text, summaryId, tokensBefore, isAuto } = compaction
  return (
    <p className={styles.divider} title={text === '' ? undefined : text}>
      the agent recorded a compaction
      {isAuto !== null && (isAuto ? ' by itself' : ' that a person asked for')}
      {tokensBefore !== null && `, at ${formatTokens(tokensBefore)}`}
      {summaryId !== null && <NodeLink id={summaryId} maxChars={24} />}
    </p>
  )
}

type FileOf = Extract<Block, { kind: 'file' }>

const MOST_ADDRESS_CHARS = 300

/**
 * A picture or document of a message. What the memory itself holds of it is shown, within limits. Nothing is fetched
 * from elsewhere.
 */
function FileBlock({ file, foldKey }: { readonly file: FileOf; readonly foldKey: string }) {
  const { name, mime, text, url } = file
  const [isLarge, toggle] = useFold(foldKey)
  const embedded = useMemo(() => (isEmbedded(url) ? readEmbedded(url) : null), [url])
  const facts = [name, mime, text, embedded === null ? url : factsOf(embedded)]
    .filter((fact) => fact !== null && fact !== '')
    .map((fact) => fact?.slice(0, MOST_ADDRESS_CHARS))
  return (
    <div className={styles.file}>
      <p
        className={styles.facts}
        title={embedded === null ? 'Only its name is stored here. Nothing is fetched from elsewhere.' : undefined}
      >
        <Icon name="file" />
        <span>
          <MarkedText text={[...new Set(facts)].join(' · ') || 'a file without a name'} />
        </span>
        {embedded?.kind === 'refused' && <Chip tone="warning">not shown: {embedded.why}</Chip>}
        {embedded?.kind === 'pdf' && (
          <button
            type="button"
            className={styles.save}
            title="Save the document to read it in another program"
            onClick={(event) => {
              event.stopPropagation()
              saveFile(name ?? 'document.pdf', new Blob([embedded.bytes], { type: 'application/pdf' }))
            }}
          >
            Save
          </button>
        )}
      </p>
      {embedded?.kind === 'picture' && <Picture picture={embedded} name={name} isLarge={isLarge} onToggle={toggle} />}
      {embedded?.kind === 'pdf' && <PdfPages bytes={embedded.bytes} name={name} isLarge={isLarge} onToggle={toggle} />}
    </div>
  )
}

function factsOf(file: EmbeddedFile): string | null {
  switch (file.kind) {
    case 'picture':
      return `${file.width} × ${file.height} pixels · ${formatBytes(file.bytes.length)}`
    case 'pdf':
      return `PDF${file.pages === null ? '' : ` · ${plural(file.pages, 'page')}`} · ${formatBytes(file.bytes.length)}`
    case 'refused':
      return null
  }
}
