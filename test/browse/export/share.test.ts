import { describe, expect, it, onTestFinished } from 'vitest'
import { exported } from '#core/browse/export/exported.ts'
import { shareConversation } from '#core/browse/export/share-conversation.ts'
import { toHtml } from '#core/browse/export/to-html.ts'
import type { Note } from '#core/contract/notes.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { asItIs } from '#core/sanitize.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const SECRET = `sk-${'a1B2'.repeat(8)}`

async function opened(fill: (memory: TestMemory) => void): Promise<Lcm> {
  const built = buildMemory()
  fill(built)
  const lcm = await openLcm(built.path, { readOnly: true, cacheDir: temporaryFolder() })
  onTestFinished(() => {
    lcm.close()
    built.close()
  })
  return lcm
}

const pageOf = async (lcm: Lcm, isSanitized: boolean, notes: readonly Note[] = []): Promise<string> => {
  let page = ''
  for await (const { html } of shareConversation(lcm, { conversationId: 1, isSanitized, notes }, undefined))
    page += html
  return page
}

describe('a shared conversation', () => {
  it('is not found where the memory has none of that number', async () => {
    const lcm = await opened((memory) => void memory.message(memory.conversation(), 'x'))
    const sharing = shareConversation(lcm, { conversationId: 77, isSanitized: true }, undefined).next()
    await expect(sharing).rejects.toMatchObject({ code: 'not_found' })
  })

  it('replaces keys, addresses and paths unless it is asked not to', async () => {
    const lcm = await opened((memory) => {
      memory.message(memory.conversation(), `Use ${SECRET} in /home/ada/notes.txt`)
    })
    expect(await pageOf(lcm, true)).not.toContain(SECRET)
    expect(await pageOf(lcm, true)).toContain('keys, addresses and paths replaced')
    expect(await pageOf(lcm, false)).toContain(`Use ${SECRET} in /home/ada/notes.txt`)
  })

  it('keeps the newest messages when there are more than a browser shows well, and says so', async () => {
    const lcm = await opened((memory) => void memory.messages(memory.conversation(), 9))
    const page = [...toHtml(lcm.info, [exported(lcm, 1, asItIs)], false, { messages: 4, chars: 1e6 })].join('')
    expect([...page.matchAll(/<article [^>]*id="(msg_\d+)"/g)].map(([, id]) => id)).toEqual([
      'msg_6',
      'msg_7',
      'msg_8',
      'msg_9',
    ])
    expect(page).toContain('shows the newest 4 of 9 messages')
  })

  it('shows what the user pinned and noted only when it is asked to, sanitised and as text', async () => {
    const lcm = await opened((memory) => {
      memory.messages(memory.conversation(), ['The crane lifts at most 40 tonnes.', 'Ask before the tide.'])
      memory.conversation({ messages: ['Of another conversation.'] })
    })
    const note = {
      kind: 'message',
      role: 'user',
      depth: null,
      changedAtMs: 1,
      state: 'there',
      name: 'The crane',
    } as const
    const notes = [
      { ...note, id: 'msg_1', conversationId: 1, isPinned: true, text: `<b onclick=x> ${SECRET}\nagain` },
      { ...note, id: 'msg_3', conversationId: 2, isPinned: true, text: 'of another one' },
    ]
    expect(await pageOf(lcm, true)).not.toContain('Pins and notes')
    const page = await pageOf(lcm, true, notes)
    expect(page).toContain('Pins and notes · 1')
    expect(page.match(/<p class="note" dir="auto">Pinned · &lt;b onclick=x&gt; [^<]*<br>again<\/p>/g)).toHaveLength(2)
    expect(page).not.toContain(SECRET)
    expect(page).not.toContain('of another one')
    expect(await pageOf(lcm, false, notes)).toContain(SECRET)
  })

  it('cuts what is left of its texts when the page is full, with a note at each', async () => {
    const lcm = await opened((memory) => {
      const conversation = memory.conversation()
      memory.message(conversation, 'a'.repeat(80))
      memory.message(conversation, 'b'.repeat(80))
    })
    const page = [...toHtml(lcm.info, [exported(lcm, 1, asItIs)], false, { messages: 10, chars: 100 })].join('')
    expect(page.match(/<pre dir="auto">\n(a+)<\/pre>/)?.[1]).toHaveLength(80)
    expect(page.match(/<pre dir="auto">\n(b+)<\/pre>/)?.[1]).toHaveLength(20)
    expect(page).toContain('60 more characters of this text are left out')
  })
})
