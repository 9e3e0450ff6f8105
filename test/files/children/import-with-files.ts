// Imports a transcript in a process of its own, which the test then kills.
import { openNative } from '../../../core/sqlite/native.ts'
import { runImport } from '../../builders/import.ts'
import { largeFiles } from '../../builders/large-files.ts'

const [database = '', transcript = ''] = process.argv.slice(2)
await runImport(openNative(database), [transcript], {
  files: largeFiles(database, 300),
})
