// Writes out/THIRD-PARTY-LICENSES.txt: run by the build (electron.vite.config.ts).
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const FILE = 'out/THIRD-PARTY-LICENSES.txt'

/** Licences under which something may be shipped inside this program. Any other fails the build. */
const ACCEPTED = /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|OFL-1\.1|BlueOak-1\.0\.0|Unlicense|CC0-1\.0)$/

/** What is copied out of packages by name, and what a package holds beside its own code: files with their licences. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  '@vscode/tree-sitter-wasm': [],
  'gpt-tokenizer': [],
  'pdfjs-dist': [
    'cmaps/LICENSE',
    'standard_fonts/LICENSE_FOXIT',
    'standard_fonts/LICENSE_LIBERATION',
    'wasm/LICENSE_JBIG2',
    'wasm/LICENSE_OPENJPEG',
    'wasm/LICENSE_PDFJS_JBIG2',
    'wasm/LICENSE_PDFJS_OPENJPEG',
  ],
}

/** SQLite is compiled into the binding. https://sqlite.org/copyright.html */
const SQLITE = `SQLite

It is in the public domain, and part of better-sqlite3. https://sqlite.org/copyright.html
`

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name?: string }
}

type Lock = { readonly packages: Readonly<Record<string, { readonly dev?: boolean }>> }

/** A package of the bundles, in its folder. */
type Shipped = Manifest & { readonly folder: string; readonly texts: readonly string[] }

/** The folder of the package that a module belongs to, or null for the project's own. */
export function packageFolderOf(module: string): string | null {
  const path = module.replaceAll('\\', '/').replace(/^\0/, '').split('?')[0] ?? ''
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? null
}

/**
 * The licence of a package with its texts.
 * @throws Error when it states no accepted licence, or has no text of one
 */
export function shippedFrom(folder: string): Shipped {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, license = '' } = manifest
  if (!ACCEPTED.test(license)) throw new Error(`${name} is shipped under "${license}", which is not accepted.`)
  const own = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice|copying)(?:[.-]\w+)*$/i.test(file))
  const texts = [...own, ...(BESIDE[name] ?? [])].map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const isBare = own.length === 0
  return { ...manifest, folder, texts: isBare ? [standardText(manifest, folder), ...texts] : texts }
}

/** For a package that names its licence and leaves its text out: that of another package, with the author's name. */
function standardText({ name, license, author }: Manifest, folder: string): string {
  const holder =
    typeof author === 'string' ? author.replace(/\s*[<(].*/, '') : (author?.name ?? `the authors of ${name}`)
  const file = license === 'MIT' ? 'react' : license === 'Apache-2.0' ? 'ai' : null
  if (file === null) throw new Error(`${name} has no text of its licence ${license}.`)
  const text = readFileSync(
    join(folder.replace(/node_modules\/(?!.*node_modules\/).*/, 'node_modules'), file, 'LICENSE'),
    'utf8',
  ).trim()
  return text.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`)
}

/** The packages that stay packages, with all that they need in turn: those that the lock file keeps for more than development. */
function installedBeside(root: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const kept = Object.entries(packages).filter(([path, { dev = false }]) => path !== '' && !dev)
  return kept.map(([path]) => join(root, path)).filter((folder) => existsSync(folder))
}

/** Who is in it under which licence, and each text once, below all that it holds for. */
export function licencesText(shipped: readonly Shipped[]): string {
  const sorted = shipped.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const list = sorted.map(({ name, version, license }) => `${name} ${version}: ${license}`)
  const byText = Map.groupBy(sorted, ({ texts }) => texts.join('\n\n'))
  const sections = [...byText].map(
    ([text, holders]) => `${holders.map(({ name, version }) => `${name} ${version}`).join('\n')}\n\n${text}\n`,
  )
  const head = `LCM Inspector holds the work of others, under these licences:\n\n${list.join('\n')}\nSQLite: public domain\n`
  return [head, ...sections, SQLITE].join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * Collects whose modules, styles and fonts are in a bundle. Each bundle adds to the file, so that it is whole when the
 * last one is written. Bundles of workers have a plugin of their own.
 * @param root the folder of the project
 */
export function licences(root: string): Plugin {
  return {
    name: 'licences',
    generateBundle(_, files) {
      const chunks = Object.values(files).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const styles = [...this.getModuleIds()].filter((id) => /\.css(?:\?|$)/.test(id))
      for (const id of [...chunks, ...styles]) {
        const folder = packageFolderOf(id)
        if (folder !== null) bundled.add(folder)
      }
    },
    closeBundle() {
      const beside = Object.keys(BESIDE).map((name) => join(root, 'node_modules', name))
      const folders = new Set([...bundled, ...installedBeside(root), ...beside])
      const shipped = new Map([...folders].map(shippedFrom).map((one) => [`${one.name} ${one.version}`, one]))
      writeFileSync(join(root, FILE), licencesText([...shipped.values()]))
    },
  }
}

const bundled = new Set<string>()
