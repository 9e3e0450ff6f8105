import { type ReactNode, useState } from 'react'
import { client } from '#renderer/api.ts'
import type { ProbeAddress } from '#renderer/probe-address.ts'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import {
  AFTER,
  choiceOf,
  isMoment,
  MOMENT,
  type MomentChoice,
  type WindowOption,
} from '#renderer/ui/data/window-choice.ts'
import { later } from '#renderer/ui/states/later.tsx'
import number from '#renderer/ui/styles/number-field.module.css'
import { plural } from '#renderer/ui/texts/format.ts'
import styles from './probe-view.module.css'
import type { OwnQuestions } from './use-probe.ts'

// It loads schemas, with which questions are checked.
const QuestionsDialog = later(() => import('./questions-dialog.tsx').then((code) => code.QuestionsDialog))

type Props = {
  readonly kinds: ReactNode
  readonly probe: ProbeAddress
  readonly at: MomentChoice
  readonly compared: MomentChoice
  /** The job whose report can be exported. */
  readonly jobId: string | null
  readonly isRunning: boolean
  readonly isReady: boolean
  readonly options: readonly WindowOption[]
  readonly own: OwnQuestions | null
  readonly onOwn: (own: OwnQuestions | null) => void
  readonly onStart: () => void
  /** Shows why a report could not be written. */
  readonly onError: (error: unknown) => void
  /** The moment to compare with at first, when another moment is chosen. */
  readonly firstMoment: string | null
}

const FEWEST = 1
const MOST = 500

/** What is asked, of which window, and compared with what. */
export function ProbeForm(props: Props) {
  const { kinds, probe, at, compared, jobId, isRunning, isReady, options, own, onOwn } = props
  const { onStart, onError, firstMoment } = props
  const [isWriting, setWriting] = useState(false)
  const set = (patch: Partial<ProbeAddress>) => navigate({ probe: { ...probe, ...patch } }, 'replace')
  const choose = (value: string) =>
    set({ compare: value === '' ? null : value === MOMENT ? (firstMoment ?? AFTER) : value })
  return (
    <div className={styles.form}>
      <div className={styles.line}>
        {kinds}
        {own === null ? (
          <label
            className={classNames(number.field, styles.count)}
            title="Made from what people and agents said, without a model"
          >
            questions
            <input
              type="number"
              min={FEWEST}
              max={MOST}
              value={probe.limit}
              onChange={({ target }) =>
                set({ limit: Math.min(MOST, Math.max(FEWEST, Math.round(target.valueAsNumber) || FEWEST)) })
              }
            />
          </label>
        ) : (
          <span className={styles.count}>{plural(own.questions.length, 'question')} of yours</span>
        )}
        <Button onClick={() => setWriting(true)}>{own === null ? 'Your own…' : 'Edit…'}</Button>
        {own !== null && (
          <Button look="quiet" onClick={() => onOwn(null)}>
            Make them
          </Button>
        )}
        <span className={styles.end}>
          {jobId !== null && <ExportMenu jobId={jobId} onError={onError} />}
          <Button look="primary" disabled={!isReady || isRunning} onClick={onStart}>
            {jobId === null ? 'Probe' : 'Probe again'}
          </Button>
        </span>
      </div>
      <div className={styles.line}>
        {at.slider('Window')}
        <SelectField
          label="compare with"
          options={[{ value: '', label: 'nothing' }, ...options]}
          value={choiceOf(probe.compare)}
          onChange={choose}
          title={
            probe.compare?.startsWith('summarizer:')
              ? 'A model writes the summaries of a copy; its calls may cost money'
              : 'A compaction is only tried, on a copy that is removed afterwards'
          }
        />
        {probe.compare !== null && isMoment(probe.compare) && compared.slider('Compared window')}
      </div>
      {isWriting && <QuestionsDialog own={own} onTake={onOwn} onClose={() => setWriting(false)} />}
    </div>
  )
}

type ExportProps = { readonly jobId: string; readonly onError: (error: unknown) => void }

function ExportMenu({ jobId, onError }: ExportProps) {
  const write = async (format: 'markdown' | 'html') => {
    try {
      const { fileName, mediaType, text } = await client.trace.probeDocument({ jobId, format })
      saveFile(fileName, new Blob([text], { type: mediaType }))
    } catch (error) {
      onError(error)
    }
  }
  return (
    <Menu
      label="Export the report"
      className={styles.export}
      items={[
        { label: 'Markdown', onSelect: () => void write('markdown') },
        { label: 'HTML, one page', onSelect: () => void write('html') },
      ]}
    >
      Export
      <Icon name="chevronDown" />
    </Menu>
  )
}
