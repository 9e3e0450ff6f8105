import stringWidth from 'string-width'
import type { LineageTree } from '#core/contract/lineage.ts'
import { plural, singleLine } from '#core/text.ts'
import { printable } from './printable.ts'

/** Formats a number as `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en')
}

/** 1.15 × 100 is 114.99999999999999. */
const ROUNDING = 1e-6

/** A share from 100 % on is rounded down, as in findings and in the window, so that all of them say the same. */
export function percent(share: number): string {
  if (share >= 1) return `${Math.floor(share * 100 + ROUNDING)} %`
  if (share > 0 && share < 0.001) return '< 0.1 %'
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
}

/**
 * Pads columns to their widest cell as a terminal shows it, where Chinese, Japanese and Korean characters take two
 * places. Numbers are aligned right. Control characters cannot reach the terminal.
 */
export function table(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = [
    header.map(String),
    ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? count(cell) : inCell(cell ?? '')))),
  ]
  const widths = header.map((_, column) =>
    cells.reduce((most, row) => Math.max(most, stringWidth(row[column] ?? '')), 0),
  )
  const isNumeric = header.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  return cells
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0, (isNumeric[column] ?? false) && rows.length > 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Replaces line breaks in a cell, which would look like another row. */
const inCell = (text: string): string => printable(text.replace(/\s/g, ' '))

function pad(text: string, width: number, toTheRight: boolean): string {
  const gap = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return toTheRight ? gap + text : text + gap
}

/** Returns one line that takes at most `width` places on a terminal. */
export function oneLine(text: string, width = 100): string {
  // The work stays bounded, whatever a character consists of.
  const most = width * 16
  const flat = singleLine(printable(text.slice(0, most)))
  return cutToWidth(text.length > most ? `${flat}…` : flat, width)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the beginning of a line, cut between what a reader sees as characters. */
export function cutToWidth(line: string, width: number): string {
  if (stringWidth(line) <= width) return line
  let kept = ''
  let places = 0
  for (const { segment } of graphemes.segment(line)) {
    places += stringWidth(segment)
    if (places > width - 1) break
    kept += segment
  }
  return width > 0 ? `${kept}…` : ''
}

/**
 * Writes a tree with sources indented below their dependents. It uses a stack of its own, because chains may be deep.
 */
export function treeText(roots: readonly LineageTree[], next: (node: LineageTree) => readonly LineageTree[]): string {
  const lines: string[] = []
  const stack = [...roots].reverse().map((node) => ({ node, indent: 0 }))
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { node, indent } = top
    const stands =
      node.messageCount === undefined
        ? ''
        : ` · ${count(node.messageCount)} message${node.messageCount === 1 ? '' : 's'}`
    const state = node.cycle ? ' · cycle' : node.kind === 'missing' ? ' · missing' : ''
    const depth = node.kind === 'condensed' ? ` depth ${node.depth}` : ''
    lines.push(
      `${'  '.repeat(Math.min(indent, 40))}${printable(node.id)}  ${node.kind}${depth} · ${plural(node.tokens, 'token')}${stands}${state}`,
    )
    for (const source of [...next(node)].reverse()) stack.push({ node: source, indent: indent + 1 })
  }
  return lines.join('\n')
}
