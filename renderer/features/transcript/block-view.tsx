import { assertNever } from '../../ui/assert-never.ts'
import { formatTokens } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './block-view.module.css'
import type { Block } from './blocks.ts'
import { DiffText } from './diff-text.tsx'
import { Disclosure } from './disclosure.tsx'
import { patchLines } from './edit-diff.ts'
import { useFold } from './folds.tsx'
import type { Look } from './look.ts'
import { PreviewText } from './preview-text.tsx'
import { ToolCall } from './tool-call.tsx'

type Props = {
  readonly block: Block
  /** The key of its fold state, unique in the conversation. */
  readonly foldKey: string
  /** How prose is shown. */
  readonly look: Look
  /** Loads all texts of the message. Set when some of them were cut. */
  readonly onWhole?: (() => void) | undefined
}

/** One block of a message. */
export function BlockView({ block, foldKey, look, onWhole }: Props) {
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
        <p className={styles.mark}>{block.isError ? 'failed, no output' : 'no output'}</p>
      ) : (
        <PreviewText
          text={block.output}
          foldKey={foldKey}
          face="code"
          tone={block.isError ? 'error' : 'quoted'}
          onWhole={onWhole}
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

type FoldedProps = {
  readonly foldKey: string
  readonly label: string
  readonly text: string
  readonly face: 'code' | 'prose' | 'markdown'
  readonly onWhole: (() => void) | undefined
}

function Folded({ foldKey, label, text, face, onWhole }: FoldedProps) {
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
        <PreviewText text={text} foldKey={`${foldKey} text`} face={face} onWhole={onWhole} />
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
