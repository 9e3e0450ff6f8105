import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { type LedgerFiles, LedgerReport } from '#core/contract/ledger.ts'
import { isDatabaseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { requireLedgers } from '#core/ledgers.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { isNative } from '#core/systems/native/native.ts'
import { plural, sizeText } from '#core/text.ts'
import { type CommandContext, defineCommand, type MemoryUse, outputFile } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { type Answer, EXIT, printNote } from '../output/output.ts'
import { memoryPath, onStandardOutput, outputPath } from '../output/output-file.ts'
import { count } from '../output/text.ts'
import { noteUnusedLedger, withMemory } from '../session.ts'

const MOST_LINES = 40
const LEDGER_NAME = 'lcm.events.jsonl'
const aLedger = (description: string) => z.string().optional().meta({ description, value: 'ledger' })

const fields = z.object({
  action: z
    .enum(['verify', 'rebuild', 'export', 'enable', 'agree', 'disable', 'status'])
    .meta({ description: 'what is done', value: 'action' }),
  path: aLedger('the ledger (default: the one that the memory keeps, or lcm.events.jsonl beside it)'),
  ledger: z.string().optional().meta({ description: 'the ledger, as the argument', value: 'file' }),
  to: z
    .string()
    .optional()
    .meta({ description: 'rebuild: where the new memory goes; nothing may be there', value: 'file' }),
  output: outputFile.meta({
    description: 'export: where the ledger goes, where nothing may be; - is standard output',
    value: 'file',
    short: 'o',
  }),
})
type Options = CommandContext & Pick<z.output<typeof fields>, 'to' | 'output'>

/** The append-only record from which a memory can be rebuilt. */
export const ledger = defineCommand({
  name: 'ledger',
  example: 'ledger export --db sample.db -o sample.events.jsonl',
  fields,
  positional: ['action', 'path'],
  memory: ({ action, path, ledger = path }, { db }) => useOf(action, ledger !== undefined && db === undefined),
  prints: LedgerReport,
  run: ({ action, path, ledger = path, to, output }, given) => {
    const options = { ...given, to, output }
    switch (action) {
      case 'verify':
        return verify(ledger, options)
      case 'rebuild':
        return rebuild(ledger, options)
      case 'export':
        return exportTo(output ?? to ?? ledger, options)
      case 'enable':
        return withMemory(given, (lcm) => enable(lcm, ledger))
      case 'agree':
        return withMemory(given, (lcm) => agree(lcm, ledger))
      case 'disable':
        return withMemory(given, disable)
      case 'status':
        return withMemory(
          given,
          (lcm) => {
            noteUnusedLedger(lcm)
            return status(lcm)
          },
          { readOnly: true },
        )
    }
  },
})

const KEPT_BESIDE_FILES: MemoryUse = {
  instead:
    'a ledger is kept beside a memory file. "lcm ledger export" with --conversation writes the ledger of one conversation.',
}

/** A ledger alone is verified without a memory, and a rebuild makes one. */
function useOf(action: z.output<typeof fields>['action'], isLedgerAlone: boolean): MemoryUse | undefined {
  switch (action) {
    case 'verify':
      return isLedgerAlone ? undefined : 'reads'
    case 'export':
      return 'reads'
    case 'rebuild':
      return undefined
    default:
      return KEPT_BESIDE_FILES
  }
}

async function verify(given: string | undefined, options: Options): Promise<Answer> {
  if (given !== undefined && options.db === undefined) {
    return answer(await interruptible((signal) => requireLedgers().verify(inFolder(given), null, signal)))
  }
  if (given === undefined && options.upToDate !== undefined) {
    throw new LcmError(
      'invalid_argument',
      'Say which ledger is compared with the conversation: "lcm ledger verify LEDGER --db postgres://… --conversation N".',
    )
  }
  return withMemory(
    options,
    async (lcm) => {
      const path = given === undefined ? await ledgerOf(lcm) : inFolder(given)
      // Messages of another system have no hash of their own to compare.
      const db = isNative(lcm.info) ? lcm.read : null
      return answer(await interruptible((signal) => requireLedgers().verify(path, db, signal)))
    },
    { readOnly: true },
  )
}

async function rebuild(given: string | undefined, options: Options): Promise<Answer> {
  const to = options.to ?? options.output ?? options.db
  if (given === undefined || to === undefined) {
    throw new LcmError('invalid_argument', 'Say what to rebuild from and to: "lcm ledger rebuild LEDGER --to FILE".')
  }
  if (isDatabaseAddress(to)) {
    throw new LcmError(
      'unsupported',
      'A memory is rebuilt into a file: choose one with --to, and copy it with "lcm copy --from FILE --to postgres://…".',
    )
  }
  const estimator = createTokenEstimator(loadSettings(process.env).tokenEstimator)
  const request = { ledger: inFolder(given), to: memoryPath(to), estimator }
  const result = await interruptible((signal) => requireLedgers().rebuild(request, signal))
  const text = (): string =>
    [
      `${result.path}: ${plural(result.messages, 'message')} and ${plural(result.summaries, 'summary', 'summaries')} from ${plural(result.events, 'event')}.`,
      ...failureLines(result),
      ...fileLines(result.largeFiles),
    ].join('\n')
  return { json: result, text, exitCode: result.ok ? EXIT.done : EXIT.findings }
}

async function exportTo(output: string | undefined, options: Options): Promise<Answer> {
  if (output === undefined)
    throw new LcmError('invalid_argument', 'Say where the ledger goes: -o FILE, or -o - for standard output.')
  return withMemory(
    options,
    async (lcm) => {
      const source = { db: lcm.read, info: lcm.info, clock: lcm.clock }
      const to = outputPath(output)
      if (to === null) {
        return onStandardOutput('ledger', async (file) => {
          const { largeFiles } = await interruptible((signal) => requireLedgers().write(file, source, signal))
          for (const line of fileLines(largeFiles)) printNote(line)
        })
      }
      const result = await interruptible((signal) => requireLedgers().export({ ...source, to }, signal))
      const json = { ok: true, path: to, ...result, failures: [] }
      const written = `${to}: ${plural(result.events, 'event')}, ${sizeText(result.bytes)}.`
      return { json, text: () => [written, ...fileLines(result.largeFiles)].join('\n') }
    },
    { readOnly: true },
  )
}

function enable(lcm: Lcm, given: string | undefined): Answer {
  lcm.ledger.enable(lcm.requireWrite('keep a ledger'), resolve(given ?? join(dirname(lcm.info.path), LEDGER_NAME)))
  return status(lcm)
}

function agree(lcm: Lcm, given: string | undefined): Answer {
  lcm.ledger.agree(lcm.requireWrite('continue a ledger'), given === undefined ? undefined : inFolder(given))
  return status(lcm)
}

function disable(lcm: Lcm): Answer {
  lcm.ledger.disable(lcm.requireWrite('end its ledger'))
  return status(lcm)
}

function status(lcm: Lcm): Answer {
  const state = lcm.ledger.state(lcm.read)
  const text = (): string =>
    state.path === null
      ? 'No ledger is kept.'
      : `${state.path}: ${sizeText(state.bytes)}, ${plural(state.pending, 'change')} waiting.${state.blocked ? `\n${state.blocked}` : ''}`
  return { json: state, text }
}

/**
 * Returns the ledger that belongs to a memory.
 * @throws LcmError ledger_refused before what a memory names is even read
 */
async function ledgerOf(lcm: Lcm): Promise<string> {
  const stated = isNative(lcm.info) ? lcm.ledger.path(lcm.read) : null
  if (stated !== null) return stated
  const { ledgerWriter } = await import('#core/systems/systems.ts')
  return ledgerWriter.ledger.pathOf(realpathSync(lcm.info.path))
}

const inFolder = (path: string): string => {
  const absolute = resolve(path)
  return existsSync(absolute) && statSync(absolute).isDirectory() ? join(absolute, LEDGER_NAME) : absolute
}

function answer(report: LedgerReport): Answer {
  const text = (): string =>
    [
      `${report.path}: ${plural(report.events, 'event')}, ${sizeText(report.bytes)}. ${report.ok ? soundLedger(report) : `${count(report.failureCount)} cannot be relied on.`}`,
      ...failureLines(report),
      ...fileLines(report.largeFiles),
    ].join('\n')
  return { json: report, text, exitCode: report.ok ? EXIT.done : EXIT.findings }
}

/** Says of a ledger without a failure what is proved, and what is not. */
function soundLedger({ events, unchained, isEndProved }: LedgerReport): string {
  const contents = 'Every content has its hash.'
  if (events > 0 && unchained === events) {
    return `${contents} Its lines do not name the lines before them, so that it cannot be told whether one was removed or replaced.`
  }
  const older =
    unchained === 0
      ? ''
      : ` Before line ${count(unchained + 1)} no line names the one before it: whether one of those was removed or replaced cannot be told.`
  const end = isEndProved
    ? 'The memory that keeps it has noted the same end: no line was removed, put in or replaced.'
    : 'Every line follows the one that it names. Whether lines are missing at the end, or the last one was replaced, only the memory that keeps this ledger can tell (--db FILE).'
  return `${contents}${older} ${end}`
}

/** Says which contents are not in a ledger. */
function fileLines(files: LedgerFiles): string[] {
  if (files.count === 0) return []
  const named = files.count === 1 ? '1 large file is' : `${count(files.count)} large files are`
  return [
    `${named} named (${sizeText(files.bytes)}), and the contents are not in a ledger: keep the folder of large files with it, and put it beside a memory that is rebuilt.`,
  ]
}

type FailureList = Pick<LedgerReport, 'failures' | 'failureCount'>

function failureLines({ failures, failureCount }: FailureList): string[] {
  const told = failures.slice(0, MOST_LINES).map(({ line, check, detail }) => `line ${line}  ${check}  ${detail}`)
  return failureCount > told.length ? [...told, `and ${count(failureCount - told.length)} more`] : told
}
