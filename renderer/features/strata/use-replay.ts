import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Strata } from '#core/contract/strata.ts'
import type { Timeline } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { navigate, useShown } from '#renderer/routes.ts'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { timelineOf } from '#renderer/ui/data/timeline-query.ts'
import {
  type Appearances,
  appearancesOf,
  onAxis,
  otherAxis,
  playedTo,
  type Replay,
  replayAt,
  type Speed,
  speedBeside,
} from './replay.ts'
import { indexSummaries } from './summary-index.ts'

/** Where a replay stands in the address: after so many messages. */
const AT = 'layers.at'

const NO_EVENTS: Timeline['events'] = []
const NONE: Appearances = new Int32Array(0)

export type ReplayState = {
  /** Null while nothing is replayed. */
  readonly replay: Replay | null
  /** The strata on the axis of messages, by which it is computed. */
  readonly strata: Strata | null
  readonly after: Appearances
  readonly events: Timeline['events']
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly open: () => void
  readonly close: () => void
  readonly play: (isPlaying: boolean) => void
  readonly seek: (at: number) => void
  readonly setSpeed: (speed: Speed) => void
}

/** Replays a conversation: by hand, by keys, or by itself. The address holds the moment whenever it stands still. */
export function useReplay(strata: Strata): ReplayState {
  const [text, setText] = useShown(AT)
  const addressed = /^\d{1,15}$/.test(text ?? '') ? Number(text) : null
  const total = strata.totalMessages
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)
  /** Where it is while it plays; null while it stands where the address says. */
  const [played, setPlayed] = useState<number | null>(null)
  const isOpen = addressed !== null
  const at = addressed === null ? null : Math.min(Math.floor(played ?? addressed), total)

  const { data } = useQuery(timelineOf(isOpen ? strata.conversationId : null))
  const events = data?.events ?? NO_EVENTS
  const { base, columns } = useMessageAxis(strata, isOpen)
  const index = useMemo(() => (base === null ? null : indexSummaries(base)), [base])
  const after = useMemo(() => (base && index ? appearancesOf(base, index, events) : NONE), [base, index, events])
  // What does not change while it plays is not computed for each of its frames.
  const axis = useMemo(() => (index && columns ? otherAxis(index, strata, columns) : null), [index, strata, columns])
  const replay = useMemo(() => {
    if (at === null || base === null || index === null) return null
    const found = replayAt(base, index, after, at)
    if (base === strata) return found
    return axis && onAxis(found, axis)
  }, [base, index, after, at, strata, axis])

  const latest = useRef({ at: 0, speed })
  useEffect(() => {
    latest.current = { at: played ?? addressed ?? 0, speed }
  })
  useEffect(() => {
    if (!isPlaying || !isOpen) return
    let frame = 0
    let beforeMs: number | null = null
    const step = (nowMs: number) => {
      const elapsed = beforeMs === null ? 0 : nowMs - beforeMs
      beforeMs = nowMs
      const next = playedTo(latest.current.at, elapsed, latest.current.speed, total)
      latest.current = { ...latest.current, at: next }
      setPlayed(next)
      if (next < total) frame = requestAnimationFrame(step)
      else setPlaying(false)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, isOpen, total])
  useEffect(() => {
    if (isPlaying || played === null) return
    setText(String(Math.floor(played)))
    setPlayed(null)
  }, [isPlaying, played, setText])

  const play = (isOn: boolean) => {
    // At its end, it begins again.
    if (isOn && at !== null && at >= total) setPlayed(0)
    setPlaying(isOn)
  }
  const open = () => navigate({ shown: { [AT]: '0' } }, 'push')
  const close = () => {
    setPlaying(false)
    setPlayed(null)
    setText(null)
  }
  useKeys({
    p: () => (isOpen ? close() : open()),
    ' ': ({ target }) => {
      // Space presses a focused button.
      if (!isOpen || target instanceof HTMLButtonElement) return false
      play(!isPlaying)
      return true
    },
    '<': () => isOpen && setSpeed(speedBeside(speed, -1)),
    '>': () => isOpen && setSpeed(speedBeside(speed, 1)),
  })
  return {
    replay,
    strata: base,
    after,
    events,
    isPlaying: isPlaying && isOpen,
    speed,
    open,
    close,
    play,
    seek: (next) => {
      if (isPlaying) setPlayed(next)
      else setText(String(next))
    },
    setSpeed,
  }
}

const MOST_COLUMNS = 8192

/** The strata on the axis of messages while a replay is open, and the columns of another axis that is shown. */
function useMessageAxis(strata: Strata, isOpen: boolean) {
  const { conversationId, axis, extent } = strata
  const isOther = isOpen && axis !== 'messages'
  const { data: other } = useQuery(
    api.strata.get.queryOptions({ input: isOther ? { conversationId, axis: 'messages' } : skipToken }),
  )
  const { data: columns } = useQuery(
    api.strata.messages.queryOptions({
      input: isOther ? { conversationId, axis, x0: 0, x1: extent, buckets: MOST_COLUMNS } : skipToken,
    }),
  )
  return { base: !isOpen ? null : isOther ? (other ?? null) : strata, columns }
}
