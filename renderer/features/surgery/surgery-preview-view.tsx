import { useState } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { RewrittenNode, SurgeryPreview, WindowChange } from '#core/contract/surgery.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { changedTables } from '#renderer/ui/data/change-rows.ts'
import { summarizerName } from '#renderer/ui/data/summarizers.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { ChangeTable } from '#renderer/ui/parts/change-table.tsx'
import { formatCount, formatTokens, plural, shortenId } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TextWithNames } from '#renderer/ui/texts/text-with-names.tsx'
import { SideBySideTable } from './side-by-side-table.tsx'
import styles from './surgery-dialog.module.css'
import { isEmpty, lineageAfter, tokensText } from './surgery-wording.ts'

const IDS_SHOWN = 12

/** Exactly what would change, and what would stay. */
export function SurgeryPreviewView({ preview, info }: { readonly preview: SurgeryPreview; readonly info: MemoryInfo }) {
  const { operation, description, nodes, kept, window, copies, messages, rows, changes, warnings, modelTokens } =
    preview
  const heirs = operation.kind === 'dissolve' ? lineageAfter(changes, operation.id) : []
  const models = modelTokens.input + modelTokens.output
  return (
    <div className={styles.sections}>
      {warnings.map((warning) => (
        <p key={warning} className={styles.warning}>
          <TextWithNames text={warning} />
        </p>
      ))}
      {nodes.map((node) => (
        <RewrittenNodeView key={node.id} node={node} isOnly={nodes.length === 1} />
      ))}
      <Facts>
        <Fact name="stays as it is">
          {kept.length === 0
            ? null
            : kept.map(({ id, reason }) => (
                <p key={id}>
                  <NameOrId id={id} /> {reason}
                </p>
              ))}
        </Fact>
        <Fact name="window">
          {window === null || window.removed.length + window.placed.length === 0 ? (
            'keeps its entries'
          ) : (
            <WindowText window={window} />
          )}
        </Fact>
        <Fact name="lineage">
          {heirs.length === 0
            ? null
            : heirs.map(({ id, sources }) => (
                <div key={id}>
                  <NameOrId id={id} /> rests on them directly:
                  <div className={styles.ids}>
                    <Ids ids={sources} sign="+" />
                  </div>
                </div>
              ))}
        </Fact>
        <Fact name="copies">
          {copies.length === 0 && messages === 0
            ? null
            : `${plural(copies.length, 'summary', 'summaries')} and ${plural(messages, 'message')}, under new ids`}
        </Fact>
        <Fact name="models">
          {models === 0
            ? null
            : `${formatCount(modelTokens.input)} tokens sent, ${formatCount(modelTokens.output)} received`}
        </Fact>
        <Fact name="rows">{description}</Fact>
      </Facts>
      {copies.length > 0 && (
        <details className={styles.prompt}>
          <summary>New ids</summary>
          <ul className={styles.list}>
            {copies.slice(0, 200).map(({ from, to }) => (
              <li key={to}>
                <code>{shortenId(from, 24)}</code> → <code>{shortenId(to, 24)}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {changes.length > 0 && (
        <details className={styles.prompt}>
          <summary>
            Every row{rows > changes.length && `: the first ${formatCount(changes.length)} of ${formatCount(rows)}`}
          </summary>
          {changedTables(changes).map((table) => (
            <ChangeTable key={table.table} {...table} />
          ))}
        </details>
      )}
      <p className={styles.notice}>
        {isEmpty(preview)
          ? 'There is nothing to change.'
          : info.readOnly
            ? info.system === 'native'
              ? `${info.readOnlyReason ?? 'The file is read-only.'} This is only what would be done.`
              : `This file belongs to ${info.systemLabel} and stays as it is. In a working copy the same can be done.`
            : 'Exactly this is done, or nothing. A whole copy of the file is made beside it first and compared row by row; every check is made again before it is kept. No message is changed.'}
      </p>
    </div>
  )
}

function WindowText({ window }: { readonly window: WindowChange }) {
  return (
    <>
      {tokensText(window.tokensBefore, window.tokensAfter)}
      <div className={styles.ids}>
        <Ids ids={window.removed} sign="−" />
        <Ids ids={window.placed} sign="+" />
      </div>
    </>
  )
}

function Ids({ ids, sign }: { readonly ids: readonly string[]; readonly sign: string }) {
  return (
    <>
      {ids.slice(0, IDS_SHOWN).map((id) => (
        <NameOrId key={id} id={id} sign={`${sign} `} />
      ))}
      {ids.length > IDS_SHOWN && (
        <span className="dim">
          {sign} {formatCount(ids.length - IDS_SHOWN)} more
        </span>
      )}
    </>
  )
}

/** A summary by the beginning of its name. The id stands in the tooltip. */
function NameOrId({ id, sign = '' }: { readonly id: string; readonly sign?: string }) {
  const name = useName(id)
  return (
    <code className={name === null ? undefined : styles.named} title={id}>
      {sign}
      <bdi>
        <MarkedText text={name === null ? shortenId(id, 18) : name} />
      </bdi>
    </code>
  )
}

type RewrittenProps = {
  readonly node: RewrittenNode
  /** True when it is the only rewritten node, which is then open from the beginning. */
  readonly isOnly: boolean
}

/** The text of a summary, old and new. */
function RewrittenNodeView({ node, isOnly }: RewrittenProps) {
  const [isOpen, setOpen] = useState(isOnly)
  const { id, depth, sourceTokens, before, after, diff } = node
  return (
    <section className={styles.texts} aria-label={id}>
      <div className={styles.head}>
        {!isOnly && <NameOrId id={id} />}
        <span>{depthLabel(depth)}</span>
        <span>{tokensText(before.tokens, after.tokens)}</span>
        <span className="dim">from {formatTokens(sourceTokens)}</span>
        {!isOnly && (
          <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fold' : 'Compare'}
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          <div className={styles.heads}>
            <span>before · {madeBy(before)}</span>
            <span>after · {madeBy(after)}</span>
          </div>
          <SideBySideTable diff={diff} label={`Text of ${id} before and after`} />
        </>
      )}
    </section>
  )
}

const madeBy = ({ tokens, level, model }: RewrittenNode['before']): string =>
  [
    formatTokens(tokens),
    ...(level === 'unknown' ? [] : [summarizerName(level)]),
    ...(model === null ? [] : [model]),
  ].join(' · ')
