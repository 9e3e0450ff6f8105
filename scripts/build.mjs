// Always builds, and leaves the mark that `npm start` looks for.
import { bootstrap } from './bootstrap.mjs'
import { endLike } from './child.mjs'
import { buildNow } from './ensure-build.mjs'
import { main } from './project.mjs'

await main(async () => {
  await bootstrap()
  endLike(await buildNow())
})
