import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import json5 from 'json5'
import { parse as parseYaml } from 'yaml'
import { CompactionSettings } from '../contract/compaction.ts'
import type { FoundSetting, FoundSettings } from '../contract/settings.ts'
import { isMissingFile } from '../errors.ts'
import { readAt } from '../read-at.ts'
import { compactionNameOf, VARIABLES, type Variable } from '../settings/variables.ts'
import type { Surroundings } from '../systems/places.ts'
import type { OwnSettings, System } from '../systems/system.ts'
import { allSystems } from '../systems/systems.ts'
import { yieldToOthers } from '../yielding.ts'

/** The settings of an agent with all its channels have some ten thousand bytes. As much JSON5 is parsed in 200 ms. */
const MOST_BYTES = 256 * 1024
/** The parser of YAML takes seconds for what that of JSON5 reads in 200 ms. Sections have some hundred characters. */
const MOST_YAML = 16 * 1024

/**
 * Reads the settings of other systems in the places where they keep them. The files hold keys and other secrets, so
 * that only numbers and flags under known names are taken from them. A file without any is left out.
 */
export async function discoverSettings(surroundings: Surroundings): Promise<FoundSettings[]> {
  const found: FoundSettings[] = []
  for (const system of allSystems()) {
    const { ownSettings } = system
    for (const path of ownSettings?.files(surroundings) ?? []) {
      const file = ownSettings && readFile(path)
      if (!file) continue
      const one = settingsIn(file, path, ownSettings, system)
      if (one.values.length > 0 || one.problem !== null) found.push(one)
      // A large file takes some time to parse.
      await yieldToOthers()
    }
  }
  return found.sort((a, b) => a.label.localeCompare(b.label) || a.path.localeCompare(b.path))
}

type FileText = { readonly text: string } | { readonly problem: string }

/** Null when there is none. A device or a pipe is never read, because that may not end. */
function readFile(path: string): FileText | null {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return isMissingFile(error) ? null : { problem: 'It cannot be read by this user.' }
  }
  try {
    const { size } = fstatSync(file)
    if (!fstatSync(file).isFile()) return { problem: 'It is no file.' }
    if (size > MOST_BYTES) return { problem: 'It is larger than 256 KiB, which no settings are.' }
    return {
      text: readAt(file, 0, size)
        .toString()
        .replace(/^\uFEFF/, ''),
    }
  } catch {
    return { problem: 'It cannot be read.' }
  } finally {
    closeSync(file)
  }
}

function settingsIn(file: FileText, path: string, own: OwnSettings, { id, preset }: System): FoundSettings {
  const about = { system: id, label: preset?.label ?? id, path, note: preset?.note ?? null }
  const nothing = { ...about, values: [], settings: {} }
  if ('problem' in file) return { ...nothing, problem: file.problem }
  const document = own.format === 'yaml' ? yamlOf(file.text, own) : jsonOf(file.text)
  if (document === undefined) return { ...nothing, problem: `It cannot be read as ${own.format.toUpperCase()}.` }
  const values = valuesIn(document, own)
  return { ...about, values, settings: compactionOf(values), problem: null }
}

/** Returns undefined for what is no document. The parser's error quotes the file, so it is dropped. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // It may have comments, or commas at the ends of lists.
  }
  try {
    return json5.parse(text)
  } catch {
    return undefined
  }
}

/** Parses the sections that are wanted, and leaves the rest of the document alone. */
function yamlOf(text: string, { sections }: OwnSettings): unknown {
  const wanted = text
    .split(/^(?=[^\s#])/m)
    .filter((block) => sections.some(({ at: [first] }) => block.startsWith(`${first}:`)))
  const part = wanted.join('')
  if (part.length > MOST_YAML) return undefined
  try {
    return parseYaml(part, { logLevel: 'error', maxAliasCount: 10 })
  } catch {
    return undefined
  }
}

function valuesIn(document: unknown, { sections }: OwnSettings): FoundSetting[] {
  const values: FoundSetting[] = []
  for (const { at, names } of sections) {
    const section = at.reduce(memberOf, document)
    for (const [name, variable] of Object.entries(names)) {
      const stored = memberOf(section, name)
      if (stored === undefined || stored === null || values.some((value) => value.variable === variable)) continue
      values.push({ name: [...at, name].join('.'), variable, ...acceptedOf(stored, variable) })
    }
  }
  return values
}

/** A document of somebody else may have any shape and any names. */
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** A text is not shown, because it may be anything. */
function acceptedOf(stored: unknown, name: string): Pick<FoundSetting, 'value' | 'problem'> {
  const variable: Variable<unknown, unknown> | undefined = Object.values(VARIABLES).find((one) => one.name === name)
  if (variable === VARIABLES.summarizers) {
    if (stored === 'auto') return { value: 'auto', problem: null }
    return { value: null, problem: 'It names a model: add that under Models.' }
  }
  const value = typeof stored === 'string' && /^-?\d+(\.\d+)?$/.test(stored) ? Number(stored) : stored
  if (typeof value !== 'number' && typeof value !== 'boolean') return { value: null, problem: 'It is no number.' }
  if (variable?.parse(String(value)) !== undefined) return { value, problem: null }
  return { value, problem: `Here it must be ${variable?.accepts ?? 'another value'}.` }
}

function compactionOf(values: readonly FoundSetting[]): Partial<CompactionSettings> {
  const usable = values.filter(({ value, problem }) => value !== null && problem === null)
  const named = usable.flatMap(({ variable, value }) => {
    const name = compactionNameOf(variable)
    return name === null ? [] : [[name, value] as const]
  })
  return CompactionSettings.partial().parse(Object.fromEntries(named))
}
