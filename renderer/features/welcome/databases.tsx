import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '#renderer/api.ts'
import { host } from '#renderer/host.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { ErrorLine } from '#renderer/ui/states/error-state.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import foundListStyles from './found-list.module.css'

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
        <div className={foundListStyles.damaged}>
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
          <li key={address} className={foundListStyles.row}>
            <button
              type="button"
              className={foundListStyles.open}
              title={address}
              onClick={() => host.openFile(address)}
            >
              <span className={foundListStyles.address}>{address}</span>
              <span className={foundListStyles.system}>
                <Chip title={SECRETS[secret]}>PostgreSQL</Chip>
              </span>
              <span className={foundListStyles.size} />
              <span className={foundListStyles.time}>
                <TimeText atMs={openedAtMs} />
              </span>
            </button>
            <IconButton
              className={foundListStyles.forget}
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
