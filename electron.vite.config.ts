import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { build, type Plugin } from 'vite'
import { licences } from './scripts/licences.ts'
import { schemasWhenAsked } from './scripts/schemas-when-asked.ts'

const requireHere = createRequire(import.meta.url)
const here = (path: string): string => resolve(import.meta.dirname, path)

/** Only what exists is an entry. */
const entries = (inputs: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(inputs)
      .map(([name, path]) => [name, here(path)] as const)
      .filter(([, path]) => existsSync(path)),
  )

type ModuleGraph = { readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null }

/** Each of these is loaded with everything that it imports, and after those before it. */
const LOADED_TOGETHER = [
  'core/doors/cli.ts',
  'core/doors/cli-process.ts',
  'core/doors/cli-thread.ts',
  'core/contract/contract.ts',
  'core/lcm.ts',
  'core/doors/worker.ts',
  'core/doors/library/open-library.ts',
]
/**
 * Puts what is always loaded together into one file: Node takes longer to find and link a hundred small files than to
 * run them. A module goes to the first of `LOADED_TOGETHER` that needs it, so no file needs one that comes after it.
 */
function fileOf(): (id: string, graph: ModuleGraph) => string | null {
  const files = new Map<string, string | null>()
  return (id, graph) => {
    if (files.size === 0) for (const entry of LOADED_TOGETHER) collect(here(entry), entry, graph, files)
    return files.get(id) ?? null
  }
}

function collect(id: string, entry: string, graph: ModuleGraph, files: Map<string, string | null>): void {
  if (files.has(id)) return
  const found = graph.getModuleInfo(id)
  if (!found) return
  // What is started by its address stays at it.
  files.set(id, id === here(entry) ? null : basename(entry, '.ts'))
  for (const imported of found.importedIds) collect(imported, entry, graph, files)
}

/**
 * What a window begins with: its questions, any page, the frame of a memory, its first view, the strata, and the graph
 * below. Each is one file with all that it imports and those before it do not: a hundred small files take a fifth of a
 * second to arrive. Each starts in a task of its own.
 */
const BEGINNING = [
  'renderer/main.ts',
  'renderer/page.tsx',
  'renderer/frame/memory-window.tsx',
  'renderer/frame/start-with-layers.tsx',
  'renderer/frame/strata-and-lineage.tsx',
  'renderer/features/graph/lineage-graph.tsx',
]

const nameOf = (path: string): string => basename(path).replace(/\.tsx?$/, '')

/** A window begins without the schemas of the contract: they and their library would be a third of its start. */
const beginsLight: Plugin = {
  name: 'begins-light',
  generateBundle(_, files) {
    const beginning = new Set(BEGINNING.map((entry) => nameOf(entry)))
    for (const file of Object.values(files))
      if (
        file.type === 'chunk' &&
        beginning.has(file.name) &&
        file.moduleIds.some((id) => id.includes('/node_modules/zod/'))
      )
        this.error(`${file.name} loads zod: what it needs of the contract belongs to core/contract/lists.ts.`)
  },
}

/** What draws any page is fetched beside the entry, which would ask for it only when it is started. */
const fetchesPageAtOnce: Plugin = {
  name: 'fetches-page-at-once',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk' && file.name === 'page')
        .map(({ fileName }) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: '', href: `./${fileName}` },
          injectTo: 'head' as const,
        })),
  },
}

/** The types of the package are written beside it. */
const declarations = {
  name: 'declarations',
  closeBundle: () => {
    execFileSync(process.execPath, [here('scripts/declarations.ts')], { stdio: 'inherit' })
  },
}

/** A script that cannot be loaded is an error of the build, not of its first use. */
const loads = (folder: string): Plugin => ({
  name: 'loads',
  closeBundle() {
    const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
    const check = [...options, here('scripts/check-chunks.mjs'), here(folder)]
    const { status } = spawnSync(process.execPath, check, { stdio: 'inherit' })
    if (status !== 0) this.error('A script cannot be loaded, its reason is above.')
  },
})

/** Blocks of Hangul: jamo and syllables. */
const HANGUL = /U\+(?:11[\da-f]{2}|31[3-8][\da-f]|a9[67][\da-f]|(?:a[c-f]|[bc][\da-f]|d[0-7])[\da-f]{2})(?![\da-f])/i

/**
 * Builds in of the fonts for more scripts what is used: the smaller format where there are two, and of the Korean font the
 * slices with Hangul, because another font has the rest.
 */
const slicedFonts = {
  name: 'sliced-fonts',
  enforce: 'pre' as const,
  transform(css: string, id: string): string | null {
    const font = /@fontsource(?:-variable)?\/(noto-[^/]+)\/(?:400|index)\.css$/.exec(id)?.[1]
    if (font === undefined) return null
    const slices = css
      .replaceAll(/, url\([^)]*\.woff\) format\('woff'\)/g, '')
      .split(/(?<=\})/)
      .filter((slice) => font !== 'noto-sans-kr' || HANGUL.test(slice))
    return slices.join('')
  },
}

/** No explorer asks for the other grammars. */
const GRAMMAR = /^tree-sitter-(?!css|ini|powershell|regex).*\.wasm$/
/** Nearly as small as the slowest setting, in a tenth of its time. */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
const compressed = (bytes: Buffer): Buffer => brotliCompressSync(bytes, { params: BROTLI })

