import type { MemoryInfo } from '../contract/memory.ts'
import { recordBaseline } from '../doctor/scan/record-baseline.ts'
import { measureFile } from '../sqlite/memory-file.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { storeOrigin } from '../systems/opening/copied-from.ts'
import { NATIVE_CAPABILITIES } from '../systems/opening/open.ts'
import { inSlices } from '../yielding.ts'
import type { ForeignStore } from './remote-store.ts'

/** A pulled file is a working copy of a conversation of its system, or of all of a tenant. */
export function noteSystem(db: WriteDb, system: ForeignStore, { tenant, conversationId }: Copied): void {
  const fileName = conversationId === null ? tenant : `${tenant}, conversation ${conversationId}`
  storeOrigin(db, { ...infoOf(db.path, system), fileName })
}
type Copied = { readonly tenant: string; readonly conversationId: number | null }

/** Notes which findings are by design of the system, as in any working copy. */
export async function noteDesign(db: WriteDb, system: ForeignStore, signal: AbortSignal): Promise<void> {
  await inSlices(recordBaseline({ read: db, info: infoOf(db.path, system) }, db), signal)
}

/** The rows have been mapped to ours already, so that they are read as ours, by the rules of their system. */
const infoOf = (path: string, { id, label }: ForeignStore): MemoryInfo => ({
  ...measureFile(path),
  fileName: '',
  system: id,
  systemLabel: label,
  systemVersion: null,
  readOnly: true,
  readOnlyReason: null,
  access: 'in_place',
  capabilities: { ...NATIVE_CAPABILITIES, runs: false, levels: false },
})
