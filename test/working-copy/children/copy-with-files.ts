// Makes a working copy with large files in a process of its own, which the test then kills.
import { copyMemory } from '../../../core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '../../../core/lcm.ts'
import { readSettings } from '../../../core/settings/settings.ts'

const [original = '', to = ''] = process.argv.slice(2)
const settings = readSettings({ LCM_LARGE_FILE_TOKEN_THRESHOLD: '300' })
const from = await openLcm(original, { settings, readOnly: true })
const job = copyMemory({ from, to, largeTexts: from.largeTextsOf(to) }, new AbortController().signal)
while (!(await job.next()).done);
from.close()
