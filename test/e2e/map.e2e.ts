import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ItemFailure } from '#core/map/worker.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { mapped, request, workerOf } from '../map/map-work.ts'
import { json, openAiBody, promptOf, startModelServer } from '../models/summarizers/model-server.ts'
import { expect, IN_BROWSER, test, toProgram } from './app.ts'
import { sampleCopy, systemFile } from './memories.ts'

const ITEMS = 700

/** Records a run over many items: each tenth is tried again, and each hundredth fails. */
async function recordRun(home: string): Promise<void> {
  const input = join(home, 'tickets.json')
  writeFileSync(input, JSON.stringify(Array.from({ length: ITEMS }, (_, n) => ({ ticket: n }))))
  const tried = new Set<number>()
  const worker = workerOf(async ({ item }) => {
    if (item.index % 100 === 50) throw new ItemFailure('The command ended with code 3: no such ticket.', false)
    if (item.index % 10 === 3 && !tried.has(item.index)) {
      tried.add(item.index)
      throw new ItemFailure('No answer within 5,000 ms.', true)
    }
    return JSON.stringify({ ticket: item.index, priority: item.index % 3, reason: 'The customer waits for an answer.' })
  })
  await mapped(request(input, { worker, record: home, clock: Date.now, concurrency: 8 }))
}

test(
  'runs, their items, retries and failures are listed as they are recorded',
  IN_BROWSER,
  async ({ openMemory, home }, testInfo) => {
    const memory = sampleCopy(home)
    const page = await openMemory(memory)
    await toProgram(page, 'Batch runs')
    await expect(page.getByRole('heading', { name: 'No runs' })).toBeVisible()
    await recordRun(home)
    await expect(page.getByRole('heading', { name: '1 run' })).toBeVisible()
    const run = page.getByRole('region', { name: 'Run' })
    await expect(run).toContainText('693 of 700 completed, 7 failed, 70 retries')
    const table = page.getByRole('table', { name: 'Tries and results' })
    const rows = table.getByRole('row')
    await expect(rows.first()).toBeVisible()
    // The page has far fewer rows than were recorded.
    expect(await rows.count()).toBeLessThan(120)
    await page.getByRole('radio', { name: 'Failures' }).check({ force: true })
    await expect(rows).toHaveCount(7)
    await rows.first().getByRole('button').click()
    await expect(table.getByText('item hash')).toBeVisible()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.screenshot({ path: testInfo.outputPath('map-failures-dark.png') })
    await page.getByRole('radio', { name: 'Retries' }).check({ force: true })
    await expect(rows.first()).toContainText('retry')
    await page.getByRole('radio', { name: 'All' }).check({ force: true })
    // The end of the list is fetched when it is reached.
    await expect(async () => {
      await page.mouse.move(700, 700)
      await page.mouse.wheel(0, 100_000)
      await expect(rows.filter({ hasText: '"ticket":699' }).first()).toBeVisible({ timeout: 500 })
    }).toPass()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.screenshot({ path: testInfo.outputPath('map-all-light.png') })
  },
)

test(
  'the record of a decapod folder is shown, and a damaged line is counted',
  IN_BROWSER,
  async ({ openMemory, home }, testInfo) => {
    cpSync(dirname(systemFile('decapod/small/lcm.db')), join(home, 'data'), { recursive: true })
    const record = join(home, 'data', 'map.events.jsonl')
    const lines = [
      '{"actor":"agent-claude","event_id":"01KJQ32YBPN9T6HFG4GGK58KE3","item_count":2,"op":"map.llm","prompt_hash":"5d471a870f29230f5e85d62a4c672d286d06029d714937ca671a706e6d1c5f7a","result_hash":"c40029df0b35f5a84d70f25e236da29720ff43e6f776e80abeab95c9942831a0","schema_hash":"f6f5e79243a2dd25d6d4853598621aed77cbf1ac5283e1531e050aa34fb0034c","status":"completed","ts":"1772449003Z"}',
      '{"actor":"agent-claude","delegate_hash":"bb4b1e22352bc92ed5ce82644cf67bc965fb9b586834bb6765f3aff80658bfc2","event_id":"01KJQ32YWV7G28ARCM5S4NDG6Z","item_count":2,"op":"map.agentic","result_hash":"49f4f1023e3edd99297cfa3f3856a83bab0d65845a3107321817e009c2e3244d","retain":"merge decisions and final sign-off","status":"completed","ts":"1772449004Z"}',
      '{"actor":',
    ]
    appendFileSync(record, `${lines.join('\n')}\n`)
    const page = await openMemory(join(home, 'data', 'lcm.db'))
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await expect(page.getByRole('heading', { name: '2 runs' })).toBeVisible()
    await expect(page.getByText('1 line of the record cannot be read')).toBeVisible()
    const run = page.getByRole('region', { name: 'Run' })
    await expect(run).toContainText('merge decisions and final sign-off')
    await expect(run.getByRole('heading', { name: 'Items are not recorded' })).toBeVisible()
    await page.screenshot({ path: testInfo.outputPath('map-decapod-dark.png') })
    await page
      .getByRole('grid', { name: 'Runs' })
      .getByRole('row', { name: /map llm/ })
      .click()
    await expect(run).toContainText('schema hash')
    expect(readFileSync(record, 'utf8')).toBe(`${lines.join('\n')}\n`)
  },
)

