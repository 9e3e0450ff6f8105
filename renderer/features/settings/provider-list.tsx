import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isWriter } from '#core/contract/lists.ts'
import type { ProviderInfo, ProviderTest } from '#core/contract/provider.ts'
import type { SettingsReport } from '#core/contract/settings.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { host } from '#renderer/host.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Chip, type Tone } from '#renderer/ui/controls/chip.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { later } from '#renderer/ui/states/later.tsx'
import styles from '#renderer/ui/styles/form.module.css'
import { formatCount, formatDuration, plural } from '#renderer/ui/texts/format.ts'
import { chainAfter } from './chain-order.ts'
import { embeddingsAfter } from './embeddings-choice.ts'
import { KeyDialog } from './key-dialog.tsx'
import sectionStyles from './section.module.css'
import { settingsOf } from './stored-provider.ts'
import { useSaveSettings } from './use-save-settings.ts'
import { whereKeysAre } from './where-keys-are.ts'

// It loads schemas, with which a form is checked.
const ProviderDialog = later(() => import('./provider-dialog.tsx').then((code) => code.ProviderDialog))

type Open = { readonly kind: 'add' } | { readonly kind: 'edit' | 'key' | 'remove'; readonly provider: ProviderInfo }

/** The models that can be asked for summaries. */
export function ProviderList({ report }: { readonly report: SettingsReport }) {
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const { providers, canStoreKeys } = report
  return (
    <section className={sectionStyles.section}>
      <SectionHeading
        aside={
          <Button onClick={() => setOpen({ kind: 'add' })}>
            <Icon name="plus" />
            Add a model…
          </Button>
        }
      >
        Models
      </SectionHeading>
      <p className={sectionStyles.text}>
        {providers.length === 0
          ? 'No model is set up: summaries are made by the built-in extractor, which needs no network. Any OpenAI-compatible server will do, also one on this machine, and Anthropic.'
          : whereKeysAre(host.kind, canStoreKeys)}
      </p>
      <ul>
        {providers.map((provider) => (
          <ProviderRow
            key={provider.name}
            provider={provider}
            canStoreKeys={canStoreKeys}
            onEdit={() => setOpen({ kind: 'edit', provider })}
            onKey={() => setOpen({ kind: 'key', provider })}
            onRemove={() => setOpen({ kind: 'remove', provider })}
          />
        ))}
      </ul>
      {open?.kind === 'add' && <ProviderDialog report={report} provider={null} onClose={close} />}
      {open?.kind === 'edit' && <ProviderDialog report={report} provider={open.provider} onClose={close} />}
      {open?.kind === 'key' && <KeyDialog provider={open.provider} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog report={report} provider={open.provider} onClose={close} />}
    </section>
  )
}

type RowProps = {
  readonly provider: ProviderInfo
  readonly canStoreKeys: boolean
  readonly onEdit: () => void
  readonly onKey: () => void
  readonly onRemove: () => void
}

/** A model with its address, the source of its key, and whether it can be reached. */
function ProviderRow({ provider, canStoreKeys, onEdit, onKey, onRemove }: RowProps) {
  const test = useMutation(api.settings.testProvider.mutationOptions())
  const { name, model, baseUrl } = provider
  const key = keyText(provider, canStoreKeys)
  return (
    <li className={classNames(sectionStyles.entry, sectionStyles.providerRow)}>
      <div className={sectionStyles.words}>
        <p className={sectionStyles.entryHead}>
          <strong>{name}</strong> <span>{model}</span>
          <Chip tone={key.tone} title={key.hint}>
            {key.text}
          </Chip>
        </p>
        <p className={sectionStyles.dim}>
          <code>
            <bdi>{baseUrl}</bdi>
          </code>
        </p>
        <p className={sectionStyles.dim}>{limitsText(provider)}</p>
        <p className={sectionStyles.result} role="status">
          {test.isPending ? (
            isWriter(provider) ? (
              'Asking it for one word…'
            ) : (
              'Asking it for one vector…'
            )
          ) : test.error ? (
            <span className={sectionStyles.providerProblem}>{toErrorInfo(test.error).message}</span>
          ) : (
            test.data && <TestResult test={test.data} />
          )}
        </p>
      </div>
      <div className={sectionStyles.providerActions}>
        <Button
          aria-label={`Test ${name}`}
          title="One tiny real call"
          disabled={test.isPending}
          onClick={() => test.mutate({ name })}
        >
          Test
        </Button>
        {canStoreKeys && (
          <Button aria-label={`Key of ${name}`} onClick={onKey}>
            Key…
          </Button>
        )}
        <Button aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit…
        </Button>
        <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />
      </div>
    </li>
  )
}

