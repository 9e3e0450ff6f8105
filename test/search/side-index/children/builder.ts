// Makes the search index of a file in a process of its own, and prints a line at every step. Given a number of steps, it
// waits after these until it is killed.

import { updateIndex } from '#core/search/side-index/update-index.ts'
import { Stage } from '../stage.ts'

const [path = '', cacheDir = '', steps] = process.argv.slice(2)
const { memory, index } = await Stage.open(path, cacheDir)
const job = updateIndex({ read: memory.read, info: memory.info, index }, new AbortController().signal)
for (let n = 1; ; n += 1) {
  const step = await job.next()
  console.log(JSON.stringify(step.value))
  if (n === Number(steps)) await new Promise(() => setInterval(() => {}, 60_000))
  if (step.done) break
}
