import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Strata } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import { navigate, useRoutePart, useShown } from '#renderer/routes.ts'
import { useSize } from '#renderer/ui/charts/use-size.ts'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { type Findings, findingText } from '#renderer/ui/data/findings.ts'
import { useMessageRange } from '#renderer/ui/data/message-range.ts'
import { useConversation } from '#renderer/ui/data/use-conversations.ts'
import { useFindings } from '#renderer/ui/data/use-findings.ts'
import { noteText } from '#renderer/ui/nodes/note-text.ts'
import { useNotes } from '#renderer/ui/nodes/use-notes.ts'
import { conversationName, plural } from '#renderer/ui/texts/format.ts'
import { parseAhead } from '#renderer/ui/texts/markdown.tsx'
import { useNow } from '#renderer/ui/texts/use-now.ts'
import type { ColorBy } from './bar-color.ts'
import { coreText } from './core-drill.ts'
import drawing from './drawing.module.css'
import { type HitAction, onClick, onDoubleClick } from './hit-action.ts'
import { Hovering } from './hovering.ts'
import { RangeBar } from './range-bar.tsx'
import { snapRange } from './range-figures.ts'
import { ReplayBar } from './replay-bar.tsx'
import { StrataControls } from './strata-controls.tsx'
import { parseFilter } from './strata-filter.ts'
import { StrataLegend } from './strata-legend.tsx'
import styles from './strata-stage.module.css'
import { StrataTooltip } from './strata-tooltip.tsx'
import { tooltipText } from './tooltip-text.ts'
import { messagesOfRange } from './use-range.ts'
import { useReplay } from './use-replay.ts'
import { useReveal } from './use-reveal.ts'
import { useScene } from './use-scene.ts'
import { useStageKeys } from './use-stage-keys.ts'
import { useStrataDrawing } from './use-strata-drawing.ts'
import { useStrataGestures } from './use-strata-gestures.ts'
import { limitsOf, parseViewport, type Viewport, viewportAround, viewportText, wholeOf } from './viewport.ts'
import { ViewportMotion } from './viewport-motion.ts'

type Props = {
  /** The strata of one conversation and axis, which stay the same while the stage is mounted. */
  readonly strata: Strata
  readonly colorBy: ColorBy
}

const DAY_CHECK_MS = 60_000

