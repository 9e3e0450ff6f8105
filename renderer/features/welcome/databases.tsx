import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { host } from '../../host.ts'
import { Chip } from '../../ui/chip.tsx'
import { ErrorLine } from '../../ui/error-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './found-list.module.css'

/** PostgreSQL databases that the user connected to, by their addresses without passwords. */
export function Databases() {
  const known = useQuery(api.servers.list.queryOptions())
  const queries = useQueryClient()
  const forget = useMutation(
    api.servers.forget.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.servers.key() }),
    }),
  )
  if (known.error)
    return (
      <section>
        <SectionHeading>Databases</SectionHeading>
        <div className={styles.damaged}>
          <ErrorLine error={known.error} onRetry={() => void known.refetch()} />
        </div>
      </section>
    )
  if (!known.data || known.data.servers.length === 0) return null
  return (
    <section>
      <SectionHeading>Databases</SectionHeading>
      {forget.error && <ErrorLine error={forget.error} />}
      <ul>
        {known.data.servers.map(({ address, openedAtMs, secret }) => (
          <li key={address} className={styles.row}>
            <button type="button" className={styles.open} title={address} onClick={() => host.openFile(address)}>
              <span className={styles.address}>{address}</span>
              <span className={styles.system}>
                <Chip title={SECRETS[secret]}>PostgreSQL</Chip>
              </span>
              <span className={styles.size} />
              <span className={styles.time}>
                <TimeText atMs={openedAtMs} />
              </span>
            </button>
            <IconButton
              className={styles.forget}
              icon="close"
              label={`Take ${address} off this list, and its password out of the keychain`}
              onClick={() => forget.mutate({ address })}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

const SECRETS = {
  environment: 'Its password is in the environment',
  keychain: 'Its password is in the keychain',
  none: 'No password is kept for it',
} as const
