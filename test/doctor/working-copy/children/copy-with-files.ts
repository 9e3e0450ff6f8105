// Makes a working copy with large files in a process of its own, which is killed when so many files wait for their places.
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { FileStore } from '#core/files/file-store.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'

const [original = '', to = '', most = ''] = process.argv.slice(2)
let waiting = 0
const { stage } = FileStore.prototype
FileStore.prototype.stage = async function* (...given) {
  const staged = yield* stage.apply(this, given)
  waiting += 1
  if (waiting === Number(most)) process.kill(process.pid, 'SIGKILL')
  return staged
}
const settings = readSettings({ LCM_LARGE_FILE_TOKEN_THRESHOLD: '300' })
const from = await openLcm(original, { settings, readOnly: true })
const job = copyMemory({ from, to, largeTexts: from.largeTextsOf(to) }, new AbortController().signal)
while (!(await job.next()).done);
from.close()
