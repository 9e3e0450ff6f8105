import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { neededRun } from '../compaction/auto-compaction.ts'
import {
  CompactInput,
  type CompactionDecision,
  type CompactionResult,
  CompactionSettings,
  type SpendEstimate,
} from '../contract/compaction.ts'
import { ImportWindow, TranscriptFormat } from '../contract/import.ts'
import type { JobResult, JobSpec } from '../contract/job.ts'
import type { PresetName } from '../contract/settings.ts'
import { isMissingOrEmpty } from '../db/memory-file.ts'
import { LcmError } from '../errors.ts'
import { runJob } from '../jobs/run-job.ts'
import type { Lcm } from '../lcm.ts'
import { presetSettings } from '../settings/presets.ts'
import { loadSettings } from '../settings/settings-store.ts'
import { holdMessages } from '../transcripts/holds-messages.ts'
import { conversationOption, type Define, type Run } from './command.ts'
import { presetOption } from './context-command.ts'
import { interruptible } from './interruptible.ts'
import { type Answer, EXIT } from './output.ts'
import { collect, integer, oneOf } from './parse.ts'
import { chooseConversation, type MemoryOptions, withMemory } from './session.ts'
import { keepHeapSmall } from './small-heap.ts'
import { count, oneLine, percent, table } from './text.ts'

type CompactOptions = MemoryOptions & {
  conversation?: number
  plan?: boolean
  auto?: boolean
  mode?: 'leaf' | 'condense' | 'full' | 'until-under'
  target?: number
  summarizer?: string
  preset?: PresetName
  set?: [string, number][]
}

/** import and compact. Ctrl-C stops at the next step; what was committed stays, and the file is valid. */
export function addWriteCommands(define: Define, run: Run): void {
  run(
    define('import', 'import transcripts into a native memory, which is created when missing')
      .argument('<path...>', 'transcript files or folders of them')
      .option(
        '--format <format>',
        `what the files are: ${TranscriptFormat.options.join(', ')}`,
        oneOf(...TranscriptFormat.options),
        'auto',
      )
      .option(
        '--window <window>',
        'agent: what the agent sees, its own compactions as summaries; history: every message',
        oneOf(...ImportWindow.options),
        'agent',
      ),
    async (
      paths: string[],
      options: MemoryOptions & { format: TranscriptFormat; window: ImportWindow },
    ): Promise<Answer> => {
      keepHeapSmall()
      const spec = { kind: 'import', paths, format: options.format, window: options.window } as const
      const result = (await triedAside(options, spec)) ?? (await importInto(options, spec))
      if (result.kind !== 'import') throw new Error('an import answers with an import')
      const { value } = result
      const failed = value.files.filter((file) => file.error !== null)
      const conflicts = value.files.reduce((sum, file) => sum + file.conflicts, 0)
      const text = (): string =>
        [
          table(
            ['conversation', 'format', 'added', 'already there', 'compactions', 'skipped', 'file'],
            value.files.map((file) => [
              String(file.conversationId ?? '–'),
              file.format,
              file.added,
              file.alreadyThere,
              file.compactions,
              file.skippedCount,
              file.error ? `${file.path}: ${file.error}` : file.path,
            ]),
          ),
          ...value.files.flatMap((file) =>
            file.skipped.slice(0, 10).map((line) => `${file.path}:${line.line}: ${oneLine(line.reason, 160)}`),
          ),
          ...(conflicts > 0
            ? [
                `${conflicts === 1 ? '1 message differs' : `${count(conflicts)} messages differ`} from what is stored, which stays`,
              ]
            : []),
          ...value.passedOver.slice(0, 10).map(({ path, reason }) => `${path}: ${oneLine(reason, 160)}`),
          ...(value.passedOverCount > 10
            ? [`… and ${count(value.passedOverCount - 10)} more files that are no transcripts`]
            : []),
          `${count(value.added)} messages added, ${count(value.alreadyThere)} already there, ${count(value.skipped)} lines skipped`,
        ].join('\n')
      return { json: value, text, exitCode: failed.length > 0 ? EXIT.failed : EXIT.done }
    },
  )

  run(
    define('compact', 'replace old messages in the window by summaries')
      .addOption(conversationOption())
      .option('--plan', 'show what would be done, write nothing')
      .option('--auto', 'only when a threshold is reached, and no further than under it')
      .option('--mode <mode>', 'leaf, condense, full or until-under', oneOf('leaf', 'condense', 'full', 'until-under'))
      .option('--target <tokens>', 'goal of until-under', integer(1, 100_000_000))
      .option(
        '--summarizer <name>',
        'deterministic (default), a configured provider, or chain for all of LCM_SUMMARIZERS',
      )
      .addOption(presetOption())
      .option(
        '--set <key=value>',
        'a compaction setting, before that of the preset; may be repeated',
        collect(setting),
      ),
    async (options: CompactOptions): Promise<Answer> =>
      options.plan
        ? withMemory(options, (lcm) => planAnswer(lcm, options), { readOnly: true })
        : withMemory(options, (lcm) => compactAnswer(lcm, options)),
  )
}

type ImportSpec = Extract<JobSpec, { readonly kind: 'import' }>

const importInto = (options: MemoryOptions, spec: ImportSpec): Promise<JobResult> =>
  withMemory(options, (lcm) => runToItsEnd(lcm, spec), { create: true })

