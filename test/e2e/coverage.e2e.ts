import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, SHARED_HOST, test } from './app.ts'
import { builtMemory } from './memories.ts'

test.use(SHARED_HOST)

test('a conversation is checked against its transcript, and a finding leads to its message', async ({
  openMemory,
  home,
}) => {
  const said = ['The build fails.', 'Which step of it?', 'The linker.', 'I look at it.'].map((content, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content,
  }))
  const path = builtMemory(home, (memory) => {
    memory.conversation({ messages: said.filter(({ content }) => content !== 'The linker.') })
  })
  const transcript = join(home, 'session.jsonl')
  writeFileSync(transcript, said.map((message) => JSON.stringify(message)).join('\n'))

  const page = await openMemory(path)
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('button', { name: 'Check against transcript…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Path of the transcript' }).fill(transcript)
  await dialog.getByRole('button', { name: 'Compare' }).click()
  await expect(dialog.getByRole('heading', { name: '1 missing', exact: true })).toBeVisible()
  await expect(dialog.getByRole('row').filter({ hasText: 'The linker.' })).toContainText('user')
  await dialog.getByRole('button', { name: 'msg_2' }).first().click()
  await expect(dialog).toBeHidden()
  await expect.poll(() => page.url()).toMatch(/messages\?select=msg_2/)
})
