import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { json, type ModelServer, openAiBody, startModelServer } from '../models/summarizers/model-server.ts'
import { expect, THROUGH_SHELL, test } from './app.ts'
import { factsOf, sampleCopy } from './memories.ts'

const SECRET = 'sk-e2e-0123456789'
test.use({ appEnv: { LCM_OBJECTS: 's3://memories/lcm', LCM_OBJECTS_ENDPOINT: 'https://s3.example.com' } })
let server: ModelServer
test.beforeAll(async () => {
  server = await startModelServer((response) =>
    json(
      response,
      200,
      openAiBody('Retries were doubled; orders.ts:214 holds the lock. Expand for details about: retries.'),
    ),
  )
})
test.afterAll(() => server.close())

/** As if the user had granted these addresses before. The browser host of a spec has no terminal to ask at. */
function grant(home: string, ...addresses: readonly string[]): void {
  const data = { darwin: 'Library/Application Support/lcm-inspector', win32: 'lcm-inspector/Data' }[
    process.platform as string
  ]
  const path = join(home, data ?? '.local/share/lcm-inspector', 'granted.json')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(addresses.map((address) => JSON.stringify(['server', 'E2E_MODEL_KEY', address]))))
}

async function addModel(page: Page, name: string, baseUrl: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a model…' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Base URL').fill(baseUrl)
  await page.getByLabel('Model', { exact: true }).fill('small')
  await page.getByLabel('Key variable').fill('E2E_MODEL_KEY')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** Every file below a folder, as text. */
const textsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))

test(
  'a model is not added before it is confirmed outside of the page',
  THROUGH_SHELL,
  async ({ openMemory, hostKind, electronApp }) => {
    const page = await openMemory()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Add a model…' }).click()
    await page.getByLabel('Name').fill('local')
    await page.getByLabel('Base URL').fill(server.url)
    await page.getByLabel('Model', { exact: true }).fill('small')
    await page.getByLabel('Key variable').fill('E2E_MODEL_KEY')
    // A real dialog would wait for a person.
    await electronApp()?.evaluate(({ dialog }) => {
      dialog.showMessageBox = async () => ({ response: 0, checkboxChecked: false })
    })
    await page.getByRole('button', { name: 'Save' }).click()
    const refusal = page.getByRole('dialog').getByRole('alert')
    await expect(refusal).toContainText('E2E_MODEL_KEY')
    await expect(refusal).toContainText(server.url)
    const asked = server.asked.length
    if (hostKind === 'browser') {
      await expect(refusal).toContainText('there is no terminal to ask at')
    } else {
      await expect(refusal).toContainText('it was not confirmed')
      await electronApp()?.evaluate(({ dialog }) => {
        dialog.showMessageBox = async () => ({ response: 1, checkboxChecked: false })
      })
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'Test local' })).toBeVisible()
    }
    expect(server.asked.length).toBe(asked)
  },
)

