import { useQuery } from '@tanstack/react-query'
import type { SettingsReport } from '#core/contract/settings.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { useLink } from '#renderer/routes.ts'
import { SelectField } from '../controls/select-field.tsx'
import { CHAIN, DETERMINISTIC, providersOf, summarizerName, writersOf } from '../data/summarizers.ts'
import styles from './summarizer-choice.module.css'

type Props = {
  /** What the chosen one does. */
  readonly label?: string
  readonly value: string
  readonly onChange: (summarizer: string) => void
}

/** Chooses the summariser: the built-in extractor, one model, or the models of the chain. */
export function SummarizerChoice({ label = 'Summariser', value, onChange }: Props) {
  const report = useQuery(api.settings.report.queryOptions())
  const linkTo = useLink()
  const settings = report.data ?? NONE
  return (
    <div className={styles.choice}>
      <SelectField label={label} options={optionsOf(settings)} value={value} onChange={onChange} />
      <p className="dim">
        {report.error ? toErrorInfo(report.error).message : explain(value, settings)}{' '}
        {writersOf(settings).length === 0 && (
          <a className={styles.link} href={linkTo({ view: 'settings' })}>
            Set up a model
          </a>
        )}
      </p>
    </div>
  )
}

const NONE: Pick<SettingsReport, 'providers' | 'chain'> = { providers: [], chain: [] }

const optionsOf = ({ providers, chain }: typeof NONE) => [
  { value: DETERMINISTIC, label: summarizerName(DETERMINISTIC) },
  ...writersOf({ providers }).map(({ name, model }) => ({ value: name, label: `${name} · ${model}` })),
  ...(chain.length > 0 ? [{ value: CHAIN, label: `in order · ${chain.join(' → ')}` }] : []),
]

function explain(value: string, settings: typeof NONE): string {
  if (value === DETERMINISTIC) return 'No model, no network, the same every time.'
  const names = providersOf(value, settings).map(({ name }) => name)
  if (names.length === 0) return 'This one is not configured any more: choose another.'
  const [first = '', ...others] = names
  const next = others.length > 0 ? `then ${others.join(', ')}, ` : ''
  return `Asks ${first}, ${next}and where all fail the built-in extractor.`
}
