// `npm run dev`: builds, and builds again what a change of a source concerns, until Ctrl-C. The page is reloaded by hand,
// a core or a desktop app is started again. `electron-vite` itself watches only beside an Electron that it starts.
import { bootstrap } from './bootstrap.mjs'
import { endLike, run } from './child.mjs'
import { inProject, main, say } from './project.mjs'

const WATCHING = '--watching'

await main(async () => {
  const node = await bootstrap()
  // The tools need the project's own Node.
  if (!process.argv.includes(WATCHING)) endLike(await run(node, [inProject('scripts/dev.mjs'), WATCHING]))
  else await watch()
})

async function watch() {
  const { resolveConfig } = await import('electron-vite')
  const { build } = await import('vite')
  const { config } = await resolveConfig({}, 'build', 'production')
  for (const [name, part] of Object.entries(config ?? {})) {
    const watcher = await build({ ...part, configFile: false, build: { ...part.build, watch: {} } })
    watcher.on('event', ({ code, error }) => {
      if (code === 'END') say(`${name} is built.`)
      if (code === 'ERROR') say(`${name}: ${error.message}`)
    })
  }
}
