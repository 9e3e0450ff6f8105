// `npm run package`: makes packages of the built app with electron-builder, which is installed for it.
import { endLike, run } from './child.mjs'
import { ensurePackager, packagerCli } from './ensure-packager.mjs'
import { main, nodeBinary, root } from './project.mjs'

await main(async () => {
  await ensurePackager()
  endLike(await run(nodeBinary, [packagerCli, ...process.argv.slice(2)], { cwd: root }))
})
