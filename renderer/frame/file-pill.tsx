import { type ToggleEvent, useId, useRef } from 'react'
import type { CopiedFrom, MemoryInfo } from '#core/contract/memory.ts'
import { useConnection } from '../api.ts'
import { useLive } from '../live.ts'
import chip from '../ui/controls/chip.module.css'
import { Chip } from '../ui/controls/chip.tsx'
import { classNames } from '../ui/controls/class-names.ts'
import { Fact, Facts } from '../ui/controls/facts.tsx'
import { plainName, shortenPath, splitPath } from '../ui/texts/format.ts'
import { TailText } from '../ui/texts/tail-text.tsx'
import styles from './file-pill.module.css'
import { FOLLOW_TEXTS } from './follow-text.ts'
import { useFollowing } from './use-following.ts'

type Props = {
  readonly info: MemoryInfo
  /** Explains working copies. */
  readonly onCopy: () => void
  /** Shows what the file follows. */
  readonly onFollow: () => void
}

/** The open file: where it is, which system wrote it, and whether it may be written. */
export function FilePill({ info, onCopy, onFollow }: Props) {
  const { paused, changedAtMs } = useLive()
  const isReached = useConnection() === 'open'
  const state = !isReached ? 'lost' : paused ? 'paused' : changedAtMs === null ? 'still' : 'live'
  return (
    <div className={styles.pill}>
      <span className={styles.dot} data-state={state} title={DOT_TEXTS[state]} />
      <span className={styles.path} title={info.path}>
        <TailText {...splitPath(plainName(shortenPath(info.pulledFrom?.address ?? info.path)))} />
      </span>
      <SystemChip info={info} />
      {info.copiedFrom && (
        <Chip title={copyTitle(info.copiedFrom)}>
          working copy
          <span className={styles.origin}>
            {' of '}
            <bdi>{plainName(info.copiedFrom.fileName)}</bdi>
          </span>
        </Chip>
      )}
      {info.pulledFrom && <FollowChip from={info.pulledFrom} onFollow={onFollow} />}
      {info.readOnly && (
        <Chip tone="lit" title={`${info.readOnlyReason ?? ''} Click for a copy that may be.`} onClick={onCopy}>
          read-only
        </Chip>
      )}
    </div>
  )
}

type FollowProps = { readonly from: NonNullable<MemoryInfo['pulledFrom']>; readonly onFollow: () => void }

/** The conversation in PostgreSQL that the file is a copy of, and whether it follows that. */
function FollowChip({ from, onFollow }: FollowProps) {
  const { state, reason } = useFollowing()
  const { tone, short, title } = FOLLOW_TEXTS[state]
  const name = `Conversation ${from.conversationId} of ${plainName(from.tenant)} in ${from.address}`
  return (
    <Chip
      tone={tone}
      title={`${name}. ${reason ?? title} Click to push changes, or for all conversations.`}
      onClick={onFollow}
    >
      <bdi>{plainName(from.tenant)}</bdi> · {from.conversationId}
      <span className={classNames(styles.origin, tone === 'warning' && styles.warned)}>{` ${short}`}</span>
    </Chip>
  )
}

const copyTitle = ({ fileName, system, systemLabel }: CopiedFrom): string =>
  `A copy of ${fileName}${system === 'native' ? '' : ` of ${systemLabel}`}. What is changed here is not changed there.`

const DOT_TEXTS = {
  live: 'Watched: it changed while it was open, and changes appear by themselves',
  still: 'Watched: nothing has changed since it was opened',
  paused: 'Paused: changes wait',
  lost: 'The connection is lost',
} as const

/** The system that wrote the file. For another system, a click shows its version and what its files do not record. */
function SystemChip({ info }: { readonly info: MemoryInfo }) {
  const { system, systemLabel, systemVersion } = info
  if (system === 'native') return <Chip title={`Written by LCM Inspector, schema ${systemVersion}`}>native</Chip>
  const name = systemVersion === null ? systemLabel : `${systemLabel} ${systemVersion}`
  const { derivedWindow } = info.capabilities
  // The rule of the window is shown in a line of its own.
  const lacks = (info.lacks ?? []).filter((sentence) => sentence !== derivedWindow)
  return <TellingChip name={name} info={info} lacks={lacks} derivedWindow={derivedWindow ?? null} />
}

type TellingProps = {
  readonly name: string
  readonly info: MemoryInfo
  readonly lacks: readonly string[]
  /** The rule by which the window is derived, or null when the file stores it. */
  readonly derivedWindow: string | null
}

function TellingChip({ name, info, lacks, derivedWindow }: TellingProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const place = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState !== 'open' || button.current === null) return
    const anchor = button.current.getBoundingClientRect()
    event.currentTarget.style.left = `${Math.max(8, Math.min(anchor.left, window.innerWidth - event.currentTarget.offsetWidth - 8))}px`
    event.currentTarget.style.top = `${anchor.bottom + 6}px`
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className={classNames(chip.chip, chip.button)}
        popoverTarget={id}
        title={`Written by ${info.systemLabel}. Click for ${lacks.length > 0 ? 'what such files do not record' : 'more'}.`}
      >
        {name}
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={`About files of ${name}`}
        className={styles.about}
        onToggle={place}
      >
        <h2 className={styles.title}>{name}</h2>
        <Facts>
          <Fact name="version">{info.systemVersion ?? 'the file does not say'}</Fact>
          <Fact name="project">{info.project ?? null}</Fact>
          <Fact name="window">{derivedWindow ?? 'stored in the file'}</Fact>
        </Facts>
        {lacks.length > 0 && (
          <>
            <h3 className={styles.heading}>What these files do not tell</h3>
            <ul className={styles.lacks}>
              {lacks.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </>
  )
}
