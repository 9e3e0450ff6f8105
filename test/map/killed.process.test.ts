// Starts and kills real processes over and over, which takes more than 5 s.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MapReport } from '#core/contract/map.ts'
import { runs } from '../builders/property-runs.ts'
import { Random } from '../builders/random.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { ended, startLcm } from '../doors/cli/lcm.ts'

const ITEMS = 60
/** Notes that it was called, and fails now and then, so that there are retries. */
const SCRIPT = `
const { appendFileSync } = require('node:fs')
let text = ''
process.stdin.on('data', (piece) => { text += piece })
process.stdin.on('end', () => {
  const { index, item } = JSON.parse(text)
  appendFileSync(process.env.CALLS, index + '\\n')
  if (Math.random() < 0.1) process.exit(3)
  console.log(JSON.stringify({ square: item.n * item.n }))
})
`

it('a run that is killed at any moment and started again has exactly one result for each item, and asks again for few', async () => {
  const random = new Random(71)
  for (let round = 0; round < runs(6); round += 1) {
    const folder = temporaryFolder()
    const [input, script, calls] = ['items.jsonl', 'work.cjs', 'calls'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(input, Array.from({ length: ITEMS }, (_, n) => `{"n":${n}}\n`).join(''))
    writeFileSync(script, SCRIPT)
    appendFileSync(calls, '')
    const args = [
      ...['map', 'agentic', '--input', input, '--retain', 'the sum', '--record', folder, '--retries', '9', '--json'],
      ...['--', process.execPath, script],
    ]
    let kills = 0
    const journalled = (): number =>
      existsSync(join(folder, 'map-runs'))
        ? readdirSync(join(folder, 'map-runs'))
            .filter((name) => name.endsWith('.jsonl'))
            .reduce((sum, name) => sum + readFileSync(join(folder, 'map-runs', name), 'utf8').split('\n').length - 2, 0)
        : 0
    for (; kills < 4; kills += 1) {
      const child = startLcm(args, { env: { CALLS: calls } })
      const ran = ended(child)
      const goal = Math.min(ITEMS - 5, journalled() + random.int(0, 14))
      await expect.poll(journalled, { interval: 3 }).toBeGreaterThanOrEqual(goal)
      child.kill('SIGKILL')
      await ran
    }
    const { code, stdout, stderr } = await ended(startLcm(args, { env: { CALLS: calls } }))
    expect([code, stderr]).toEqual([0, ''])
    const report = MapReport.parse(JSON.parse(stdout))
    expect(report.results.map(({ index, output }) => [index, output])).toEqual(
      Array.from({ length: ITEMS }, (_, n) => [n, { square: n * n }]),
    )
    // Only what was under way at a kill may have been asked for without a result: at most four items each time.
    const called = readFileSync(calls, 'utf8').trimEnd().split('\n').length
    expect(called).toBeLessThanOrEqual(ITEMS + report.retries + kills * 4)
    const events = readFileSync(report.eventsPath, 'utf8').trimEnd().split('\n')
    expect(events.map((line) => JSON.parse(line).status)).toEqual(['completed'])
  }
})
