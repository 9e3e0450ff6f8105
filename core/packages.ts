import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

// Not `require`: the build declares that name in the same file.
const requireHere = createRequire(import.meta.url)

/**
 * Large files of packages. The build puts them beside the program, most of them compressed, so that whoever installs it
 * does without the packages (electron.vite.config.ts). The source reads the packages themselves.
 */
const FOLDER = ['./packages/', '../packages/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(join(path, 'tree-sitter.cjs')))

/** Returns the path of a file of a package that the build copies as it is. @param path as in the package */
export const packagePath = (path: string): string =>
  FOLDER === undefined ? requireHere.resolve(path) : join(FOLDER, nameOf(path))

/** Requires a CommonJS script of a package that the build copies as it is. */
export const requirePackage = (path: string): unknown => requireHere(packagePath(path))

/** Returns the bytes of a file of a package that the build compresses. */
export function packageBytes(path: string): Uint8Array<ArrayBuffer> {
  if (FOLDER === undefined) return new Uint8Array(readFileSync(requireHere.resolve(path)))
  return new Uint8Array(brotliDecompressSync(readFileSync(join(FOLDER, `${nameOf(path)}.br`))))
}

/** Returns what a script of a package exports by default: values that the build writes as compressed JSON. */
export function packageValues(path: string): unknown {
  if (FOLDER === undefined) return (requireHere(path) as { readonly default: unknown }).default
  return JSON.parse(brotliDecompressSync(readFileSync(join(FOLDER, `${nameOf(path)}.json.br`))).toString())
}

/** The end of a path, with a name that nobody takes for a module. */
const nameOf = (path: string): string => (path.split('/').at(-1) ?? '').replace(/\.js$/, '.cjs')
