import type { EffectiveSetting, FoundSetting, FoundSettings, SettingsPatch } from '#core/contract/settings.ts'

type Report = { readonly effective: readonly EffectiveSetting[]; readonly chain: readonly string[] }

/** One value of another system beside what holds here. */
export type FoundRow = {
  readonly name: string
  readonly variable: string
  readonly there: string
  readonly here: string
  /** Why it cannot be taken over, or whether that would change anything. */
  readonly state: 'differs' | 'same' | 'refused'
  readonly note: string
}

const NOTES = {
  differs: '',
  same: 'the same here',
} as const

export function rowsOf({ values }: Pick<FoundSettings, 'values'>, report: Report): readonly FoundRow[] {
  return values.map((found) => {
    const { name, variable, value, problem } = found
    const effective = report.effective.find((setting) => setting.variable === variable)
    const here = effective?.value ?? null
    const state = problem !== null ? 'refused' : isSame(found, here, report.chain) ? 'same' : 'differs'
    return {
      name,
      variable,
      there: value === null ? 'not shown' : String(value),
      here: here === null ? 'not set' : String(here),
      state,
      note: problem ?? NOTES[state === 'refused' ? 'differs' : state],
    }
  })
}

/** Which models `auto` stands for follows from the models that are set up. */
const isSame = ({ value }: FoundSetting, here: EffectiveSetting['value'], chain: readonly string[]): boolean =>
  value === 'auto' ? chain.length > 0 : value === here

/** What is saved when the values are taken over; null when that would change nothing. */
export function patchOf(found: Pick<FoundSettings, 'values'>, report: Report): SettingsPatch | null {
  const differing = new Set(rowsOf(found, report).flatMap((row) => (row.state === 'differs' ? [row.variable] : [])))
  const taken = found.values.filter(({ variable }) => differing.has(variable))
  if (taken.length === 0) return null
  const values = taken.flatMap(({ variable, value }) => (value === 'auto' ? [] : [[variable, value] as const]))
  return {
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
    ...(taken.some(({ value }) => value === 'auto') && { chain: ['auto'] }),
  }
}
