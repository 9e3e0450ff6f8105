import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MemoryAnswers } from './ask-memory.ts'
import { canonical, sha256, valuesIn } from './canonical.ts'

/** `write` records anew, `show` writes every answer in full to a folder, nothing compares. */
export const RECORD = process.env.LCM_TEST_RECORD ?? ''
if (!['', 'write', 'show'].includes(RECORD)) throw new Error(`LCM_TEST_RECORD is neither "write" nor "show": ${RECORD}`)

export const RECORDED = join(import.meta.dirname, 'answers')
const SHOWN = join(import.meta.dirname, '../../test-results/recorded-answers')
const HASH_LENGTH = 24
const QUESTION_HASH_LENGTH = 4
const ANSWER_HASH_LENGTH = 6
const SHOWN_LENGTH = 400
const MOST_DIFFERENCES = 10

/**
 * By procedure, a line: how many answers, how many values stand in them, a hash of all, and the beginnings of the hashes of
 * each question and its answer.
 */
type Recording = Readonly<Record<string, string>>
type Line = { readonly procedure: string; readonly question: string; readonly answer: string }
type ByProcedure = ReadonlyMap<string, readonly Line[]>

/** Compares answers about a memory with those that are recorded by this name, or records them. `isBrief`: only some were asked for. */
export function holdToRecord(name: string, answers: MemoryAnswers, isBrief: boolean): void {
  const lines = answers.asked.map(({ procedure, input, answer }): Line => {
    const [question, given] = [input, answer].map((one) => canonical(procedure, one, answers.replacements))
    return { procedure, question: question ?? '', answer: given ?? '' }
  })
  const byProcedure = Map.groupBy(lines, ({ procedure }) => procedure)
  const path = join(RECORDED, `${name}.json`)
  if (RECORD === 'show') showAll(name, byProcedure)
  else if (RECORD === 'write') write(path, byProcedure)
  else expectSame(name, readRecording(path), byProcedure, isBrief)
}

function write(path: string, byProcedure: ByProcedure): void {
  const entries = [...byProcedure].sort(([one], [other]) => (one < other ? -1 : 1))
  mkdirSync(dirname(path), { recursive: true })
  const recording = Object.fromEntries(entries.map(([procedure, lines]) => [procedure, lineOf(lines)]))
  writeFileSync(path, `${JSON.stringify(recording, null, 2)}\n`)
}

function expectSame(name: string, before: Recording, now: ByProcedure, isBrief: boolean): void {
  const procedures = isBrief ? [...now.keys()] : [...new Set([...Object.keys(before), ...now.keys()])].sort()
  const differences = procedures.flatMap((procedure) => {
    const difference = differenceOf(before[procedure], now.get(procedure) ?? [], isBrief)
    return difference === null ? [] : [`- ${procedure}: ${difference}`]
  })
  if (differences.length === 0) return
  throw new Error(
    [
      `${differences.length} procedures no longer answer as recorded about ${name}:`,
      ...differences.slice(0, MOST_DIFFERENCES),
      'To see all of it, run this test with LCM_TEST_RECORD=show here and in the state before, and compare the folders',
      'test-results/recorded-answers. If the new answers are right, say why in the commit and run with LCM_TEST_RECORD=write.',
    ].join('\n'),
  )
}

/** Null where all is as recorded. */
function differenceOf(recorded: string | undefined, lines: readonly Line[], isBrief: boolean): string | null {
  const now = lineOf(lines)
  if (now === recorded) return null
  const [figures = '', hashes = ''] = (recorded ?? 'nothing').split(': ')
  const known = new Set(hashes.split(' '))
  const first = lines.find((line) => !known.has(shortHash(line)))
  if (isBrief && !first) return null
  const [figuresNow] = now.split(': ')
  const heading = `${figures} before, ${figuresNow} now${isBrief ? ' (of a part of the questions)' : ''}`
  if (!first) return heading
  return `${heading}\n  the first other answer is that to ${first.question}:\n  ${first.answer.slice(0, SHOWN_LENGTH)}`
}

export function readRecording(path: string): Recording {
  if (!existsSync(path)) throw new Error(`Nothing is recorded at ${path}: run this test with LCM_TEST_RECORD=write.`)
  return JSON.parse(readFileSync(path, 'utf8')) as Recording
}

function lineOf(lines: readonly Line[]): string {
  const values = lines.reduce((sum, { answer }) => sum + valuesIn(JSON.parse(answer)), 0)
  const all = sha256(lines.map(({ question, answer }) => `${question}\n${answer}`).join('\n')).slice(0, HASH_LENGTH)
  return `${lines.length} answers, ${values} values, ${all}: ${lines.map(shortHash).join(' ')}`
}

const shortHash = ({ question, answer }: Line): string =>
  sha256(question).slice(0, QUESTION_HASH_LENGTH) + sha256(answer).slice(0, ANSWER_HASH_LENGTH)

/** One file a procedure, so that two folders can be compared with any tool. */
function showAll(name: string, byProcedure: ByProcedure): void {
  const folder = join(SHOWN, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [procedure, lines] of byProcedure) {
    const all = lines.map(({ question, answer }) => ({ question: JSON.parse(question), answer: JSON.parse(answer) }))
    writeFileSync(join(folder, `${procedure}.json`), `${JSON.stringify(all, null, 1)}\n`)
  }
}
