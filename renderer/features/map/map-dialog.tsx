import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { RequestedMap } from '#core/contract/map.ts'
import { api } from '#renderer/api.ts'
import { host } from '#renderer/host.ts'
import { useLink } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { FormField } from '#renderer/ui/controls/form-field.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import type { Browse } from '#renderer/ui/data/browse.ts'
import { CHAIN, writersOf } from '#renderer/ui/data/summarizers.ts'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import styles from '#renderer/ui/styles/form.module.css'
import { chosenModel, type MapField, type MapForm, type MapProblems, mapOf, splitCommand } from './map-form.ts'

type Props = {
  readonly form: MapForm
  readonly onChange: (form: MapForm) => void
  readonly onStart: (map: RequestedMap) => void
  readonly isStarting: boolean
  /** Why the run could not be started. */
  readonly error: unknown
  readonly browse: Browse
  readonly onClose: () => void
}

const OPERATORS = [
  { value: 'llm', label: 'Ask a model', hint: 'map llm: every answer has to match a JSON Schema' },
  { value: 'agentic', label: 'Delegate to a command', hint: 'map agentic: the command is started once for each item' },
] as const
const NO_PROBLEMS: MapProblems = {}
type TextField = Exclude<MapField, 'operator' | 'again'>

/** Asks which work is to be done for every item of a list. */
export function MapDialog({ form, onChange, onStart, isStarting, error, browse, onClose }: Props) {
  const [wasTried, setTried] = useState(false)
  const [isBrowsing, setBrowsing] = useState(false)
  const formId = useId()
  const { models, state } = useModels()
  const isModel = form.operator === 'llm'
  const set = (name: MapField, value: string | boolean) => onChange({ ...form, [name]: value })
  const made = mapOf(form, models)
  // Nobody is told what is missing before the first attempt to start.
  const problems = wasTried && 'problems' in made ? made.problems : NO_PROBLEMS
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if ('map' in made) onStart(made.map)
  }
  const field = (
    name: TextField,
    label: string,
    hint: ReactNode,
    more: Partial<Parameters<typeof FormField>[0]> = {},
  ) => (
    <FormField
      {...{ label, hint, ...more }}
      problem={problems[name]}
      value={form[name]}
      onChange={(text) => set(name, text)}
    />
  )
  if (isBrowsing) {
    const close = () => setBrowsing(false)
    const take = (path: string) => {
      set('input', path)
      close()
    }
    return browse('Choose the list of items', take, close)
  }
  return (
    <Dialog
      title="Do the same work for every item of a list"
      width={680}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <button type="submit" form={formId} className={styles.submit} disabled={isStarting}>
            Start
          </button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <Segmented
          label="Who does the work"
          options={OPERATORS}
          value={form.operator}
          onChange={(one) => set('operator', one)}
        />
        {field('input', 'Items', 'The path of a JSON array, or of JSONL with one item a line', {
          action: <Button onClick={() => setBrowsing(true)}>Browse…</Button>,
        })}
        {isModel ? (
          <>
            {field('prompt', 'Prompt', '{{item}} stands for the item, {{index}} for its number', {
              lines: 5,
              placeholder: 'Rate the priority of this ticket:\n\n{{item}}',
            })}
            {field('schema', 'Schema', 'The JSON Schema that every answer has to match', {
              lines: 4,
              placeholder: SCHEMA,
            })}
            <ModelField
              {...{ models, state, problem: problems.summarizer }}
              value={chosenModel(form, models) ?? ''}
              onChange={(name) => set('summarizer', name)}
            />
          </>
        ) : (
          <>
            {field('command', 'Command', <CommandHint text={form.command} />)}
            {field('retain', 'You retain', 'What you stay responsible for, such as the final review')}
            {field('schema', 'Schema', 'The JSON Schema that every answer has to match; empty takes every answer', {
              lines: 3,
            })}
          </>
        )}
        {field('concurrency', 'At a time', 'Items that are worked on at the same time', { unit: 'items' })}
        {field('retries', 'Retries', 'More tries for an item after the first', { unit: 'tries' })}
        {!isModel && field('timeoutSeconds', 'Timeout', 'The longest time for one item', { unit: 's' })}
        <label className={styles.check}>
          <input type="checkbox" checked={form.again} onChange={(event) => set('again', event.target.checked)} />
          Begin another run, even when the same one was made before
        </label>
        {isStarting && <p role="status">{isModel ? 'Starting…' : CONFIRMATION}</p>}
        {error !== null && !isStarting && <ErrorLine error={error} />}
      </form>
    </Dialog>
  )
}

const SCHEMA = '{"type": "object", "required": ["priority"], "properties": {"priority": {"type": "integer"}}}'
const CONFIRMATION =
  host.kind === 'browser'
    ? 'The command has to be confirmed in the terminal where "lcm serve" runs.'
    : 'The command has to be confirmed in the dialog of the app.'

/** Shows how a command is read, because nothing else than blanks and quotation marks has a meaning. */
function CommandHint({ text }: { readonly text: string }) {
  const [program, ...args] = splitCommand(text) ?? []
  if (program === undefined)
    return 'Started once for each item, without a shell. It reads {"index", "item", "retain"} and prints the answer.'
  return (
    <>
      Starts <code>{program}</code>
      {args.length > 0 && ' with '}
      {args.map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a command are in order
        <span key={index}>
          <code>{word}</code>{' '}
        </span>
      ))}
    </>
  )
}

type Models = { readonly models: readonly string[]; readonly state: 'loading' | 'failed' | 'ready' }

/** Returns who can be asked: the chain first, as on the command line, and then each model. */
function useModels(): Models {
  const { data, error } = useQuery(api.settings.report.queryOptions())
  if (!data) return { models: [], state: error ? 'failed' : 'loading' }
  const names = writersOf(data).map(({ name }) => name)
  return { models: data.chain.length > 0 ? [CHAIN, ...names] : names, state: 'ready' }
}

type ModelFieldProps = Models & {
  readonly problem: string | undefined
  readonly value: string
  readonly onChange: (name: string) => void
}

function ModelField({ models, state, problem, value, onChange }: ModelFieldProps) {
  const linkTo = useLink()
  return (
    <>
      {models.length > 0 && (
        <SelectField
          label="Answered by"
          options={models.map((name) => ({ value: name, label: name === CHAIN ? 'all models, in their order' : name }))}
          value={value}
          onChange={onChange}
        />
      )}
      {models.length === 0 && (
        <p className={problem === undefined ? styles.hint : styles.problem}>
          {state === 'loading' && 'Looking for models…'}
          {state === 'failed' && 'The settings cannot be read: no model is known.'}
          {state === 'ready' && (
            <>
              No model is configured. <a href={linkTo({ view: 'settings' })}>Set up a model</a>, or delegate to a
              command.
            </>
          )}
        </p>
      )}
    </>
  )
}
