import type { SurgeryRequest } from '#core/contract/surgery.ts'
import { DETERMINISTIC } from '#renderer/ui/data/summarizers.ts'
import type { NodeAsk } from './surgery-ask.ts'

/** The settings of an operation before the preview. */
export type SurgeryDraft = {
  readonly subtree: boolean
  readonly summarizer: string
  readonly prompt: string
  readonly targetTokens: string
  readonly toConversationId: number | null
  /** A person writes the text in place of a summariser. */
  readonly byHand: boolean
  /** The text by hand, or null while it is the stored one. */
  readonly text: string | null
}

export const draftOf = (ask: NodeAsk): SurgeryDraft => ({
  subtree: ask.kind === 'rewrite' && ask.subtree,
  summarizer: DETERMINISTIC,
  prompt: '',
  targetTokens: '',
  toConversationId: null,
  byHand: false,
  text: null,
})

/** Returns the request for the core, or null while something is missing or not a number. */
export function toRequest(ask: NodeAsk, draft: SurgeryDraft): SurgeryRequest | null {
  const { id } = ask
  switch (ask.kind) {
    case 'dissolve':
      return { kind: 'dissolve', id }
    case 'transplant':
      return draft.toConversationId === null
        ? null
        : { kind: 'transplant', id, toConversationId: draft.toConversationId }
    case 'rewrite': {
      if (draft.byHand)
        return draft.text === null || draft.text.trim() === '' ? null : { kind: 'rewrite', id, text: draft.text }
      const typed = draft.targetTokens.trim()
      if (typed !== '' && !/^[1-9]\d{0,6}$/.test(typed)) return null
      return {
        kind: 'rewrite',
        id,
        subtree: draft.subtree,
        summarizer: draft.summarizer,
        prompt: draft.prompt.trim() === '' ? null : draft.prompt,
        targetTokens: typed === '' ? null : Number(typed),
      }
    }
  }
}
