import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import type { ProviderInfo } from '#core/contract/provider.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import styles from '#renderer/ui/styles/form.module.css'

type Props = { readonly provider: ProviderInfo; readonly onClose: () => void }

/** Takes a key and stores it in the keychain. A stored key cannot be shown. */
export function KeyDialog({ provider, onClose }: Props) {
  const [key, setKey] = useState('')
  const formId = useId()
  const queries = useQueryClient()
  const store = useMutation(
    api.settings.setKey.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries({ queryKey: api.settings.key() })
        onClose()
      },
    }),
  )
  const { name, baseUrl, keySource, keyVariable } = provider
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() !== '') store.mutate({ provider: name, key })
  }
  return (
    <Dialog
      title={`Key of ${name}`}
      onClose={onClose}
      actions={
        <>
          {keySource === 'key_store' && (
            <Button
              look="danger"
              disabled={store.isPending}
              onClick={() => store.mutate({ provider: name, key: null })}
            >
              Forget the key
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <button type="submit" form={formId} className={styles.submit} disabled={key.trim() === '' || store.isPending}>
            Keep
          </button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <p>
          It is encrypted by the keychain of this desktop and sent to <bdi>{originOf(baseUrl)}</bdi> only. It cannot be
          looked at again.
        </p>
        {keySource === 'environment' && (
          <p className={styles.problem}>
            {keyVariable} is set in the environment and counts before a key that is kept here.
          </p>
        )}
        <div className={styles.field}>
          <label htmlFor={`${formId}-key`}>New key</label>
          <span className={styles.entry}>
            <input
              id={`${formId}-key`}
              data-autofocus=""
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          </span>
        </div>
        {store.isError && (
          <p className={styles.problem} role="alert">
            {toErrorInfo(store.error).message}
          </p>
        )}
      </form>
    </Dialog>
  )
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)
