import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { AssembleInput, RenderedContext } from '#core/contract/context.ts'
import type { Moment } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { useShownChoice } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatBytes, plural } from '#renderer/ui/texts/format.ts'
import { type JsonLine, jsonLines } from './json-lines.ts'
import styles from './payload-view.module.css'

/** A payload is as large as the window, so those of other moments are kept only for a short time. */
const KEPT_MS = 20_000

const PROVIDERS = [
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai', label: 'OpenAI' },
] as const
const PROVIDER_NAMES = ['anthropic', 'openai'] as const

type Props = {
  readonly input: AssembleInput
  /** Null while the moment is being looked up. */
  readonly moment: Moment | null
}

/** The messages exactly as they would be sent, or would have been sent at a moment, to read and to copy. */
export function PayloadView({ input, moment }: Props) {
  const [provider, setProvider] = useShownChoice('window.provider', PROVIDER_NAMES)
  const rendered = useQuery(
    api.context.render.queryOptions({
      input: moment === null ? skipToken : { ...input, provider, ...('now' in moment ? {} : { moment }) },
      gcTime: KEPT_MS,
      placeholderData: (previous: RenderedContext | undefined) =>
        previous?.provider === provider ? previous : undefined,
    }),
  )
  const [copied, copy] = useCopy()
  const payload = useMemo(() => (rendered.data === undefined ? null : payloadOf(rendered.data)), [rendered.data])
  const json = useMemo(() => (payload === null ? '' : JSON.stringify(payload, null, 2)), [payload])
  return (
    <div className={styles.view} aria-busy={rendered.isPlaceholderData}>
      <div className={styles.bar}>
        <Segmented label="Provider" options={PROVIDERS} value={provider} onChange={setProvider} />
        {payload !== null && (
          <span className={styles.dim}>
            {plural(payload.messages.length, 'message')} · {formatBytes(new Blob([json]).size)} of JSON
          </span>
        )}
        <span className={styles.space} />
        <Button onClick={() => copy(json)} disabled={payload === null}>
          {copied === 'copied' ? 'Copied' : copied === 'failed' ? 'The browser refused' : 'Copy JSON'}
        </Button>
      </div>
      {rendered.isError ? (
        <ErrorState error={rendered.error} onRetry={() => void rendered.refetch()} />
      ) : payload === null ? (
        <Loading what="the payload" lines={12} />
      ) : (
        <PayloadLines payload={payload} />
      )}
    </div>
  )
}

type Payload = { readonly system?: string; readonly messages: RenderedContext['messages'] }

function payloadOf({ system, messages }: RenderedContext): Payload {
  return system === null ? { messages } : { system, messages }
}

const LINE_PX = 18

/** JSON, line by line; only the lines in sight exist. */
function PayloadLines({ payload }: { readonly payload: unknown }) {
  const lines = useMemo(() => jsonLines(payload), [payload])
  return (
    <Virtuoso
      className={styles.lines}
      totalCount={lines.length}
      defaultItemHeight={LINE_PX}
      increaseViewportBy={400}
      tabIndex={0}
      role="region"
      aria-label="Payload as JSON"
      itemContent={(index) => {
        const line = lines[index]
        return line === undefined ? null : <Line line={line} number={index + 1} />
      }}
    />
  )
}

function Line({ line, number }: { readonly line: JsonLine; readonly number: number }) {
  return (
    <div className={styles.line}>
      <span className={styles.number} data-number={number} />
      <code className={styles.code} style={{ paddingLeft: `${line.indent * 2 + (line.continues ? 2 : 0)}ch` }}>
        {line.key !== null && <span className={styles.key}>{JSON.stringify(line.key)}: </span>}
        <span className={classNames(styles[line.kind])}>{line.text}</span>
      </code>
    </div>
  )
}
