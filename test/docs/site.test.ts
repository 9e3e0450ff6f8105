import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'
import { idsOfHeadings, linkFrom } from '#scripts/site/markdown.ts'
import { addressOf } from '#scripts/site/pages.ts'
import { writeSite } from '#scripts/site.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const folder = temporaryFolder()
let pages: ReadonlyMap<string, string>

beforeAll(async () => {
  await writeSite(folder)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  pages = new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]))
})

const targetsIn = (html: string): string[] =>
  [...html.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)].map(([, target = '']) => target.replaceAll('&amp;', '&'))

describe('the site', () => {
  it('has a page for the README and for every document, with a title and a place in the menu', () => {
    const documents = readdirSync(inProject('docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    expect(documents.length).toBeGreaterThan(60)
    const addresses = ['README.md', ...documents].map(addressOf)
    expect(addresses.filter((address) => !pages.has(address))).toEqual([])
    const [first = ''] = [pages.get('index.html')]
    const linked = new Set(targetsIn(first))
    expect(addresses.filter((address) => !linked.has(address))).toEqual([])
    for (const [address, html] of pages) expect.soft(html, address).toMatch(/<title>[^<]+<\/title>/)
  })

  it('leads nowhere where nothing is: every page, picture, font and heading that a link names exists', () => {
    const broken: string[] = []
    for (const [address, html] of pages)
      for (const target of targetsIn(html)) {
        if (/^https?:/.test(target)) continue
        const [path = '', fragment] = target.split('#')
        const there = join(folder, path === '' ? address : join(dirname(address), path))
        const html = pages.get(relative(folder, there).replaceAll('\\', '/'))
        const isThere = existsSync(there) && statSync(there).isFile()
        if (!isThere || (fragment !== undefined && html?.includes(` id="${fragment}"`) !== true))
          broken.push(`${address}: ${target}`)
      }
    expect(broken).toEqual([])
    const styles = readFileSync(join(folder, 'site.css'), 'utf8')
    for (const [, file = ''] of styles.matchAll(/url\("([^"]+)"\)/g))
      expect.soft(existsSync(join(folder, file))).toBe(true)
  })

  it('needs no script, asks nobody else for anything, and says how wide a phone is', () => {
    for (const [address, html] of pages) {
      expect
        .soft(html, address)
        .not.toMatch(/<script|<iframe|\son\w+=|(?:src|srcset)="https?:|stylesheet" href="https?:/)
      expect.soft(html, address).toContain('name="viewport"')
      expect.soft(html.match(/aria-current="page"/g)?.length, address).toBe(2)
    }
  })

  it('calls a page by its title where a document calls it by its file', () => {
    expect(pages.get('index.html')).toContain('<a href="contributing.html">Contributing</a> says how')
    expect(pages.get('index.html')).not.toMatch(/>[\w/-]+\.md<\/a>/)
  })

  it('describes every picture', () => {
    for (const [address, html] of pages)
      for (const [image] of html.matchAll(/<img [^>]*>/g))
        expect.soft(image, address).toMatch(image.includes('icon.svg') ? / alt=""/ : / alt="[^"]{20,}"/)
  })

  it('colours code of languages that the window colours, and keeps every letter of it', () => {
    const html = pages.get('docs/extend/rule.html') ?? ''
    expect(html).toContain('<figcaption>core/doctor/rules/titles.ts</figcaption>')
    const [, code = ''] = /titles\.ts<\/figcaption><pre tabindex="0"><code>([\s\S]*?)<\/code>/.exec(html) ?? []
    expect(code).toContain('<span class="keyword">')
    const plain = code
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
    expect(readFileSync(inProject('docs/extend/rule.md'), 'utf8')).toContain(plain.replaceAll('&amp;', '&'))
  })

  it('shows the rooms of ARCHITECTURE.md as a table, because a page without scripts draws no chart', () => {
    expect(pages.get('architecture.html')).toMatch(/<td><code>lcm\.ts<\/code><\/td><td><code>agents<\/code>/)
  })
})

describe('a link of a document', () => {
  it('keeps its way to another document, a heading and a picture, and other sites stay as they are', () => {
    const page = { source: 'docs/hosts/pi.md', address: 'docs/hosts/pi.html' }
    expect(linkFrom(page, '../engine.md#calls')).toBe('../engine.html#calls')
    expect(linkFrom(page, '../../README.md')).toBe('../../index.html')
    expect(linkFrom(page, '../screenshots/strata-dark.png')).toBe('../screenshots/strata-dark.png')
    expect(linkFrom(page, 'https://sqlite.org')).toBe('https://sqlite.org')
    expect(linkFrom(page, '#here')).toBe('#here')
  })

  it('finds a heading by the id that GitHub gives it, also when two have the same words', () => {
    const idOf = idsOfHeadings()
    expect(['Two commands', 'What is read?', 'Two commands'].map(idOf)).toEqual([
      'two-commands',
      'what-is-read',
      'two-commands-1',
    ])
  })
})
