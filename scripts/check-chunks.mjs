// Fails when a script of a built folder cannot be loaded: run by the build (electron.vite.config.ts).
// Usage: node --experimental-vm-modules scripts/check-chunks.mjs FOLDER
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { compileFunction, SourceTextModule, SyntheticModule } from 'node:vm'
import { parseAst } from 'vite'

/**
 * Compiles every script as what it is, with an engine like the one that will run it, and links modules to what they
 * import. Nothing of them is run. A bundler writes a name that is declared twice without a word, and the program would
 * fail only when it needs that chunk.
 */
const folder = process.argv[2]
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.[cm]?js$/.test(name))
  .map((name) => join(folder, name))
const failures = new Set()
const modules = new Map()
const foreign = new Map()

for (const path of paths) {
  await tried(path, () => {
    const code = readFileSync(path, 'utf8')
    if (path.endsWith('.cjs')) compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'])
    else modules.set(path, new SourceTextModule(code, { identifier: path }))
  })
}
for (const [path, module] of modules) await tried(path, () => link(path, module))
const all = failures.size === 0 ? [...modules] : []
// A module that another one imports was linked with it.
for (const [path, module] of all) if (module.status === 'unlinked') await tried(path, () => module.instantiate())

for (const failure of failures) console.error(failure)
if (failures.size > 0 || paths.length === 0) {
  console.error(`${failures.size} of ${paths.length} scripts in ${folder} cannot be loaded.`)
  process.exitCode = 1
}

async function tried(path, attempt) {
  try {
    await attempt()
  } catch (error) {
    failures.add(`${relative(folder, path)}: ${error}`)
  }
}

async function link(path, module) {
  const imported = []
  for (const { specifier } of module.moduleRequests) {
    const target = specifier.startsWith('.') ? modules.get(join(dirname(path), specifier)) : await packageOf(specifier)
    if (target === undefined) throw new Error(`${specifier} is imported and cannot be loaded`)
    imported.push(target)
  }
  module.linkRequests(imported)
}

/** A module with the names of a package, or of a module of Node. */
async function packageOf(specifier) {
  const known = foreign.get(specifier)
  if (known) return known
  // Only Electron itself can load it; whatever is asked of it is there.
  const names = specifier === 'electron' ? askedOfElectron() : Object.keys(await import(specifier))
  const module = new SyntheticModule(names, () => undefined, { identifier: specifier })
  foreign.set(specifier, module)
  return module
}

function askedOfElectron() {
  const asking = [...modules].filter(([, { moduleRequests }]) =>
    moduleRequests.some((one) => one.specifier === 'electron'),
  )
  const imports = asking
    .flatMap(([path]) => parseAst(readFileSync(path, 'utf8')).body)
    .filter(({ type, source }) => type === 'ImportDeclaration' && source.value === 'electron')
  return [
    ...new Set(imports.flatMap(({ specifiers }) => specifiers.map(({ imported }) => imported?.name ?? 'default'))),
  ]
}
