// Makes the search index of a file in a process of its own, and says a line at every step.

import { updateIndex } from '../../../core/search/side-index/update-index.ts'
import { Stage } from '../stage.ts'

const [path = '', cacheDir = ''] = process.argv.slice(2)
const { memory, index } = new Stage(path, cacheDir)
const job = updateIndex({ read: memory.read, info: memory.info, index }, new AbortController().signal)
for (;;) {
  const step = await job.next()
  console.log(JSON.stringify(step.value))
  if (step.done) break
}
