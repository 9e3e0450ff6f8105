import type { Role } from '#core/contract/ids.ts'

/** What the formats that are known call people, models, programs and tools. */
export const ROLES_BY_NAME: ReadonlyMap<string, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])
