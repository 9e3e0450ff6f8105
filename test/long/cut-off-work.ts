// Does a work in a process of its own: is killed right before one of its writes ("at"), says then that it may be killed
// ("after"), or says what its folder was like before its writes ("states").
import { writeSync } from 'node:fs'
import { recordStates } from './recorded-states.ts'
import { runWork, type Work } from './works.ts'
import { watchingWrites } from './write-points.ts'

const [work = '', folder = '', number = '', how = ''] = process.argv.slice(2)
if (how === 'states') console.log(JSON.stringify(await recordStates(work as Work, folder, Number(number))))
else {
  let writes = 0
  const onWrite = (): void => {
    writes += 1
    if (writes !== Number(number)) return
    if (how === 'at') process.kill(process.pid, 'SIGKILL')
    else writeSync(1, '.')
  }
  await watchingWrites(onWrite, () => runWork(work as Work, folder))
}
