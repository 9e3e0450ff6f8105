import type { FollowState } from '#core/contract/servers.ts'
import type { Tone } from '../ui/controls/chip.tsx'

type FollowText = { readonly tone: Tone; readonly short: string; readonly title: string }

/** Whether a copy of a conversation in PostgreSQL follows it, in words. */
export const FOLLOW_TEXTS: Readonly<Record<FollowState['state'], FollowText>> = {
  not_pulled: { tone: 'neutral', short: 'copy', title: 'It is not followed.' },
  still: { tone: 'neutral', short: 'copy', title: 'As it was when it was pulled.' },
  live: { tone: 'fine', short: 'live', title: 'Follows what is written there.' },
  changed_here: { tone: 'warning', short: 'changed here', title: 'Does not follow until the changes are pushed.' },
  unreachable: { tone: 'warning', short: 'not live', title: 'Does not follow now.' },
}