/** The strata as a drawing that can be zoomed, panned and clicked. */
export function StrataStage({ strata, colorBy }: Props) {
  const selection = useRoutePart('selection')
  const stage = useRef<HTMLDivElement>(null)
  const surface = useRef<HTMLDivElement>(null)
  const base = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const size = useSize(stage)
  const nowMs = useNow(DAY_CHECK_MS)
  const motion = useAddressedMotion(strata)
  const queries = useQueryClient()
  const { data: conversation } = useConversation(strata.conversationId)
  const title = conversation ? conversationName(conversation) : `Conversation ${strata.conversationId}`
  const [hovering] = useState(() => new Hovering())
  const findings = useFindings()
  const notes = useNotes()
  const [filterWords] = useShown('layers.only')
  const filter = useMemo(() => parseFilter(filterWords), [filterWords])
  const replaying = useReplay(strata)
  const [draft, setDraft] = useState<Viewport | null>(null)
  const [marked, markRange] = useMessageRange()
  const sceneNow = useScene({
    strata,
    colorBy,
    selection,
    size,
    motion,
    nowMs,
    filter,
    draft,
    replay: replaying.replay,
  })
  const scene = useMemo(() => sceneNow?.() ?? null, [sceneNow])

  const entry = scene?.selected?.entry ?? null
  const spoken = useMemo(
    () => spokenSelection(strata, selection, entry, findings, notes),
    [strata, selection, entry, findings, notes],
  )

  useReveal(scene?.selected ?? null, selection, motion)
  useStrataDrawing(base, overlay, sceneNow, motion, hovering)
  const act = ({ select, show }: HitAction) => {
    if (select !== undefined) navigate({ selection: select }, 'push')
    if (show !== undefined) motion.glideTo(viewportAround(show.x0, show.x1, motion.limits))
  }
  const keepRange = async (range: Viewport) => {
    const messages = await messagesOfRange(queries, strata, range).catch(() => null)
    if (messages !== null) markRange(messages)
    setDraft(null)
  }
  useStrataGestures(surface, sceneNow, motion, {
    onHover: hovering.set,
    onPress: (hit) => {
      const { select } = onClick(hit, strata)
      // What fails is asked for again by the detail, and said there.
      if (select !== undefined) void readAhead(queries, select).catch(() => undefined)
    },
    onClick: (hit) => act(onClick(hit, strata)),
    onDoubleClick: (hit) => act(onDoubleClick(hit, strata)),
    onBrush: (range, isDone) => {
      const snapped = snapRange(range, strata)
      setDraft(snapped)
      if (isDone) void keepRange(snapped)
    },
  })
  const zoomTo = (range: Viewport | null | undefined) => {
    if (range) motion.glideTo(viewportAround(range.x0, range.x1, motion.limits))
  }
  const onMark = () => void keepRange(snapRange(scene?.selected ?? motion.current, strata))
  const onKeyDown = useStageKeys({ strata, selection, motion, onMark })

  return (
    <div className={styles.frame}>
      {marked && scene && (
        <RangeBar
          range={marked}
          strata={strata}
          figures={scene.range?.figures ?? null}
          onZoom={() => zoomTo(scene.range)}
        />
      )}
      <div ref={stage} className={styles.stage}>
        <div
          ref={surface}
          className={classNames(drawing.surface, styles.surface)}
          style={scene ? { height: scene.rows.height } : undefined}
          role="application"
          aria-label={`Layers: ${describe(strata)}. Arrow keys move the selection, M marks a range; the same is there as a graph and a tree.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          <canvas ref={base} className={drawing.canvas} />
          <canvas ref={overlay} className={drawing.canvas} />
        </div>
        <p className="unseen" role="status">
          {spoken}
          {scene?.core && coreText(scene.core) ? `. ${coreText(scene.core)}` : ''}
        </p>
        {size && <StrataTooltip hovering={hovering} strata={strata} width={size.width} />}
      </div>
      {scene && replaying.replay && <ReplayBar scene={scene} state={replaying} title={title} />}
      {scene && sceneNow && (
        <div className={styles.footer}>
          <StrataLegend
            colorBy={colorBy}
            palette={scene.palette}
            age={scene.age}
            strata={strata}
            findings={scene.findings}
            core={scene.core}
          />
          <StrataControls
            sceneNow={sceneNow}
            motion={motion}
            canShowSelection={scene.selected !== null}
            onReplay={replaying.open}
          />
        </div>
      )}
    </div>
  )
}

/** The viewport of the stage, which is kept in the address. */
function useAddressedMotion(strata: Strata): ViewportMotion {
  const [zoom, setZoom] = useShown('layers.zoom')
  const [motion] = useState(() => new ViewportMotion(limitsOf(strata), parseViewport(zoom)))
  useEffect(() => motion.setLimits(limitsOf(strata)), [motion, strata])
  useEffect(
    () => motion.subscribeSettled(() => setZoom(viewportText(motion.current, motion.limits))),
    [motion, setZoom],
  )
  useEffect(() => {
    // Another address, such as the one before, brings another viewport.
    if (zoom !== viewportText(motion.settled(), motion.limits))
      motion.set(parseViewport(zoom) ?? wholeOf(motion.limits))
  }, [motion, zoom])
  return motion
}

/** Describes a new selection for a screen reader. */
function spokenSelection(
  strata: Strata,
  selection: string | null,
  entry: number | null,
  findings: Findings,
  notes: ReturnType<typeof useNotes>,
): string {
  if (selection === null) return ''
  const [note, finding] = [notes.get(selection), findings.get(selection)]
  if (entry === null) {
    const said = [...(note ? [noteText(note)] : []), ...(finding ? [findingText(finding)] : [])]
    return [`Selected ${selection}`, ...said].join(', ')
  }
  const { title, lines } = tooltipText({ kind: 'summary', entry }, strata, findings, notes)
  return `Selected ${selection}, ${[title, ...lines].join(', ')}`
}

const describe = ({ totalMessages, summaries, maxDepth }: Strata): string =>
  [
    plural(totalMessages, 'message'),
    plural(summaries.id.length, 'summary', 'summaries'),
    ...(maxDepth >= 0 ? [`depth ${maxDepth}`] : []),
  ].join(', ')

/** Gets the detail of a node, and parses the text of a summary, before the click on it is complete. */
async function readAhead(queries: QueryClient, id: string): Promise<void> {
  const { kind, content } = await queries.fetchQuery(api.retrieval.describe.queryOptions({ input: { id } }))
  if (kind === 'leaf' || kind === 'condensed') await parseAhead(content)
}
