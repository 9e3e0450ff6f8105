// `npm run site` writes site/: static pages of README and docs/, with the pictures that the app itself made.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inProject, root } from './project.mjs'
import { layOut } from './site/layout.ts'
import { renderMarkdown } from './site/markdown.ts'
import { readMenu } from './site/pages.ts'

/** What pages refer to, by where it stands on the site. */
const COPIED: Readonly<Record<string, string>> = {
  'icon.svg': 'renderer/icon.svg',
  LICENSE: 'LICENSE',
  'docs/screenshots': 'docs/screenshots',
  'fonts/inter.woff2': 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'fonts/mono.woff2': 'node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
}

/** The colours of the window and of its code, for light and dark as the system of the reader is set. */
function styles(): string {
  const tokens = readFileSync(inProject('renderer/ui/styles/tokens.css'), 'utf8')
  const [dark, light] = [':root', ':root[data-theme="light"]'].map((selector) => {
    const start = tokens.indexOf(`${selector} {`) + selector.length + 2
    return tokens.slice(start, tokens.indexOf('\n}', start))
  })
  const font = (family: string, file: string): string =>
    `@font-face { font-family: "${family}"; src: url("fonts/${file}") format("woff2"); font-weight: 100 900; font-display: swap; }`
  return [
    font('Inter Variable', 'inter.woff2'),
    font('JetBrains Mono Variable', 'mono.woff2'),
    `:root {${light}\n}`,
    `@media (prefers-color-scheme: dark) {\n:root {${dark}\n}\n}`,
    readFileSync(inProject('renderer/ui/texts/coloured-code.module.css'), 'utf8'),
    readFileSync(inProject('scripts/site/site.css'), 'utf8'),
  ].join('\n')
}

/** Writes every page, and what the pages refer to, into an empty folder. */
export async function writeSite(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const menu = readMenu(root)
  const pages = menu.flatMap((group) => group.pages)
  for (const page of pages) {
    const path = join(folder, page.address)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, layOut(page, await renderMarkdown(page, pages), menu))
  }
  for (const [to, from] of Object.entries(COPIED)) cpSync(inProject(from), join(folder, to), { recursive: true })
  writeFileSync(join(folder, 'site.css'), styles())
}

if (import.meta.main) await writeSite(inProject('site'))
