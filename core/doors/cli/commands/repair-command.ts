import { z } from 'zod'
import {
  ExportFormat,
  RepairInput,
  RepairPlan,
  RepairPlanInput,
  type RepairResult,
  type RepairStep,
} from '#core/contract/repair.ts'
import type { Lcm } from '#core/lcm.ts'
import { isNative } from '#core/systems/native/native.ts'
import { plural } from '#core/text.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { type Answer, EXIT } from '../output/output.ts'
import { documentAnswer, documentFile } from '../output/output-file.ts'
import { count, oneLine } from '../output/text.ts'
import { withMemory } from '../session.ts'

const fields = RepairPlanInput.extend({
  plan: z.boolean().optional().describe('show the steps, write nothing (default)'),
  apply: z.array(z.string()).optional().meta({
    description: 'apply these steps and those that they depend on, or all: backup first',
    value: 'step',
    variadic: true,
  }),
  format: ExportFormat.optional(),
  ...documentFile,
  summarizer: RepairInput.shape.summarizer,
  backups: RepairInput.shape.backupFolder,
})
type RepairOptions = z.output<typeof fields>

/** The repair of findings as a plan, as a text to keep, or applied. */
export const repair = defineCommand({
  name: 'repair',
  example: 'repair --db sample.db --plan',
  memory: ({ apply }) => (apply ? 'changes' : 'reads'),
  fields,
  exclusive: [['plan', 'apply']],
  prints: RepairPlan,
  run: (input, given) =>
    input.apply
      ? withMemory(given, (lcm) => applyAnswer(lcm, input, input.apply ?? []))
      : withMemory(given, (lcm) => planAnswer(lcm, input), { readOnly: true }),
})

async function planAnswer(lcm: Lcm, options: RepairOptions): Promise<Answer> {
  const { conversationId } = options
  const { repair } = await lcm.doctor()
  const input = conversationId === undefined ? {} : { conversationId }
  if (options.format || options.output) {
    const format = options.format ?? (options.output?.endsWith('.sql') ? 'sql' : 'markdown')
    const exported = await interruptible((signal) => repair.export({ ...input, format }, signal))
    const answer = { json: exported, text: () => exported.text.trimEnd() }
    const { output, force } = options
    return documentAnswer({ answer, output, force, source: lcm.info.path, facts: { format } })
  }
  const plan = await interruptible((signal) => repair.plan(input, signal))
  // A file that is opened read-only for a plan can be repaired all the same.
  const shown = isNative(lcm.info) ? { ...plan, onlyExport: null } : plan
  return { json: shown, text: () => planText(shown), exitCode: plan.steps.length > 0 ? EXIT.findings : EXIT.done }
}

function planText({ steps, onlyExport }: RepairPlan): string {
  if (steps.length === 0) return 'Nothing is to be repaired.'
  return [
    `${count(steps.length)} ${steps.length === 1 ? 'step' : 'steps'}. Nothing was written; messages are never changed.`,
    ...steps.map(stepText),
    '',
    onlyExport ??
      'Apply with "lcm repair --apply STEP…", or --apply all: backup first, a second scan before it is kept.',
  ].join('\n')
}

function stepText(step: RepairStep): string {
  return [
    `\n${step.risk}  ${step.id}  ${oneLine(step.title, 160)}`,
    `    ${oneLine(step.description, 600)}`,
    `    settles ${step.fixes.join(', ')}${step.dependsOn.length > 0 ? `; after ${step.dependsOn.join(', ')}` : ''}`,
    ...(step.cannotRestore === null ? [] : [`    cannot be restored: ${oneLine(step.cannotRestore, 300)}`]),
  ].join('\n')
}

async function applyAnswer(lcm: Lcm, options: RepairOptions, asked: readonly string[]): Promise<Answer> {
  lcm.requireWrite('repair')
  const { repair } = await lcm.doctor()
  const ids = asked.flatMap((step) => step.split(',')).filter((step) => step !== '')
  const { conversationId, backups, summarizer } = options
  const how = { summarizer, ...(backups === undefined ? {} : { backupFolder: backups }) }
  if (!ids.includes('all') && ids.length > 0) {
    return applied(await interruptible((signal) => repair.apply({ ...how, steps: ids.map((id) => ({ id })) }, signal)))
  }
  const input = { ...how, ...(conversationId === undefined ? {} : { conversationId }) }
  const done = await interruptible((signal) => repair.applyAll(input, signal))
  if ('applied' in done) return applied(done.applied)
  const { plan } = done
  const isDone = plan.steps.length === 0
  return {
    json: { steps: plan.steps, applied: [], backup: null, after: outcome(plan.findings) },
    text: () => (isDone ? 'Nothing is to be repaired.' : `No step can be applied.\n${planText(plan)}`),
    exitCode: isDone ? EXIT.done : EXIT.findings,
  }
}

const applied = (result: RepairResult): Answer => ({
  json: resultJson(result),
  text: () => resultText(result),
  exitCode: result.rolledBack ? EXIT.failed : result.left.length > 0 ? EXIT.findings : EXIT.done,
})

const outcome = (findings: Readonly<Record<string, number>>) => ({ ok: Object.keys(findings).length === 0, findings })

function resultJson({ left, applied, backup, before, after, ...result }: RepairResult) {
  return {
    ...result,
    steps: left,
    applied: applied.map((step) => step.id),
    backup: backup?.path ?? null,
    before: outcome(before),
    after: outcome(after),
  }
}

function resultText({ applied, skipped, backup, rolledBack, left }: RepairResult): string {
  if (rolledBack) {
    const worse = rolledBack.map(({ check, before, after }) => `${check} ${count(before)} → ${count(after)}`).join(', ')
    return `Nothing was changed: after these steps more would be wrong (${worse}). The backup is ${backup?.path}.`
  }
  return [
    `${count(applied.length)} ${applied.length === 1 ? 'step' : 'steps'} applied. Before, the file was as in ${backup?.path}`,
    ...applied.map(
      (step) => `    ${step.id}  ${plural(step.rows, 'row')}${step.chosen ? '' : '  (another step depends on it)'}`,
    ),
    ...skipped.map((step) => `    not done: ${step.id}: ${oneLine(step.reason, 200)}`),
    left.length === 0
      ? 'Nothing is left to be repaired.'
      : `${count(left.length)} left: ${left.map((step) => `${step.id} (${step.risk})`).join(', ')}`,
  ].join('\n')
}
