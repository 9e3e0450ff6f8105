import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { isWriter } from '#core/contract/lists.ts'
import type { ProviderInfo } from '#core/contract/provider.ts'
import type { SettingsReport } from '#core/contract/settings.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { host } from '#renderer/host.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { FormField } from '#renderer/ui/controls/form-field.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import styles from '#renderer/ui/styles/form.module.css'
import { chainAfter } from './chain-order.ts'
import { embeddingsAfter } from './embeddings-choice.ts'
import {
  EMPTY_PROVIDER,
  formOf,
  KNOWN_SERVICES,
  type ProviderField,
  type ProviderProblems,
  providerOf,
} from './provider-form.ts'
import { settingsOf } from './stored-provider.ts'
import { useSaveSettings } from './use-save-settings.ts'

type Props = {
  readonly report: SettingsReport
  /** Null adds a provider. */
  readonly provider: ProviderInfo | null
  readonly onClose: () => void
}

type TextField = Exclude<ProviderField, 'kind'>

const KINDS = [
  { value: 'openai-compatible', label: 'OpenAI-compatible' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai-embeddings', label: 'Embeddings' },
] as const

const NO_PROBLEMS: ProviderProblems = {}

/** The address of a model, its protocol, and its prices. */
export function ProviderDialog({ report, provider, onClose }: Props) {
  const [form, setForm] = useState(provider ? formOf(provider) : EMPTY_PROVIDER)
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const formId = useId()
  const save = useSaveSettings()
  const others = report.providers.filter(({ name }) => name !== provider?.name)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const made = providerOf(
      form,
      others.map(({ name }) => name),
    )
    setProblems('problems' in made ? made.problems : NO_PROBLEMS)
    if ('problems' in made) return
    const isRenamed = provider !== null && provider.name !== made.provider.name && report.chain.includes(provider.name)
    const providers = provider
      ? report.providers.map((each) => (each.name === provider.name ? made.provider : settingsOf(each)))
      : [...report.providers.map(settingsOf), made.provider]
    save.mutate(
      {
        providers,
        ...(isRenamed && { chain: chainAfter(report.chain, provider.name, made.provider.name) }),
        ...(provider && embeddingsAfter(report, provider.name, isWriter(made.provider) ? null : made.provider.name)),
      },
      { onSuccess: onClose },
    )
  }
  const field = (name: TextField, label: string, hint: string, unit?: string): ReactNode => (
    <FormField
      {...{ label, hint, unit, problem: problems[name] }}
      value={form[name]}
      onChange={(text) => setForm({ ...form, [name]: text })}
    />
  )
  const start = (label: string) => {
    const known = KNOWN_SERVICES.find((service) => service.label === label)
    if (!known) return
    const { label: _label, ...values } = known
    setForm({ ...form, ...values })
  }

  return (
    <Dialog
      title={provider ? `Edit ${provider.name}` : 'Add a model'}
      width={600}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <button type="submit" form={formId} className={styles.submit} disabled={save.isPending}>
            Save
          </button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        {provider === null && (
          <SelectField
            label="Start from"
            value={KNOWN_SERVICES.find(({ baseUrl }) => baseUrl === form.baseUrl)?.label ?? ''}
            options={[
              { value: '', label: 'another server' },
              ...KNOWN_SERVICES.map(({ label }) => ({ value: label, label })),
            ]}
            onChange={start}
          />
        )}
        <Segmented label="Kind" options={KINDS} value={form.kind} onChange={(kind) => setForm({ ...form, kind })} />
        {!isWriter(form) && (
          <p>
            Such a model writes nothing. It turns texts into vectors, so that a question also finds what says the same
            in other words.
          </p>
        )}
        {field(
          'name',
          'Name',
          isWriter(form) ? 'What the order of models and --summarizer call it' : 'What LCM_EMBEDDINGS calls it',
        )}
        {field('baseUrl', 'Base URL', 'Up to and with /v1; no user, password or key in it')}
        {field('model', 'Model', 'As the server calls it')}
        {field(
          'keyVariable',
          'Key variable',
          'The environment variable that may hold the key; empty where none is needed',
        )}
        {field('timeoutSeconds', 'Timeout', 'For one call', 's')}
        {field('inputPrice', 'Price in', 'In your currency; empty when not known', 'per million tokens')}
        {isWriter(form) && (
          <>
            {field('maxOutputTokens', 'Longest answer', 'No answer is asked to be longer', 'tokens')}
            {field('outputPrice', 'Price out', 'In your currency; empty when not known', 'per million tokens')}
          </>
        )}
        {save.isPending && (
          <p role="status">
            {host.kind === 'browser'
              ? 'A new address or key has to be confirmed in the terminal where "lcm serve" runs.'
              : 'A new address or key has to be confirmed in the dialog of the app.'}
          </p>
        )}
        {save.isError && (
          <p className={styles.problem} role="alert">
            {toErrorInfo(save.error).message}
          </p>
        )}
      </form>
    </Dialog>
  )
}
