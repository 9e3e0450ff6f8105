import { volt } from '#core/systems/volt/volt.ts'
import type { ForeignStore } from '../remote-store.ts'
import { countConversations, countVoltAlarm, readPage, readStalledUsers } from './fleet.ts'
import { readContents, readConversations, readHead, readPartIds, readParts, readTable, readTokens } from './rows.ts'
import { isVolt, requireReadable } from './tables.ts'

export const voltStore: ForeignStore = {
  id: volt.id,
  label: volt.label,
  recognise: isVolt,
  require: requireReadable,
  rows: {
    conversations: readConversations,
    head: readHead,
    table: readTable,
    parts: (query, key, _table, values, column) => readParts(query, key, values, column),
    tokens: readTokens,
    partIds: readPartIds,
    contents: readContents,
  },
  fleet: { page: readPage, count: countConversations, countAlarm: countVoltAlarm, stalled: readStalledUsers },
}
