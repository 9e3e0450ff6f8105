import { readFileSync } from 'node:fs'

/** A block of code of a page about extending: a whole new file, or a change of one that exists. */
type Block = { readonly path: string; readonly isChange: boolean; readonly text: string }

/** The blocks of a page that name a file behind their language, in order. */
export const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)].map(([, language = '', path = '', text = '']) => ({
    path,
    isChange: language === 'diff',
    text,
  }))

/**
 * What the file holds after the block. Changes of several places are parted by a line of `@@`.
 * @throws Error when the lines around a change stand nowhere in the file, or more than once
 */
export const appliedTo = (file: string, { path, isChange, text }: Block): string =>
  isChange ? text.split('@@\n').reduce((source, hunk) => changed(source, hunk, path), readFileSync(file, 'utf8')) : text

function changed(source: string, hunk: string, path: string): string {
  const side = (without: '+' | '-'): string =>
    hunk
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith(without))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const pieces = source.split(side('+'))
  if (pieces.length !== 2) throw new Error(`${path} has these lines ${pieces.length - 1} times:\n${side('+')}`)
  return pieces.join(side('-'))
}

/** The tests that a page says to run. */
export const testsIn = (page: string): readonly string[] =>
  [...page.matchAll(/npm test -- --only=\w+ (.+)$/gm)].flatMap(([, files = '']) => files.split(' '))