/**
 * What does not look like transcripts is imported into a memory that is thrown away: nothing is left where one was to be
 * made. Null when there is something to import, or a memory already.
 */
async function triedAside(options: MemoryOptions, spec: ImportSpec): Promise<JobResult | null> {
  const path = resolve(options.db ?? loadSettings(process.env).databasePath)
  if (!isMissingOrEmpty(path) || (await holdMessages(spec.paths, spec.format))) return null
  const folder = mkdtempSync(join(tmpdir(), 'lcm-import-'))
  try {
    const result = await importInto({ ...options, db: join(folder, 'memory.db') }, spec)
    return result.kind === 'import' && result.value.added > 0 ? null : result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compactInput(lcm: Lcm, options: CompactOptions): CompactInput {
  // Also for a plan: a name that nobody has is a mistake, not a plan.
  if (options.summarizer !== undefined) lcm.summarizers.providersOf(options.summarizer)
  return CompactInput.parse({
    conversationId: chooseConversation(lcm, options.conversation),
    mode: options.mode === 'until-under' ? 'untilUnder' : options.mode,
    targetTokens: options.target,
    summarizer: options.summarizer,
    settings: { ...(options.preset && presetSettings(options.preset)), ...Object.fromEntries(options.set ?? []) },
  })
}

function planAnswer(lcm: Lcm, options: CompactOptions): Answer {
  const input = compactInput(lcm, options)
  const plan = lcm.planner.plan(input)
  const estimate = lcm.summarizers.estimate(input.summarizer, plan.steps)
  const text = (): string =>
    plan.skipped ??
    [
      table(
        ['step', 'pass', 'depth', 'sources', 'source tokens', 'expected tokens', 'messages'],
        plan.steps.map((step, index) => [
          String(index + 1),
          step.pass,
          step.depth,
          step.sources.length,
          step.sourceTokens,
          step.expectedTokens,
          `${step.firstSeq}–${step.lastSeq}`,
        ]),
      ),
      `${count(plan.tokensBefore)} → about ${count(plan.expectedTokensAfter)} tokens, ${count(plan.modelCalls)} model calls. Nothing was written.`,
      ...(estimate.provider === null ? [] : [spendText(estimate)]),
    ].join('\n')
  return { json: { ...plan, estimate }, text }
}

function spendText({ provider, inputTokens, outputTokens, cost, capTokens }: SpendEstimate): string {
  const price = cost === null ? 'no price configured' : `cost about ${cost.toFixed(4)}`
  const cap = capTokens === null ? 'no cap' : `capped at ${count(capTokens)} tokens a run`
  return `${provider} would be sent about ${count(inputTokens)} tokens and answer ${count(outputTokens)}: ${price}, ${cap}.`
}

async function compactAnswer(lcm: Lcm, options: CompactOptions): Promise<Answer> {
  lcm.requireWrite('compact')
  const asked = compactInput(lcm, options)
  const input = options.auto ? neededRun(lcm.planner.evaluate(asked), asked) : asked
  if (!input) return notNeeded(lcm.planner.evaluate(asked))
  const result = await runToItsEnd(lcm, { kind: 'compact', ...input })
  if (result.kind !== 'compact') throw new Error('a compaction answers with a compaction')
  const { value } = result
  const text = (): string =>
    value.skipped ??
    [
      `${count(value.tokensBefore)} → ${count(value.tokensAfter)} tokens (${percent(value.reduction)} less), ${count(value.created.length)} summaries, stopped: ${value.stopReason.replaceAll('_', ' ')}`,
      table(
        ['id', 'kind', 'depth', 'level', 'source tokens', 'tokens'],
        value.created.map((node) => [node.id, node.kind, node.depth, node.level, node.sourceTokens, node.tokens]),
      ),
    ].join('\n')
  return { json: value, text, exitCode: value.stopReason === 'cancelled' ? EXIT.interrupted : EXIT.done }
}

function notNeeded({ conversationId, tokens, pressure }: CompactionDecision): Answer {
  const skipped = `No threshold is reached: the window takes ${count(tokens)} tokens, ${percent(pressure)} of its budget.`
  const json: CompactionResult = {
    runId: null,
    conversationId,
    stopReason: 'target_reached',
    tokensBefore: tokens,
    tokensAfter: tokens,
    reduction: 0,
    created: [],
    skipped,
    durationMs: 0,
  }
  return { json, text: () => skipped }
}

const runToItsEnd = (lcm: Lcm, spec: JobSpec): Promise<JobResult> =>
  interruptible((signal) => runJob(lcm, spec, signal))

/** `leafChunkTokens=8000` or `leaf_chunk_tokens=8000`. */
function setting(text: string): [string, number] {
  const at = text.includes('=') ? text.indexOf('=') : text.length
  const [name, value] = [text.slice(0, at), text.slice(at + 1)]
  const key = name.trim().replace(/[-_]([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  const known = Object.keys(CompactionSettings.shape)
  if (!known.includes(key))
    throw new LcmError(
      'invalid_argument',
      `There is no setting ${JSON.stringify(name)}: use one of ${known.join(', ')}.`,
    )
  const parsed = CompactionSettings.partial().safeParse({ [key]: Number(value) })
  if (!parsed.success || value.trim() === '')
    throw new LcmError(
      'invalid_argument',
      `${key} cannot be ${JSON.stringify(value)}: ${parsed.error?.issues[0]?.message ?? 'expected a number'}.`,
    )
  return [key, Number(value)]
}
