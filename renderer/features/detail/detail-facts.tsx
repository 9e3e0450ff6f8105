import { meaningOf } from '../../../core/contract/glossary.ts'
import type { Description } from '../../../core/contract/lineage.ts'
import type { Pruned } from '../../../core/contract/message.ts'
import { Dim } from '../../ui/dim.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { formatAbsolute, formatRange } from '../../ui/format-time.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { prunedWord } from '../../ui/pruned-text.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { compressionText, coversText, linksText } from './detail-wording.ts'
import styles from './node-detail.module.css'

/** The figures of a message or a summary. */
export function DetailFacts({ description }: { readonly description: Description }) {
  const { kind, seq, tokens, messages, earliestAtMs, latestAtMs, createdAtMs, model, promptVersion, fileIds, pruned } =
    description
  const covers = coversText(description)
  const isMessage = kind === 'message'
  return (
    <Facts>
      <Fact name="position" hint={meaningOf('seq')}>
        {isMessage && seq !== null ? `seq ${formatCount(seq)}` : null}
      </Fact>
      <Fact name="covers" hint={meaningOf('seq')}>
        {isMessage || covers === null ? null : (
          <>
            {covers}
            {messages !== null && <Dim> · {plural(messages, 'message')}</Dim>}
          </>
        )}
      </Fact>
      <Fact name="tokens">
        {formatCount(tokens)}
        <Dim title="of the messages it stands for · compression">{compressionText(description)}</Dim>
      </Fact>
      <Fact name="pruned">{pruned ? <PrunedFact pruned={pruned} /> : null}</Fact>
      <Fact name="time">
        {isMessage || earliestAtMs === null ? null : <TimeRange fromMs={earliestAtMs} toMs={latestAtMs} />}
      </Fact>
      <Fact name={isMessage ? 'written' : 'made'}>
        {createdAtMs === null ? null : (
          <>
            <TimeText atMs={createdAtMs} form="short" /> {model !== null && <Dim>{model}</Dim>}
          </>
        )}
      </Fact>
      <Fact name="prompt">{promptVersion}</Fact>
      <Fact name="lineage">{isMessage ? null : linksText(description)}</Fact>
      <Fact name="files">{fileIds.length === 0 ? null : <FileIds ids={fileIds} />}</Fact>
    </Facts>
  )
}

function PrunedFact({ pruned }: { readonly pruned: Pruned }) {
  return (
    <span title="The agent took it out of its window by itself; no summary stands for it">
      {formatCount(pruned.tokens)}
      <Dim>
        {' '}
        tokens, {prunedWord(pruned.by)} <TimeText atMs={pruned.atMs} form="short" />
      </Dim>
    </span>
  )
}

function TimeRange({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number | null }) {
  const untilMs = toMs ?? fromMs
  return <span title={`${formatAbsolute(fromMs)} – ${formatAbsolute(untilMs)}`}>{formatRange(fromMs, untilMs)}</span>
}

function FileIds({ ids }: { readonly ids: readonly string[] }) {
  return (
    <span className={styles.files}>
      {ids.map((id) => (
        <NodeLink key={id} id={id} maxChars={24} />
      ))}
    </span>
  )
}
