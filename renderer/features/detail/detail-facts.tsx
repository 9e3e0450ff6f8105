import { meaningOf } from '#core/contract/glossary.ts'
import type { Description } from '#core/contract/lineage.ts'
import type { Pruned } from '#core/contract/message.ts'
import { navigate } from '#renderer/routes.ts'
import { Chip, type Tone } from '#renderer/ui/controls/chip.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import { useFindings } from '#renderer/ui/data/use-findings.ts'
import { depthToken } from '#renderer/ui/nodes/depth-color.ts'
import { MessageName } from '#renderer/ui/nodes/message-name.tsx'
import { NodeLink } from '#renderer/ui/nodes/node-link.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { formatAbsolute, formatRange } from '#renderer/ui/texts/format-time.ts'
import { prunedWord } from '#renderer/ui/texts/pruned-text.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { compressionText, coversText, kindText, linksText, visibilityChip } from './detail-wording.ts'
import styles from './node-detail.module.css'

/** The figures of a message or a summary. */
export function DetailFacts({ description }: { readonly description: Description }) {
  const { kind, tokens, messages, earliestAtMs, latestAtMs, createdAtMs, model, promptVersion, fileIds, pruned } =
    description
  const covers = coversText(description)
  const isMessage = kind === 'message'
  return (
    <Facts>
      <Fact name="position" hint={meaningOf('position')}>
        {isMessage ? <MessageName id={description.id} /> : null}
      </Fact>
      <Fact name="covers" hint={meaningOf('covered')}>
        {isMessage || covers === null ? null : (
          <>
            {covers}
            {messages !== null && <span className="dim"> · {plural(messages, 'message')}</span>}
          </>
        )}
      </Fact>
      <Fact name="tokens">
        {formatCount(tokens)}
        <span className="dim" title="of the messages it stands for · compression">
          {compressionText(description)}
        </span>
      </Fact>
      <Fact name="pruned">{pruned ? <PrunedFact pruned={pruned} /> : null}</Fact>
      <Fact name="time">
        {isMessage || earliestAtMs === null ? null : <TimeRange fromMs={earliestAtMs} toMs={latestAtMs} />}
      </Fact>
      <Fact name={isMessage ? 'written' : 'made'}>
        {createdAtMs === null ? null : (
          <>
            <TimeText atMs={createdAtMs} form="short" /> {model !== null && <span className="dim">{model}</span>}
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
      <span className="dim">
        {' '}
        tokens, {prunedWord(pruned.by)} <TimeText atMs={pruned.atMs} form="short" />
      </span>
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

/** Kind, how the model sees it, and how it was made. */
export function DetailChips({ description }: { readonly description: Description }) {
  const { kind, visibility, contextOrdinal, coverInWindow, level } = description
  const seen = visibilityChip(visibility, contextOrdinal)
  return (
    <div className={styles.chips}>
      <Chip tone={toneOf(description)} title={kindHint(kind)}>
        {kindText(description)}
      </Chip>
      {kind !== 'file' && coverInWindow === null && (
        <Chip tone={seen.tone} title={SEEN_TEXTS[visibility]}>
          {seen.text}
        </Chip>
      )}
      {coverInWindow !== null && (
        <Chip title={kind === 'file' ? 'This item of the window names it' : COVER_TEXT}>
          {kind === 'file' ? 'named in' : 'covered by'} <NodeLink id={coverInWindow} maxChars={13} />
        </Chip>
      )}
      <FindingChips id={description.id} />
      {level !== null && level !== 'unknown' && <Chip title={LEVEL_TEXTS[level]}>{level}</Chip>}
    </div>
  )
}

/** What the last scan found wrong with it; a click leads to the finding. */
function FindingChips({ id }: { readonly id: string }) {
  const finding = useFindings().get(id)
  return finding?.checks.map((check) => (
    <Chip
      key={check.id}
      tone={finding.severity}
      title={`${check.id}: ${check.explanation}`}
      onClick={() => navigate({ view: 'health' }, 'push')}
    >
      {checkTitle(check.id)}
    </Chip>
  ))
}

const SEEN_TEXTS = {
  in_window: 'It is in the window itself',
  covered: 'A summary in the window covers it',
  absent: 'Neither in the window nor under a summary that is',
} as const

const COVER_TEXT = 'This summary is in the window and covers it. It may not contain all of its details'

const LEVEL_TEXTS = {
  normal: 'Made as intended',
  aggressive: 'The first attempt was too long; a stricter one was kept',
  deterministic: 'Made without a model: extracted, not written',
} as const

function kindHint(kind: Description['kind']): string | undefined {
  if (kind === 'leaf') return meaningOf('leaf, condensed')
  return kind === 'condensed' ? `${meaningOf('leaf, condensed')} ${meaningOf('depth')}` : undefined
}

function toneOf({ kind, depth, role }: Description): Tone {
  if (kind === 'message') return role ?? 'neutral'
  return kind === 'file' ? 'neutral' : depthToken(depth ?? (kind === 'leaf' ? 0 : 1))
}
