// Where files lie that other systems really wrote; the project carries none of them.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { inProject } from './project.mjs'

/** The folder that the field suite reads. `LCM_FIELD_DATA` names it; else it stands beside the project. */
export const fieldData = () => resolve(process.env.LCM_FIELD_DATA || inProject('..', 'shared'))

/** Memory files under `fixtures`, transcripts under `data`. */
export const isFieldData = (folder) => existsSync(resolve(folder, 'fixtures')) && existsSync(resolve(folder, 'data'))
