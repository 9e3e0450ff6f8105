import { useState } from 'react'
import type { ProviderInfo } from '../../../core/contract/provider.ts'
import type { SettingsReport } from '../../../core/contract/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { ProviderDialog } from './provider-dialog.tsx'
import { ProviderRow } from './provider-row.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import sectionStyles from './section.module.css'

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
          : canStoreKeys
            ? 'Keys are kept in the keychain of this desktop, or come from the environment, which stands above it. No key is ever shown.'
            : 'Keys come from the environment only: here there is no keychain to keep them in. The desktop app has one.'}
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
