import { join } from 'node:path'
import { expectUntouched } from '../sqlite/untouched.ts'
import { FIELD_DATA } from './field-data.ts'

/** Around a run in the field. */
export function setup(): () => void {
  return expectUntouched(join(FIELD_DATA, 'fixtures'))
}