test.describe('a run that is started from the window', () => {
  test.use({ appEnv: { LCM_SETTINGS_FILE: join(temporaryFolder(), 'settings.json') } })

  test(
    'asks a model about each item, shows its progress, can be cancelled, and goes on when it is started again',
    IN_BROWSER,
    async ({ openMemory, home, appEnv }, testInfo) => {
      let answers = 0
      const server = await startModelServer((response, asked) => {
        // The third item is answered only once the run was cancelled and begun again.
        if (promptOf(asked).prompt.includes('"ticket":2') && answers < 3) return
        answers += 1
        json(response, 200, openAiBody('{"priority":1}'))
      })
      writeFileSync(
        appEnv.LCM_SETTINGS_FILE ?? '',
        JSON.stringify({
          providers: [
            {
              ...{ name: 'local', kind: 'openai-compatible', baseUrl: server.url, model: 'small', keyVariable: null },
              ...{ timeoutMs: 60_000, maxOutputTokens: 800, inputPrice: null, outputPrice: null },
            },
          ],
        }),
      )
      const input = join(home, 'tickets.json')
      writeFileSync(input, '[{"ticket":0},{"ticket":1},{"ticket":2}]')
      const page = await openMemory(sampleCopy(home))
      await toProgram(page, 'Batch runs')
      await page.getByRole('button', { name: 'New run…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Start' }).click()
      await expect(dialog.getByText('Name the file with the items.')).toBeVisible()
      await expect(dialog.getByLabel('Prompt')).toHaveAttribute('aria-invalid', 'true')
      await page.screenshot({ path: testInfo.outputPath('map-form-problems-light.png') })
      await dialog.getByLabel('Items').fill(input)
      await dialog.getByLabel('Prompt').fill('Rate {{item}}')
      await dialog.getByLabel('Schema').fill('{"type":"object","required":["priority"]}')
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.screenshot({ path: testInfo.outputPath('map-form-dark.png') })
      await dialog.getByLabel('Items').press('Enter')
      await expect(dialog).toHaveCount(0)
      const progress = page.getByText('2 of 3 items')
      await expect(progress.first()).toBeVisible()
      await page.screenshot({ path: testInfo.outputPath('map-running-dark.png') })
      await page.getByRole('main').getByRole('button', { name: 'Cancel' }).click()
      const run = page.getByRole('region', { name: 'Run' })
      await expect(run).toContainText('2 of 3 completed')
      answers = 3
      // What was typed is still there.
      await page.getByRole('button', { name: 'New run…' }).click()
      await expect(dialog.getByLabel('Prompt')).toHaveValue('Rate {{item}}')
      await dialog.getByRole('button', { name: 'Start' }).click()
      await expect(run).toContainText('3 of 3 completed')
      await expect(page.getByRole('heading', { name: '1 run' })).toBeVisible()
      await server.close()
    },
  )

  test(
    'runs no command that nobody can confirm, and shows how a command is read',
    IN_BROWSER,
    async ({ openMemory, home }, testInfo) => {
      const input = join(home, 'tickets.json')
      writeFileSync(input, '[1]')
      const page = await openMemory(sampleCopy(home))
      await toProgram(page, 'Batch runs')
      await page.getByRole('button', { name: 'New run…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: 'Delegate to a command' }).check({ force: true })
      await dialog.getByLabel('Items').fill(input)
      await dialog.getByRole('textbox', { name: 'Command' }).fill(`touch "${join(home, 'it was run')}"`)
      await expect(dialog.getByText('Starts touch with')).toContainText(join(home, 'it was run'))
      await dialog.getByLabel('You retain').fill('the review')
      await dialog.getByRole('button', { name: 'Start' }).click()
      await expect(dialog.getByRole('alert')).toContainText('there is no terminal to ask at')
      await page.screenshot({ path: testInfo.outputPath('map-command-light.png') })
      await page.keyboard.press('Escape')
      await expect(page.getByRole('heading', { name: 'No runs' })).toBeVisible()
      expect(existsSync(join(home, 'it was run'))).toBe(false)
    },
  )
})

test(
  'offers a working copy instead of a run beside the memory of another system',
  IN_BROWSER,
  async ({ openMemory }) => {
    const page = await openMemory(systemFile('decapod/small/lcm.db'))
    await toProgram(page, 'Batch runs')
    await expect(page.getByText('nothing is written to the folder of')).toBeVisible()
    await expect(page.getByRole('button', { name: 'New run…' })).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('button', { name: 'Make working copy…' })).toBeVisible()
  },
)
