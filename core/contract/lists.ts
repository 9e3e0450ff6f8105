// Closed lists as plain values. The renderer takes them from here: a schema would bring the whole of zod with it.

/** Order in which roles are numbered where they travel as numbers (strata columns). */
export const ROLES = ['system', 'user', 'assistant', 'tool'] as const

/** How a summary was obtained, from best to last resort, in the order in which levels travel as numbers. */
export const SUMMARY_LEVELS = ['normal', 'aggressive', 'deterministic', 'unknown'] as const

/** What one unit of x can be. */
export const STRATA_AXES = ['messages', 'tokens', 'time'] as const
