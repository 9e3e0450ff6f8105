import { meaningOf } from '../../../core/contract/glossary.ts'
import type { Description } from '../../../core/contract/lineage.ts'
import { navigate } from '../../routes.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { depthToken } from '../../ui/depth-color.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import { useFindings } from '../../ui/use-findings.ts'
import { kindText, visibilityChip } from './detail-wording.ts'
import styles from './node-detail.module.css'

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
      mono
      tone={finding.severity}
      title={check.explanation}
      onClick={() => navigate({ view: 'integrity' }, 'push')}
    >
      {check.id}
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
