import { type ToggleEvent, useId, useRef } from 'react'
import type { MemoryInfo } from '../../core/contract/memory.ts'
import chip from '../ui/chip.module.css'
import { Chip } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import { Fact, Facts } from '../ui/facts.tsx'
import styles from './system-chip.module.css'

/** The system that wrote the file. For another system, a click shows its version and what its files do not record. */
export function SystemChip({ info }: { readonly info: MemoryInfo }) {
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
        className={classNames(chip.chip, chip.neutral, chip.button)}
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
