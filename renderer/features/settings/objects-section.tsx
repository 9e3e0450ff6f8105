import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ObjectsPlace } from '#core/contract/servers.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Chip, type Tone } from '#renderer/ui/controls/chip.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { FormField } from '#renderer/ui/controls/form-field.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import styles from '#renderer/ui/styles/form.module.css'
import sectionStyles from './section.module.css'

const KEYS: Readonly<Record<ObjectsPlace['keys'], { readonly text: string; readonly tone: Tone }>> = {
  environment: { text: 'keys from the environment', tone: 'fine' },
  keychain: { text: 'keys in the keychain', tone: 'fine' },
  none: { text: 'no keys', tone: 'warning' },
  not_needed: { text: 'needs no keys', tone: 'neutral' },
}

/** The store of large files of conversations in PostgreSQL, as the environment names it, and its keys. */
export function ObjectsSection({ canStoreKeys }: { readonly canStoreKeys: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const { data: place, error } = useQuery(api.servers.objects.queryOptions())
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Large files in PostgreSQL</SectionHeading>
      {error && (
        <p className={sectionStyles.problem} role="alert">
          {toErrorInfo(error).message}
        </p>
      )}
      {place && (
        <ul>
          <li className={classNames(sectionStyles.entry, sectionStyles.providerRow)}>
            <div className={sectionStyles.words}>
              <p className={sectionStyles.entryHead}>
                <strong>
                  <bdi>{place.shown}</bdi>
                </strong>
                <Chip tone={KEYS[place.keys].tone}>{KEYS[place.keys].text}</Chip>
              </p>
              {place.server !== null && (
                <p className={sectionStyles.dim}>
                  <code>
                    <bdi>{place.server}</bdi>
                  </code>
                </p>
              )}
              {place.keys === 'none' && !canStoreKeys && (
                <p className={sectionStyles.dim}>Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and start again.</p>
              )}
            </div>
            {canStoreKeys && place.server !== null && (
              <div className={sectionStyles.providerActions}>
                <Button aria-label="Keys for large files" onClick={() => setAsking(true)}>
                  Keys…
                </Button>
              </div>
            )}
          </li>
        </ul>
      )}
      {isAsking && place && <ObjectsKeysDialog place={place} onClose={() => setAsking(false)} />}
    </section>
  )
}

type ObjectsKeysDialogProps = { readonly place: ObjectsPlace; readonly onClose: () => void }

/** Takes the keys of an S3 server and keeps them in the keychain. They cannot be shown. */
function ObjectsKeysDialog({ place, onClose }: ObjectsKeysDialogProps) {
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
            AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set in the environment and count before keys that are kept
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
