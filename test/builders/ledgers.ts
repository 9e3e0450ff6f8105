import { dirname, join } from 'node:path'
import { type Lcm, type OpenLcmOptions, openLcm } from '#core/lcm.ts'
import { LedgerConsents } from '#core/ledger/ledger-consents.ts'
import type { LedgerPermission } from '#core/ledger/ledger-permission.ts'

/** A data folder for this test alone, in the folder of the memory. */
const dataDirOf = (memory: string): string => join(dirname(memory), 'data')

/** The permission of this test's machine for the ledger of a memory, by the consents in its data folder. */
export const permissionOf = (memory: string, named: string | null = null): LedgerPermission => ({
  memory,
  consents: new LedgerConsents(dataDirOf(memory)),
  named,
})

/** Opens a memory on that machine. */
export const openHere = (memory: string, options: OpenLcmOptions = {}): Promise<Lcm> =>
  openLcm(memory, { dataDir: dataDirOf(memory), ...options })
