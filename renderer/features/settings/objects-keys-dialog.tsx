import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ObjectsPlace } from '../../../core/contract/servers.ts'
import { api } from '../../api.ts'
import { toErrorInfo } from '../../error-text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from '../../ui/form.module.css'
import { FormField } from '../../ui/form-field.tsx'

type Props = { readonly place: ObjectsPlace; readonly onClose: () => void }

/** Takes the keys of an S3 server and keeps them in the keychain. They cannot be shown. */
export function ObjectsKeysDialog({ place, onClose }: Props) {
  const [accessKeyId, setAccessKeyId] = useState('')
  const [secretAccessKey, setSecret] = useState('')
  const formId = useId()
  const queries = useQueryClient()
  const keep = useMutation(
    api.servers.setObjectsKeys.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries({ queryKey: api.servers.objects.key() })
        onClose()
      },
    }),
  )
  const isWhole = accessKeyId.trim() !== '' && secretAccessKey.trim() !== ''
  return (
    <Dialog
      title="Keys for large files"
      onClose={onClose}
      actions={
        <>
          {place.keys === 'keychain' && (
            <Button look="danger" disabled={keep.isPending} onClick={() => keep.mutate({ keys: null })}>
              Forget the keys
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <button type="submit" form={formId} className={styles.submit} disabled={!isWhole || keep.isPending}>
            Keep
          </button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isWhole) keep.mutate({ keys: { accessKeyId, secretAccessKey } })
        }}
      >
        <p>
          They are encrypted by the keychain of this desktop and used for <bdi>{place.shown}</bdi> at{' '}
          <bdi>{place.server}</bdi> only. They cannot be looked at again.
        </p>
        {place.keys === 'environment' && (
          <p className={styles.problem}>
            AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set in the environment and stand above keys that are kept
            here.
          </p>
        )}
        <FormField label="Access key id" hint="Names the account." value={accessKeyId} onChange={setAccessKeyId} />
        <FormField
          label="Secret key"
          isSecret
          hint="Requests are signed with it; it is never sent."
          value={secretAccessKey}
          onChange={setSecret}
        />
        {keep.isError && (
          <p className={styles.problem} role="alert">
            {toErrorInfo(keep.error).message}
          </p>
        )}
      </form>
    </Dialog>
  )
}
