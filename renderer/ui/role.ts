import type { Role } from '../../core/contract/ids.ts'

const ROLES: Readonly<Record<Role, true>> = { system: true, user: true, assistant: true, tool: true }

const isRole = (text: string): text is Role => Object.hasOwn(ROLES, text)

/** Returns the role with that name, or null. */
export const roleOf = (name: string): Role | null => (isRole(name) ? name : null)
