import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { explored } from '../files/explorers/explored.ts'
import { samplesOf } from './field-data.ts'

/** What somebody may ask of each file: the summary alone has to answer. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'country-codes.csv': [
    '249 rows below',
    'FIFA',
    'Dial',
    'ISO3166-1-Alpha-3',
    'Continent',
    'Capital',
    'Languages',
    'TLD',
    'EDGAR',
    'Geoname ID',
  ],
  'UNSD-ar.csv': [
    '249 rows',
    'Global Code',
    'Region Name',
    'Country or Area',
    'M49 Code',
    'ISO-alpha2 Code',
    'Small Island',
  ],
  'population.csv': [
    '17,195 rows below the names of the columns, 4 columns',
    'Country Name',
    'Country Code',
    'Year: integer 1960 to',
    'Value: ',
  ],
  'package-lock.json': [
    'name: "@google/gemini-cli"',
    'lockfileVersion: integer 3',
    'packages: dictionary of 1,505 names',
    'version',
    'resolved',
    'integrity',
  ],
  'twilio_taskrouter_v1.json': [
    'openapi: "3.0.1"',
    'info.title: "Twilio - Taskrouter"',
    'paths: dictionary of 37 names',
    '/v1/Workspaces',
    'components.schemas: dictionary of 36 names',
    'tags',
  ],
  'monitoring.coreos.com_alertmanagerconfigs.yaml': [
    'apiVersion: "apiextensions.k8s.io/v1"',
    'kind: "CustomResourceDefinition"',
    'spec.group: "monitoring.coreos.com"',
    'spec.versions',
    'metadata',
  ],
  'countries.xml': ['The root is <countries>', '250 times', '@name.common', '@cca2', '@region'],
  'thread-session-runtime.ts': [
    'ThreadSessionRuntime',
    'getOrCreateRuntime',
    'disposeRuntime',
    'RuntimeOptions',
    'EnqueueResult',
    'isEssentialToolName',
    'deriveThreadNameFromSessionTitle',
  ],
  'stb_image.h': ['stbi_load', 'stbi_load_from_memory', 'stbi_load_from_file', 'stbi_io_callbacks', 'stdio.h'],
}

describe('the summary of a real large file', () => {
  it.each(samplesOf(/^large-files\/.*\.\w+$/))('answers what its columns, keys or functions are: %s', async (path) => {
    const bytes = readFileSync(path)
    const name = basename(path)
    const { summary, tokens } = await explored(bytes, { name })
    expect(tokens).toBeGreaterThanOrEqual(200)
    expect(tokens).toBeLessThanOrEqual(500)
    for (const answer of ANSWERS[name] ?? ['there is no question about this file']) expect(summary).toContain(answer)
    expect((await explored(bytes, { name, chunkBytes: 1000 })).summary).toBe(summary)
  })

  it.each(samplesOf(/^large-files\/.*\.\w+$/))('is of the same type without the name of the file: %s', async (path) => {
    const bytes = readFileSync(path)
    const { type } = await explored(bytes, { name: basename(path) })
    const unnamed = (await explored(bytes)).type
    expect(type === 'c' && unnamed === 'cpp' ? 'c' : unnamed).toBe(type)
  })
})
