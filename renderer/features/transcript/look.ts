import { useShownChoice } from '#renderer/routes.ts'
import { useFold } from './folds.tsx'

/** How prose is shown: rendered as Markdown, or as it is stored. */
const LOOKS = ['rendered', 'source'] as const
export type Look = (typeof LOOKS)[number]

/** Returns how the prose of the view is shown. The address holds it. */
export function useViewLook(): readonly [Look, (look: Look) => void] {
  return useShownChoice('messages.look', LOOKS)
}

/** Returns how the prose of a message is shown, which its own button turns to the other look. */
export function useMessageLook(messageId: string): readonly [Look, () => void] {
  const [look] = useViewLook()
  const [isTurned, turn] = useFold(`look/${messageId}`)
  return [isTurned ? (look === 'rendered' ? 'source' : 'rendered') : look, turn]
}