/**
 * Large files of packages (core/packages.ts): the grammars of source code and the vocabularies of tokenizers, compressed
 * from 24 megabytes to less than three. Whoever installs the program does without their packages of 52.
 */
const filesOfPackages: Plugin = {
  name: 'files-of-packages',
  generateBundle() {
    const read = (path: string): Buffer => readFileSync(here(join('node_modules', path)))
    const emit = (name: string, source: Buffer | string): void => {
      this.emitFile({ type: 'asset', fileName: `packages/${name}`, source })
    }
    const wasm = '@vscode/tree-sitter-wasm/wasm'
    emit('tree-sitter.cjs', read(`${wasm}/tree-sitter.js`))
    emit('tree-sitter.wasm', read(`${wasm}/tree-sitter.wasm`))
    for (const name of readdirSync(here(`node_modules/${wasm}`)).filter((one) => GRAMMAR.test(one)))
      emit(`${name}.br`, compressed(read(`${wasm}/${name}`)))
    for (const name of ['o200k_base', 'cl100k_base']) {
      const { default: ranks } = requireHere(`gpt-tokenizer/cjs/bpeRanks/${name}`) as { readonly default: unknown }
      emit(`${name}.json.br`, compressed(Buffer.from(JSON.stringify(ranks))))
    }
  },
}

/**
 * An agent waits for its hooks, so their program is one CommonJS file: as a module, Node's own modules would load all that
 * they have, such as the streams of `node:fs`, which takes as long as everything that a hook does.
 */
const hookOfAgents: Plugin = {
  name: 'hook-of-agents',
  async closeBundle() {
    await build({
      configFile: false,
      root: import.meta.dirname,
      logLevel: 'warn',
      ssr: { noExternal: true },
      build: {
        ssr: true,
        outDir: 'out/main',
        emptyOutDir: false,
        copyPublicDir: false,
        rolldownOptions: {
          input: { hook: here('core/doors/hook.ts') },
          output: { format: 'cjs', entryFileNames: '[name].cjs', comments: { jsdoc: false } },
        },
      },
    })
  },
}

/** The files to which PDFs refer by name stand beside the worker that draws them, with their licences. */
const filesOfPdfs: Plugin = {
  name: 'files-of-pdfs',
  generateBundle() {
    for (const [folder, names] of [
      ['cmaps', /\.bcmap$|^LICENSE/],
      ['standard_fonts', /\.(?:pfb|ttf)$|^LICENSE/],
      ['wasm', /_nowasm_fallback\.js$|^LICENSE_(?!.*Q)/],
    ] as const) {
      const from = here(join('node_modules/pdfjs-dist', folder))
      for (const name of readdirSync(from).filter((one) => names.test(one)))
        this.emitFile({ type: 'asset', fileName: `pdf/${folder}/${name}`, source: readFileSync(join(from, name)) })
    }
  },
}

export default defineConfig({
  main: {
    plugins: [
      schemasWhenAsked,
      declarations,
      filesOfPackages,
      licences(import.meta.dirname),
      hookOfAgents,
      loads('out/main'),
    ],
    build: {
      outDir: 'out/main',
      // What is not bundled: a native binding, what Electron itself provides, and a driver that looks for optional
      // packages while it runs.
      externalizeDeps: { exclude: [] },
      rolldownOptions: {
        input: entries({
          index: 'electron/main/index.ts',
          worker: 'core/doors/worker.ts',
          cli: 'core/doors/cli.ts',
          'cli-thread': 'core/doors/cli-thread.ts',
          library: 'core/doors/library/library.ts',
          'statement-process': 'core/query/statement-process.ts',
        }),
        external: ['better-sqlite3', 'electron', 'pg'],
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          // Who debugs the program reads its source.
          comments: { jsdoc: false },
          codeSplitting: { groups: [{ name: fileOf(), debugName: 'loaded together' }] },
        },
      },
    },
  },
  preload: {
    plugins: [licences(import.meta.dirname), loads('out/preload')],
    build: {
      outDir: 'out/preload',
      // A sandboxed preload cannot require anything but Electron: one CommonJS file.
      externalizeDeps: false,
      rolldownOptions: {
        input: entries({ index: 'electron/preload/index.ts' }),
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: here('renderer'),
    base: './',
    plugins: [
      react(),
      slicedFonts,
      filesOfPdfs,
      beginsLight,
      fetchesPageAtOnce,
      licences(import.meta.dirname),
      loads('out/renderer'),
    ],
    // The worker loads the grammars of single languages as it needs them.
    worker: { format: 'es', plugins: () => [licences(import.meta.dirname)] },
    build: {
      outDir: here('out/renderer'),
      emptyOutDir: true,
      minify: true,
      // Fonts and pictures stay files: the policy of the page allows no data: fonts.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: here('renderer/index.html'),
        output: {
          codeSplitting: {
            groups: BEGINNING.map((entry, at) => ({
              name: nameOf(entry),
              test: (id) => id === here(entry),
              priority: BEGINNING.length - at,
            })),
          },
        },
      },
    },
  },
})
