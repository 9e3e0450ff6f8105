import { readFileSync } from 'node:fs'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'

test.use(SHARED_HOST)

test(
  'a statement has an address, gives rows and files, is kept under a name, and cannot write',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    await page.keyboard.press('g')
    await page.keyboard.press('q')
    const statement = page.getByRole('textbox', { name: 'Statement' })
    await statement.fill('SELECT role, count(*) AS n, message_id FROM messages WHERE conversation_id = 1 GROUP BY role')
    await statement.press('Control+Enter')
    await expect(
      page
        .locator('summary')
        .filter({ hasText: /^messages\d+\scolumns · [\d,]+\srows$/ })
        .first(),
    ).toBeVisible()
    const table = page.getByRole('table')
    await expect(table.getByRole('columnheader')).toHaveText(['row', 'role', 'n', 'message_id'])
    await expect(page.getByRole('status').filter({ hasText: /^4\srows/ })).toBeVisible()

    // A copied link shows the same, and an id leads to what it names.
    await expect(page).toHaveURL(/sql\.text=SELECT/)
    await page.reload()
    await expect(table.getByRole('row')).toHaveCount(5)
    await table.getByRole('button', { name: /^msg_/ }).first().click()
    await expect(page.getByRole('complementary', { name: 'Detail' })).toContainText('msg_')

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export the rows' }).click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    const csv = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
    expect([csv[0], csv.length]).toEqual(['role,n,message_id', 6])

    await page.getByRole('button', { name: 'Save as…' }).click()
    await page.getByRole('textbox', { name: 'Name of the query' }).fill('By role')
    await page.keyboard.press('Enter')
    const queries = page.getByRole('navigation', { name: 'Queries and tables' })
    await expect(queries.getByRole('link', { name: 'By role', exact: true })).toHaveAttribute('aria-current', 'true')

    await statement.fill('WITH x AS (SELECT 1) DELETE FROM messages')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByRole('heading', { name: 'This statement is refused' })).toBeVisible()

    await queries.getByRole('link', { name: 'By role', exact: true }).click()
    await expect(table.getByRole('row')).toHaveCount(5)
    await queries.getByRole('button', { name: 'Remove By role' }).click()
    await expect(queries.getByRole('link', { name: 'By role', exact: true })).toHaveCount(0)
  },
)

test('a statement is typed in colours, and Tab completes a name of the memory', IN_BROWSER, async ({ openSample }) => {
  const page = await openSample()
  await page.evaluate(() => {
    location.hash = '#/sql'
  })
  const statement = page.getByRole('textbox', { name: 'Statement' })
  await statement.pressSequentially('SELECT seq FROM mess')
  await expect(page.locator('[data-look="keyword"]')).toHaveText(['SELECT', 'FROM'])
  const names = page.getByRole('group', { name: 'Names that complete the word' })
  await expect(names.getByRole('button')).toContainText(['messages', 'message_names'])
  await statement.pressSequentially('ages')
  await expect(names).toHaveCount(0)
  await statement.pressSequentially(' WHERE messages.seq > 1 AND tok')
  await statement.press('Tab')
  await expect(statement).toHaveValue('SELECT seq FROM messages WHERE messages.seq > 1 AND token_count')
  await expect(statement).toBeFocused()
  // A word that is complete leaves Tab its meaning.
  await statement.press('Tab')
  await expect(statement).not.toBeFocused()
})

test(
  'a statement that does not end is stopped by a click, and the window answers meanwhile',
  IN_BROWSER,
  async ({ openSample }) => {
    const page = await openSample()
    await page.evaluate(() => {
      location.hash = '#/sql'
    })
    await page
      .getByRole('textbox', { name: 'Statement' })
      .fill('WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Running…' })).toBeVisible()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect(page.getByRole('heading', { name: 'Ask the tables themselves' })).toBeVisible()
  },
)
