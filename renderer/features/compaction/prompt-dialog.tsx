import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CompactRequest, PlanStep, PromptPreview } from '#core/contract/compaction.ts'
import { api } from '#renderer/api.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, formatTokens } from '#renderer/ui/texts/format.ts'
import styles from './compaction-view.module.css'

type Props = {
  readonly request: CompactRequest
  readonly steps: readonly PlanStep[]
  /** Number of the step, from 0. */
  readonly step: number
  readonly onStep: (step: number) => void
  readonly onClose: () => void
}

type Level = 'normal' | 'aggressive'

const LEVELS = [
  { value: 'normal', label: 'normal', hint: 'What is sent first' },
  {
    value: 'aggressive',
    label: 'aggressive',
    hint: 'What is sent when the first answer is empty or not smaller than its sources',
  },
] as const

/** The exact text that a model would be sent for a step. Showing it calls no model. */
export function PromptDialog({ request, steps, step, onStep, onClose }: Props) {
  const [level, setLevel] = useState<Level>('normal')
  const preview = useQuery(
    api.compaction.prompt.queryOptions({ input: { ...request, step, level }, placeholderData: keepPreviousData }),
  )
  const depth = steps[step]?.depth ?? 0
  return (
    <Dialog title={`Prompt of step ${formatCount(step + 1)}, ${depthLabel(depth)}`} width={860} onClose={onClose}>
      <div className={styles.bar}>
        <IconButton icon="arrowLeft" label="Step before" disabled={step === 0} onClick={() => onStep(step - 1)} />
        <span className={styles.place}>
          {formatCount(step + 1)} of {formatCount(steps.length)}
        </span>
        <IconButton
          icon="arrowRight"
          label="Next step"
          disabled={step >= steps.length - 1}
          onClick={() => onStep(step + 1)}
        />
        <Segmented label="Level" options={LEVELS} value={level} onChange={setLevel} />
        {preview.data && <Facts preview={preview.data} />}
      </div>
      {preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      ) : preview.data === undefined ? (
        <Loading what="the prompt" lines={7} />
      ) : (
        <div className={styles.texts} aria-busy={preview.isPlaceholderData}>
          <PromptText title="System" text={preview.data.system} />
          <PromptText title="Prompt" text={preview.data.prompt} />
        </div>
      )}
    </Dialog>
  )
}

function Facts({ preview }: { readonly preview: PromptPreview }) {
  return (
    <span className={styles.facts}>
      <span>{formatTokens(preview.tokens)}</span>
      <span>
        version <code>{preview.promptVersion}</code>
      </span>
      <span title="Where the prompt comes from">{preview.source}</span>
    </span>
  )
}

function PromptText({ title, text }: { readonly title: string; readonly text: string }) {
  const [state, copy] = useCopy()
  return (
    <section>
      <SectionHeading
        aside={
          <Button look="quiet" onClick={() => copy(text)}>
            {state === 'copied' ? 'Copied' : state === 'failed' ? 'Not copied' : 'Copy'}
          </Button>
        }
      >
        {title}
      </SectionHeading>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre className={styles.text} dir="auto" tabIndex={0}>
        {text}
      </pre>
    </section>
  )
}
