import { Undo } from './apply/undo.ts'
import { Repairer } from './repair/repairer.ts'
import type { RepairerOptions } from './repair/repairer-options.ts'
import type { ContextTools } from './scan/rule-context.ts'
import { Scanner } from './scan/scanner.ts'
import { Surgeon } from './surgery/surgeon.ts'

/** What checks a memory, and what changes it on request. */
export type Doctor = {
  readonly integrity: Scanner
  readonly repair: Repairer
  readonly surgery: Surgeon
  readonly undo: Undo
}

export type DoctorOptions = Omit<RepairerOptions, 'integrity'> & ContextTools

export function openDoctor(options: DoctorOptions): Doctor {
  const integrity = new Scanner(options)
  const all = { ...options, integrity }
  return { integrity, repair: new Repairer(all), surgery: new Surgeon(all), undo: new Undo(all) }
}
