import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Counts } from '#core/activity/counts.ts'
import { INPUTS } from '#core/agents/tools/tool-inputs.ts'
import { LineLevel, LogFields, LogSource } from '#core/contract/activity.ts'
import { PLACEHOLDERS } from '#core/models/prompts/prompt-template.ts'
import { THRESHOLDS } from '#core/provenance/thresholds.ts'
import { checkSettings } from '#core/settings/settings-file.ts'
import { isFresh, pages } from '#docs/generate.ts'
import { inProject } from '#scripts/project.mjs'
import { readGlossary } from '../structure/glossary.ts'

const page = (path: string): string => readFileSync(inProject(path), 'utf8')

describe('the documents', () => {
  it.each(pages)('$file equals what the code generates', ({ file, make }) => {
    expect(isFresh(file, make()), 'run "npm run docs"').toBe(true)
  })

  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names files and folders that exist', (file) => {
    const named = [...page(file).matchAll(/(?<=[`\s])(?:core|renderer|test|docs|scripts|resources)\/[\w./-]*[\w/]/g)]
    expect(named.length).toBeGreaterThan(2)
    expect(named.map(([path]) => path).filter((path) => !existsSync(inProject(path)))).toEqual([])
  })

  it.each(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md'])(
    '%s links to files that exist',
    (file) => {
      const targets = [...page(file).matchAll(/\]\((?!https?:|#)([^)]+)\)|<img[^>]+src="([^"]+)"|srcset="([^"]+)"/g)]
      for (const [, link, image, source] of targets) {
        const target = (link ?? image ?? source ?? '').split('#')[0] ?? ''
        expect(existsSync(inProject(dirname(file), target)), target).toBe(true)
      }
    },
  )
})

it('says each change in the CHANGELOG in at most 250 characters, on one line', () => {
  const entries = page('CHANGELOG.md').split('\n').slice(4)
  expect(entries.filter((line) => !/^(?:|#{2,3} .+|- .{10,248})$/.test(line))).toEqual([])
})

describe('docs/glossary.md', () => {
  const glossary = readGlossary()
  const terms = glossary.map(({ term }) => term)

  it('has at most 40 terms in the glossary, each once and in order', () => {
    expect(terms.length).toBeGreaterThan(30)
    expect(terms.length).toBeLessThanOrEqual(40)
    expect(terms).toEqual([...new Set(terms)].sort())
  })

  it('explains every term of the glossary in whole sentences', () => {
    expect(glossary.filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning))).toEqual([])
  })

  it('uses no replaced word as a term of the glossary', () => {
    expect(terms.filter((term) => glossary.some(({ replaced }) => replaced.includes(term)))).toEqual([])
  })
})

describe('docs/mcp.md and docs/provenance.md', () => {
  it('docs/mcp.md names every tool with all its inputs', () => {
    const rows = [...page('docs/mcp.md').matchAll(/^\| `(lcm_\w+)` \| (.*?) \|/gm)]
    const told = Object.fromEntries(
      rows.map((row) => [row[1], [...(row[2] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1])]),
    )
    expect(told).toEqual(
      Object.fromEntries(Object.entries(INPUTS).map(([name, input]) => [name, Object.keys(input.shape)])),
    )
  })

  it('docs/provenance.md names the thresholds of the code', () => {
    expect(page('docs/provenance.md')).toContain(
      `From ${THRESHOLDS.supported} on a claim is *supported*, from ${THRESHOLDS.weak} on *weak*`,
    )
  })
})

describe('docs/models.md', () => {
  it('docs/models.md shows a valid settings file', () => {
    const example = /```json\n([\s\S]*?)```/.exec(page('docs/models.md'))?.[1] ?? ''
    expect(checkSettings(JSON.parse(example), 'the example').chain).toEqual(['claude', 'ollama'])
  })

  it('docs/models.md names every placeholder with its meaning', () => {
    const rows = [...page('docs/models.md').matchAll(/^\| `\{\{(\w+)\}\}` \| (.*?) \|/gm)].map((row) => [
      row[1],
      row[2],
    ])
    expect(Object.fromEntries(rows)).toEqual(PLACEHOLDERS)
  })
})

describe('docs/observability.md', () => {
  it('docs/observability.md names every field, level and source of the log', () => {
    const words = [...Object.keys(LogFields.shape), ...LineLevel.options, ...LogSource.options]
    expect(words.filter((word) => !page('docs/observability.md').includes(`\`${word}\``))).toEqual([])
  })

  it('docs/observability.md names every metric with its labels, and no other', async () => {
    const counts = new Counts()
    counts.showMemory('0123456789ab', { conversations: [], checks: [] })
    const text = await counts.text([], (labels) => labels)
    const names = [...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name]) => name)
    const documented = [...page('docs/observability.md').matchAll(/^\| `(lcm_\w+)` \|/gm)].map(([, name]) => name)
    expect(documented.toSorted()).toEqual(names.toSorted())
  })
})

describe('SECURITY.md', () => {
  it('names a test that exists for each promise of the page about security', () => {
    const [, table = ''] = page('SECURITY.md').split('## Promises and their tests')
    const rows = table.split('\n').flatMap((line) => {
      const [, promise, file, title] = /^\| (.+?) \| `(.+?)` \| (.+?) \|$/.exec(line) ?? []
      return promise && file && title ? [{ promise, file, title }] : []
    })
    expect(rows.length).toBeGreaterThan(20)
    const missing = rows.filter(({ file, title }) => {
      const path = inProject(file)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title.replaceAll("'", "\\'")}'`)
    })
    expect(missing).toEqual([])
  })
})
