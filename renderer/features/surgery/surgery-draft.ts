import type { SurgeryRequest } from '../../../core/contract/surgery.ts'
import { DETERMINISTIC } from '../../ui/summarizers.ts'
import type { NodeAsk } from './surgery-ask.ts'

/** What can be chosen before the preview. */
export type SurgeryDraft = {
  readonly subtree: boolean
  readonly summarizer: string
  readonly prompt: string
  readonly targetTokens: string
  readonly toConversationId: number | null
}

export const draftOf = (ask: NodeAsk): SurgeryDraft => ({
  subtree: ask.kind === 'rewrite' && ask.subtree,
  summarizer: DETERMINISTIC,
  prompt: '',
  targetTokens: '',
  toConversationId: null,
})

/** The operation as the core is asked; null while something is missing or no number. */
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
