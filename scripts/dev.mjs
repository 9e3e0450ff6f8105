// `npm run dev [-- FILE]`: the window in the browser, which shows a change of its sources at once. The core is built again
// after each change, too; Ctrl-C and another `npm run dev` start it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { bootstrap } from './bootstrap.mjs'
import { endLike, forwardSignals, run } from './child.mjs'
import { inProject, main, say } from './project.mjs'

const WATCHING = '--watching'
const SAMPLE = inProject('resources/sample.db')

await main(async () => {
  const node = await bootstrap()
  const files = process.argv.slice(2).filter((argument) => argument !== WATCHING)
  // The tools need the project's own Node.
  if (process.argv.includes(WATCHING)) await watch(node, files[0] ?? SAMPLE)
  else endLike(await run(node, [inProject('scripts/dev.mjs'), WATCHING, ...files]))
})

async function watch(node, file) {
  const { resolveConfig } = await import('electron-vite')
  const { build, createServer } = await import('vite')
  const { renderer, ...others } = (await resolveConfig({}, 'build', 'production')).config
  for (const [name, part] of Object.entries(others)) {
    const watcher = await build({ ...part, configFile: false, build: { ...part.build, watch: {} } })
    await new Promise((built) => {
      watcher.on('event', ({ code, error }) => {
        if (code === 'END') say(`${name} is built.`)
        if (code === 'ERROR') say(`${name}: ${error.message}`)
        if (code === 'END' || code === 'ERROR') built()
      })
    })
  }
  // The host does not start without a window of its own.
  if (!existsSync(inProject('out/renderer/index.html'))) await build({ ...renderer, configFile: false })
  const host = await startHost(node, file)
  // The host answers pages of its own origin only.
  const headers = { origin: host.origin }
  const proxied = { target: host.origin, changeOrigin: true, headers }
  const server = await createServer({
    ...renderer,
    configFile: false,
    server: { host: '127.0.0.1', proxy: { '/session': proxied, '/rpc': { ...proxied, ws: true } } },
  })
  await server.listen()
  const [page] = server.resolvedUrls?.local ?? []
  say(`The window is at ${page}${host.hash}`)
}

/** Starts the browser host and returns where it answers, and what lets one browser in. */
async function startHost(node, file) {
  const host = spawn(node, [inProject('out/main/cli.js'), 'serve', '--json', '--no-open', '--db', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stopForwarding = forwardSignals(host)
  host.once('exit', (code, signal) => {
    stopForwarding()
    endLike({ code, signal })
    process.exit()
  })
  const [line] = await once(createInterface(host.stdout), 'line')
  const { origin, hash } = new URL(JSON.parse(line).url)
  return { origin, hash }
}
