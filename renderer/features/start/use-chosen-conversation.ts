import { useShown } from '#renderer/routes.ts'

/** The conversation that is chosen in the list of all: that of the address, or at first the one on screen. */
export function useChosenConversation(onScreen: number): readonly [number, (conversationId: number) => void] {
  const [text, setText] = useShown('conversations.chosen')
  const chosen = /^\d{1,15}$/.test(text ?? '') ? Number(text) : onScreen
  return [chosen, (conversationId) => setText(String(conversationId))]
}
