import { useQueryClient } from '@tanstack/react-query'
import { api, client } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { useMessageAt } from '#renderer/ui/data/message-range.ts'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import slider from '#renderer/ui/styles/slider.module.css'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { SPEEDS, type Speed, tokensAt } from './replay.ts'
import { replayPage } from './replay-page.ts'
import type { Scene } from './scene.ts'
import styles from './strata-stage.module.css'
import type { ReplayState } from './use-replay.ts'

type Props = { readonly scene: Scene; readonly state: ReplayState; readonly title: string }

/** Names of summaries that an exported replay shows. */
const MOST_NAMES = 2000
const NAMES_AT_ONCE = 500

/** Plays, scrubs and exports a replay, and says which moment is shown. */
export function ReplayBar({ scene, state, title }: Props) {
  const { replay, events, isPlaying, speed } = state
  const total = scene.strata.totalMessages
  const at = replay?.at ?? 0
  const { message } = useMessageAt(scene.strata.conversationId, isPlaying || at === 0 ? null : at - 1)
  const queries = useQueryClient()
  const runs = new Set(events.filter(({ messages }) => messages <= at).map((event) => event.runId || event.eventId))
  const save = async () => {
    const { strata } = state
    if (strata === null) return
    const [columns, names] = await Promise.all([
      queries.fetchQuery(
        api.strata.messages.queryOptions({
          input: { conversationId: strata.conversationId, axis: 'messages', x0: 0, x1: strata.extent, buckets: 4096 },
        }),
      ),
      namesOf(strata.summaries.id.slice(0, MOST_NAMES)),
    ])
    const page = await replayPage({ title, strata, columns, after: state.after, events, names, palette: scene.palette })
    saveFile(`replay-conversation-${strata.conversationId}.html`, new Blob([page], { type: 'text/html' }))
  }
  return (
    <section className={styles.bar} aria-label="Replay">
      <IconButton
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Pause (Space)' : 'Play (Space)'}
        onClick={() => state.play(!isPlaying)}
      />
      <input
        className={classNames(slider.slider, styles.slider)}
        style={{ '--share': `${(at / Math.max(1, total)) * 100}%` } as React.CSSProperties}
        type="range"
        min={0}
        max={total}
        value={at}
        aria-label="Moment"
        aria-valuetext={`after ${formatCount(at)} of ${formatCount(total)} messages`}
        onChange={(event) => state.seek(Number(event.target.value))}
      />
      <span className={styles.moment} role="status">
        {formatCount(at)} of {plural(total, 'message')}
        {message?.createdAtMs != null && ` · ${formatShort(message.createdAtMs)}`}
        {` · ${plural(runs.size, 'compaction')}`}
        {` · window ≈ ${formatTokens(tokensAt(events, scene.overview, at))}`}
      </span>
      <select
        className={styles.speed}
        aria-label="Speed (< and >)"
        value={speed}
        onChange={(event) => state.setSpeed(SPEEDS.find((one) => one === Number(event.target.value)) ?? (1 as Speed))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
      <Button onClick={() => void save()}>Export as HTML</Button>
      <IconButton icon="close" label="End the replay (P)" onClick={state.close} />
    </section>
  )
}

async function namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (let from = 0; from < ids.length; from += NAMES_AT_ONCE) {
    const answer = await client.lineage.names({ ids: ids.slice(from, from + NAMES_AT_ONCE) })
    for (const { id, name } of answer.names) if (name !== null) names.set(id, name)
  }
  return names
}
