import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLACEHOLDERS } from '#core/models/prompts/prompt-template.ts'
import { checkSettings } from '#core/settings/settings-file.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/models.md'), 'utf8')

describe('docs/models.md', () => {
  it('shows a valid settings file', () => {
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    expect(checkSettings(JSON.parse(example), 'the example').chain).toEqual(['claude', 'ollama'])
  })

  it('names every placeholder with its meaning', () => {
    const rows = [...page.matchAll(/^\| `\{\{(\w+)\}\}` \| (.*?) \|/gm)].map((row) => [row[1], row[2]])
    expect(Object.fromEntries(rows)).toEqual(PLACEHOLDERS)
  })
})
