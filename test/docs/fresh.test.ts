import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isFresh, pages } from '#docs/generate.ts'

const root = join(import.meta.dirname, '../..')

describe('the documents', () => {
  it.each(pages)('$file equals what the code generates', ({ file, make }) => {
    expect(isFresh(file, make()), 'run "npm run docs"').toBe(true)
  })

  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names files and folders that exist', (file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const named = [...text.matchAll(/(?<=[`\s])(?:core|renderer|test|docs|scripts|resources)\/[\w./-]*[\w/]/g)]
    expect(named.length).toBeGreaterThan(2)
    expect(named.map(([path]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it.each(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md'])(
    '%s links to files that exist',
    (file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const targets = [...text.matchAll(/\]\((?!https?:|#)([^)]+)\)|<img[^>]+src="([^"]+)"|srcset="([^"]+)"/g)]
      for (const [, link, image, source] of targets) {
        const target = (link ?? image ?? source ?? '').split('#')[0] ?? ''
        expect(existsSync(join(root, dirname(file), target)), target).toBe(true)
      }
    },
  )
})
