import { useMutation } from '@tanstack/react-query'
import type { ProviderInfo } from '../../../core/contract/provider.ts'
import type { SettingsReport } from '../../../core/contract/settings.ts'
import { api } from '../../api.ts'
import { toErrorInfo } from '../../error-text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from '../../ui/form.module.css'
import { chainAfter } from './chain-order.ts'
import { embeddingsAfter } from './embeddings-choice.ts'
import { settingsOf } from './provider-form.ts'
import { useSaveSettings } from './use-save-settings.ts'

type Props = {
  readonly report: SettingsReport
  readonly provider: ProviderInfo
  readonly onClose: () => void
}

/** Asks before a provider is removed, and names what is removed with it. */
export function RemoveDialog({ report, provider, onClose }: Props) {
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
          It goes from the settings{isInChain && ', and from the chain'}
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
