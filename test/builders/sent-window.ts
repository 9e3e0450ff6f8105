import type { AssembledContext, AssembleInput } from '#core/contract/context.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import type { TestMemory } from './memory.ts'

/** The window of a conversation, and the texts and calls that a provider would be sent of it, in order. */
export type SentWindow = { readonly context: AssembledContext; readonly texts: readonly string[] }

/** The window of a session with nothing left out for the budget. By default, that of the first conversation. */
export function sentWindow({ db }: TestMemory, session?: string, more: Partial<AssembleInput> = {}): SentWindow {
  const conversationId =
    session === undefined
      ? 1
      : (db.value<number>('SELECT conversation_id FROM conversations WHERE session_id = :session', { session }) ?? 0)
  const assembler = new ContextAssembler(db, createTokenEstimator(), readSettings({}).compaction)
  const input = { conversationId, budgetTokens: 100_000_000, ...more }
  const { system, messages } = assembler.render(input, 'anthropic')
  const texts = [...(system === null ? [] : [system]), ...messages.flatMap(({ content }) => textsIn(content))]
  return { context: assembler.assemble(input), texts }
}

type Block = { readonly type: string; readonly text?: string; readonly content?: unknown; readonly name?: string }

const textsIn = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : (content as readonly Block[]).flatMap(({ type, text, content: inner, name }) =>
        type === 'tool_use' ? [`call ${name}`] : textsIn(text ?? inner),
      )