test('the settings need no memory, and a model is added, tested and put into the order of models', async ({
  openMemory,
  home,
}) => {
  grant(home, server.url, 'http://127.0.0.1:9/v1')
  const page = await openMemory()
  await page.getByRole('button', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()

  await addModel(page, 'local', server.url)
  await page.getByRole('button', { name: 'Test local' }).click()
  await expect(page.getByText(/It answers, in/)).toBeVisible()

  await addModel(page, 'gone', 'http://127.0.0.1:9/v1')
  await page.getByRole('button', { name: 'Test gone' }).click()
  await expect(page.getByText(/127\.0\.0\.1:9/).last()).toBeVisible()

  await page.getByLabel('Add to the order').selectOption('gone')
  await page.getByLabel('Add to the order').selectOption('local')
  await page.getByRole('button', { name: 'Try local earlier' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: /^1local/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Open the sample' })).toBeVisible()
})

test('a setting is found by words, an invalid value is refused in its field, and a valid one is kept', async ({
  openMemory,
}) => {
  const page = await openMemory()
  await page.getByRole('button', { name: 'Settings' }).click()
  // The theme comes first.
  await expect(page.getByRole('heading', { level: 2 }).first()).toHaveText('Appearance')
  await expect(page.getByText('A setting in the environment counts first')).toBeVisible()
  const find = page.getByRole('searchbox', { name: 'Find a setting' })
  await find.fill('context_threshold')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['When to compact'])
  await find.press('Escape')
  await page.getByRole('navigation', { name: 'Sections of the settings' }).getByRole('button', { name: 'Log' }).click()
  await expect(page.getByRole('heading', { name: 'Log', exact: true })).toBeInViewport()
  const threshold = page.getByRole('textbox', { name: 'Compact at', exact: true })
  await threshold.fill('1.5')
  await threshold.press('Enter')
  await expect(page.getByRole('alert')).toContainText('a share of the budget, more than 0 and at most 1')
  await threshold.fill('0.5')
  await threshold.press('Enter')
  const row = page.getByRole('listitem').filter({ has: threshold })
  await expect(row).toContainText('file')
  await page.reload()
  await expect(threshold).toHaveValue('0.5')
  await row.getByRole('button', { name: /Back to the default/ }).click()
  await expect(threshold).toHaveValue('0.75')
})

test('a key can be entered, and is never shown again', THROUGH_SHELL, async ({ openMemory, hostKind, home }) => {
  grant(home, server.url)
  const page = await openMemory()
  await page.getByRole('button', { name: 'Settings' }).click()
  await addModel(page, 'local', server.url)
  await expect(page.getByText('no key: set E2E_MODEL_KEY')).toBeVisible()
  const key = page.getByRole('button', { name: 'Key of local' })
  const keysOfFiles = page.getByRole('button', { name: 'Keys for large files' })
  await expect(page.getByText('no keys', { exact: true })).toBeVisible()
  const withoutKeychain = page.getByText('Keys come from the environment only')
  // A real desktop may have no keychain that can be reached. The stand-in always has one.
  if (hostKind === 'browser' || (hostKind !== 'standin' && (await withoutKeychain.isVisible()))) {
    const reason =
      hostKind === 'browser' ? 'The desktop app has one.' : 'this desktop has no keychain that can be reached'
    await expect(withoutKeychain).toContainText(reason)
    await expect(key).toHaveCount(0)
    await expect(keysOfFiles).toHaveCount(0)
    return
  }
  await key.click()
  await page.getByLabel('New key').fill(SECRET)
  await page.getByRole('button', { name: 'Keep' }).click()
  await expect(page.getByText('key in the keychain')).toBeVisible()
  await keysOfFiles.click()
  await page.getByLabel('Access key id').fill('AKIA0000')
  await page.getByLabel('Secret key').fill(SECRET)
  await page.getByRole('button', { name: 'Keep' }).click()
  await expect(page.getByText('keys in the keychain')).toBeVisible()
  expect(await page.content()).not.toContain(SECRET)
  expect(textsBelow(home).filter((text) => text.includes(SECRET))).toEqual([])

  await page.getByRole('button', { name: 'Test local' }).click()
  await expect(page.getByText(/It answers, in/)).toBeVisible()
  expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`)
})

test('a run with a model is estimated, followed and recorded', async ({ openMemory, home }) => {
  test.slow()
  grant(home, server.url)
  const path = sampleCopy(home)
  const before = await factsOf(path)
  const page = await openMemory(path)
  await page.getByRole('button', { name: 'Settings' }).click()
  await addModel(page, 'local', server.url)
  await page.getByRole('button', { name: 'Back to the memory' }).click()
  await page.getByRole('link', { name: 'Compact' }).click()
  await page.getByLabel('Summariser').selectOption('local')
  await expect(page.getByText(/\d+\scalls with about [\d,]+ tokens in/)).toBeVisible()
  await expect(page.getByRole('img', { name: /planned summaries over/ })).toBeVisible()

  await page.getByRole('button', { name: 'Prompt of step 1', exact: true }).click()
  await expect(page.getByRole('dialog', { name: /Prompt of step 1/ })).toContainText('Only tags with exactly this code')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Compact…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Compact', exact: true }).click()
  const result = page.getByRole('status').filter({ hasText: 'ended because' })
  await expect(result).toContainText(/\d+\snormal/)
  await expect(result).toContainText(/tokens\sout/)
  expect((await factsOf(path)).messages).toBe(before.messages)

  await page.getByText(/^history/).click()
  await expect(page.getByRole('heading', { name: 'History' })).toBeVisible()
  await page.getByRole('main').getByRole('button', { expanded: false }).filter({ hasText: 'local' }).click()
  await expect(page.getByText('model tokens')).toBeVisible()
})

test('what another system is set to is shown beside what holds here, and taken over when somebody asks', async ({
  openMemory,
  home,
}) => {
  const path = join(home, '.argentos/argent.json')
  mkdirSync(dirname(path))
  const config = { freshTailCount: 12, leafChunkTokens: 4000, contextThreshold: 2, apiKey: SECRET }
  const text = JSON.stringify({ plugins: { entries: { 'aos-lcm': { config } } } })
  writeFileSync(path, text)
  const page = await openMemory()
  await page.getByRole('button', { name: 'Settings' }).click()
  const found = page.getByRole('article', { name: `ArgentOS: ${path}` })
  await expect(found.getByRole('row', { name: 'freshTailCount 12 LCM_FRESH_TAIL_COUNT 8' })).toBeVisible()
  await expect(
    found.getByRole('row', { name: /leafChunkTokens 4000 LCM_LEAF_CHUNK_TOKENS 4000 the same here/ }),
  ).toBeVisible()
  await expect(
    found.getByRole('row', { name: /contextThreshold 2 .* Here it must be a share of the budget/ }),
  ).toBeVisible()
  await found.getByRole('button', { name: 'Take over what differs' }).click()
  await expect(found.getByRole('button', { name: 'Nothing differs' })).toBeDisabled()
  await expect(page.getByRole('textbox', { name: 'Newest messages that stay' })).toHaveValue('12')
  expect(readFileSync(path, 'utf8')).toBe(text)
  const written = textsBelow(home).filter((one) => one.includes('LCM_FRESH_TAIL_COUNT'))
  expect(written).toHaveLength(1)
  expect(await page.content()).not.toContain(SECRET)
})
