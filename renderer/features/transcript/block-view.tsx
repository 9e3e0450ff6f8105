import { assertNever } from '../../ui/assert-never.ts'
import { formatTokens } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './block-view.module.css'
import type { Block } from './blocks.ts'
import { DiffText } from './diff-text.tsx'
import { Disclosure } from './disclosure.tsx'
import { patchLines } from './edit-diff.ts'
import { useFold } from './folds.tsx'
import { LongText } from './long-text.tsx'
import { PAGE_CHARS } from './pages.ts'
import { PreviewText } from './preview-text.tsx'
import { ToolCall } from './tool-call.tsx'

type Props = {
  readonly block: Block
  /** The key of its fold state, unique in the conversation. */
  readonly foldKey: string
  /** Loads all texts of the message. Set when some of them were cut. */
  readonly onWhole?: (() => void) | undefined
}

const RESULT_LINES = 5
/** Parsing a longer text as markdown would slow scrolling down. */
const MARKDOWN_CHARS = 8_000

/** One block of a message. */
export function BlockView({ block, foldKey, onWhole }: Props) {
  switch (block.kind) {
    case 'text':
      return block.text.length > MARKDOWN_CHARS ? (
        <LongText text={block.text} face="prose" isBounded />
      ) : (
        <Markdown text={block.text} />
      )
    case 'reasoning':
      return <Folded foldKey={foldKey} label="reasoning" text={block.text} />
    case 'subtask':
      return <Folded foldKey={foldKey} label={block.title} text={block.text} />
    case 'mark':
      return <Folded foldKey={foldKey} label={block.label} text={block.text} />
    case 'tool_call':
      return <ToolCall call={block} foldKey={foldKey} onWhole={onWhole} />
    case 'tool_result':
      return block.output.trim() === '' ? (
        <p className={styles.mark}>{block.isError ? 'failed, no output' : 'no output'}</p>
      ) : (
        <PreviewText
          text={block.output}
          foldKey={foldKey}
          maxLines={RESULT_LINES}
          isError={block.isError}
          onWhole={isWholeElsewhere(block.output) ? onWhole : undefined}
        />
      )
    case 'patch':
      return <DiffText lines={patchLines(block.text)} foldKey={foldKey} />
    case 'file':
      return <FilePlaceholder file={block} />
    case 'compaction':
      return <CompactionNote compaction={block} />
    default:
      return assertNever(block)
  }
}

/** True when the text is as long as the page allows, so that it was cut. */
function isWholeElsewhere(text: string): boolean {
  return text.length >= PAGE_CHARS - 1
}

function Folded({ foldKey, label, text }: { readonly foldKey: string; readonly label: string; readonly text: string }) {
  const [isOpen, toggle] = useFold(foldKey)
  const first = text.trimStart().slice(0, 240).replaceAll(/\s+/g, ' ')
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
        {text.length > MARKDOWN_CHARS ? <LongText text={text} face="prose" isBounded /> : <Markdown text={text} />}
      </div>
    </Disclosure>
  )
}

function FilePlaceholder({ file }: { readonly file: Extract<Block, { kind: 'file' }> }) {
  const facts = [file.name, file.mime, file.text, file.url].filter((fact) => fact !== null && fact !== '')
  return (
    <p className={styles.file} title="Files of a memory are never loaded here">
      <Icon name="file" />
      <span>
        <MarkedText text={[...new Set(facts)].join(' · ') || 'a file without a name'} />
      </span>
    </p>
  )
}

/** A part by this app is at the end of the range of its summary. Any other one was recorded by the agent. */
function CompactionNote({ compaction }: { readonly compaction: Extract<Block, { kind: 'compaction' }> }) {
  const { text, summaryId, tokensBefore, isAuto, isSynthetic } = compaction
  return (
    <p className={styles.divider} title={text === '' ? undefined : text}>
      {isSynthetic ? 'the range of a summary ends here' : 'the agent recorded a compaction'}
      {isAuto !== null && (isAuto ? ' by itself' : ' that a person asked for')}
      {tokensBefore !== null && `, at ${formatTokens(tokensBefore)}`}
      {summaryId !== null && <NodeLink id={summaryId} maxChars={24} />}
    </p>
  )
}