function TestResult({ test }: { readonly test: ProviderTest }) {
  if (test.ok && test.dimensions !== undefined) {
    return (
      <span className={sectionStyles.fine}>
        It answers, in {formatDuration(test.durationMs)}, with vectors of {plural(test.dimensions, 'number')}.
      </span>
    )
  }
  if (test.ok) return <span className={sectionStyles.fine}>It answers, in {formatDuration(test.durationMs)}.</span>
  return <span className={sectionStyles.providerProblem}>{test.problem ?? 'It does not answer.'}</span>
}

function keyText(
  { keySource, keyVariable }: ProviderInfo,
  canStoreKeys: boolean,
): { readonly text: string; readonly tone: Tone; readonly hint: string } {
  switch (keySource) {
    case 'environment':
      return { text: `key from ${keyVariable ?? 'the environment'}`, tone: 'fine', hint: 'The environment holds it' }
    case 'key_store':
      return { text: 'key in the keychain', tone: 'fine', hint: 'The keychain of this desktop holds it' }
    case 'none':
      if (keyVariable === null) return { text: 'no key', tone: 'neutral', hint: 'A server on this machine needs none' }
      return {
        text: `no key: set ${keyVariable}`,
        tone: 'warning',
        hint: canStoreKeys ? 'Enter it here, or set the variable and start again' : 'Set the variable and start again',
      }
  }
}

function limitsText(provider: ProviderInfo): string {
  const { timeoutMs, maxOutputTokens, inputPrice, outputPrice } = provider
  if (!isWriter(provider)) {
    const ofTexts = inputPrice === null ? 'no price set' : `${inputPrice} per million tokens`
    return `Embeddings · ${formatCount(timeoutMs / 1000)} s for a request · ${ofTexts}`
  }
  const price =
    inputPrice === null || outputPrice === null
      ? 'no prices set'
      : `${inputPrice} in, ${outputPrice} out per million tokens`
  return `${formatCount(timeoutMs / 1000)} s for an answer of at most ${plural(maxOutputTokens, 'token')} · ${price}`
}

type RemoveDialogProps = {
  readonly report: SettingsReport
  readonly provider: ProviderInfo
  readonly onClose: () => void
}

/** Asks before a provider is removed, and names what is removed with it. */
function RemoveDialog({ report, provider, onClose }: RemoveDialogProps) {
  const save = useSaveSettings()
  const forget = useMutation(api.settings.setKey.mutationOptions())
  const { name, keySource } = provider
  const isInChain = report.chain.includes(name)
  const hasKey = keySource === 'key_store'
  const remove = async () => {
    // The key is removed first, because it could not be addressed without its provider.
    if (hasKey) await forget.mutateAsync({ provider: name, key: null })
    const providers = report.providers.filter((each) => each.name !== name).map(settingsOf)
    save.mutate(
      {
        providers,
        ...(isInChain && { chain: chainAfter(report.chain, name, null) }),
        ...embeddingsAfter(report, name, null),
      },
      { onSuccess: onClose },
    )
  }
  const error = save.error ?? forget.error
  return (
    <Dialog
      title={`Remove ${name}?`}
      onClose={onClose}
      actions={
        <>
          <Button data-autofocus="" onClick={onClose}>
            Cancel
          </Button>
          <Button
            look="danger"
            disabled={save.isPending || forget.isPending}
            onClick={() => void remove().catch(() => undefined)}
          >
            Remove
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p>
          It goes from the settings{isInChain && ', and from the order of models'}
          {hasKey && ', and its key from the keychain'}. What it has written stays as it is.
        </p>
        {error !== null && (
          <p className={styles.problem} role="alert">
            {toErrorInfo(error).message}
          </p>
        )}
      </div>
    </Dialog>
  )
}
