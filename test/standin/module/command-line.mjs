// What the app was started with.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Filled once by {@link readCommandLine}, before the app is loaded. */
export const commandLine = {
  /** The folder with the app's package.json. */
  appPath: process.cwd(),
  /** The main script. */
  entry: '',
  /** APP and everything after it, as the app sees it in `process.argv`. */
  argv: [],
  /** Every `--name` or `--name=value`, wherever it stood. */
  switches: new Map(),
  /** Was a debugger asked for? Playwright always does. */
  inspected: false,
  packageJson: {},
}

/** Reads the arguments of the Electron binary. */
export function readCommandLine(args) {
  for (const arg of args) {
    const [, name, value] = /^--([^=]+)=?(.*)$/.exec(arg) ?? []
    if (name !== undefined) commandLine.switches.set(name, value)
  }
  commandLine.inspected = commandLine.switches.has('inspect')
  const position = args.findIndex((arg) => !arg.startsWith('-'))
  commandLine.argv = position < 0 ? ['.'] : args.slice(position)
  locateApp(resolve(commandLine.argv[0]))
}

function locateApp(path) {
  const isFolder = statSync(path).isDirectory()
  let folder = isFolder ? path : dirname(path)
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  const packageFile = join(folder, 'package.json')
  commandLine.appPath = folder
  commandLine.packageJson = existsSync(packageFile) ? JSON.parse(readFileSync(packageFile, 'utf8')) : {}
  commandLine.entry = isFolder ? resolve(folder, commandLine.packageJson.main ?? 'index.js') : path
}
