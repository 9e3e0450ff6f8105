// Finds files that other systems really wrote. The project contains none of them.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { inProject } from './project.mjs'

/** The folder that the field suite reads: `LCM_FIELD_DATA`, or `shared` beside the project. */
export const fieldData = () => resolve(process.env.LCM_FIELD_DATA || inProject('..', 'shared'))

/** A folder of such files has memories under `fixtures` and transcripts under `data`. */
export const isFieldData = (folder) => existsSync(resolve(folder, 'fixtures')) && existsSync(resolve(folder, 'data'))
