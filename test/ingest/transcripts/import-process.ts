// Imports a transcript in a process of its own, which the test then kills. Writes a dot for every step.
import { openNative } from '#core/sqlite/native.ts'
import { runImport } from '#test/builders/import.ts'

const [database = '', transcript = ''] = process.argv.slice(2)
await runImport(openNative(database), [transcript], { onProgress: () => process.stdout.write('.') })
