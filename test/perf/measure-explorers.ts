// Measures the exploration of large files that are made while they are read:
// node test/perf/measure-explorers.ts [megabytes] [kinds …]

import type { FileSource } from '#core/files/explorers/decoded-file.ts'
import { explore } from '#core/files/explorers/explore.ts'
import { runToEnd } from '#core/yielding.ts'
import { processorClock } from '../builders/busy-machine.ts'

type Kind = {
  readonly name: string
  readonly line: (n: number) => string
  readonly first?: string
  readonly last?: string
}

const LEVELS = ['INFO', 'INFO', 'INFO', 'DEBUG', 'WARN', 'ERROR']
const time = (n: number): string => new Date(1_700_000_000_000 + n * 137).toISOString()
const record = (n: number): string =>
  `{"id":${n},"name":"person ${n % 1000}","joined":"${time(n)}","score":${(n % 977) / 10},"tags":["a","b${n % 5}"],"address":{"city":"C${n % 90}","zip":null}}`

const KINDS: readonly Kind[] = [
  { name: 'big.json', first: '[', line: (n) => `${n === 0 ? '' : ','}${record(n)}`, last: ']' },
  { name: 'big.jsonl', line: record },
  {
    name: 'big.csv',
    first: 'id,name,joined,score,note',
    line: (n) => `${n},"person ${n % 1000}",${time(n)},${(n % 977) / 10},`,
  },
  {
    name: 'big.yaml',
    first: 'items:',
    line: (n) => `- id: ${n}\n  name: person ${n % 1000}\n  joined: ${time(n)}\n  tags: [a, b${n % 5}]`,
  },
  { name: 'big.toml', line: (n) => `[[item]]\nid = ${n}\nname = "person ${n % 1000}"\nscore = ${(n % 977) / 10}` },
  {
    name: 'big.xml',
    first: '<items>',
    line: (n) => `<item id="${n}"><name>person ${n % 1000}</name><joined>${time(n)}</joined></item>`,
    last: '</items>',
  },
  {
    name: 'big.html',
    first: '<html><body>',
    line: (n) => `<h2 id="h${n}">Part ${n}</h2><p>Some <a href="/x/${n}">text</a> of it.</p>`,
    last: '</body></html>',
  },
  {
    name: 'big.log',
    line: (n) => `${time(n)} ${LEVELS[n % 6]} [worker-${n % 8}] request ${n} took ${n % 900} ms from 10.0.${n % 255}.7`,
  },
  {
    name: 'big.diff',
    line: (n) =>
      `diff --git a/src/f${n}.ts b/src/f${n}.ts\n--- a/src/f${n}.ts\n+++ b/src/f${n}.ts\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c`,
  },
  {
    name: 'big.sql',
    first: 'CREATE TABLE t (id int, name text);',
    line: (n) => `INSERT INTO t (id, name) VALUES (${n}, 'it''s ${n}; x'), (${n + 1}, 'y');`,
  },
  { name: 'big.ts', line: (n) => `export function handler${n}(request: Request): void {\n  reply(${n})\n}` },
  {
    name: 'big.md',
    line: (n) => (n % 50 === 0 ? `# Part ${n}` : 'The committee met on Tuesday and decided nothing of importance.'),
  },
  { name: 'big.txt', line: () => 'The committee met on Tuesday and decided nothing of importance at all, as it does.' },
  { name: 'one-line.txt', line: () => '' },
]

function source({ name, line, first, last }: Kind, sizeBytes: number): FileSource {
  const chunks = function* (): Generator<Uint8Array> {
    if (name === 'one-line.txt') {
      for (let left = sizeBytes; left > 0; left -= 65_536) yield Buffer.alloc(65_536, 'x')
      return
    }
    let bytes = 0
    if (first !== undefined) yield Buffer.from(`${first}\n`)
    for (let n = 0; bytes < sizeBytes; ) {
      const lines: string[] = []
      for (let index = 0; index < 500; index += 1, n += 1) lines.push(line(n))
      const chunk = Buffer.from(`${lines.join('\n')}\n`)
      bytes += chunk.length
      yield chunk
    }
    if (last !== undefined) yield Buffer.from(last)
  }
  return { name, mime: null, sizeBytes, chunks }
}

async function measure(kind: Kind, megabytes: number): Promise<void> {
  const file = source(kind, megabytes * 1024 * 1024)
  const startMs = performance.now()
  let generatingMs = 0
  for (const chunk of file.chunks()) generatingMs = performance.now() - startMs + chunk.length * 0
  let [longestMs, before, peakRss] = [0, performance.now(), 0]
  let usedMs = processorClock()
  let timer = setImmediate(note)
  function note(): void {
    // What other programs take of the processor is no part of it.
    longestMs = Math.max(longestMs, Math.min(performance.now() - before, usedMs()))
    before = performance.now()
    usedMs = processorClock()
    peakRss = Math.max(peakRss, process.memoryUsage.rss())
    timer = setImmediate(note)
  }
  const beganMs = performance.now()
  const explored = await runToEnd(explore(file, new AbortController().signal))
  clearImmediate(timer)
  const tookMs = performance.now() - beganMs
  const rate = megabytes / (Math.max(1, tookMs - generatingMs) / 1000)
  console.log(
    `${kind.name.padEnd(14)} ${explored.type.padEnd(10)} ${String(explored.tokens).padStart(4)} tokens ${(tookMs / 1000).toFixed(1).padStart(7)} s (${(generatingMs / 1000).toFixed(1)} s to make it, ${rate.toFixed(0)} MB/s) longest ${longestMs.toFixed(0)} ms, RSS ${(peakRss / 1_048_576).toFixed(0)} MB`,
  )
}

const [megabytes = '64', ...names] = process.argv.slice(2)
for (const kind of KINDS) if (names.length === 0 || names.includes(kind.name)) await measure(kind, Number(megabytes))
