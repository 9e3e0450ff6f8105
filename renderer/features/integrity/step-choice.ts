import type { RepairStep } from '#core/contract/repair.ts'

export type Chosen = ReadonlySet<string>
type Steps = readonly Pick<RepairStep, 'id' | 'risk' | 'dependsOn'>[]

/** A step that a person has to do cannot be chosen. */
export const canChoose = (step: Pick<RepairStep, 'risk'>): boolean => step.risk !== 'manual'

/** Returns steps with all that must come first, without steps that need one that cannot be chosen. */
function withDependencies(steps: Steps, ids: Iterable<string>): Chosen {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const chosen = new Set<string>()
  for (const id of ids) {
    const closure = closureOf(byId, id)
    if (closure) for (const each of closure) chosen.add(each)
  }
  return chosen
}

function closureOf(byId: ReadonlyMap<string, Steps[number]>, id: string): Chosen | null {
  const closure = new Set<string>()
  const open = [id]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (closure.has(next)) continue
    const step = byId.get(next)
    if (step === undefined || !canChoose(step)) return null
    closure.add(next)
    open.push(...step.dependsOn)
  }
  return closure
}

/** Returns every step that can be chosen. */
export const allSteps = (steps: Steps): Chosen =>
  withDependencies(
    steps,
    steps.filter(canChoose).map((step) => step.id),
  )

/** Returns every step that follows from the rest of the file, with the steps of the same kind on which it depends. */
export function safeSteps(steps: Steps): Chosen {
  const safe = steps.filter((step) => step.risk === 'safe')
  return withDependencies(
    safe,
    safe.map((step) => step.id),
  )
}

/**
 * Choosing a step also chooses the steps that it depends on, and unchoosing it unchooses the steps that depend on it.
 */
export function toggleStep(steps: Steps, chosen: Chosen, id: string): Chosen {
  if (!chosen.has(id)) return new Set([...chosen, ...withDependencies(steps, [id])])
  const gone = new Set([id])
  for (let before = 0; before !== gone.size; ) {
    before = gone.size
    for (const step of steps) if (step.dependsOn.some((other) => gone.has(other))) gone.add(step.id)
  }
  return new Set([...chosen].filter((each) => !gone.has(each)))
}
