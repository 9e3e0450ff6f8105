// A real PostgreSQL server is started, which takes some seconds.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { migratePostgres } from '#core/remote/postgres/migrate.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { pushFile } from '#core/remote/push.ts'
import { sendMemory } from '#core/remote/send.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'
import { installedPostgres, PASSWORD, type RealServer, startPostgres } from '../postgres/real-server.ts'
import { expect, IN_BROWSER, test } from './app.ts'

const TENANTS = ['acme', 'globex', 'initech']
const TITLES = ['Travel to the customer', 'Release of the billing service', 'Questions about contracts', null]

/** Stores four conversations of each of three tenants, one of them with an empty summary. */
async function fillFleet(server: RealServer): Promise<void> {
  const db = await server.connect()
  await migratePostgres(db, 2)
  for (const [index, tenant] of TENANTS.entries()) {
    using memory = new TestMemory()
    for (const [number, title] of TITLES.entries()) {
      const conversation = memory.conversation({ sessionId: `session-${number}`, title })
      const ids = memory.messages(
        conversation,
        Array.from({ length: 20 + 40 * number * (index + 1) }, (_, at) => ({ tokens: 200 + at * (index + 1) })),
      )
      for (let from = 0; from + 10 <= ids.length / 2; from += 10) {
        const isEmpty = tenant === 'acme' && number === 1 && from === 0
        memory.leaf(conversation, ids.slice(from, from + 10), { content: isEmpty ? ' ' : 'What was decided then.' })
      }
    }
    await runToEnd(sendMemory({ from: memory.db, to: db, tenant }, new AbortController().signal))
  }
  await db.close()
}

const bin = installedPostgres()
test.skip(bin === null, 'PostgreSQL is not installed')
test.use({ appEnv: { PGPASSWORD: PASSWORD } })
// One server for all of them.
test.describe.configure({ mode: 'default' })

let server: RealServer
test.beforeAll(async () => {
  server = await startPostgres(bin ?? '')
  await fillFleet(server)
})
test.afterAll(() => server.stop())

test(
  'a database shows the conversations of all tenants; one that is opened follows what is written',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const { shown } = server.address
    const page = await openMemory(shown)
    const table = page.getByRole('grid')
    await expect(table.getByRole('row')).toHaveCount(13)
    await expect(page.getByRole('region', { name: 'Alarms' })).toContainText('Empty summaries in 1 conversation')
    await page.getByRole('button', { name: 'messages' }).click()
    await expect(page.getByRole('columnheader', { name: 'messages' })).toHaveAttribute('aria-sort', 'descending')
    await page.getByRole('button', { name: /^Empty summaries/ }).click()
    await expect(table.getByRole('row')).toHaveCount(2)
    await page.getByRole('button', { name: /^Empty summaries/ }).click()
    await page.getByRole('searchbox').fill('Travel')
    await expect(table.getByRole('row')).toHaveCount(4)
    await table.getByRole('button', { name: 'acme' }).click()
    await page.getByRole('searchbox', { name: 'Search the texts of acme' }).fill('was decided')
    await page
      .getByRole('region', { name: 'Travel to the customer' })
      .getByTitle(/^Open at sum_/)
      .click()
    await expect(page).toHaveURL(/select=sum_/)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await expect(page.getByRole('banner')).toContainText(/(acme|globex|initech) · \d+ live/)

    const [, tenant = '', number] =
      /(acme|globex|initech) · (\d+)/.exec((await page.getByRole('banner').textContent()) ?? '') ?? []
    const db = await server.connect()
    const path = join(home, 'elsewhere.db')
    await runToEnd(
      pullConversation(
        { from: db, key: { tenant, conversationId: Number(number) }, to: path },
        new AbortController().signal,
      ),
    )
    const memory = new TestMemory(path)
    memory.messages(Number(number), [{ content: 'A message that another program has just stored.' }])
    memory.db.close()
    await expect(page.getByRole('contentinfo')).toContainText('20 msgs')
    await pushFile(db, path)
    await db.close()
    await expect(page.getByRole('contentinfo')).toContainText('21 msgs')

    // Somebody else changes a summary that is changed here, too.
    await page.getByRole('banner').getByText(`${tenant} · ${number}`).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Push changes' })).toBeDisabled()
    await changeSummary(pulledIn(home), 'changed here')
    await expect(dialog.getByRole('table', { name: 'Changed here' })).toContainText('summaries')
    const writer = await server.connect()
    await changeSummary(path, 'changed elsewhere', (changed) => pushFile(writer, changed))
    await writer.close()
    await dialog.getByRole('button', { name: 'Push changes' }).click()
    await expect(dialog.getByRole('alert')).toContainText(/summary.*changed there/)
    // Both stay: what was changed here, and a second copy of what is stored.
    await dialog.getByRole('button', { name: 'Open as stored' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('banner')).toContainText(`${tenant} · ${number} live`)

    await page.getByTitle('All memories on this machine').click()
    const databases = page.getByRole('listitem').filter({ hasText: shown })
    await expect(databases.first()).toBeVisible()
    expect(await page.content()).not.toContain(PASSWORD)
  },
)

/** The file of the cache in which the opened conversation is. */
function pulledIn(folder: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => /pulled.*\.db$/.test(name))
  if (found === undefined) throw new Error('no pulled file')
  return join(folder, found)
}

async function changeSummary(
  path: string,
  content: string,
  then: (path: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const file = openNative(path)
  file.run('UPDATE summaries SET content = :content', { content })
  file.close()
  await then(path)
}

test('a database that nobody connected to is sent no password before a click', IN_BROWSER, async ({ openMemory }) => {
  const page = await openMemory()
  await page.getByLabel('Path of a memory or a transcript').fill(server.address.shown)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Address')).toHaveValue(server.address.shown)
  await dialog.getByRole('button', { name: 'Connect' }).click()
  // Nobody sits at a terminal in which the page's wish could be confirmed.
  await expect(dialog.getByRole('alert')).toContainText('confirmed outside of the page')
})
