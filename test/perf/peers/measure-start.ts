import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { packageFolder } from '#test/builders/built-program.ts'

/** Milliseconds of processor time of a process from its start to the first hit of a word, the middle of several. */
export type StartMeasure = { readonly productMs: number; readonly bareMs: number }

const ROUNDS = 7
const WORD = '4242'

/** What is printed last: the processor time of the whole process, its start included. */
const END = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'

/** The installed library and the bare driver search a memory whose pages are in the page cache, in turn. */
export function measureStart(path: string): StartMeasure {
  const library = pathToFileURL(`${packageFolder}/out/main/library.js`).href
  const product = `
    const { openLcm } = await import(${JSON.stringify(library)})
    const lcm = await openLcm(${JSON.stringify(path)}, { readOnly: true })
    await lcm.grep({ query: ${JSON.stringify(WORD)} })
    ${END}
    await lcm.close()`
  const driver = import.meta.resolve('better-sqlite3')
  const bare = `
    const { default: Database } = await import(${JSON.stringify(driver)})
    const db = new Database(${JSON.stringify(path)}, { readonly: true })
    db.prepare("SELECT rowid, snippet(messages_fts, -1, '[', ']', '…', 24) FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid DESC LIMIT 50").all(${JSON.stringify(WORD)})
    ${END}
    db.close()`
  const taken = { product: [] as number[], bare: [] as number[] }
  for (let round = -1; round < ROUNDS; round += 1) {
    const both = { product: run(product), bare: run(bare) }
    // The first round fills the caches.
    if (round < 0) continue
    taken.product.push(both.product)
    taken.bare.push(both.bare)
  }
  return { productMs: middle(taken.product), bareMs: middle(taken.bare) }
}

const run = (program: string): number =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }))

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
