import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { FormField } from '../controls/form-field.tsx'
import form from '../styles/form.module.css'
import styles from './connect-dialog.module.css'

type Props = {
  readonly address?: string
  /** Called with the address, which has no password. */
  readonly onConnected: (address: string) => void
  readonly onClose: () => void
}

/** Asks for the address of a PostgreSQL database and, where there is a keychain, for its password. */
export function ConnectDialog({ address: given = '', onConnected, onClose }: Props) {
  const [address, setAddress] = useState(given)
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  const known = useQuery(api.servers.list.queryOptions())
  const connect = useMutation(
    api.servers.connect.mutationOptions({
      onSuccess: async (connected) => {
        await queries.invalidateQueries({ queryKey: api.servers.key() })
        onConnected(connected.address)
      },
    }),
  )
  const submit = () => {
    if (address.trim() !== '') connect.mutate({ address: address.trim(), ...(password !== '' && { password }) })
  }
  return (
    <Dialog
      title="Connect to PostgreSQL"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={submit} disabled={address.trim() === '' || connect.isPending}>
            {connect.isPending ? 'Connecting…' : 'Connect'}
          </Button>
        </>
      }
    >
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <FormField
          label="Address"
          placeholder="postgres://user@host:5432/database"
          hint="Across a network the connection is encrypted and the certificate verified."
          value={address}
          onChange={(text) => {
            setAddress(text)
            connect.reset()
          }}
        />
        {known.data?.canKeepSecrets ? (
          <FormField
            label="Password"
            isSecret
            hint="Kept in the keychain of this desktop. Leave it empty to use the one that is kept or in PGPASSWORD."
            value={password}
            onChange={setPassword}
          />
        ) : (
          <p className="dim">
            The password comes from <code>PGPASSWORD</code> or <code>LCM_DATABASE_URL</code> in the environment of{' '}
            <code>lcm</code>, or from <code>~/.pgpass</code>.
          </p>
        )}
        {/* Without it, Enter in one of two fields does nothing. */}
        <button type="submit" className="unseen" tabIndex={-1} aria-hidden="true" />
        {connect.error && (
          <p className={styles.error} role="alert">
            {toErrorInfo(connect.error).message}
          </p>
        )}
      </form>
    </Dialog>
  )
}
