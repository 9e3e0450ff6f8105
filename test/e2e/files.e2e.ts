import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { pdfOf } from '../builders/pdf.ts'
import { expect, fromMemoryMenu, SHARED_HOST, test } from './app.ts'
import { builtMemory } from './memories.ts'

test.use(SHARED_HOST)

const SOURCE = [
  '// <img src=x onerror="window.broken = 1">',
  'export const first = 1',
  ...Array.from({ length: 4000 }, (_, at) => `export const value${at} = 'number ${at}'`),
].join('\n')

const PAPER = pdfOf(['A page of the paper'])

const FILES = [
  { id: 'file_00000000000000aa', name: 'source.ts', content: SOURCE, onDisk: SOURCE },
  { id: 'file_00000000000000bb', name: 'changed.txt', content: 'as it was', onDisk: 'as it is!' },
  { id: 'file_00000000000000dd', name: 'paper.pdf', content: PAPER, onDisk: PAPER },
  { id: 'file_00000000000000cc', name: 'gone.txt', content: 'no more', onDisk: null },
]

/** A memory with a file that is as it was stored, one that was changed since, and one that is gone. */
function memoryWithFiles(home: string): string {
  return builtMemory(home, (memory) => {
    memory.conversation({
      messages: [
        'look at [LCM File: file_00000000000000aa | source.ts | text/x-typescript | 9 bytes]',
        'and at [LCM File: file_00000000000000dd | paper.pdf | application/pdf | 800 bytes]',
      ],
    })
    const folder = join(dirname(memory.path), 'lcm-files', '1')
    mkdirSync(folder, { recursive: true })
    for (const { id, name, content, onDisk } of FILES) {
      const path = join(folder, `${id}${extname(name)}`)
      if (onDisk !== null) writeFileSync(path, onDisk)
      memory.db.run(
        `INSERT INTO large_files (file_id, conversation_id, file_name, mime_type, byte_size, content_hash, storage_uri,
           exploration_summary, created_at)
         VALUES (:id, 1, :name, 'text/plain', CAST(:bytes AS INTEGER), :hash, :path, 'What is in it.', 0)`,
        { id, name, path, bytes: Buffer.byteLength(content), hash: createHash('sha256').update(content).digest('hex') },
      )
    }
  })
}

test('the content of a large file is read and searched, and what was altered or is missing is said to be that', async ({
  openMemory,
  home,
}) => {
  const page = await openMemory(memoryWithFiles(home))
  await fromMemoryMenu(page, 'Large files')
  await page.getByRole('button', { name: /^source\.ts/ }).click()
  const viewer = page.getByRole('region', { name: 'Content of source.ts' })
  await expect(viewer).toContainText('<img src=x onerror="window.broken = 1">')
  await expect(viewer).toContainText('4,002 lines')
  await expect(viewer).toContainText('as it was stored')
  // What it is made of is said once, beside it.
  await expect(page.getByText('What is in it.')).toHaveCount(1)
  await expect(page.getByRole('complementary').getByRole('button', { name: 'msg_1' }).first()).toBeVisible()

  await viewer.getByLabel('Go to line').fill('3,000')
  await viewer.getByLabel('Go to line').press('Enter')
  await expect(viewer.getByText('export const value2997 =')).toBeVisible()

  await viewer.getByLabel('Find in the file').fill('NUMBER 39')
  await expect(viewer.getByRole('status')).toContainText('111 rows')
  await viewer.getByLabel('Find in the file').press('Enter')
  await expect(viewer.getByRole('status')).toContainText('1 of 111')
  await expect(viewer.getByText("'number 39'").first()).toBeVisible()
  expect(await page.evaluate(() => 'broken' in window)).toBe(false)

  await page.getByRole('button', { name: /^changed\.txt/ }).click()
  await expect(page.getByText('The content was altered.')).toBeVisible()
  await expect(page.getByText('as it is!')).toBeVisible()
  await page.getByRole('button', { name: /^gone\.txt/ }).click()
  await expect(page.getByText('The content is missing')).toBeVisible()

  // A reference in the transcript opens the file.
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Messages' }).click()
  await page.getByRole('button', { name: /^\[LCM File: file_00000000000000aa/ }).click()
  await expect(page.getByRole('region', { name: 'Content of source.ts' })).toContainText('export const first = 1')

  // A picture or PDF is shown where it is referred to, and as its own content.
  await page.goBack()
  await expect(page.getByRole('img', { name: 'Page 1 of paper.pdf' })).toBeVisible()
  await page.getByRole('button', { name: /^\[LCM File: file_00000000000000dd/ }).click()
  const paper = page.getByRole('region', { name: 'Pages of paper.pdf' })
  await expect(paper).toContainText('A page of the paper')
  await expect(paper.getByRole('img', { name: 'Page 1 of paper.pdf' })).toBeVisible()
})

test('a search of files finds a line of their contents and opens the viewer there', async ({ openMemory, home }) => {
  const page = await openMemory(memoryWithFiles(home))
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Find' }).click()
  await page
    .getByRole('radio', { name: 'Files' })
    .or(page.getByRole('button', { name: 'Files', exact: true }))
    .click()
  await page.getByRole('combobox').first().fill('value2997')
  const hit = page.getByRole('row').filter({ hasText: 'value2997' })
  await expect(hit).toContainText('line 3,000')
  await expect(page.getByText(/could not be read and were not searched: file_00000000000000cc/)).toBeVisible()
  await hit.dblclick()
  const viewer = page.getByRole('region', { name: 'Content of source.ts' })
  await expect(viewer.getByText('value2997', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/select=file_00000000000000aa&row=2999/)
  await page.reload()
  await expect(viewer.getByText('export const value2997 =')).toBeVisible()
})
