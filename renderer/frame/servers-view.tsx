import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { Databases } from '../features/welcome/databases.tsx'
import { host } from '../host.ts'
import { Button } from '../ui/controls/button.tsx'
import { ConnectDialog } from '../ui/parts/connect-dialog.tsx'
import { EmptyState } from '../ui/states/empty-state.tsx'
import styles from './servers-view.module.css'

/** The PostgreSQL databases that were opened before. Each shows the conversations of all its tenants. */
export function ServersView() {
  const [isConnecting, setConnecting] = useState(false)
  const known = useQuery(api.servers.list.queryOptions())
  const connect = (
    <Button look="primary" onClick={() => setConnecting(true)}>
      Connect to PostgreSQL…
    </Button>
  )
  return (
    <>
      {known.data?.servers.length === 0 ? (
        <EmptyState title="No database was opened yet" actions={connect}>
          Memories of many agents may be kept in a PostgreSQL database. Once you have connected to one it is listed
          here.
        </EmptyState>
      ) : (
        <div className={styles.page}>
          <Databases />
          {known.data && connect}
        </div>
      )}
      {isConnecting && <ConnectDialog onConnected={host.openFile} onClose={() => setConnecting(false)} />}
    </>
  )
}
