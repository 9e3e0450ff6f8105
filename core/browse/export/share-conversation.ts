import type { MemoryInfo, SharedPiece, ShareInput } from '#core/contract/memory.ts'
import type { Note } from '#core/contract/notes.ts'
import { asItIs, withoutSecrets } from '#core/sanitize.ts'
import { TimeSlice } from '#core/yielding.ts'
import { type ExportedMemory, exported } from './exported.ts'
import { toHtml } from './to-html.ts'

const PIECE_CHARS = 256 * 1024

type Shared = Pick<ShareInput, 'conversationId' | 'isSanitized'> & {
  /** What the user noted and wants on the page. */
  readonly notes?: readonly Note[]
}

/**
 * Returns a conversation as one page of HTML, piece by piece.
 * @throws LcmError not_found, cancelled
 */
export async function* shareConversation(
  memory: ExportedMemory & { readonly info: MemoryInfo },
  { conversationId, isSanitized, notes = [] }: Shared,
  signal: AbortSignal | undefined,
): AsyncGenerator<SharedPiece, void> {
  const slice = new TimeSlice(signal, 'Cancelled. No page was written.')
  const clean = isSanitized ? withoutSecrets : asItIs
  const info = { ...memory.info, fileName: clean(memory.info.fileName) }
  let html = ''
  for (const piece of toHtml(info, [exported(memory, conversationId, clean, notes)], isSanitized)) {
    html += piece
    if (html.length >= PIECE_CHARS) {
      yield { html }
      html = ''
    }
    await slice.yieldIfOver()
  }
  yield { html }
}
