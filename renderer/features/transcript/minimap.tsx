import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type PointerEvent, useEffect, useMemo, useRef } from 'react'
import { ROLES } from '#core/contract/lists.ts'
import type { StrataMessages } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import { useRoutePart, useShown } from '#renderer/routes.ts'
import { useSize } from '#renderer/ui/charts/use-size.ts'
import { tokenColor, useColours } from '#renderer/ui/controls/theme.ts'
import { useFindings } from '#renderer/ui/data/use-findings.ts'
import { plural } from '#renderer/ui/texts/format.ts'
import styles from './minimap.module.css'
import { fromMapPx, type MapScale, mapBars, mapScale, mapViewport, markPlaces } from './minimap-layout.ts'

const WIDTH = 56
const EDGE = 4
const MARK_PX = 2
const MOST_HITS = 1_000
/** The history is asked for in this many columns, so that resizing the window asks for nothing. */
const COLUMNS = 1_024

/** The columns reach past the last message, so that a new message mostly changes none of their borders. */
const endOfColumns = (total: number): number => Math.ceil(total / COLUMNS) * COLUMNS

type Props = {
  readonly conversationId: number
  readonly total: number
  /** The rows in sight, both included. */
  readonly first: number
  readonly last: number
  readonly onGo: (position: number) => void
}

/**
 * The whole transcript beside the list: messages by role and size, those of the search and with findings, and the part
 * in sight. A click or a drag goes there. Keys go everywhere without it, so it is no control for a screen reader.
 */
export function Minimap({ conversationId, total, first, last, onGo }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(box)
  const colours = useColours()
  const scale = useMemo(() => mapScale(total, size?.height ?? 0), [total, size?.height])
  const { data: columns } = useQuery({
    ...api.strata.messages.queryOptions({
      input: { conversationId, axis: 'messages', x0: 0, x1: endOfColumns(total), buckets: COLUMNS },
    }),
    placeholderData: keepPreviousData,
  })
  const hits = useHits(conversationId)
  const findings = useFindings()
  const marks = useMemo(
    () =>
      columns && {
        hits: markPlaces(columns, scale, hits),
        errors: markPlaces(columns, scale, withSeverity(findings, 'error')),
        warnings: markPlaces(columns, scale, withSeverity(findings, 'warning')),
      },
    [columns, scale, hits, findings],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page knows the colours
  useEffect(() => {
    const pen = canvas.current?.getContext('2d')
    if (pen && columns && marks) draw(pen, columns, scale, marks)
  }, [columns, scale, marks, colours])
  const go = useDragging(scale, onGo)
  const { y, height } = mapViewport(scale, first, last)
  return (
    <div
      ref={box}
      className={styles.map}
      aria-hidden="true"
      title={hits.length > 0 ? `${plural(hits.length, 'message')} with the searched words` : undefined}
      data-hits={marks?.hits.length}
      data-findings={marks && marks.errors.length + marks.warnings.length}
      {...go}
    >
      <canvas ref={canvas} className={styles.canvas} />
      <div className={styles.viewport} data-viewport="" style={{ top: y, height }} />
    </div>
  )
}

/** Goes to the message under the pointer while it is pressed, once a frame. */
function useDragging(scale: MapScale, onGo: (position: number) => void) {
  const frame = useRef(0)
  useEffect(() => () => cancelAnimationFrame(frame.current), [])
  const go = (event: PointerEvent<HTMLElement>) => {
    const position = fromMapPx(scale, event.clientY - event.currentTarget.getBoundingClientRect().top)
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => onGo(position))
  }
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.preventDefault()
      event.currentTarget.setPointerCapture(event.pointerId)
      go(event)
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) go(event)
    },
  }
}

/** Returns the ids of the messages with the words of the search that the address holds. */
function useHits(conversationId: number): readonly string[] {
  const query = useRoutePart('query')
  const [mode] = useShown('find.mode')
  const { data } = useQuery({
    ...api.retrieval.grep.queryOptions({
      input: {
        query: query ?? '',
        mode: mode === 'regex' || mode === 'literal' ? mode : 'full_text',
        scope: 'messages',
        conversationIds: [conversationId],
        sort: 'oldest',
        limit: MOST_HITS,
      },
    }),
    enabled: query !== null && query.trim() !== '',
    retry: false,
  })
  return useMemo(() => [...new Set(data?.hits.map(({ id }) => id))], [data])
}

function* withSeverity(findings: ReturnType<typeof useFindings>, wanted: 'error' | 'warning'): Generator<string> {
  for (const [id, { severity }] of findings) if (severity === wanted) yield id
}

type Marks = Readonly<Record<'hits' | 'errors' | 'warnings', readonly number[]>>

function draw(pen: CanvasRenderingContext2D, columns: StrataMessages, scale: MapScale, marks: Marks): void {
  const ratio = window.devicePixelRatio
  pen.canvas.width = WIDTH * ratio
  pen.canvas.height = Math.max(1, Math.ceil(scale.heightPx * ratio))
  pen.canvas.style.height = `${scale.heightPx}px`
  pen.scale(ratio, ratio)
  const colours = ROLES.map((role) => tokenColor(role))
  const lit = tokenColor('lit')
  const room = WIDTH - 3 * EDGE
  for (const { y, height, width, role, inWindow } of mapBars(columns, scale)) {
    const gap = height > 2 ? 1 : 0
    pen.globalAlpha = 0.55
    pen.fillStyle = colours[role] ?? ''
    pen.fillRect(2 * EDGE, y, Math.max(1, width * room), Math.max(0.5, height - gap))
    if (inWindow === 0) continue
    pen.globalAlpha = inWindow
    pen.fillStyle = lit
    pen.fillRect(EDGE, y, 2, Math.max(0.5, height))
  }
  pen.globalAlpha = 1
  const strokes = [
    [marks.hits, lit, 2 * EDGE, room],
    [marks.warnings, tokenColor('warning'), WIDTH - 2 * EDGE, 2 * EDGE],
    [marks.errors, tokenColor('error'), WIDTH - 2 * EDGE, 2 * EDGE],
  ] as const
  for (const [places, colour, x, width] of strokes) {
    pen.fillStyle = colour
    for (const y of places) pen.fillRect(x, y, width, MARK_PX)
  }
}
